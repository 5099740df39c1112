// The categories and tags as the catalog in memory has them: read from the database, compared, and changed in place.
import type { BrokenRows } from '../../kernel/broken-rows.ts'
import type { Database } from '../../kernel/context.ts'
import { add, type Changes, TERM_TOPICS, type ChangeTopic } from './changes.ts'
import type { FoundBrokenRow } from './listing-states.ts'
import * as queries from './queries.ts'
import { rowProblem, type Taxonomy } from './rules.ts'
import { type ListedKind, TERM_KINDS, TOPIC } from './schema.ts'
import { prepareTerms, type Term, takeOver, withTerms } from './term-lists.ts'

/** All terms, or only those that `changes` names. */
export async function loadTaxonomy(
  db: Database,
  changes?: Changes,
): Promise<{ taxonomy: Taxonomy; foundBroken: FoundBrokenRow[] }> {
  const slugsOf = (topic: ChangeTopic) => changes && [...(changes.get(topic) ?? [])]
  const foundBroken: FoundBrokenRow[] = []
  const leftOut = { category: new Set<string>(), tag: new Set<string>(), directoryCategory: new Set<string>() }
  const validRows = <T extends { slug: string; adult?: boolean }>(kind: keyof typeof leftOut, rows: T[]) => {
    const found = new Map<string, T>()
    for (const row of rows) {
      const reason = rowProblem(kind, row)
      if (!reason) found.set(row.slug, row)
      else {
        foundBroken.push([{ kind, id: row.slug, name: row.slug, reason }])
        if (row.adult !== false) leftOut[kind].add(row.slug)
      }
    }
    return found
  }
  const taxonomy = {
    categories: validRows('category', await queries.selectCategories(db, slugsOf('categories'))),
    tags: validRows('tag', await queries.selectTags(db, slugsOf('tags'))),
    directoryCategories: validRows(
      'directoryCategory',
      await queries.selectDirectoryCategories(db, slugsOf('directoryCategories')),
    ),
    adultLeftOut: { categories: leftOut.category, tags: leftOut.tag },
  }
  return { taxonomy, foundBroken }
}

/** Listings have the same JSON, text and labels with two taxonomies that have the same text. */
export function taxonomyText(taxonomy: Taxonomy): string {
  const { categories, tags, directoryCategories, adultLeftOut } = taxonomy
  const parts = [categories, tags, directoryCategories, adultLeftOut.categories, adultLeftOut.tags]
  const text = taxonomyTexts.get(taxonomy) ?? JSON.stringify(parts.map(entriesInOrder))
  taxonomyTexts.set(taxonomy, text)
  return text
}

// The file is compared with it again and again, and it may have 10,000 terms.
const taxonomyTexts = new WeakMap<Taxonomy, string>()

/** The terms of `base`, but those that changed are taken from `loaded`. */
export function withChangedTerms(base: Taxonomy, loaded: Taxonomy, changes: Changes): Taxonomy {
  function map<T extends Term>(topic: ChangeTopic, before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>) {
    const changed = changes.get(topic)
    if (!changed || changed.size === 0) return before
    return withTerms(before, new Map([...changed].map((slug) => [slug, after.get(slug)])))
  }
  const set = (topic: ChangeTopic, before: ReadonlySet<string>, after: ReadonlySet<string>) => {
    const changed = changes.get(topic) ?? new Set()
    return new Set([...before.difference(changed), ...after.intersection(changed)])
  }
  const [left, leftNow] = [base.adultLeftOut, loaded.adultLeftOut]
  return {
    categories: map('categories', base.categories, loaded.categories),
    tags: map('tags', base.tags, loaded.tags),
    directoryCategories: map('directoryCategories', base.directoryCategories, loaded.directoryCategories),
    adultLeftOut: {
      categories: set('categories', left.categories, leftNow.categories),
      tags: set('tags', left.tags, leftNow.tags),
    },
  }
}

/** Makes what is kept beside the terms in slices, before readers are given them for the first time. */
export async function prepareTaxonomy(taxonomy: Taxonomy): Promise<void> {
  for (const topic of TERM_TOPICS) await prepareTerms(taxonomy[topic])
}

/** Readers are given `taxonomy` in place of `before` from now on. */
export function takeOverTerms(taxonomy: Taxonomy, before: Taxonomy): void {
  for (const topic of TERM_TOPICS) takeOver(taxonomy[topic], before[topic])
}

/** Records which of the changed terms are broken. */
export function recordBroken(brokenRows: BrokenRows, changes: Changes, found: readonly FoundBrokenRow[]): void {
  const broken = new Set(found.map(([{ kind, id }]) => `${kind}:${id}`))
  for (const kind of TERM_KINDS)
    for (const slug of changes.get(TOPIC[kind]) ?? []) if (!broken.has(`${kind}:${slug}`)) brokenRows.remove(kind, slug)
  for (const one of found) brokenRows.add(...one)
}

/** The terms that differ between the two. */
export function differentTerms(one: Taxonomy, other: Taxonomy): Changes {
  const changes: Changes = new Map()
  for (const topic of TERM_TOPICS) {
    const text = (taxonomy: Taxonomy, slug: string) =>
      JSON.stringify([
        taxonomy[topic].get(slug),
        topic !== 'directoryCategories' && taxonomy.adultLeftOut[topic].has(slug),
      ])
    const slugs = [one, other].flatMap((taxonomy) => [
      ...taxonomy[topic].keys(),
      ...(topic === 'directoryCategories' ? [] : taxonomy.adultLeftOut[topic]),
    ])
    add(
      changes,
      topic,
      slugs.filter((slug) => text(one, slug) !== text(other, slug)),
    )
  }
  return changes
}

const entriesInOrder = (entries: ReadonlyMap<string, unknown> | ReadonlySet<string>) =>
  [...entries.entries()].sort(([a], [b]) => (a < b ? -1 : 1))

/** The listings that use a term that changed. */
export async function listingsConcernedBy(
  db: Database,
  changes: Changes,
): Promise<Record<ListedKind, readonly string[]>> {
  const slugs = (topic: ChangeTopic) => [...(changes.get(topic) ?? [])]
  const [categories, tags, directoryCategories] = [slugs('categories'), slugs('tags'), slugs('directoryCategories')]
  return {
    tool: categories.length + tags.length > 0 ? await queries.listToolIdsUsing(db, categories, tags) : [],
    directory: directoryCategories.length > 0 ? await queries.listDirectoryIdsUsing(db, directoryCategories) : [],
  }
}
