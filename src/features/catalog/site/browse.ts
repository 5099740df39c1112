// Reads that only the site offers: complete lists of categories and tags, the rank of a directory, and its form. Its searches are in
// `site-search.ts`, similar listings in `similar.ts`.
import type { Context } from '../../../kernel/context.ts'
import type { Catalog, Snapshot } from '../memory/snapshot.ts'
import { type CategoryRow, findSubmissionLink, type TagRow } from '../queries.ts'
import { findTerms, listShownTags } from '../reads.ts'
import { RATING_STEPS } from '../rules.ts'
import type { Directory, Tool } from '../schema.ts'
import { termsNear } from '../terms/term-lists.ts'

/**
 * All categories or tags by name, without the adult ones, whose pages a visitor finds only by their address. Adult tools are not counted,
 * because the list of a term does not show them.
 */
export function browseTerms(catalog: Catalog, kind: 'category' | 'tag') {
  const version = catalog.version()
  const before = remembered.get(catalog)
  const terms: RememberedTerms = before?.version === version ? before : { version }
  remembered.set(catalog, terms)
  terms[kind] ??= countedTerms(catalog.snapshot(), kind)
  return terms[kind]
}

type RememberedTerms = { version: number } & { [Kind in 'category' | 'tag']?: ReturnType<typeof countedTerms> }
/** Counting walks all adult tools, so it is done once for each change of the catalog. */
const remembered = new WeakMap<Catalog, RememberedTerms>()

function countedTerms({ taxonomy, tools }: Snapshot, kind: 'category' | 'tag') {
  const terms: ReadonlyMap<string, CategoryRow | TagRow> = kind === 'category' ? taxonomy.categories : taxonomy.tags
  const shown = findTerms(terms, kind, tools, undefined, terms.size).filter(({ adult }) => !adult)
  const labels = shown.map(({ slug }) => `${kind}:${slug}`)
  const [counts = []] = tools.index.countFacets({ none: ['adult'] }, [{ labels }])
  return shown.map((term, at) => ({ ...term, toolsCount: counts[at] ?? 0 }))
}

/** The slugs of the terms of `browseTerms`, in no particular order. */
export const browsableSlugs = (snapshot: Snapshot, kind: 'category' | 'tag'): string[] =>
  kind === 'category'
    ? [...snapshot.taxonomy.categories.values()].flatMap(({ slug, adult }) => (adult ? [] : slug))
    : listShownTags(snapshot).flatMap(({ slug, adult }) => (adult ? [] : slug))

const MOST_NEAR = 6

/**
 * The categories that come nearest to a question: of the tools that it finds, the most frequent first; then the ones that it names in part.
 */
export function categoriesNear(catalog: Catalog, q: string, found: readonly Tool[]) {
  const counts = Map.groupBy(found, ({ category }) => category?.slug ?? '')
  const slugs = [...counts].toSorted(([, a], [, b]) => b.length - a.length).map(([slug]) => slug)
  const near = termsNear(catalog.snapshot().taxonomy.categories, q, MOST_NEAR).map(({ slug }) => slug)
  const shown = new Map(browseTerms(catalog, 'category').map((category) => [category.slug, category]))
  return [...new Set([...slugs, ...near])]
    .flatMap((slug) => shown.get(slug) ?? [])
    .filter(({ toolsCount }) => toolsCount > 0)
    .slice(0, MOST_NEAR)
}

/** The categories of directories that a question names in part, the best first. */
export const directoryCategoriesNear = (snapshot: Snapshot, q: string) =>
  countedIn(snapshot, termsNear(snapshot.taxonomy.directoryCategories, q, MOST_NEAR))

/** The categories with the most directories, the largest first. */
export const directoryCategoriesUsed = (snapshot: Snapshot, limit: number) =>
  countedIn(snapshot, [...snapshot.taxonomy.directoryCategories.values()])
    .toSorted((a, b) => b.count - a.count)
    .slice(0, limit)

const countedIn = ({ directories }: Snapshot, categories: readonly { slug: string; name: string }[]) =>
  categories
    .map(({ slug, name }) => ({ slug, name, count: directories.index.count(`category:${slug}`) }))
    .filter(({ count }) => count > 0)

/** How many directories have at least a step of the Domain Rating, and whether this directory is one of them. */
export interface RatingRank {
  step: number
  count: number
  total: number
  isAmong: boolean
}

/**
 * The rank of the directory by its Domain Rating: at its own step if at most half of the directories reach that or if it is the highest,
 * otherwise at the next step above.
 */
export function ratingRank({ directories }: Snapshot, { domainRating }: Directory): RatingRank | null {
  if (domainRating === null) return null
  const rankAt = (step: number, isAmong: boolean): RatingRank => ({
    step,
    count: directories.index.count(`rating:${step}`),
    total: directories.index.size,
    isAmong,
  })
  const reachedStep = RATING_STEPS.findLast((step) => step <= domainRating)
  const next = RATING_STEPS.find((step) => step > domainRating)
  const own = reachedStep === undefined ? null : rankAt(reachedStep, true)
  if (next === undefined || (own && own.count * 2 <= own.total)) return own
  return rankAt(next, false)
}

/** The address of a directory's own form, where the operator shows it on the site. No answer of the API has it. */
export const readSubmissionForm = async ({ db, site }: Context, directoryId: string): Promise<string | null> =>
  site.fields().submissionForms ? findSubmissionLink(db, directoryId) : null
