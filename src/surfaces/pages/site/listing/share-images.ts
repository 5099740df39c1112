// The pictures that other sites show with a link to a listing (og:image). Each is drawn at the first request and then kept. Its address
// contains a hash of its content, so that other sites notice a change and may keep it for long.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { type Directory, LISTED_KINDS, type ListedKind, type Tool } from '../../../../features/catalog/schema.ts'
import { isAdultTool } from '../../../../features/catalog/site/similar.ts'
import { accentForText } from '../../../../features/site/colours.rules.ts'
import type { SiteFields } from '../../../../features/site/schema.ts'
import type { Context } from '../../../../kernel/context.ts'
import { Failure, notFound } from '../../../../kernel/errors.ts'
import type { ShareCard } from '../../../../kernel/interfaces/picture-store.ts'
import { matchesEtag } from '../../../http/answers/compression.ts'
import { identifiedCaller } from '../../../http/gate.ts'
import type { Service } from '../../../http/service.ts'
import { pictureAddress } from '../../addresses.ts'
import { oneLine } from '../../kit/markup.ts'
import { addPublicPages } from '../../kit/sending/public-pages.ts'
import { SITE_CARD, siteCardOf, versionOfCard } from '../../site-card.ts'
import { listedDirectory, listedTool } from '../catalog-reads.ts'

const FOLDERS: Readonly<Record<ListedKind, string>> = { tool: 'tools', directory: 'directories' }
const FILE_NAME = /^([a-z0-9-]{1,200})\.png$/

/** What a share image shows. `logo` is the name of the stored picture, which is a hash of its content. */
type ShareText = Omit<ShareCard, 'logo'> & { logo: string | null }

type Listed = { kind: 'tool'; listing: Tool } | { kind: 'directory'; listing: Directory }

function shareTextOf({ kind, listing }: Listed, site: SiteFields): ShareText {
  const isTool = kind === 'tool'
  return {
    site: site.name,
    name: oneLine(listing.name, 100),
    text: oneLine((isTool ? listing.tagline || listing.description : listing.smallDescription) ?? '', 160),
    category: oneLine((isTool ? listing.category?.name : listing.categories[0]?.name) ?? '', 60),
    colour: accentForText(site.accentColor),
    logo: pictureAddress(listing.icon)?.split('/').at(-1) ?? null,
  }
}

export function shareAddress(listed: Listed, site: SiteFields): string {
  const { url, slug } = listed.listing
  return new URL(`/share/${FOLDERS[listed.kind]}/${slug}.png?v=${versionOfCard(shareTextOf(listed, site))}`, url).href
}

/** How many images may be drawn or wait for it. A request for one more gets a 503. */
const MOST_DRAWN_AT_ONCE = 20
/** About 300 images. */
const CACHE_BYTES = 8 * 2 ** 20
const YEAR_SECONDS = 365 * 24 * 3600
const HOUR_SECONDS = 3600
const MINUTE_SECONDS = 60

export function addShareImages(server: FastifyInstance, service: Service): void {
  const cachedImage = createImageCache()
  const textOf = (ctx: Context, kind: ListedKind, request: FastifyRequest): ShareText =>
    shareTextOf(findListed(ctx, kind, (request.params as { name: string }).name), service.site.fields())
  const siteText = (): ShareText => ({ ...siteCardOf(service.site.fields()), logo: null })
  const sendImage = (kind: ListedKind | 'site') => async (request: FastifyRequest, reply: FastifyReply) => {
    const ctx = service.context(identifiedCaller(request))
    const text = kind === 'site' ? siteText() : textOf(ctx, kind, request)
    const version = versionOfCard(text)
    const etag = `"${version}"`
    // A request with an older address gets the current image, and caches ask again after an hour.
    const isCurrent = (request.query as { v?: string }).v === version
    reply.headers({
      'cache-control': isCurrent ? `public, max-age=${YEAR_SECONDS}, immutable` : `public, max-age=${HOUR_SECONDS}`,
      'cross-origin-resource-policy': 'cross-origin',
      etag,
    })
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    const { bytes, isWhole } = await cachedImage(version, () => drawImage(ctx, text))
    if (!isWhole) reply.removeHeader('etag').header('cache-control', `public, max-age=${MINUTE_SECONDS}`)
    return reply.type('image/png').send(bytes)
  }
  const listings = LISTED_KINDS.map((kind) => [`/share/${FOLDERS[kind]}/:name`, sendImage(kind)] as const)
  addPublicPages(server, service, { ...Object.fromEntries(listings), [SITE_CARD]: sendImage('site') })
}

function findListed(ctx: Context, kind: ListedKind, fileName: string): Listed {
  const slug = FILE_NAME.exec(fileName)?.[1] ?? ''
  if (kind === 'directory') return { kind, listing: listedDirectory(ctx, slug) }
  const listing = listedTool(ctx, slug)
  // The page of an adult listing asks the visitor first, and a picture cannot.
  if (isAdultTool(listing, ctx.catalog.snapshot())) throw notFound('Tool')
  return { kind, listing }
}

interface DrawnImage {
  bytes: Buffer
  /** False when there is a logo but it could not be read: a later image at the same address may have it. */
  isWhole: boolean
}

async function drawImage(ctx: Context, text: ShareText): Promise<DrawnImage> {
  const logo = text.logo === null ? null : await readLogo(ctx, text.logo)
  const isWhole = logo !== null || text.logo === null
  try {
    return { bytes: await ctx.pictures.drawShare({ ...text, logo }), isWhole }
  } catch (error) {
    if (!logo) throw error
    // When the logo cannot be drawn, the image is drawn without it.
    ctx.log.warn({ err: error, picture: text.logo }, 'the logo of a share image could not be drawn')
    return { bytes: await ctx.pictures.drawShare({ ...text, logo: null }), isWhole }
  }
}

const readLogo = (ctx: Context, name: string): Promise<Buffer | null> =>
  ctx.pictureStore.read(name).catch((error) => {
    ctx.log.warn({ err: error, picture: name }, 'the logo of a share image could not be read')
    return null
  })

/** Draws each image once, also when several requests ask for it at the same time. Keeps the whole images that were requested last. */
function createImageCache() {
  const images = new LRUCache<string, Buffer>({ maxSize: CACHE_BYTES, sizeCalculation: ({ length }) => length || 1 })
  const drawing = new Map<string, Promise<DrawnImage>>()
  return async (version: string, make: () => Promise<DrawnImage>): Promise<DrawnImage> => {
    const cached = images.get(version)
    if (cached) return { bytes: cached, isWhole: true }
    const running = drawing.get(version)
    if (running) return running
    if (drawing.size >= MOST_DRAWN_AT_ONCE)
      throw new Failure(503, 'Too many pictures wait to be drawn. Try again shortly.', {
        headers: { 'retry-after': '5' },
      })
    const promise = make()
    drawing.set(version, promise)
    try {
      const image = await promise
      if (image.isWhole) images.set(version, image.bytes)
      return image
    } finally {
      drawing.delete(version)
    }
  }
}
