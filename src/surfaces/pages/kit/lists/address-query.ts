// Reads the query of a page's address, and makes addresses with a query.

export type AddressQuery = Readonly<Record<string, unknown>>

/** The value of a parameter; '' when it is missing, empty or given more than once. (Forms also send the fields that are left empty.) */
export function queryText(query: AddressQuery, name: string): string {
  const value = Object.hasOwn(query, name) ? query[name] : undefined
  return typeof value === 'string' ? value.trim() : ''
}

/** The query without parameters that the page does not read, so that the cache does not keep the same page under several queries. */
export const knownQuery = (query: AddressQuery, names: readonly string[]): AddressQuery =>
  Object.fromEntries(Object.entries(query).filter(([name]) => names.includes(name.replace(/\[\]$/, ''))))

/** The values of a parameter that may be given more than once, or by several fields of a form; trimmed, none empty, at most 20. */
export const queryValues = (query: AddressQuery, name: string): string[] =>
  // A form with several checkboxes of one name has `[]` at the end of that name.
  [name, `${name}[]`]
    .flatMap((key) => (Object.hasOwn(query, key) ? [query[key]].flat() : []))
    .slice(0, MOST_VALUES)
    .flatMap((value) => (typeof value === 'string' ? value.trim() || [] : []))

/** The values split at commas, each once, at most 20, joined by commas. */
export const queryList = (query: AddressQuery, name: string): string => joinedList(queryValues(query, name))

export const joinedList = (values: readonly string[]): string =>
  [...new Set(values.flatMap((value) => value.split(',', MOST_VALUES).flatMap((one) => one.trim() || [])))]
    .slice(0, MOST_VALUES)
    .join(',')

const MOST_VALUES = 20

/** The values of a list that `joinedList` made. */
export const listOf = (text: string): string[] => text.split(',').filter(Boolean)

/** A list that `joinedList` made, without one of its values. */
export const listWithout = (text: string, value: string): string =>
  listOf(text)
    .filter((one) => one !== value)
    .join(',')

/** The path with the values as its query; empty values are left out. */
export function addressWith(path: string, values: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''))
  return query.size > 0 ? `${path}?${query}` : path
}
