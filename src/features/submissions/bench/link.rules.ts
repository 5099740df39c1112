// The states of the link to the product on a recorded listing, what else its page is compared with, and the host for the pace of requests.
import { websiteKey } from '../../listings/website-key.ts'

/** Topic of the announcements that a link may be due for a check. */
export const LINKS_TOPIC = 'links'

/** What the last check of a listing found, in the order in which pages show them. */
export const LINK_STATES = [
  'live',
  'nofollow',
  'missing',
  'gone',
  'blocked',
  'unreachable',
  'unknown',
  'unchecked',
] as const
export type LinkState = (typeof LINK_STATES)[number]

/** The states in which the last check has not found the link. */
export const NOT_FOUND: readonly LinkState[] = ['missing', 'gone', 'unreachable']

/** What the page of a listing is compared with, besides its link. */
export const DRIFT_FIELDS = ['name', 'tagline', 'pricing', 'website'] as const
export type DriftField = (typeof DRIFT_FIELDS)[number]

/** What the page says of a field of the product instead of what is true now. */
export interface Drift {
  field: DriftField
  found: string
}

/** Host and port in one spelling, so that `www.` and other spellings of a host share its turn of one request a second. */
export const paceHost = (url: string): string => websiteKey(url).split('/', 1)[0] ?? ''

/** The link of a listing whose address was not checked yet. */
export const UNCHECKED = { state: 'unchecked', checkedAt: null, firstLiveAt: null } as const
