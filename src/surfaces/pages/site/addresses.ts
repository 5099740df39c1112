// Reading and writing the part of an address after the question mark.

export type Query = Readonly<Record<string, unknown>>

/** A value given once; a form sends every field, so an empty one is none, and so are several. */
export function textOf(query: Query, name: string): string {
  const value = Object.hasOwn(query, name) ? query[name] : undefined
  return typeof value === 'string' ? value.trim() : ''
}

/** The address with those values that are not empty. */
export function addressWith(path: string, values: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''))
  return query.size > 0 ? `${path}?${query}` : path
}
