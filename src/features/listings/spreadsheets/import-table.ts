// Import of a table: turns each row into the line of an entry, by the mapping of its columns. `import.ts` stores the lines.
import type { Context } from '../../../kernel/context.ts'
import { unfit } from '../../../kernel/errors.ts'
import { type Problem, problem, sentencesOf } from '../../../kernel/problem.ts'
import { isObject } from '../../../kernel/values/objects.ts'
import { trimmed } from '../../../kernel/values/text.ts'
import type { Kind, TermKind } from '../../catalog/schema.ts'
import { freeSlug, nameKey, slugify, termSlug } from '../../catalog/terms/slugify.ts'
import type { Line } from '../import/lines.ts'
import { findRecord, listTaxonomy } from '../queries.ts'
import { type KnownSlugs, REFERENCES, readEntry, referenceProblems } from '../rules.ts'
import { websiteKeyOf } from '../website-key.ts'
import { fieldsOf, fittingField, guessMapping, readCell } from './table.rules.ts'
import type { Table, TableRow } from './table-format.ts'

/** The field of each column; null: the column is not imported. */
type Mapping = Readonly<Record<string, string | null>>

interface TableRules {
  kind: Kind
  mapping: Mapping
  terms: Terms
}

/** Guesses the field of each column by its heading. `given` is the parameter `map`, with which the operator corrects the guesses. */
export function mappingOf(kind: Kind, columns: readonly string[], given: string | undefined): Mapping {
  const corrections = readNames('map', given)
  const fields = fieldsOf(kind)
  for (const [column, field] of Object.entries(corrections)) {
    if (!columns.includes(column))
      throw unfit(`map names the column ${JSON.stringify(column)}. The columns are ${columns.join(', ')}.`, 'map')
    if (field && !fields.includes(field))
      throw unfit(
        `map names the field ${JSON.stringify(field)}. The fields of a ${kind} are ${fields.join(', ')}.`,
        'map',
      )
  }
  const taken = new Set(Object.values(corrections))
  const mapping: Record<string, string | null> = {}
  for (const [column, guess] of Object.entries(guessMapping(kind, columns))) {
    const isCorrected = Object.hasOwn(corrections, column)
    const freeGuess = taken.has(guess ?? '') ? null : guess
    mapping[column] = isCorrected ? corrections[column] || null : freeGuess
  }
  const columnOf = new Map<string, string>()
  for (const [column, field] of Object.entries(mapping)) {
    if (field === null) continue
    const other = columnOf.get(field)
    if (other !== undefined)
      throw unfit(
        `The columns ${JSON.stringify(other)} and ${JSON.stringify(column)} are both mapped to ${field}. Leave one of them out.`,
        'map',
      )
    columnOf.set(field, column)
  }
  return mapping
}

/** Refuses the table when two columns fit the same field and the operator has not said which one to use: the guess may be wrong. */
export function refuseRivals(kind: Kind, mapping: Mapping, given: string | undefined): void {
  const decided = readNames('map', given)
  const columnOf = new Map(Object.entries(mapping).map(([column, field]) => [field, column]))
  const conflicts: { column: string; other: string; field: string }[] = []
  for (const [column, mapped] of Object.entries(mapping)) {
    if (mapped !== null || Object.hasOwn(decided, column)) continue
    const field = fittingField(kind, column)
    const other = field && columnOf.get(field)
    if (field && other !== undefined && !Object.hasOwn(decided, other)) conflicts.push({ column, other, field })
  }
  if (conflicts.length === 0) return
  const sentences = conflicts.map(
    ({ column, other, field }) =>
      `The columns ${JSON.stringify(other)} and ${JSON.stringify(column)} both fit ${field}.`,
  )
  const mapExample = JSON.stringify(Object.fromEntries(conflicts.map(({ column }) => [column, null])))
  throw unfit(`${sentences.join(' ')} Say with map which one it is, or leave the other one out: ${mapExample}.`, 'map')
}

/** Reads a parameter that is a JSON object of texts or nulls: `map` or `terms`. */
function readNames(parameter: string, given: string | undefined): Record<string, string | null> {
  if (given === undefined || given === '') return {}
  const wrong = unfit(
    `${parameter} must be a JSON object of texts, such as {"Product":"name","Notes":null}.`,
    parameter,
  )
  let value: unknown
  try {
    value = JSON.parse(given)
  } catch {
    throw wrong
  }
  if (!isObject(value)) throw wrong
  const names = Object.entries(value).map(([from, to]): [string, string | null] => {
    if (to !== null && typeof to !== 'string') throw wrong
    return [trimmed(from), to && trimmed(to)]
  })
  return Object.fromEntries(names)
}

/** Finds categories and tags by slug or name, and creates missing ones if the operator allows it. */
export interface Terms {
  known: KnownSlugs
  /** The slug of the term that a cell names. `created`: the term does not exist yet, and the import creates it. */
  slugOf(kind: TermKind, text: string): { slug: string; created?: { name: string } }
  /** For a table of terms: the slug of a row that has only a name. It is the slug of the stored term of this name, or a new one. */
  slugOfRow(kind: TermKind, name: string): string
  /** Whether this import creates the term. */
  isMade(kind: Kind, slug: string): boolean
  /** Undoes the creation of a term when the row that needs it is rejected. */
  forget(kind: TermKind, term: { slug: string; name: string }): void
}

export async function readTerms(ctx: Context, unknownTerms: 'refuse' | 'create', given?: string): Promise<Terms> {
  const slugByText = readNames('terms', given)
  const load = async (kind: TermKind) => {
    const slugs = new Set<string>()
    const byName = new Map<string, string>()
    for (const { slug, name } of await listTaxonomy(ctx.db, kind)) {
      slugs.add(slug)
      const key = nameKey(String(name))
      const other = byName.get(key)
      if (other === undefined || slug < other) byName.set(key, slug)
    }
    return { slugs, byName, made: new Set<string>() }
  }
  const loaded = {
    category: await load('category'),
    tag: await load('tag'),
    directoryCategory: await load('directoryCategory'),
  }
  /** Chooses the slug of a new term, which then counts as existing. Empty when the name has no letters for a slug. */
  const createTerm = (kind: TermKind, name: string): string => {
    const { slugs, byName, made } = loaded[kind]
    const base = termSlug(kind, name)
    if (base === '') return ''
    const slug = freeSlug(base, (one) => slugs.has(one))
    slugs.add(slug)
    made.add(slug)
    byName.set(nameKey(name), slug)
    return slug
  }
  const loadedOf: Partial<Record<Kind, { made: Set<string> }>> = loaded
  return {
    known: {
      category: loaded.category.slugs,
      tag: loaded.tag.slugs,
      directoryCategory: loaded.directoryCategory.slugs,
    },
    slugOf(kind, text) {
      const { slugs, byName } = loaded[kind]
      const meant = (Object.hasOwn(slugByText, text) && slugByText[text]) || text
      // A cell that is the slug of one term and the name of another means the slug, because exports contain slugs.
      const found = slugs.has(meant) ? meant : byName.get(nameKey(meant))
      if (found !== undefined) return { slug: found }
      const slug = unknownTerms === 'refuse' ? '' : createTerm(kind, meant)
      return slug === '' ? { slug: meant } : { slug, created: { name: meant } }
    },
    slugOfRow: (kind, name) => loaded[kind].byName.get(nameKey(name)) ?? createTerm(kind, name),
    isMade: (kind, slug) => loadedOf[kind]?.made.has(slug) === true,
    forget(kind, { slug, name }) {
      loaded[kind].slugs.delete(slug)
      loaded[kind].made.delete(slug)
      loaded[kind].byName.delete(nameKey(name))
    },
  }
}

interface ReadRow {
  row: number
  entry: Record<string, unknown>
  /** Terms that the entry needs and that do not exist yet. */
  created: Record<string, unknown>[]
  problems: Problem[]
}

/** Turns a row of the table into an entry, and says what is wrong with it. */
export function readRow({ kind, mapping, terms }: TableRules, { row, cells }: TableRow & { cells: object }): ReadRow {
  const entry: Record<string, unknown> = { kind }
  const created: Record<string, unknown>[] = []
  const newTerms: { to: TermKind; slug: string; name: string }[] = []
  const problems: Problem[] = []
  for (const [column, cell] of Object.entries(cells)) {
    const field = Object.hasOwn(mapping, column) ? mapping[column] : null
    const read = field ? readCell(kind, field, cell) : 'empty'
    if (!field || read === 'empty') continue
    if ('problem' in read) problems.push(problem(field, read.problem))
    else entry[field] = read.value
  }
  for (const [field, to] of REFERENCES[kind] ?? []) {
    const slugOfCell = (text: unknown) => {
      if (typeof text !== 'string') return text
      const term = terms.slugOf(to, text)
      if (term.created) {
        newTerms.push({ to, slug: term.slug, ...term.created })
        created.push({ kind: to, slug: term.slug, ...term.created })
      }
      return term.slug
    }
    const value = entry[field]
    if (Array.isArray(value)) entry[field] = [...new Set(value.map(slugOfCell))]
    else if (value !== undefined) entry[field] = slugOfCell(value)
  }
  // A row without slug and name is reported for its name only, because the slug is made from the name.
  const isUnnamed = entry.slug === undefined && typeof entry.name !== 'string'
  entry.slug ??= typeof entry.name === 'string' ? slugOfName(kind, entry.name, terms) : ''
  const reported = new Set([...problems.map(({ field }) => field), ...(isUnnamed ? ['slug'] : [])])
  const checked = readEntry(kind, entry.slug, entry)
  const others = 'problems' in checked ? checked.problems : []
  problems.push(...others.filter(({ field }) => !reported.has(field)), ...referenceProblems(kind, entry, terms.known))
  // A rejected row creates no terms, so the next row that needs them must create them.
  if (problems.length > 0) for (const { to, ...term } of newTerms) terms.forget(to, term)
  return { row, entry, created, problems }
}

const slugOfName = (kind: Kind, name: string, terms: Terms): string =>
  kind === 'tool' || kind === 'directory' ? slugify(name) : terms.slugOfRow(kind, name)

export const NOTHING_REPLACED = { replaces: false, warning: null }

/** Whether the entry replaces a stored one, and a warning when their websites differ: it may be another product of the same name. */
export async function replacedBy(
  ctx: Context,
  kind: Kind,
  { slug, website }: Record<string, unknown>,
): Promise<{ replaces: boolean; warning: string | null }> {
  const old = await findRecord(ctx.db, kind, String(slug))
  if (!old) return NOTHING_REPLACED
  const isOther = websiteKeyOf(old.website) !== undefined && websiteKeyOf(old.website) !== websiteKeyOf(website)
  const warning = isOther ? `It replaces ${old.name} (${old.website}), which has another website.` : null
  return { replaces: true, warning }
}

/** The problems as sentences that name both the field and its column. */
export function sentencesOfRow(mapping: Mapping, problems: readonly Problem[]): string {
  const columnOf = new Map(Object.entries(mapping).map(([column, field]) => [field, column]))
  return sentencesOf(problems, (field) => {
    const column = columnOf.get(field.split('.')[0] ?? '')
    if (column === undefined) return field || 'The row'
    return column === field ? field : `${field} (column ${JSON.stringify(column)})`
  })
}

/** The rows of the table as lines of an import; a row that needs new terms becomes several lines with the same number. */
export async function* tableLines(table: Table, rules: TableRules): AsyncGenerator<Line> {
  for await (const found of table.rows) {
    if ('problem' in found) {
      yield { number: found.row, problem: found.problem }
      continue
    }
    const { row, entry, created, problems } = readRow(rules, found)
    if (problems.length > 0) yield { number: row, problem: sentencesOfRow(rules.mapping, problems) }
    else for (const line of [...created, entry]) yield { number: row, text: JSON.stringify(line) }
  }
}
