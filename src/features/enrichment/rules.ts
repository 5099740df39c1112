// Pure decisions of enrichment: which findings are written, what is tried again, and how the answer of a site is judged.
import { Type } from 'typebox'
import { shapeOf, shapeProblem } from '../../kernel/checks/shape.ts'
import { oneOf } from '../../kernel/schema.ts'
import { bodies } from '../listings/schema.ts'
import type { Features, FoundQuestion } from './page/texts-on-page.rules.ts'

export const OUTCOMES = [
  'found',
  'mirrored',
  'generated',
  'derived',
  'missing',
  'kept',
  'replaced',
  'dropped',
  'unreachable',
] as const
export type PartOutcome = (typeof OUTCOMES)[number]

/** The outcome of one thing that enrichment looked for. */
export interface EnrichmentPart {
  part: string
  outcome: PartOutcome
  note: string
}

/** The fields of a listing that may be filled in or mirrored. */
export interface EnrichedFields {
  icon: string | null
  frame: string | null
  screenshots: string[]
  faqs: FoundQuestion[]
  features: Features
}

export const ENRICHMENT_STATES = ['pending', 'done', 'failed'] as const

/** Fields for which a language model writes texts, or the service derives them, when the site has none. */
export const TEXT_FIELDS = ['faqs', 'features'] as const
export type TextField = (typeof TEXT_FIELDS)[number]

/** The texts that enrichment wrote itself and that no person has changed since. `edited`: the changed fields; null if they are not known. */
export const madeTexts = (parts: readonly EnrichmentPart[], edited: readonly string[] | null): TextField[] =>
  TEXT_FIELDS.filter(
    (field) =>
      edited?.includes(field) === false &&
      parts.some(({ part, outcome }) => part === field && (outcome === 'generated' || outcome === 'derived')),
  )

export interface Findings {
  /** New values; a field that is missing stays unchanged. */
  fields: Partial<EnrichedFields>
  parts: EnrichmentPart[]
}

// The first attempt and three more.
export const MAX_ATTEMPTS = 4

/** The findings that may be written: those of fields that have not changed since the search began. */
export function changesFor(
  before: EnrichedFields,
  now: EnrichedFields,
  found: Partial<EnrichedFields>,
): Partial<EnrichedFields> {
  const isUntouched = (field: keyof EnrichedFields) => JSON.stringify(before[field]) === JSON.stringify(now[field])
  const isNew = (field: keyof EnrichedFields) => JSON.stringify(found[field]) !== JSON.stringify(now[field])
  const names = (Object.keys(found) as (keyof EnrichedFields)[]).filter(
    (field) => found[field] !== undefined && isUntouched(field) && isNew(field),
  )
  return Object.fromEntries(names.map((field) => [field, found[field]]))
}

const PARTS_SHAPE = shapeOf(
  Type.Array(Type.Object({ part: Type.String(), outcome: oneOf(OUTCOMES), note: Type.String() })),
)

/**
 * New outcomes replace older ones of the same part; a part that was not looked for again keeps its outcome. Stored parts with a wrong
 * shape are ignored.
 */
export const mergeParts = (before: readonly EnrichmentPart[], now: readonly EnrichmentPart[]): EnrichmentPart[] => {
  const kept = PARTS_SHAPE.matches(before) ? before.filter((part) => !isStale(part)) : []
  return [...new Map([...kept, ...now].map((part) => [part.part, part])).values()]
}

/** Outcomes of a picture from a partner that readers do not see: the picture of the site replaces it, or there is no picture. */
export const UNUSED_OUTCOMES = ['replaced', 'dropped'] as const
type Unused = (typeof UNUSED_OUTCOMES)[number]
const isUnused = (outcome: PartOutcome): outcome is Unused =>
  (UNUSED_OUTCOMES as readonly PartOutcome[]).includes(outcome)

/** The pictures of the partner that readers do not see, and why. */
export const unusedPictures = (parts: readonly EnrichmentPart[]) =>
  PARTS_SHAPE.matches(parts)
    ? parts.flatMap(({ part, outcome, note }) => (isUnused(outcome) ? [{ picture: part, outcome, note }] : []))
    : []

const { properties } = bodies.tool
const READ_FIELDS = ['name', 'tagline', 'description', 'website', 'pricing', 'category', 'tags'] as const
const WRITTEN_FIELDS = ['icon', 'frame', 'screenshots', 'faqs', 'features'] as const
const TOOL_SHAPE = shapeOf(
  Type.Object(Object.fromEntries([...READ_FIELDS, ...WRITTEN_FIELDS].map((name) => [name, properties[name]]))),
)

/** Why a stored tool cannot be enriched, in sentences; undefined when it can. */
export const toolProblem = (tool: object): string | undefined => shapeProblem(TOOL_SHAPE, tool)

// The numbers of screenshots shift when one is dropped. Unreachable ones are fetched again, so their old outcome can be removed.
const isStale = ({ part, outcome }: EnrichmentPart): boolean =>
  part.startsWith('screenshots.') && outcome === 'unreachable'

export type EnrichmentResult = 'done' | 'again' | 'failed'

/** Unreachable parts are tried again until the attempts are used up. */
export function resultOf(parts: readonly EnrichmentPart[], attempts: number): EnrichmentResult {
  if (!parts.some(({ outcome }) => outcome === 'unreachable')) return 'done'
  return attempts < MAX_ATTEMPTS ? 'again' : 'failed'
}

// Statuses after which a later request may get another answer.
const TEMPORARY_STATUSES = new Set([408, 425, 429])
const GONE_STATUSES = new Set([404, 410])

/** `none`: there is nothing at the address. `denied`: the site does not let us read it. `unreachable`: a later attempt may succeed. */
export function judgeStatus(status: number): 'good' | 'none' | 'denied' | 'unreachable' {
  if (status >= 200 && status < 300) return 'good'
  if (status >= 500 || TEMPORARY_STATUSES.has(status)) return 'unreachable'
  return GONE_STATUSES.has(status) ? 'none' : 'denied'
}

export const isPage = (contentType: string | undefined): boolean =>
  !contentType || /^\s*(text\/html|application\/xhtml\+xml)\b/i.test(contentType)

const DATA_PICTURE = /^data:image\/[\w.+-]{1,40};base64,([a-z0-9+/=\s]+)$/i

/** The bytes of a picture that is embedded in the page as a data address; null for other addresses. */
export function dataPicture(address: string): Buffer | null {
  const encoded = DATA_PICTURE.exec(address)?.[1]
  return encoded ? Buffer.from(encoded, 'base64') : null
}
