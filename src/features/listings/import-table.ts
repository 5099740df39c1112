// Import of a table: each row becomes an entry by the mapping of its columns, and goes the way of every import.
import type { Context } from '../../kernel/context.ts'
import { badRequest } from '../../kernel/errors.ts'
import { isObject } from '../../kernel/is-object.ts'
import { type Problem, problem, sentencesOf } from '../../kernel/problem.ts'
import type { Kind, TermKind } from '../catalog/schema.ts'
import { slugify } from '../catalog/slugify.ts'
import type { Line } from './lines.ts'
import { findRecord, listTaxonomy } from './queries.ts'
import { type KnownSlugs, REFERENCES, readEntry, referenceProblems } from './rules.ts'
import { fieldsOf, guessMapping, readCell } from './table-fields.rules.ts'
import type { Table, TableRow } from './table-format.ts'
import { websiteKey } from './website-key.ts'

/** Column to field; null leaves the column out. */
export type Mapping = Readonly<Record<string, string | null>>

export interface TableRules {
  kind: Kind
  mapping: Mapping
  terms: Terms
}

/** The guesses, corrected by what the operator says. */
export function mappingOf(kind: Kind, columns: readonly string[], given: string | undefined): Mapping {
  const corrections = readNames('map', given)
  const fields = fieldsOf(kind)
  for (const [column, field] of Object.entries(corrections)) {
    if (!columns.includes(column))
      throw badRequest(`map names the column ${JSON.stringify(column)}. The columns are ${columns.join(', ')}.`)
    if (field && !fields.includes(field))
      throw badRequest(
        `map names the field ${JSON.stringify(field)}. The fields of a ${kind} are ${fields.join(', ')}.`,
      )
  }
  const taken = new Set(Object.values(corrections))
  const mapping: Record<string, string | null> = {}
  for (const [column, field] of Object.entries(guessMapping(kind, columns)))
    mapping[column] = Object.hasOwn(corrections, column)
      ? corrections[column] || null
      : taken.has(field ?? '')
        ? null
        : field
  const columnOf = new Map<string, string>()
  for (const [column, field] of Object.entries(mapping)) {
    if (field === null) continue
    const other = columnOf.get(field)
    if (other !== undefined)
      throw badRequest(
        `The columns ${JSON.stringify(other)} and ${JSON.stringify(column)} are both mapped to ${field}. Leave one of them out.`,
      )
    columnOf.set(field, column)
  }
  return mapping
}

/** A JSON object of texts, from a parameter. */
function readNames(parameter: string, given: string | undefined): Record<string, string | null> {
  if (given === undefined || given === '') return {}
  const wrong = badRequest(`${parameter} must be a JSON object of texts, such as {"Product":"name","Notes":null}.`)
  let value: unknown
  try {
    value = JSON.parse(given)
  } catch {
    throw wrong
  }
  if (!isObject(value)) throw wrong
  for (const one of Object.values(value)) if (one !== null && typeof one !== 'string') throw wrong
  return value as Record<string, string | null>
}

/** The categories and tags that exist, by slug and by name, and what happens to others. */
export interface Terms {
  known: KnownSlugs
  /** The slug of a term as it is written in a cell; `created`: it does not exist yet and is to be made. */
  slugOf(kind: TermKind, text: string): { slug: string; created?: { name: string } }
  /** The row that would have made the term is left out. */
  forget(kind: TermKind, slug: string): void
}

export async function readTerms(ctx: Context, unknownTerms: 'refuse' | 'create', given?: string): Promise<Terms> {
  const mapped = readNames('terms', given)
  const load = async (kind: TermKind) => {
    const slugs = new Set<string>()
    const byName = new Map<string, string>()
    for (const { slug, name } of await listTaxonomy(ctx.db, kind)) {
      slugs.add(slug)
      byName.set(String(name).toLowerCase(), slug)
    }
    return { slugs, byName }
  }
  const loaded = {
    category: await load('category'),
    tag: await load('tag'),
    directoryCategory: await load('directoryCategory'),
  }
  return {
    known: {
      category: loaded.category.slugs,
      tag: loaded.tag.slugs,
      directoryCategory: loaded.directoryCategory.slugs,
    },
    slugOf(kind, text) {
      const { slugs, byName } = loaded[kind]
      const meant = (Object.hasOwn(mapped, text) && mapped[text]) || text
      const found = slugs.has(meant) ? meant : (byName.get(meant.toLowerCase()) ?? slugify(meant))
      if (slugs.has(found)) return { slug: found }
      if (unknownTerms === 'refuse' || found === '') return { slug: meant }
      slugs.add(found)
      return { slug: found, created: { name: meant } }
    },
    forget(kind, slug) {
      loaded[kind].slugs.delete(slug)
    },
  }
}

export interface ReadRow {
  row: number
  entry: Record<string, unknown>
  /** Terms that the entry needs and that do not exist yet. */
  created: Record<string, unknown>[]
  problems: Problem[]
}

/** What a row says, and what is wrong with it. */
export function readRow({ kind, mapping, terms }: TableRules, { row, cells }: TableRow & { cells: object }): ReadRow {
  const entry: Record<string, unknown> = { kind }
  const created: Record<string, unknown>[] = []
  const made: { to: TermKind; slug: string }[] = []
  const problems: Problem[] = []
  for (const [column, cell] of Object.entries(cells)) {
    const field = Object.hasOwn(mapping, column) ? mapping[column] : null
    const read = field ? readCell(kind, field, cell) : 'empty'
    if (!field || read === 'empty') continue
    if ('problem' in read) problems.push(problem(field, read.problem))
    else entry[field] = read.value
  }
  for (const [field, to] of REFERENCES[kind] ?? []) {
    const slug = (text: unknown) => {
      if (typeof text !== 'string') return text
      const term = terms.slugOf(to, text)
      if (term.created) {
        made.push({ to, slug: term.slug })
        created.push({ kind: to, slug: term.slug, ...term.created })
      }
      return term.slug
    }
    const value = entry[field]
    if (Array.isArray(value)) entry[field] = [...new Set(value.map(slug))]
    else if (value !== undefined) entry[field] = slug(value)
  }
  entry.slug ??= typeof entry.name === 'string' ? slugify(entry.name) : ''
  const named = new Set(problems.map(({ field }) => field))
  const checked = readEntry(kind, entry.slug, entry)
  const others = 'problems' in checked ? checked.problems : []
  problems.push(...others.filter(({ field }) => !named.has(field)), ...referenceProblems(kind, entry, terms.known))
  // A row that is left out makes no terms, so the next row that needs them does.
  if (problems.length > 0) for (const { to, slug } of made) terms.forget(to, slug)
  return { row, entry, created, problems }
}

export const NOTHING_REPLACED = { replaces: false, warning: null }

/** Whether the entry of a row replaces a stored one, and a warning when that one seems to be another product of the same name. */
export async function replacedBy(
  ctx: Context,
  kind: Kind,
  { slug, website }: Record<string, unknown>,
): Promise<{ replaces: boolean; warning: string | null }> {
  const old = await findRecord(ctx.db, kind, String(slug))
  if (!old) return NOTHING_REPLACED
  const isOther = keyOf(old.website) !== '' && keyOf(old.website) !== keyOf(website)
  const warning = isOther ? `It replaces ${old.name} (${old.website}), which has another website.` : null
  return { replaces: true, warning }
}

const keyOf = (website: unknown): string =>
  typeof website === 'string' && URL.canParse(website) ? websiteKey(website) : ''

/** The problems as sentences that name the column beside the field. */
export function sentencesOfRow(mapping: Mapping, problems: readonly Problem[]): string {
  const columnOf = new Map(Object.entries(mapping).map(([column, field]) => [field, column]))
  return sentencesOf(problems, (field) => {
    const column = columnOf.get(field.split('.')[0] ?? '')
    if (column === undefined) return field || 'The row'
    return column === field ? field : `${field} (column ${JSON.stringify(column)})`
  })
}

/** The rows as the lines of an import. */
export async function* tableLines(table: Table, rules: TableRules): AsyncGenerator<Line> {
  for await (const found of table.rows) {
    if ('problem' in found) {
      yield { number: found.row, problem: found.problem }
      continue
    }
    const { row, entry, created, problems } = readRow(rules, found)
    if (problems.length > 0) yield { number: row, problem: sentencesOfRow(rules.mapping, problems) }
    else for (const one of [...created, entry]) yield { number: row, text: JSON.stringify(one) }
  }
}
