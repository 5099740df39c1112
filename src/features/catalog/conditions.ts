import type { Taxonomy } from './rules.ts'

/** The filters of a search as facets that a listing must have (`all`) and must not have (`none`). */
export function conditions(values: Record<string, string | undefined>, featured: boolean | undefined, adult: boolean) {
  const all = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`${name}:${value}`]))
  const none = adult ? [] : ['adult']
  if (featured !== undefined) (featured ? all : none).push('featured')
  return { all, none }
}

/** A client that names this category, or an adult tag, opts in to adult listings as with `includeAdult`. */
export const NSFW = 'nsfw'

export const includesAdult = (
  taxonomy: Taxonomy,
  { category, tag, includeAdult }: { category?: string; tag?: string; includeAdult?: boolean },
): boolean =>
  includeAdult === true || category === NSFW || (tag !== undefined && taxonomy.tags.get(tag)?.adult === true)
