// One look at one listing: fetches its page as politely as `politeness.ts` allows and says what became of the link.
import type { Context } from '../../kernel/context.ts'
import { type OutboundResponse, userAgent } from '../../kernel/outbound.ts'
import { isOwnAddress } from '../../kernel/own-addresses.ts'
import type { LinkState } from '../submissions/link.rules.ts'
import { isProduct, type OwnRedirect } from './address.rules.ts'
import type { Permission, Politeness } from './politeness.ts'
import { stateOfStatus } from './rules.ts'
import { isMarked, type PageVerdict, verdictWithoutPage } from './verdict.rules.ts'

export type LookContext = Pick<Context, 'log' | 'outbound' | 'links' | 'publicUrl'>

export interface LookedAt {
  listingUrl: string
  /** The website keys of the product. */
  productKeys: readonly string[]
  /** Whose share of the threads is used. */
  owner: string
  /** When the look has to be over, by performance.now(). */
  until: number
  signal?: AbortSignal
}

/** What a look found, as the history has it. */
export interface Look {
  state: LinkState
  status: number | null
  finalUrl: string | null
  rel: string | null
  anchorText: string | null
  noindex: boolean | null
}

const MIB = 1024 * 1024
const PAGE = { maxBytes: 2 * MIB, timeoutMs: 15_000 }
// Only the headers of a redirect matter.
const REDIRECT = { maxBytes: 16 * 1024, timeoutMs: 10_000 }
const MAX_HOPS = 5
const MAX_URL = 2_000
// A request with less time than this would only fail.
const MIN_MS = 500

export async function look(ctx: LookContext, listing: LookedAt, politeness: Politeness): Promise<Look> {
  let url = listing.listingUrl
  let status: number | null = null
  const end = (verdict: Pick<PageVerdict, 'state' | 'rel' | 'anchorText' | 'noindex'>): Look => {
    const { state, rel, anchorText, noindex } = verdict
    return { state, status, finalUrl: url.length <= MAX_URL ? url.toWellFormed() : null, rel, anchorText, noindex }
  }
  const endWithout = (state: LinkState) => end(verdictWithoutPage(state))

  for (let hop = 0; hop <= MAX_HOPS; hop++) {
    const response = await request(ctx, listing, politeness, url, PAGE)
    if (typeof response === 'string') return endWithout(response)
    status = response.status
    const next = redirectOf(response)
    if (!next) {
      const verdict = await read(ctx, listing, response)
      const isFound = verdict.state === 'live' || verdict.state === 'nofollow'
      const refresh = verdict.refresh === null || isFound ? null : URL.parse(verdict.refresh)
      if (!refresh) return end(isFound ? verdict : await throughRedirects(ctx, listing, politeness, verdict))
      url = refresh.href
    } else url = next.href
    // The directory itself sends its readers to the product. The product's site is not asked.
    if (isProduct(new URL(url), listing.productKeys)) return endWithout('live')
  }
  return endWithout('unreachable')
}

/** A link of the directory's own that redirects to the product counts like a direct one. */
async function throughRedirects(
  ctx: LookContext,
  listing: LookedAt,
  politeness: Politeness,
  verdict: PageVerdict,
): Promise<PageVerdict> {
  let state = verdict.state
  for (const candidate of verdict.redirects) {
    const response = await request(ctx, listing, politeness, candidate.url, REDIRECT)
    const target = typeof response === 'string' ? null : redirectOf(response)
    if (target && isProduct(target, listing.productKeys)) return { ...verdict, ...linkOf(candidate) }
    const failed = typeof response === 'string' ? response : stateOfStatus(response.status)
    // A likely link that may not be followed: the page may well have the link, so it is not said to be missing.
    if (candidate.isLikely && state === 'missing' && (failed === 'blocked' || failed === 'unreachable') && !target)
      state = failed
  }
  return { ...verdict, state }
}

const linkOf = ({ rel, anchorText }: OwnRedirect): Pick<PageVerdict, 'state' | 'rel' | 'anchorText'> => ({
  state: isMarked(rel) ? 'nofollow' : 'live',
  rel,
  anchorText,
})

const REDIRECTS = new Set([301, 302, 303, 307, 308])

const redirectOf = ({ status, headers, url }: OutboundResponse): URL | null => {
  const target = REDIRECTS.has(status) && headers.location ? URL.parse(headers.location, url) : null
  return target && /^https?:$/.test(target.protocol) ? target : null
}

const NOT_PERMITTED: Record<Exclude<Permission, 'yes'>, LinkState> = { no: 'blocked', unreachable: 'unreachable' }

/** The answer, or the state that follows from there being none. Redirects are not followed, because each is a request of its own. */
async function request(
  ctx: LookContext,
  { until, signal }: LookedAt,
  politeness: Politeness,
  url: string,
  limits: typeof PAGE,
): Promise<OutboundResponse | LinkState> {
  // The service does not look at its own pages: it would be a visitor of itself.
  if (isOwnAddress(ctx.publicUrl, url)) return 'unknown'
  const permission = await politeness.askRobots(url)
  if (permission !== 'yes') return NOT_PERMITTED[permission]
  const answered = await politeness.takeTurn(url)
  const timeoutMs = Math.min(limits.timeoutMs, until - performance.now())
  if (timeoutMs < MIN_MS) return 'unreachable'
  try {
    const headers = { 'user-agent': userAgent('linkChecks'), accept: 'text/html,application/xhtml+xml' }
    return await ctx.outbound.fetch(url, { ...limits, timeoutMs, redirects: 0, headers, signal })
  } catch {
    signal?.throwIfAborted()
    // An address that may not be reached is refused without a request; it counts like a host that does not answer.
    return 'unreachable'
  } finally {
    answered()
  }
}

async function read(
  ctx: LookContext,
  { productKeys, owner, signal }: LookedAt,
  { url, status, headers, body, truncated }: OutboundResponse,
): Promise<PageVerdict> {
  const byStatus = stateOfStatus(status)
  // Neither a refusal nor an empty answer needs the parser; an empty one is a fault and says nothing about the listing.
  if (byStatus === 'blocked' || body.length === 0) return verdictWithoutPage(byStatus ?? 'unreachable')
  const page = { url, status, headers, bytes: body, truncated }
  try {
    return await ctx.links.read({ page, productKeys }, { owner, signal })
  } catch (error) {
    signal?.throwIfAborted()
    ctx.log.warn({ err: error, host: URL.parse(url)?.host }, 'a listing could not be read')
    return verdictWithoutPage('unknown')
  }
}
