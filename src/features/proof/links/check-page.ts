// Checks one listing: fetches its page, at the pace of `politeness.ts`, and decides the state of the link to the product.
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import type { Context } from '../../../kernel/context.ts'
import type { OutboundResponse } from '../../../kernel/interfaces/outbound.ts'
import type { Drift, LinkState } from '../../submissions/bench/link.rules.ts'
import {
  type NotAnswered,
  PAGE_LIMITS,
  type Politeness,
  politeRequest,
  REDIRECT_LIMITS,
  type RequestLimits,
  redirectOf,
} from '../politeness/politeness.ts'
import {
  type ExpectedProduct,
  isNotFollowed,
  isThere,
  type PageVerdict,
  stateOfStatus,
  verdictWithoutPage,
} from '../rules.ts'
import { isProduct, type OwnRedirect } from './address.rules.ts'
import { driftAfterLinkSearch } from './drift.rules.ts'

type CheckContext = Pick<Context, 'log' | 'outbound' | 'links' | 'publicUrl'>

interface CheckTarget extends ExpectedProduct {
  listingUrl: string
  productKeys: readonly string[]
  /** Whose share of the threads is used. */
  owner: string
  /** When the check has to be over, by performance.now(). */
  until: number
  signal?: AbortSignal
}

/** The outcome of a check, as the history stores it. */
export interface PageCheck {
  state: LinkState
  status: number | null
  finalUrl: string | null
  rel: string | null
  anchorText: string | null
  noindex: boolean | null
  /** Only when links with the product's name were wanted. */
  named?: readonly string[]
  /** Only when the page could be compared with the product. */
  drift?: readonly Drift[]
}

const MAX_HOPS = 5
const MAX_URL = 2_000

export async function checkPage(ctx: CheckContext, listing: CheckTarget, politeness: Politeness): Promise<PageCheck> {
  let url = listing.listingUrl
  let status: number | null = null
  const result = (verdict: FollowedVerdict): PageCheck => {
    const { state, rel, anchorText, noindex, named } = verdict
    const finalUrl = url.length <= MAX_URL ? url.toWellFormed() : null
    return {
      ...{ state, status, finalUrl, rel, anchorText, noindex },
      ...(named ? { named } : {}),
      ...driftOfCheck(verdict, listing),
    }
  }
  const resultWithoutPage = (state: LinkState) => result(verdictWithoutPage(state))

  for (let hop = 0; hop <= MAX_HOPS; hop++) {
    const response = await request(ctx, listing, politeness, url, PAGE_LIMITS)
    if (typeof response === 'string') return resultWithoutPage(response)
    status = response.status
    const next = redirectOf(response)
    if (!next) {
      const verdict = await readPage(ctx, listing, response)
      const isFound = isThere(verdict.state)
      const refresh = verdict.refresh === null || isFound ? null : parseUrl(verdict.refresh)
      if (!refresh) return result(isFound ? verdict : await followOwnRedirects(ctx, listing, politeness, verdict))
      url = refresh.href
    } else url = next.href
    // The directory itself redirects to the product. The product's site is not requested.
    if (isProduct(new URL(url), listing.productKeys)) return resultWithoutPage('live')
  }
  return resultWithoutPage('unreachable')
}

interface FollowedVerdict extends PageVerdict {
  /** The address of the product to which a redirecting link of the directory led. */
  target?: URL
}

/** The drift to store with the check. None when the page could not be read well enough to know whether it links to the product. */
function driftOfCheck({ state, drift, target }: FollowedVerdict, { product }: CheckTarget): Pick<PageCheck, 'drift'> {
  if (!drift || !product || !(isThere(state) || state === 'missing')) return {}
  return { drift: driftAfterLinkSearch(drift, isThere(state), target ?? null, product) }
}

/** A link to the directory's own host that redirects to the product counts like a direct link. */
async function followOwnRedirects(
  ctx: CheckContext,
  listing: CheckTarget,
  politeness: Politeness,
  verdict: PageVerdict,
): Promise<FollowedVerdict> {
  let state = verdict.state
  for (const candidate of verdict.redirects) {
    const response = await request(ctx, listing, politeness, candidate.url, REDIRECT_LIMITS)
    const target = typeof response === 'string' ? null : redirectOf(response)
    if (target && isProduct(target, listing.productKeys)) return { ...verdict, ...linkOf(candidate), target }
    const failed = typeof response === 'string' ? response : stateOfStatus(response.status)
    // A likely link could not be followed, so the page may well link to the product: the link does not count as missing.
    if (candidate.isLikely && state === 'missing' && (failed === 'blocked' || failed === 'unreachable') && !target)
      state = failed
  }
  return { ...verdict, state }
}

const linkOf = ({ rel, anchorText }: OwnRedirect): Pick<PageVerdict, 'state' | 'rel' | 'anchorText'> => ({
  state: isNotFollowed(rel) ? 'nofollow' : 'live',
  rel,
  anchorText,
})

const NOT_ANSWERED: Record<NotAnswered, LinkState> = {
  own: 'unknown',
  forbidden: 'blocked',
  unreachable: 'unreachable',
  'no-such-host': 'unreachable',
}

async function request(
  ctx: CheckContext,
  { until, signal }: CheckTarget,
  politeness: Politeness,
  url: string,
  limits: RequestLimits,
): Promise<OutboundResponse | LinkState> {
  const answer = await politeRequest(ctx, { robot: 'linkChecks', until, signal }, politeness, url, limits)
  return typeof answer === 'string' ? NOT_ANSWERED[answer] : answer
}

async function readPage(
  ctx: CheckContext,
  { productKeys, name, product, owner, signal }: CheckTarget,
  { url, status, headers, body, truncated }: OutboundResponse,
): Promise<PageVerdict> {
  const byStatus = stateOfStatus(status)
  // No parser is needed. An empty answer is a fault of the directory and says nothing about the listing.
  if (byStatus === 'blocked' || body.length === 0) return verdictWithoutPage(byStatus ?? 'unreachable')
  const page = { url, status, headers, bytes: body, truncated }
  try {
    return await ctx.links.read({ page, productKeys, name, product }, { owner, signal })
  } catch (error) {
    signal?.throwIfAborted()
    ctx.log.warn({ err: error, host: parseUrl(url)?.host }, 'a listing could not be read')
    return verdictWithoutPage('unknown')
  }
}
