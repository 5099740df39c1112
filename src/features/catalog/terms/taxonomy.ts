// Loads the categories and tags that the in-memory catalog uses, compares two versions, and replaces one with another.
import type { BrokenRows } from '../../../kernel/checks/broken-rows.ts'
import type { Database } from '../../../kernel/context.ts'
import { addIds, type Changes, type ChangeTopic, TERM_TOPICS } from '../memory/changed-ids.ts'
import type { FoundBrokenRow } from '../memory/listing-states.ts'
import * as queries from '../queries.ts'
import { rowProblem, type Taxonomy } from '../rules.ts'
import { type ListedKind, TERM_KINDS, TOPIC } from '../schema.ts'
import { prepareTerms, type Term, takeOver, withTerms } from './term-lists.ts'

/** Reads all terms, or only those that `changes` names. Broken rows are left out and returned as `foundBroken`. */
export async function loadTaxonomy(
  db: Database,
  changes?: Changes,
): Promise<{ taxonomy: Taxonomy; foundBroken: FoundBrokenRow[] }> {
  const slugsOf = (topic: ChangeTopic) => changes && [...(changes.get(topic) ?? [])]
  const foundBroken: FoundBrokenRow[] = []
  const brokenAdult = { category: new Set<string>(), tag: new Set<string>() }
  const validRows = <T extends { slug: string; adult?: boolean }>(kind: (typeof TERM_KINDS)[number], rows: T[]) => {
    const found = new Map<string, T>()
    for (const row of rows) {
      const reason = rowProblem(kind, row)
      if (!reason) found.set(row.slug, row)
      else {
        foundBroken.push([{ kind, id: row.slug, name: row.slug, reason }])
        // A broken row counts as adult unless it clearly says that it is not, so that its listings stay hidden from readers who have not
        // asked for adult ones.
        if (kind !== 'directoryCategory' && row.adult !== false) brokenAdult[kind].add(row.slug)
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
    brokenAdultTerms: { categories: brokenAdult.category, tags: brokenAdult.tag },
  }
  return { taxonomy, foundBroken }
}

/** Two taxonomies with the same text give listings the same JSON, text and labels. */
export function taxonomyText(taxonomy: Taxonomy): string {
  const { categories, tags, directoryCategories, brokenAdultTerms } = taxonomy
  const parts = [categories, tags, directoryCategories, brokenAdultTerms.categories, brokenAdultTerms.tags]
  const text = taxonomyTexts.get(taxonomy) ?? JSON.stringify(parts.map(entriesInOrder))
  taxonomyTexts.set(taxonomy, text)
  return text
}

// Cached, because the catalog file (`catalog-file.ts`) is checked against it every few seconds, and there may be 10,000 terms.
const taxonomyTexts = new WeakMap<Taxonomy, string>()

/** The terms of `base`, with the terms that `changes` names as they are in `loaded`. */
export function withChangedTerms(base: Taxonomy, loaded: Taxonomy, changes: Changes): Taxonomy {
  function newMap<T extends Term>(topic: ChangeTopic, before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>) {
    const changed = changes.get(topic)
    if (!changed || changed.size === 0) return before
    return withTerms(before, new Map([...changed].map((slug) => [slug, after.get(slug)])))
  }
  const newSet = (topic: ChangeTopic, before: ReadonlySet<string>, after: ReadonlySet<string>) => {
    const changed = changes.get(topic) ?? new Set()
    return new Set([...before.difference(changed), ...after.intersection(changed)])
  }
  const [baseAdult, loadedAdult] = [base.brokenAdultTerms, loaded.brokenAdultTerms]
  return {
    categories: newMap('categories', base.categories, loaded.categories),
    tags: newMap('tags', base.tags, loaded.tags),
    directoryCategories: newMap('directoryCategories', base.directoryCategories, loaded.directoryCategories),
    brokenAdultTerms: {
      categories: newSet('categories', baseAdult.categories, loadedAdult.categories),
      tags: newSet('tags', baseAdult.tags, loadedAdult.tags),
    },
  }
}

/** Builds sorted list and search index of each term list, pausing so that requests are answered. Call it before the first read. */
export async function prepareTaxonomy(taxonomy: Taxonomy): Promise<void> {
  for (const topic of TERM_TOPICS) await prepareTerms(taxonomy[topic])
}

/** Moves the sorted lists and search indexes of `before` to `taxonomy`, which readers get from now on. */
export function takeOverTerms(taxonomy: Taxonomy, before: Taxonomy): void {
  for (const topic of TERM_TOPICS) takeOver(taxonomy[topic], before[topic])
}

/** Records which of the changed terms have broken rows now. */
export function updateBrokenTerms(brokenRows: BrokenRows, changes: Changes, found: readonly FoundBrokenRow[]): void {
  const broken = new Set(found.map(([{ kind, id }]) => `${kind}:${id}`))
  for (const kind of TERM_KINDS)
    for (const slug of changes.get(TOPIC[kind]) ?? []) if (!broken.has(`${kind}:${slug}`)) brokenRows.remove(kind, slug)
  for (const one of found) brokenRows.add(...one)
}

/** The slugs of the terms that are not the same in both, or only in one. */
export function differentTerms(one: Taxonomy, other: Taxonomy): Changes {
  const changes: Changes = new Map()
  for (const topic of TERM_TOPICS) {
    const text = (taxonomy: Taxonomy, slug: string) =>
      JSON.stringify([
        taxonomy[topic].get(slug),
        topic !== 'directoryCategories' && taxonomy.brokenAdultTerms[topic].has(slug),
      ])
    const slugs = [one, other].flatMap((taxonomy) => [
      ...taxonomy[topic].keys(),
      ...(topic === 'directoryCategories' ? [] : taxonomy.brokenAdultTerms[topic]),
    ])
    addIds(
      changes,
      topic,
      slugs.filter((slug) => text(one, slug) !== text(other, slug)),
    )
  }
  return changes
}

const entriesInOrder = (entries: ReadonlyMap<string, unknown> | ReadonlySet<string>) =>
  [...entries.entries()].sort(([a], [b]) => (a < b ? -1 : 1))

/** The ids of the listings that use one of the changed terms. */
export async function listingIdsUsing(db: Database, changes: Changes): Promise<Record<ListedKind, readonly string[]>> {
  const slugs = (topic: ChangeTopic) => [...(changes.get(topic) ?? [])]
  const [categories, tags, directoryCategories] = [slugs('categories'), slugs('tags'), slugs('directoryCategories')]
  return {
    tool: categories.length + tags.length > 0 ? await queries.listToolIdsUsing(db, categories, tags) : [],
    directory: directoryCategories.length > 0 ? await queries.listDirectoryIdsUsing(db, directoryCategories) : [],
  }
}
