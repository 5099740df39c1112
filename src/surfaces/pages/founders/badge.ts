// The badge that owners put on their own sites: a small picture with the site's name in its accent colour.
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findListing } from '../../../features/catalog/reads.ts'
import { accentColours } from '../../../features/site/colours.rules.ts'
import type { SiteFields } from '../../../features/site/schema.ts'
import { BADGES_PATH } from '../../../kernel/addresses/own-addresses.ts'
import { unfit } from '../../../kernel/errors.ts'
import { matchesEtag } from '../../http/answers/compression.ts'
import { identifiedCaller } from '../../http/gate.ts'
import type { Service } from '../../http/service.ts'
import { type AddressQuery, queryText } from '../kit/lists/address-query.ts'
import { html, oneLine } from '../kit/markup.ts'
import { addPublicPages } from '../kit/sending/public-pages.ts'

export const BADGE_THEMES = ['light', 'dark', 'plain'] as const
type BadgeTheme = (typeof BADGE_THEMES)[number]

const PATH = `${BADGES_PATH}:file`
const HEIGHT = 40
const MAX_AGE_SECONDS = 3600
const MOST_NAME = 40

export const badgePath = (slug: string, theme: BadgeTheme): string =>
  `${BADGES_PATH}${slug}.svg${theme === 'light' ? '' : `?theme=${theme}`}`

/** The HTML for the owner's page. Its link has rel="nofollow", which the owner may remove. */
export const badgeCode = (publicUrl: string, slug: string, theme: BadgeTheme, site: string): string =>
  String(
    html`<a href="${publicUrl}/tools/${slug}" rel="nofollow"><img src="${publicUrl}${badgePath(slug, theme)}" alt="Listed on ${oneLine(site, 40)}" height="40"></a>`,
  )

interface Look {
  ground: string
  edge: string
  ink: string
  name: string
}

function lookOf(theme: BadgeTheme, accentColor: string): Look {
  const { brand } = accentColours(accentColor)
  if (theme === 'dark') return { ground: '#14201b', edge: '#2f3d36', ink: '#c5d0ca', name: brand[1] }
  // The plain theme has no accent colour, and a ground of its own keeps it readable on every site.
  if (theme === 'plain') return { ground: '#ffffff', edge: '#7a857f', ink: '#4c5a54', name: '#24302b' }
  return { ground: '#ffffff', edge: '#d5dcd7', ink: '#4c5a54', name: brand[0] }
}

// Pixels. Each browser has a font of its own, so the width of a letter is not known, and every letter counts as a wide one.
const LETTER_WIDTH = 8.6

export function drawBadge(site: Pick<SiteFields, 'name' | 'accentColor'>, theme: BadgeTheme): string {
  const { ground, edge, ink, name } = lookOf(theme, site.accentColor)
  const label = oneLine(site.name, MOST_NAME)
  const width = Math.max(132, Math.round(28 + [...label].length * LETTER_WIDTH))
  const text = html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="Listed on ${label}"><rect x="0.5" y="0.5" width="${width - 1}" height="${HEIGHT - 1}" rx="9.5" fill="${ground}" stroke="${edge}"/><g font-family="system-ui,sans-serif"><text x="14" y="16" font-size="10" fill="${ink}">Listed on</text><text x="14" y="31" font-size="14" font-weight="700" fill="${name}">${label}</text></g></svg>`
  return String(text)
}

export function addBadges(server: FastifyInstance, service: Service): void {
  const send = (request: FastifyRequest, reply: FastifyReply) => {
    const { file } = request.params as { file: string }
    const slug = /^([a-z0-9-]{1,200})\.svg$/.exec(file)?.[1] ?? ''
    const asked = queryText(request.query as AddressQuery, 'theme') || 'light'
    const theme = BADGE_THEMES.find((one) => one === asked)
    if (!theme) throw unfit(`theme must be one of ${BADGE_THEMES.join(', ')}.`, 'theme')
    findListing(service.context(identifiedCaller(request)).catalog.snapshot().tools, slug, 'Tool')
    const svg = drawBadge(service.site.fields(), theme)
    const etag = `"${createHash('sha256').update(svg).digest('base64url').slice(0, 16)}"`
    reply.headers({
      'cache-control': `public, max-age=${MAX_AGE_SECONDS}`,
      'cross-origin-resource-policy': 'cross-origin',
      // A browser that opens the picture by itself treats it as a document of this service. It may then load and run nothing.
      'content-security-policy': "default-src 'none'",
      etag,
    })
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.type('image/svg+xml; charset=utf-8').send(svg)
  }
  addPublicPages(server, service, { [PATH]: send }, { checksCrawlers: false })
}
