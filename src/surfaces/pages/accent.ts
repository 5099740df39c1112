// The stylesheet in the operator's accent colour. The content security policy forbids styles inside a page, so each colour has a stylesheet
// of its own. Its address contains the colour and the hash of the default stylesheet, so browsers may keep it for a year.
import type { FastifyInstance } from 'fastify'
import { accentColours, recoloured } from '../../features/site/colours.rules.ts'
import { DEFAULT_ACCENT } from '../../features/site/schema.ts'
import { thisNotFound } from '../../kernel/errors.ts'
import { refuseOtherMethods } from '../http/answers/answers.ts'
import { compressQuickly, encodingFor } from '../http/answers/compression.ts'
import type { Service } from '../http/service.ts'
import { STYLE_TEXT, STYLESHEET } from './assets.ts'

const PATH = '/assets/accent/:file'
const [, STYLE_HASH = ''] = /\.([\w-]+)\.css$/.exec(STYLESHEET) ?? []

/** The stylesheet of a site with this accent colour. */
export const stylesheetWith = (hex: string): string =>
  hex.toLowerCase() === DEFAULT_ACCENT ? STYLESHEET : `/assets/accent/${hex.slice(1).toLowerCase()}.${STYLE_HASH}.css`

const lightDark = ([light, dark]: readonly [string, string]): string => `light-dark(${light},${dark})`

/** The colours of the identity, beside those of the brand: loud panels, code and the marker. */
const IDENTITY = /--((?:on-)?(?:spruce|code|marker)[\w-]*):([^;}]*#[^;}]*)/g
/** As tokens.css declares them, for the default accent. */
const IDENTITY_TOKENS = [...(/:root\{[^}]*\}/.exec(STYLE_TEXT)?.[0] ?? '').matchAll(IDENTITY)].map(
  ([, name = '', value = '']) => ({ name, value }),
)

/** The identity of a site with this accent, by the names of tokens.css. */
export const identityTokens = (accent: string): { name: string; value: string }[] =>
  IDENTITY_TOKENS.map(({ name, value }) => ({
    name,
    value: value.replace(/#[0-9a-f]{6}/g, (colour) => recoloured(colour, accent)),
  }))

/** As tokens.css declares it, in light and dark. */
const [, ...DEFAULT_BRAND] = /--brand:\s*light-dark\((#[0-9a-f]{6}),\s*(#[0-9a-f]{6})\)/.exec(STYLE_TEXT) ?? []

/** The colour of links and buttons of a site with this accent, in light and dark. */
export const brandColours = (accent: string): readonly string[] =>
  accent.toLowerCase() === DEFAULT_ACCENT ? DEFAULT_BRAND : accentColours(accent).brand

function accentStyles(hex: string): string {
  const { brand, strong, soft, on } = accentColours(hex)
  const identity = identityTokens(hex).map(({ name, value }) => `--${name}:${value};`)
  return `:root{--brand:${lightDark(brand)};--brand-strong:${lightDark(strong)};--brand-soft:${lightDark(soft)};--on-brand:${lightDark(on)};${identity.join('')}--focus:${lightDark(brand)}}`
}

interface AccentStylesheet {
  hex: string
  bytes: Buffer
  gzipped: Buffer | null
}

export function addAccent(server: FastifyInstance, service: Service): void {
  let siteStylesheet: AccentStylesheet | undefined
  // Only the stylesheet in the site's own colour is compressed and kept. Other colours are for previews, and visitors may ask for any.
  const stylesheetFor = (hex: string): AccentStylesheet => {
    if (siteStylesheet?.hex === hex) return siteStylesheet
    const bytes = Buffer.from(`${STYLE_TEXT}\n${accentStyles(`#${hex}`)}`)
    if (service.site.fields().accentColor.toLowerCase() !== `#${hex}`) return { hex, bytes, gzipped: null }
    return (siteStylesheet = { hex, bytes, gzipped: compressQuickly(bytes) })
  }
  server.get(PATH, (request, reply) => {
    const { file } = request.params as { file: string }
    const [, hex = '', hash] = /^([0-9a-f]{6})\.([\w-]{1,32})\.css$/.exec(file) ?? []
    if (hash !== STYLE_HASH) throw thisNotFound('stylesheet')
    const { bytes, gzipped } = stylesheetFor(hex)
    const encoding = gzipped && encodingFor(request.headers['accept-encoding'], ['gzip'])
    if (encoding) reply.header('content-encoding', encoding)
    return reply
      .headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'Accept-Encoding' })
      .type('text/css; charset=utf-8')
      .send(encoding && gzipped ? gzipped : bytes)
  })
  refuseOtherMethods(server, service, PATH)
}
