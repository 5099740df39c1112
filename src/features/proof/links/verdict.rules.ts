// What a response of a directory says about the link. Not in `page.rules.ts`, so that only the thread loads the parser.
import type { Drift, LinkState } from '../../submissions/bench/link.rules.ts'
import type { OwnRedirect } from './address.rules.ts'
import type { CurrentProduct } from './drift.rules.ts'

export interface ListingPage {
  /** The address that answered, after redirects. */
  url: string
  status: number
  headers: Readonly<Record<string, string>>
  bytes: Uint8Array
  /** Whether the page was longer than what was read. */
  truncated: boolean
}

export interface PageVerdict {
  state: LinkState
  /** The rel attribute of the link that was found; null without one. */
  rel: string | null
  anchorText: string | null
  /** Whether the page asks search engines not to index it; null when it was not read. It is recorded and is no loss. */
  noindex: boolean | null
  /** When no link was found: links of the directory that may redirect to the product. */
  redirects: OwnRedirect[]
  /** When no link was found: the target of the page's meta refresh. */
  refresh: string | null
  /** When no link was found and a name was given: links of the directory whose text begins with it. */
  named?: string[]
  /** What the page says differently from the product that was given; without a link to the product, it holds only if one is found later. */
  drift?: Drift[]
}

/** What a page is searched for besides the link. */
export interface ExpectedProduct {
  /** The name of the product, to find links with that name. */
  name?: string
  /** The product, to compare the page with it. */
  product?: CurrentProduct
}

export interface PageQuestion extends ExpectedProduct {
  page: ListingPage
  /** The website keys of the product (`listings/website-key.ts`). */
  productKeys: readonly string[]
}

export const verdictWithoutPage = (state: LinkState): PageVerdict => ({
  state,
  rel: null,
  anchorText: null,
  noindex: null,
  redirects: [],
  refresh: null,
})

/** Whether the link tells search engines not to follow it; `rel` is in lower case, with single spaces. */
export const isNotFollowed = (rel: string): boolean => /(?:^| )(?:nofollow|ugc|sponsored)(?: |$)/.test(rel)
