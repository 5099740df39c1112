// Checks an entry before it is stored, and turns it into a database row.
import { randomUUID } from 'node:crypto'
import { type TSchema, Type } from 'typebox'
import { parseWebAddress } from '../../kernel/addresses/web-address.ts'
import { withoutInvisible, withoutInvisibleTexts } from '../../kernel/checks/invisible.ts'
import { tryReadBody, withDefaults } from '../../kernel/input.ts'
import { type Problem, problem } from '../../kernel/problem.ts'
import { isObject } from '../../kernel/values/objects.ts'
import { trimmed } from '../../kernel/values/text.ts'
import { rowProblem } from '../catalog/rules.ts'
import { KINDS, type Kind, LISTED_KINDS, type ListedKind, TERM_KINDS, type TermKind } from '../catalog/schema.ts'
import { nameKey, slugProblem } from '../catalog/terms/slugify.ts'
import { ADDRESS_LISTS, ADDRESSES, bodies, type StoredEntry } from './schema.ts'
import { websiteKey } from './website-key.ts'

/** An object with a new value for each kind. */
export const perKind = <T>(make: () => T) => Object.fromEntries(KINDS.map((kind) => [kind, make()])) as Record<Kind, T>
export const perTermKind = <T>(make: (kind: TermKind) => T) =>
  Object.fromEntries(TERM_KINDS.map((kind) => [kind, make(kind)])) as Record<TermKind, T>

export type KnownSlugs = Readonly<Record<TermKind, ReadonlySet<string>>>
/** The slugs of the terms that some entries refer to. */
export type UsedSlugs = Readonly<Record<TermKind, Set<string>>>

declare const checked: unique symbol
/** Only the functions of this file make values of this type, so that requests, imports and jobs can store only checked entries. */
type Checked = { readonly [checked]: true }

/** A row for the database, with the names of the fields instead of the columns. */
export type StoredRow = Record<string, unknown> & { slug: string } & Checked
export type StoredJson = string & Checked
export type CheckedEntry = { kind: Kind; slug: string; body: Record<string, unknown> } & Checked
/** Checked values for some fields of a stored listing. */
export type CheckedFields = Record<string, unknown> & Checked

/**
 * Checks everything that needs no database query. Invisible characters are removed first, so that they do not count in lengths. `cut` is the
 * body with its problems, reduced to values within their bounds, for further checks.
 */
export function readEntry(
  givenKind: unknown,
  givenSlug: unknown,
  raw: unknown,
): { entry: CheckedEntry } | { problems: Problem[]; cut: unknown } {
  const [kind, slug] = [givenKind, givenSlug].map((value) => (typeof value === 'string' ? trimmed(value) : value))
  if (!isKind(kind)) return { problems: [problem('kind', `must be one of ${KINDS.join(', ')}.`)], cut: {} }
  const wrongSlug = slugProblem(kind, slug)
  const result = tryReadBody(bodies[kind], withoutInvisibleTexts(raw))
  const found = 'problems' in result ? result.problems : []
  const problems = [
    ...(wrongSlug ? [wrongSlug] : []),
    ...found,
    ...repeatedNames(raw, found),
    ...formatProblems(kind, 'cut' in result ? result.cut : result.value),
  ]
  if ('problems' in result) return { problems, cut: result.cut }
  if (problems.length > 0) return { problems, cut: result.value }
  return { entry: { kind, slug: slug as string, body: result.value as Record<string, unknown> } as CheckedEntry }
}

/**
 * Makes an entry from a submission, without the checks of `readEntry`: a submission has passed stricter ones, and a test proves that every
 * valid submission is a valid listing. Omitted fields get their default values.
 */
export const checkedEntry = (kind: Kind, slug: string, body: object): CheckedEntry =>
  ({ kind, slug, body: withDefaults(bodies[kind], body) }) as CheckedEntry

/** The checks of `readEntry` for some of the fields. Returns the valid fields and the problems of the others. */
export function readListingFields(
  kind: ListedKind,
  raw: Readonly<Record<string, unknown>>,
): { fields: CheckedFields; problems: Problem[] } {
  const properties = bodies[kind].properties as Readonly<Record<string, TSchema>>
  const fields: Record<string, unknown> = {}
  const problems: Problem[] = []
  for (const [name, value] of Object.entries(raw)) {
    const schema = properties[name]
    if (!schema) throw new TypeError(`a ${kind} has no field ${name}`)
    const result = tryReadBody(Type.Object({ [name]: schema }), withoutInvisibleTexts({ [name]: value }))
    const within = 'cut' in result ? result.cut : result.value
    const found = [...('problems' in result ? result.problems : []), ...formatProblems(kind, within)]
    if ('problems' in result || found.length > 0) problems.push(...found)
    else {
      const read = (result.value as Record<string, unknown>)[name]
      fields[name] = Array.isArray(read) && refersToTerms(kind, name) ? distinct(read) : read
    }
  }
  return { fields: fields as CheckedFields, problems }
}

/** A stored entry as operators see it. If its row is broken, `broken` says why. */
export function toRecord<K extends Kind>(kind: K, row: Readonly<Record<string, unknown>> & { slug: string }) {
  const broken = rowProblem(kind, row)
  const entry: Record<string, unknown> = { ...withoutEmptyFields(row), ...(broken === undefined ? {} : { broken }) }
  // The kernel replaces values of a wrong type by empty ones before the answer is sent (`readable`).
  return entry as StoredEntry<K>
}

/** The row without `submitted`, `hiddenReason` and `searchWords` where they are empty, as they usually are. */
export const withoutEmptyFields = <T extends Readonly<Record<string, unknown>>>(row: T) => ({
  ...row,
  submitted: row.submitted || undefined,
  hiddenReason: row.hiddenReason ?? undefined,
  searchWords: row.searchWords || undefined,
})

/** The fields of a listing and of a submission that are maps of names to texts. */
const MAPS = ['features', 'socials'] as const

/**
 * Reports two names of a map that become equal when they are stored, because one of their texts would be lost. Skips a map that is in
 * `found`, the problems found so far, because it may have any number of names.
 */
export function repeatedNames(raw: unknown, found: readonly Problem[]): Problem[] {
  if (!isObject(raw)) return []
  return MAPS.filter((map) => !found.some(({ field }) => field === map)).flatMap((field) => {
    const value = raw[field]
    const names = isObject(value) ? Object.keys(value) : []
    const isRepeated = new Set(names.map((name) => trimmed(withoutInvisible(name)))).size < names.length
    return isRepeated ? [problem(field, 'must not have the same name twice.')] : []
  })
}

const isKind = (kind: unknown): kind is Kind => (KINDS as readonly unknown[]).includes(kind)
export const isListedKind = (kind: Kind): kind is ListedKind => (LISTED_KINDS as readonly Kind[]).includes(kind)

/**
 * Checks the addresses in a body with `wrong`, which returns what is wrong with one. The body may have other problems, but its lengths must
 * have been checked. A value that is not text is reported by the validator.
 */
export function addressProblems(
  kind: Kind,
  body: unknown,
  wrong: (address: string, field: string) => string | undefined,
): Problem[] {
  if (!isObject(body)) return []
  const inLists = ADDRESS_LISTS.flatMap((field) => {
    const values = typeof body[field] === 'object' ? Object.entries(body[field] ?? {}) : []
    return values.map(([name, value]): [string, unknown] => [`${field}.${name}`, value])
  })
  const single = (ADDRESSES[kind] ?? []).map((field): [string, unknown] => [field, body[field]])
  return [...single, ...inLists].flatMap(([field, value]) => {
    const what = typeof value === 'string' && value !== '' ? wrong(value, field) : undefined
    return what === undefined ? [] : [problem(field, what)]
  })
}

function formatProblems(kind: Kind, body: unknown): Problem[] {
  const isWrongTime = isObject(body) && typeof body.createdAt === 'string' && Number.isNaN(timeOf(body.createdAt))
  return [
    ...addressProblems(kind, body, (address) =>
      parseWebAddress(address) ? undefined : 'must be a complete http or https address.',
    ),
    ...(isWrongTime ? [problem('createdAt', 'must be an ISO 8601 time such as 2026-03-01T09:30:00Z.')] : []),
  ]
}

// Times begin in 1970: no listing is older, and the database does not accept every earlier year.
const ISO_8601 = /^(?:19[7-9]\d|[2-9]\d{3})-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/
const YEAR_10000 = Date.UTC(10_000, 0)

/** In milliseconds since 1970; NaN if the value is not a time that can be stored. */
function timeOf(value: unknown): number {
  if (typeof value !== 'string' || !ISO_8601.test(value)) return Number.NaN
  // Date.parse accepts the 31st of February and reads it as the 3rd of March.
  const [year, month, day] = value.slice(0, 10).split('-').map(Number) as [number, number, number]
  if (new Date(Date.UTC(year, month - 1, day)).getUTCDate() !== day) return Number.NaN
  const time = Date.parse(value)
  return time >= 0 && time < YEAR_10000 ? time : Number.NaN
}

/** The fields that refer to terms by slug, and the kinds of these terms. */
export const REFERENCES: Partial<Record<Kind, readonly (readonly [field: string, to: TermKind])[]>> = {
  tool: [
    ['category', 'category'],
    ['tags', 'tag'],
  ],
  directory: [['categories', 'directoryCategory']],
}

/** Adds to `used` the slugs of the terms that the entry refers to. */
export function addReferences(used: UsedSlugs, kind: Kind, body: CheckedEntry['body']): void {
  for (const [field, to] of REFERENCES[kind] ?? []) {
    const value = body[field]
    if (typeof value === 'string') used[to].add(value)
    else if (Array.isArray(value)) for (const slug of value) used[to].add(slug)
  }
}

/** Checks that the terms to which a body refers exist. The body may have other problems too. */
export function referenceProblems(kind: Kind, raw: unknown, known: KnownSlugs): Problem[] {
  const body = (typeof raw === 'object' && raw !== null ? raw : {}) as Record<string, unknown>
  const problems: Problem[] = []
  for (const [field, to] of REFERENCES[kind] ?? []) {
    const slugs = [body[field]].flat().filter((slug) => typeof slug === 'string')
    const unknown = slugs.filter((slug) => !known[to].has(slug))
    if (unknown.length > 0)
      problems.push(
        problem(
          field,
          `${unknown.join(', ')} ${unknown.length === 1 ? 'does' : 'do'} not exist; create ${unknown.length === 1 ? 'it' : 'them'} first.`,
        ),
      )
  }
  return problems
}

/** The names of the fields whose values differ between two states of an entry. */
export const changedFields = (
  kind: Kind,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string[] =>
  Object.keys(bodies[kind].properties).filter(
    (field) => JSON.stringify(before[field] ?? null) !== JSON.stringify(after[field] ?? null),
  )

/** The row of an entry. A null `createdAt` tells `upsertRows` to keep the stored time, or to use the current time for a new row. */
export function toRow({ kind, slug, body }: CheckedEntry): StoredRow {
  return { ...body, slug, ...computedFields(kind, body) } as Record<string, unknown> as StoredRow
}

export const jsonOfRow = (row: StoredRow): StoredJson => JSON.stringify(row) as StoredJson
export const storedRow = (json: StoredJson): StoredRow => JSON.parse(json)

function computedFields(kind: Kind, body: CheckedEntry['body']): Record<string, unknown> {
  if (kind === 'tag') return { submitted: body.submitted ?? false, nameKey: nameKey(body.name as string) }
  if (!isListedKind(kind)) return {}
  const listingFields = {
    id: randomUUID(),
    createdAt: body.createdAt === undefined ? null : new Date(timeOf(body.createdAt)).toISOString(),
  }
  return kind === 'tool'
    ? { ...listingFields, tags: distinct(body.tags), websiteKey: websiteKeyOf(body.website as string) }
    : {
        ...listingFields,
        categories: distinct(body.categories),
        accepts: distinct(body.accepts),
        languages: distinct(body.languages),
      }
}

const refersToTerms = (kind: Kind, name: string): boolean =>
  REFERENCES[kind]?.some(([field]) => field === name) ?? false
const distinct = (slugs: unknown): string[] => [...new Set(slugs as string[])]
const websiteKeyOf = (website: string): string | null => (website === '' ? null : websiteKey(website))
