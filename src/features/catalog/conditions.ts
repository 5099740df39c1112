import type { Taxonomy } from './rules.ts'
import { slugsNamed, type TermMap } from './term-lists.ts'

/** The values of each filter of a search, by the filter's name. A listing must have one of the values of each filter. */
export type FilterValues = Readonly<Record<string, string | readonly string[] | undefined>>

/** The filters as facets that a listing must have (`all`, and one of each list in `any`) and must not have (`none`). */
export function conditions(values: FilterValues, featured: boolean | undefined, adult: boolean) {
  const all: string[] = []
  const any: string[][] = []
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue
    const labels = [value].flat().map((one) => `${name}:${one}`)
    const [only] = labels
    if (labels.length === 1 && only !== undefined) all.push(only)
    else any.push(labels)
  }
  const none = adult ? [] : ['adult']
  if (featured !== undefined) (featured ? all : none).push('featured')
  return { all, any, none }
}

/** The slugs that a filter by category or tag names; undefined without the filter. */
export const slugsInCondition = (terms: TermMap, text: string | undefined): readonly string[] | undefined =>
  text === undefined ? undefined : slugsNamed(terms, text)

/** A client that names this category, or an adult tag, opts in to adult listings as with `includeAdult`. */
const NSFW = 'nsfw'

export interface TermSlugs {
  category?: readonly string[]
  tag?: readonly string[]
}

export const toolTerms = ({ categories, tags }: Taxonomy, named: { category?: string; tag?: string }): TermSlugs => ({
  category: slugsInCondition(categories, named.category),
  tag: slugsInCondition(tags, named.tag),
})

export const includesAdult = ({ tags }: Taxonomy, { category, tag }: TermSlugs, includeAdult?: boolean): boolean =>
  includeAdult === true || category?.includes(NSFW) === true || tag?.some((slug) => tags.get(slug)?.adult) === true
