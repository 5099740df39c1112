// What a listing must be before it is stored, and the row it becomes.
import { randomUUID } from 'node:crypto'
import { type TSchema, Type } from 'typebox'
import { tryReadBody, withDefaults } from '../../kernel/input.ts'
import { type Problem, problem } from '../../kernel/problem.ts'
import { parseWebAddress } from '../../kernel/web-address.ts'
import { isSlug, MAX_SLUG, rowProblem } from '../catalog/rules.ts'
import { KINDS, type Kind, type ListedKind } from '../catalog/schema.ts'
import { bodies, type StoredEntry } from './schema.ts'
import { websiteKey } from './website-key.ts'

export { websiteKey } from './website-key.ts'

export interface KnownSlugs {
  category: ReadonlySet<string>
  tag: ReadonlySet<string>
  directoryCategory: ReadonlySet<string>
}

declare const passed: unique symbol
/** Only the checks of this file make one: whatever writes a listing, a request, an import or a job, has to pass them. */
type Passed = { readonly [passed]: true }

/** A row under the names of its table's columns, ready for the database. */
export type StoredRow = Record<string, unknown> & { slug: string } & Passed
export type Entry = { kind: Kind; slug: string; body: Record<string, unknown> } & Passed
/** Some fields of a listing that is stored already. */
export type CheckedFields = Record<string, unknown> & Passed

// /tools/top is an address of its own, and /directories/top may become one. Tags and categories are named in no address of the API.
const RESERVED: Partial<Record<Kind, readonly string[]>> = { tool: ['top'], directory: ['top'] }

export function slugProblem(kind: Kind, slug: unknown): Problem | undefined {
  if (!isSlug(slug))
    return problem(
      'slug',
      `must be 1 to ${MAX_SLUG} lower-case letters, digits and single hyphens, such as acme-writer.`,
    )
  return RESERVED[kind]?.includes(slug) ? problem('slug', `${slug} is reserved; choose another.`) : undefined
}

/** Checks everything that can be told from the entry alone. */
export function readEntry(
  kind: unknown,
  slug: unknown,
  raw: unknown,
): { entry: Entry } | { problems: Problem[]; cut: unknown } {
  if (!isKind(kind)) return { problems: [problem('kind', `must be one of ${KINDS.join(', ')}.`)], cut: {} }
  const wrongSlug = slugProblem(kind, slug)
  const result = tryReadBody(bodies[kind], raw)
  const problems = [
    ...(wrongSlug ? [wrongSlug] : []),
    ...('problems' in result ? result.problems : []),
    ...addressProblems(kind, 'cut' in result ? result.cut : result.value),
  ]
  if ('problems' in result) return { problems, cut: result.cut }
  if (problems.length > 0) return { problems, cut: result.value }
  return { entry: { kind, slug: slug as string, body: result.value as Record<string, unknown> } as Entry }
}

/**
 * An entry of a body that has passed stricter checks than those of `readEntry`: a test holds that what may be submitted may be a listing.
 * Only what is omitted is filled in.
 */
export const checkedEntry = (kind: Kind, slug: string, body: object): Entry =>
  ({ kind, slug, body: withDefaults(bodies[kind], body) }) as Entry

/** The same checks for some of the fields: those that pass, and what is wrong with the others. */
export function readFields(
  kind: ListedKind,
  raw: Readonly<Record<string, unknown>>,
): { fields: CheckedFields; problems: Problem[] } {
  const properties = bodies[kind].properties as Readonly<Record<string, TSchema>>
  const fields: Record<string, unknown> = {}
  const problems: Problem[] = []
  for (const [name, value] of Object.entries(raw)) {
    const result = tryReadBody(Type.Object({ [name]: properties[name]! }), { [name]: value })
    const within = 'cut' in result ? result.cut : result.value
    const found = [...('problems' in result ? result.problems : []), ...addressProblems(kind, within)]
    if ('problems' in result || found.length > 0) problems.push(...found)
    else fields[name] = (result.value as Record<string, unknown>)[name]
  }
  return { fields: fields as CheckedFields, problems }
}

/** A stored entry as operators are shown it: with what keeps it from being shown to the world. */
export function toRecord<K extends Kind>(kind: K, row: Readonly<Record<string, unknown>> & { slug: string }) {
  const broken = rowProblem(kind, row)
  const entry: Record<string, unknown> = { ...withoutEmptyMarks(row), ...(broken === undefined ? {} : { broken }) }
  // What does not fit is replaced by the empty value of its type before the answer is used (`inDeclaredShape` in the kernel).
  return entry as StoredEntry<K>
}

/** As operators read it and as an export has it: a mark that says nothing is left out. */
export const withoutEmptyMarks = <T extends Readonly<Record<string, unknown>>>(row: T) => ({
  ...row,
  submitted: row.submitted || undefined,
  hiddenReason: row.hiddenReason ?? undefined,
})

const isKind = (kind: unknown): kind is Kind => (KINDS as readonly unknown[]).includes(kind)

/** Fields that hold an address; those of a tool are a submission's too. */
export const TOOL_ADDRESSES = ['website', 'icon', 'frame', 'video', 'affiliateLink'] as const
/** Lists and maps of addresses. */
export const ADDRESS_LISTS = ['screenshots', 'socials'] as const
const ADDRESSES: Partial<Record<Kind, readonly string[]>> = {
  tool: TOOL_ADDRESSES,
  directory: ['website', 'icon', 'frame', 'submissionLink'],
}

/** The body may have other problems and is within its bounds. A value that is not text is left to the validator, which names it. */
function addressProblems(kind: Kind, raw: unknown): Problem[] {
  if (typeof raw !== 'object' || raw === null) return []
  const body = raw as Record<string, unknown>
  const problems: Problem[] = []
  const check = (field: string, value: unknown) => {
    if (typeof value === 'string' && value !== '' && !parseWebAddress(value))
      problems.push(problem(field, 'must be a complete http or https address.'))
  }
  for (const field of ADDRESSES[kind] ?? []) check(field, body[field])
  for (const field of ADDRESS_LISTS) {
    const values = body[field]
    if (typeof values === 'object' && values !== null)
      for (const [name, value] of Object.entries(values)) check(`${field}.${name}`, value)
  }
  if (typeof body.createdAt === 'string' && Number.isNaN(timeOf(body.createdAt)))
    problems.push(problem('createdAt', 'must be an ISO 8601 time such as 2026-03-01T09:30:00Z.'))
  return problems
}

// From 1970 on: no listing is older, and not every earlier year is one to the database.
const ISO_8601 = /^(?:19[7-9]\d|[2-9]\d{3})-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/
const YEAR_10000 = Date.UTC(10_000, 0)

function timeOf(value: unknown): number {
  if (typeof value !== 'string' || !ISO_8601.test(value)) return Number.NaN
  // Date.parse takes the 31st of February for the 3rd of March.
  const [year, month, day] = value.slice(0, 10).split('-').map(Number) as [number, number, number]
  if (new Date(Date.UTC(year, month - 1, day)).getUTCDate() !== day) return Number.NaN
  const time = Date.parse(value)
  return time >= 0 && time < YEAR_10000 ? time : Number.NaN
}

/** Checks what refers to other entries, in a body that may be wrong in other ways too. */
export function referenceProblems(kind: Kind, raw: unknown, known: KnownSlugs): Problem[] {
  const body = (typeof raw === 'object' && raw !== null ? raw : {}) as Record<string, unknown>
  const problems: Problem[] = []
  const need = (field: string, set: ReadonlySet<string>) => {
    const slugs = [body[field]].flat().filter((slug) => typeof slug === 'string')
    const unknown = slugs.filter((slug) => !set.has(slug))
    if (unknown.length > 0)
      problems.push(
        problem(
          field,
          `${unknown.join(', ')} ${unknown.length === 1 ? 'does' : 'do'} not exist; create ${unknown.length === 1 ? 'it' : 'them'} first.`,
        ),
      )
  }
  if (kind === 'tool') {
    need('category', known.category)
    need('tags', known.tag)
  }
  if (kind === 'directory') need('categories', known.directoryCategory)
  return problems
}

/** The fields of a body in which two states of an entry differ. */
export const changedFields = (
  kind: Kind,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string[] =>
  Object.keys(bodies[kind].properties).filter(
    (field) => JSON.stringify(before[field] ?? null) !== JSON.stringify(after[field] ?? null),
  )

/** null where the database is to keep what is there, or to fill in what is usual. */
export function toRow({ kind, slug, body }: Entry, now: Date): StoredRow {
  const row = { slug } as StoredRow
  for (const [field, value] of Object.entries(body)) row[columnName(field)] = value
  if (kind === 'tag') return { ...row, submitted: row.submitted ?? false }
  if (kind !== 'tool' && kind !== 'directory') return row
  for (const field of ['tags', 'categories']) if (row[field]) row[field] = [...new Set(row[field] as string[])]
  return {
    ...row,
    id: randomUUID(),
    created_at: row.created_at === undefined ? null : new Date(timeOf(row.created_at)).toISOString(),
    updated_at: now.toISOString(),
    ...(kind === 'tool' ? { website_key: row.website === '' ? null : websiteKey(row.website as string) } : {}),
  }
}

/** `founderEmail` → `founder_email`, the one rule by which the tables name their columns. */
const columnNames = new Map<string, string>()
export function columnName(field: string): string {
  let name = columnNames.get(field)
  if (!name) columnNames.set(field, (name = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)))
  return name
}
