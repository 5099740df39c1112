// Decisions about the copies of pictures on other hosts.
import { createHash } from 'node:crypto'
import type { Change } from '../../kernel/context.ts'
import { LISTED_KINDS, type ListedKind, TOPIC } from '../catalog/schema.ts'
import { MAX_ATTEMPTS } from '../enrichment/rules.ts'
import type { ListedPicture } from '../listings/pictures.rules.ts'

/** The job that copies pictures, and its name in the audit log. */
export const PICTURE_FIELDS = 'pictures'

/** failed: at least one picture could not be copied and is not tried again by itself. */
export const WORK_STATES = ['waiting', 'done', 'failed'] as const
export type PictureWorkState = (typeof WORK_STATES)[number]

/** kept: the address stays, because there is no picture that could be copied. unreachable: a later attempt may succeed. */
export const PART_OUTCOMES = ['copied', 'kept', 'unreachable'] as const

export interface WorkPart {
  part: string
  outcome: (typeof PART_OUTCOMES)[number]
  note: string
}

export const pictureHash = (pictures: readonly ListedPicture[]): string =>
  createHash('sha256')
    .update(JSON.stringify(pictures.map(({ part, address }) => [part, address])))
    .digest('base64url')

/** Pictures inside a data address have no host and share one name. */
export const pictureHost = (address: string): string => URL.parse(address)?.host ?? ''

/** Which listings may need copies: these, or any of the kind. */
export interface ListingsToLookAt {
  kind: ListedKind
  ids?: string[]
}

/** Whether the files of copies are there: of all, or first of a few at random. */
export interface FilesToCheck {
  files: 'all' | 'some'
}

export function picturesConcernedBy({ topic, ids, by }: Change): ListingsToLookAt | undefined {
  if (by === PICTURE_FIELDS) return undefined
  const kind = LISTED_KINDS.find((one) => TOPIC[one] === topic)
  return kind && { kind, ...(ids ? { ids } : {}) }
}

const LONGEST_PAUSE_SECONDS = 6 * 3600

/** What becomes of a listing after an attempt, and after how many seconds it is tried again. */
export function nextState(
  parts: readonly WorkPart[],
  attempts: number,
  retrySeconds: number,
): { state: PictureWorkState; afterSeconds: number } {
  const has = (outcome: WorkPart['outcome']) => parts.some((part) => part.outcome === outcome)
  if (has('unreachable') && attempts < MAX_ATTEMPTS)
    return { state: 'waiting', afterSeconds: Math.min(retrySeconds * 2 ** (attempts - 1), LONGEST_PAUSE_SECONDS) }
  return { state: has('unreachable') || has('kept') ? 'failed' : 'done', afterSeconds: 0 }
}
