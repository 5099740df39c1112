// Fetches a page or a picture within limits of size and time. The reason of a failure says whether a later attempt makes sense.
// `until` is when everything has to be over, in milliseconds since 1970.
import type { PictureUse } from '../../kernel/addresses/own-addresses.ts'
import { isOwnAddress, mediaAddress } from '../../kernel/addresses/own-addresses.ts'
import type { Context } from '../../kernel/context.ts'
import type { OutboundResponse } from '../../kernel/interfaces/outbound.ts'
import { MAX_PICTURE_BYTES, MAX_PICTURE_TEXT } from '../../kernel/interfaces/picture-store.ts'
import { inTime } from '../../kernel/work/deadline.ts'
import type { PageFacts } from './page/page.rules.ts'
import { iconsOfManifest } from './page/pictures.rules.ts'
import { dataPicture, isPage, judgeStatus } from './rules.ts'

const MIB = 1024 * 1024
const PAGE = { maxBytes: 2 * MIB, timeoutMs: 10_000, redirects: 3 }
const MANIFEST = { maxBytes: 64 * 1024, timeoutMs: 5_000, redirects: 3 }
const PICTURE = { maxBytes: MAX_PICTURE_BYTES, timeoutMs: 15_000, redirects: 3 }
// A fetch with less time than this would only fail.
const MIN_FETCH_MS = 500

export interface FetchProblem {
  /** none: the address has no page or picture. denied: the site does not let us read it. unreachable: a later attempt may succeed. */
  why: 'none' | 'denied' | 'unreachable'
  /** The end of a sentence whose subject is what was fetched. */
  note: string
}

export async function fetchPage(
  ctx: Context,
  website: string,
  until: number,
): Promise<{ facts: PageFacts } | FetchProblem> {
  if (website === '') return { why: 'none', note: 'is not known' }
  const response = await get(ctx, website, 'text/html,application/xhtml+xml', PAGE, until)
  if ('why' in response) return response
  const contentType = response.headers['content-type']
  if (contentType && !isPage(contentType))
    return { why: 'none', note: `is no web page but ${contentType.slice(0, 100)}` }
  if (response.truncated) return { why: 'unreachable', note: 'is larger than 2 MiB' }
  try {
    const { body, url } = response
    return { facts: await ctx.readPage({ bytes: body, url, contentType: contentType ?? '' }) }
  } catch (error) {
    ctx.log.warn({ err: error, website }, 'a page could not be read')
    return { why: 'unreachable', note: 'could not be read' }
  }
}

/** The addresses of a page's icons, best first. The manifest is fetched only if the page has one that may name a larger icon. */
export async function iconAddresses(ctx: Context, { icons, manifest }: PageFacts, until: number): Promise<string[]> {
  if (manifest === null || !/^https?:/i.test(manifest)) return icons
  const response = await get(ctx, manifest, 'application/manifest+json,application/json', MANIFEST, until)
  if ('why' in response || response.truncated) return icons
  return [...new Set([...iconsOfManifest(response.body.toString(), response.url), ...icons])]
}

/** Fetches a picture, stores it, and returns its address on this service. */
export async function fetchPicture(
  ctx: Context,
  address: string,
  use: PictureUse,
  until: number,
): Promise<{ address: string } | FetchProblem> {
  // The service does not fetch from itself: it would look like a visitor, and the visit page of a tool redirects to any site.
  if (isOwnAddress(ctx.publicUrl, address)) return { why: 'none', note: 'is an address of this service and no picture' }
  const embedded = dataPicture(address)
  if (embedded) return keepInTime(ctx, embedded, use, until)
  const response = await get(ctx, address, 'image/webp,image/png,image/jpeg,image/gif,image/avif', PICTURE, until)
  if ('why' in response) return response
  if (response.truncated) return { why: 'denied', note: `is larger than ${MAX_PICTURE_TEXT}` }
  return keepInTime(ctx, response.body, use, until)
}

const TOO_LATE: FetchProblem = { why: 'unreachable', note: 'had to wait for the others too long' }

/** A picture that is late or cannot be encoded is left out, so that nothing else that was found is lost with it. */
async function keepInTime(
  ctx: Context,
  bytes: Buffer,
  use: PictureUse,
  until: number,
): Promise<{ address: string } | FetchProblem> {
  const ms = until - ctx.now().getTime()
  if (ms <= 0) return TOO_LATE
  try {
    return await inTime(keepPicture(ctx, bytes, use), ms, () => TOO_LATE)
  } catch (error) {
    ctx.log.warn({ err: error }, 'a picture could not be encoded')
    return { why: 'unreachable', note: 'could not be read' }
  }
}

/** Encodes a picture, stores it, and returns its address on this service. */
export async function keepPicture(
  ctx: Context,
  bytes: Buffer,
  use: PictureUse,
): Promise<{ address: string } | FetchProblem> {
  const encoded = await ctx.pictures.encode(bytes, use)
  if ('problem' in encoded) return { why: 'none', note: encoded.problem }
  try {
    return { address: mediaAddress(ctx.publicUrl, await ctx.pictureStore.keep(encoded.bytes, encoded.type)) }
  } catch (error) {
    ctx.log.error({ err: error }, 'a picture could not be stored')
    return { why: 'unreachable', note: 'could not be stored here' }
  }
}

async function get(
  ctx: Context,
  url: string,
  accept: string,
  limits: typeof PAGE,
  until: number,
): Promise<OutboundResponse | FetchProblem> {
  const timeoutMs = Math.min(limits.timeoutMs, until - ctx.now().getTime())
  if (timeoutMs < MIN_FETCH_MS) return TOO_LATE
  try {
    const response = await ctx.outbound.fetch(url, { ...limits, timeoutMs, headers: { accept } })
    const result = judgeStatus(response.status)
    return result === 'good' ? response : { why: result, note: `answered ${response.status}` }
  } catch (error) {
    // The messages of outbound requests are sentences that may be shown.
    return { why: 'unreachable', note: `could not be fetched. ${(error as Error).message.replace(/\.$/, '')}` }
  }
}
