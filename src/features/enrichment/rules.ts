// What is written of what was found: only where nobody else has written.
import { Type } from 'typebox'
import { oneOf } from '../../kernel/schema.ts'
import { shapeOf, shapeProblem } from '../../kernel/shape.ts'
import { bodies } from '../listings/schema.ts'
import type { Question } from './faq.rules.ts'
import type { Features } from './features.rules.ts'

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
export type Outcome = (typeof OUTCOMES)[number]

/** What came of one thing that was looked for. */
export interface Part {
  part: string
  outcome: Outcome
  note: string
}

/** The fields of a listing that may be filled in or mirrored. */
export interface Fields {
  icon: string | null
  frame: string | null
  screenshots: string[]
  faqs: Question[]
  features: Features
}

/** Fields that are made when the site has none. */
export const ENRICHMENT_STATES = ['pending', 'done', 'failed'] as const

export const TEXT_FIELDS = ['faqs', 'features'] as const
export type TextField = (typeof TEXT_FIELDS)[number]

export interface Findings {
  /** What to write; a field that is missing stays as it is. */
  fields: Partial<Fields>
  parts: Part[]
}

// The first attempt and three more.
export const MAX_ATTEMPTS = 4

/** Of what was found, what may be written now: fields that are as they were when the search began. */
export function changesFor(before: Fields, now: Fields, found: Partial<Fields>): Partial<Fields> {
  const isUntouched = (field: keyof Fields) => JSON.stringify(before[field]) === JSON.stringify(now[field])
  const isNew = (field: keyof Fields) => JSON.stringify(found[field]) !== JSON.stringify(now[field])
  const names = (Object.keys(found) as (keyof Fields)[]).filter(
    (field) => found[field] !== undefined && isUntouched(field) && isNew(field),
  )
  return Object.fromEntries(names.map((field) => [field, found[field]]))
}

const PARTS = shapeOf(Type.Array(Type.Object({ part: Type.String(), outcome: oneOf(OUTCOMES), note: Type.String() })))

/**
 * Newer notes replace older ones of the same part; a part that was not looked at again keeps its own. What is stored and is no notes
 * counts as none.
 */
export const mergeParts = (before: readonly Part[], now: readonly Part[]): Part[] => {
  const kept = PARTS.matches(before) ? before.filter((part) => !isStale(part)) : []
  return [...new Map([...kept, ...now].map((part) => [part.part, part])).values()]
}

/** What became of a picture that the partner gave and that is not shown: another one is, or none. */
export const UNUSED = ['replaced', 'dropped'] as const
type Unused = (typeof UNUSED)[number]
const isUnused = (outcome: Outcome): outcome is Unused => (UNUSED as readonly Outcome[]).includes(outcome)

export const unusedPictures = (parts: readonly Part[]) =>
  PARTS.matches(parts)
    ? parts.flatMap(({ part, outcome, note }) => (isUnused(outcome) ? [{ picture: part, outcome, note }] : []))
    : []

const { properties } = bodies.tool
const LOOKED_AT = ['name', 'tagline', 'description', 'website', 'pricing', 'category', 'tags'] as const
const FILLED_IN = ['icon', 'frame', 'screenshots', 'faqs', 'features'] as const
const TOOL = shapeOf(
  Type.Object(Object.fromEntries([...LOOKED_AT, ...FILLED_IN].map((name) => [name, properties[name]]))),
)

/** What keeps a stored tool from being worked on, in sentences; undefined when nothing does. */
export const toolProblem = (tool: object): string | undefined => shapeProblem(TOOL, tool)

// The numbers of screenshots shift when one is dropped; what was unreachable is looked at again, so its old note says nothing.
const isStale = ({ part, outcome }: Part): boolean => part.startsWith('screenshots.') && outcome === 'unreachable'

export type EnrichmentResult = 'done' | 'again' | 'failed'

/** Whatever could not be reached is tried again a few times. */
export function resultOf(parts: readonly Part[], attempts: number): EnrichmentResult {
  if (!parts.some(({ outcome }) => outcome === 'unreachable')) return 'done'
  return attempts < MAX_ATTEMPTS ? 'again' : 'failed'
}

// Answers that may be another one a little later.
const PASSING = new Set([408, 425, 429])
const GONE = new Set([404, 410])

/** `none`: there is nothing there. `denied`: there may be, but not for us. */
export function judgeStatus(status: number): 'good' | 'none' | 'denied' | 'unreachable' {
  if (status >= 200 && status < 300) return 'good'
  if (status >= 500 || PASSING.has(status)) return 'unreachable'
  return GONE.has(status) ? 'none' : 'denied'
}

export const isPage = (contentType: string | undefined): boolean =>
  !contentType || /^\s*(text\/html|application\/xhtml\+xml)\b/i.test(contentType)

const DATA = /^data:image\/[\w.+-]{1,40};base64,([a-z0-9+/=\s]+)$/i

/** A picture that stands in the page itself. */
export function dataPicture(address: string): Buffer | null {
  const encoded = DATA.exec(address)?.[1]
  return encoded ? Buffer.from(encoded, 'base64') : null
}
