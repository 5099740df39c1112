/** The filters of a search as facets that a listing must have (`all`) and must not have (`none`). */
export function conditions(values: Record<string, string | undefined>, featured: boolean | undefined, adult: boolean) {
  const all = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`${name}:${value}`]))
  const none = adult ? [] : ['adult']
  if (featured !== undefined) (featured ? all : none).push('featured')
  return { all, none }
}
