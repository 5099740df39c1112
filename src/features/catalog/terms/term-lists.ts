// For the categories or tags of a taxonomy, keeps three things: the terms sorted by name, their slugs by name, and a search index. They are
// made once and then changed with the terms: making them anew after every change would stop the process for half a second with 10,000 tags.
import { createPauses } from '../../../kernel/work/scheduler.ts'
import { buildIndex, createIndex, type SearchDocument, type SearchIndex, words } from '../../../search/index.ts'
import { sortableName } from '../rules.ts'
import { nameKey } from './slugify.ts'

export interface Term {
  slug: string
  name: string
  description?: string
  submitted?: boolean
}

export type TermMap<T extends Term = Term> = ReadonlyMap<string, T>

interface Entry {
  /** The sort key of the name. Entries are sorted by it, then by slug. */
  key: string
  term: Term
}

interface TermList {
  ordered: Entry[]
  /** Slugs by `nameKey`. Operators may have given several terms one name. */
  slugsByNameKey: Map<string, string[]>
  /** Slugs by the words of the name. */
  slugsByWords: Map<string, string[]>
  index: SearchIndex<Entry>
}

const listByTerms = new WeakMap<TermMap, TermList>()

const compare = (a: Entry, b: Entry): number =>
  a.key < b.key ? -1 : a.key > b.key ? 1 : a.term.slug < b.term.slug ? -1 : a.term.slug > b.term.slug ? 1 : 0

const entryOf = (term: Term): Entry => ({ key: sortableName(term.name), term })

const documentOf = (entry: Entry): SearchDocument<Entry> => ({
  id: entry.term.slug,
  text: [entry.term.name, entry.term.slug, entry.term.description ?? ''],
  facets: [],
  popularity: 0,
  recency: 0,
  item: entry,
})

function listOf(terms: TermMap): TermList {
  let list = listByTerms.get(terms)
  if (!list) {
    const index = createIndex<Entry>()
    list = listWith(terms, index)
    index.putAll(list.ordered.map(documentOf), [])
    listByTerms.set(terms, list)
  }
  return list
}

/** The caller fills the index with the same terms. */
function listWith(terms: TermMap, index: SearchIndex<Entry>): TermList {
  const list: TermList = {
    ordered: [...terms.values()].map(entryOf).sort(compare),
    slugsByNameKey: new Map(),
    slugsByWords: new Map(),
    index,
  }
  for (const { term } of list.ordered) addName(list, term)
  return list
}

function addName({ slugsByNameKey, slugsByWords }: TermList, { name, slug }: Term): void {
  addSlug(slugsByNameKey, nameKey(name), slug)
  addSlug(slugsByWords, spelling(name), slug)
}

function removeName({ slugsByNameKey, slugsByWords }: TermList, { name, slug }: Term): void {
  removeSlug(slugsByNameKey, nameKey(name), slug)
  removeSlug(slugsByWords, spelling(name), slug)
}

const spelling = (name: string): string => (name.length > MAX_NAME ? '' : words(name).join(' '))

const addSlug = (slugs: Map<string, string[]>, key: string, slug: string): unknown =>
  slugs.set(key, [...(slugs.get(key) ?? []), slug].sort())

function removeSlug(slugs: Map<string, string[]>, key: string, slug: string): void {
  const others = slugs.get(key)?.filter((one) => one !== slug) ?? []
  if (others.length > 0) slugs.set(key, others)
  else slugs.delete(key)
}

/** Where the entry is, or belongs, in the sorted list. */
function placeOf(ordered: readonly Entry[], entry: Entry): number {
  let [from, to] = [0, ordered.length]
  while (from < to) {
    const middle = (from + to) >> 1
    const other = ordered[middle]
    if (other && compare(other, entry) < 0) from = middle + 1
    else to = middle
  }
  return from
}

function changeTerm(list: TermList, before: Term | undefined, after: Term | undefined): void {
  if (before) {
    list.ordered.splice(placeOf(list.ordered, entryOf(before)), 1)
    removeName(list, before)
  }
  if (after) {
    const entry = entryOf(after)
    list.ordered.splice(placeOf(list.ordered, entry), 0, entry)
    addName(list, after)
    list.index.put(documentOf(entry))
  } else if (before) list.index.remove(before.slug)
}

/** The terms, with the terms of `changed` in place of theirs. A term that is undefined there is removed. */
export function withTerms<T extends Term>(terms: TermMap<T>, changed: ReadonlyMap<string, T | undefined>): TermMap<T> {
  const result = new Map(terms)
  for (const [slug, term] of changed)
    if (term) result.set(slug, term)
    else result.delete(slug)
  return result
}

function differences<T extends Term>(before: TermMap<T>, after: TermMap<T>): Map<string, T | undefined> {
  const found = new Map<string, T | undefined>()
  for (const slug of before.keys()) if (!after.has(slug)) found.set(slug, undefined)
  for (const [slug, term] of after) if (!isSame(before.get(slug), term)) found.set(slug, term)
  return found
}

const isSame = (a: Term | undefined, b: Term): boolean =>
  a !== undefined && (Object.keys(b) as (keyof Term)[]).every((field) => a[field] === b[field])

/** Makes the list of newly loaded terms, with pauses in which requests are answered. */
export async function prepareTerms(terms: TermMap): Promise<void> {
  const entries = [...terms.values()].map(entryOf)
  const index = await buildIndex<Entry>([entries.map(documentOf)], undefined, createPauses())
  listByTerms.set(terms, listWith(terms, index))
}

/** Moves the list of `before` to `terms`, which readers get from now on, and changes it where the two differ. */
export function takeOver(terms: TermMap, before: TermMap): void {
  const list = listByTerms.get(before)
  if (!list || listByTerms.has(terms)) return
  for (const [slug, term] of differences(before, terms)) changeTerm(list, before.get(slug), term)
  listByTerms.delete(before)
  listByTerms.set(terms, list)
}

/** The terms sorted by name; with `q`, only the terms that match it. */
export const termsInOrder = <T extends Term>(terms: TermMap<T>, q?: string): IterableIterator<T> => {
  const { ordered, index } = listOf(terms)
  const found = q === undefined ? ordered : index.find({ q, offset: 0, limit: terms.size }).items.sort(compare)
  return found.values().map(({ term }) => term as T)
}

/** The terms that match some words of the question, the best first. */
export const termsNear = <T extends Term>(terms: TermMap<T>, q: string, limit: number): T[] =>
  listOf(terms)
    .index.find({ q, lenient: true, partial: true, offset: 0, limit })
    .items.flatMap(({ term }) => terms.get(term.slug) ?? [])

/**
 * The slugs of the terms that the text of a filter names by slug or by name, in any case; several have commas between them. A text with a
 * comma may also be one name. Unknown terms are left out; when none is known, the text itself is returned, which matches no listing.
 */
export function slugsNamed(terms: TermMap, text: string): readonly string[] {
  if (text.length > MAX_FILTER) return [text]
  const whole = slugsOfTerm(terms, text)
  if (whole.length > 0) return whole
  const parts = text.includes(',') ? text.split(',').flatMap((part) => slugsOfTerm(terms, part)) : []
  return parts.length > 0 ? [...new Set(parts)] : [text]
}

function slugsOfTerm(terms: TermMap, text: string): readonly string[] {
  if (terms.has(text)) return [text]
  const trimmed = text.trim()
  if (terms.has(trimmed)) return [trimmed]
  const slug = trimmed.toLowerCase()
  return listOf(terms).slugsByNameKey.get(nameKey(trimmed)) ?? (terms.has(slug) ? [slug] : [])
}

/** The slugs of the terms whose name has these words, as `words` gives them. */
export const slugsSpelled = (terms: TermMap, spelled: readonly string[]): readonly string[] =>
  listOf(terms).slugsByWords.get(spelled.join(' ')) ?? []

/** Longer names are never recognised in a question. */
const MAX_NAME = 100

// Longer than the names of several terms. To look up all parts of a longer text would take too long.
const MAX_FILTER = 2_000
