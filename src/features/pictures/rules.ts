// Decisions about the copies of pictures on other hosts. How large a picture may be, and its types, are in kernel/interfaces/picture-store.ts.
import { createHash } from 'node:crypto'
import { SINGLE_PICTURES, type SinglePicture } from '../../kernel/addresses/own-addresses.ts'
import { parseUrl } from '../../kernel/addresses/web-address.ts'
import type { Change } from '../../kernel/context.ts'
import { LISTED_KINDS, type ListedKind, TOPIC } from '../catalog/schema.ts'
import { MAX_ATTEMPTS } from '../enrichment/rules.ts'
import type { ListedPicture } from '../listings/pictures/pictures.rules.ts'

/** Requests to one host at the same time. A browser that opens a page with pictures makes more. */
export const PER_HOST = 2

/** The name of the job that copies pictures, also as the actor in the audit log. */
export const PICTURE_COPIES = 'pictures'

/** failed: at least one picture could not be copied and is not tried again by itself. */
export const WORK_STATES = ['waiting', 'done', 'failed'] as const
export type PictureWorkState = (typeof WORK_STATES)[number]

/**
 * kept: the address stays, because there is no picture that could be copied. missing: the listing names none, and its website has none.
 * unreachable: a later attempt may succeed.
 */
export const PART_OUTCOMES = ['copied', 'kept', 'missing', 'unreachable'] as const

export interface WorkPart {
  part: string
  outcome: (typeof PART_OUTCOMES)[number]
  note: string
  /** Only of a logo or main picture that was copied: the website that the listing had at that time. */
  site?: string
}

/** The pictures that a listing does not name, and the website that is asked for them. */
export interface MissingPictures {
  website: string
  parts: SinglePicture[]
}

/** The website that is asked for pictures which the listing does not name; null when none may be asked. */
export const siteOf = (listing: { website: string; mayAskSite: boolean }, asksSites: boolean): string | null =>
  asksSites && listing.mayAskSite && listing.website !== '' ? listing.website : null

/** The pictures to ask the website for; null: none. A picture in `had` was copied before and removed by a person: it is left out. */
export function missingPictures(
  listing: Record<SinglePicture, string | null> & { website: string; mayAskSite: boolean },
  asksSites: boolean,
  had: readonly WorkPart[] = [],
): MissingPictures | null {
  const website = siteOf(listing, asksSites)
  const wasRemoved = (part: SinglePicture) => had.some((one) => one.part === part && one.site === listing.website)
  const parts = SINGLE_PICTURES.filter((part) => listing[part] === null && !wasRemoved(part))
  return website !== null && parts.length > 0 ? { website, parts } : null
}

/** The outcomes of the logo and the main picture, if an earlier attempt has copied them. */
export const partsCopiedBefore = (parts: readonly WorkPart[]): WorkPart[] =>
  parts.filter(({ site }) => site !== undefined)

/**
 * A hash that changes when the listing names other pictures on other hosts, or has another website (`site`, if it may be asked for
 * pictures). It does not change when a person removes a copied picture, because the website would then be asked for that picture again.
 */
export const pictureHash = (pictures: readonly ListedPicture[], site: string | null): string =>
  createHash('sha256')
    .update(
      JSON.stringify([...pictures.map(({ part, address }) => [part, address]), ...(site ? [['site', site]] : [])]),
    )
    .digest('base64url')

/** The host of a picture's address; empty for a data URL. */
export const pictureHost = (address: string): string => parseUrl(address)?.host ?? ''

/** Listings to check for pictures on other hosts; without ids: all of the kind. */
export interface ListingsToCheck {
  kind: ListedKind
  ids?: string[]
}

/** Which copies are checked for a missing file: all, or first a random sample, and all if one of the sample is missing. */
export interface FilesToCheck {
  files: 'all' | 'some'
}

/** The listings to check after a change; undefined for a change that the copying itself made, and for a change of something else. */
export function listingsToCheckAfter({ topic, ids, by }: Change): ListingsToCheck | undefined {
  if (by === PICTURE_COPIES) return undefined
  const kind = LISTED_KINDS.find((one) => TOPIC[one] === topic)
  return kind && { kind, ...(ids ? { ids } : {}) }
}

const MAX_PAUSE_SECONDS = 6 * 3600

/** The state of a listing after an attempt, and after how many seconds it is tried again. */
export function nextState(
  parts: readonly WorkPart[],
  attempts: number,
  retrySeconds: number,
): { state: PictureWorkState; afterSeconds: number } {
  const has = (outcome: WorkPart['outcome']) => parts.some((part) => part.outcome === outcome)
  if (has('unreachable') && attempts < MAX_ATTEMPTS)
    return { state: 'waiting', afterSeconds: Math.min(retrySeconds * 2 ** (attempts - 1), MAX_PAUSE_SECONDS) }
  return { state: has('unreachable') || has('kept') ? 'failed' : 'done', afterSeconds: 0 }
}
