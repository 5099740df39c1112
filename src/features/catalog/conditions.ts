// What a search is narrowed by, in the words of the index.

/** Facets that an entry must have and must not have. */
export function conditions(values: Record<string, string | undefined>, featured: boolean | undefined, adult: boolean) {
  const all = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`${name}:${value}`]))
  const none = adult ? [] : ['adult']
  if (featured !== undefined) (featured ? all : none).push('featured')
  return { all, none }
}
