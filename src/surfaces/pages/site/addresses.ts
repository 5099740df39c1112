// Reads and writes the query of an address.

export type AddressQuery = Readonly<Record<string, unknown>>

/** The value of a parameter, or '' when it is missing, empty or given more than once. A form sends every field, also the empty ones. */
export function queryText(query: AddressQuery, name: string): string {
  const value = Object.hasOwn(query, name) ? query[name] : undefined
  return typeof value === 'string' ? value.trim() : ''
}

/** The path with the values that are not empty as its query. */
export function addressWith(path: string, values: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''))
  return query.size > 0 ? `${path}?${query}` : path
}
