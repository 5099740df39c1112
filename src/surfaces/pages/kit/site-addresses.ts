// Reads and writes the query of an address, and has the addresses of pages to which several others lead.

export type AddressQuery = Readonly<Record<string, unknown>>

/** The value of a parameter, or '' when it is missing, empty or given more than once. A form sends every field, also the empty ones. */
export function queryText(query: AddressQuery, name: string): string {
  const value = Object.hasOwn(query, name) ? query[name] : undefined
  return typeof value === 'string' ? value.trim() : ''
}

/** The query without the parameters that the page does not read, so that these do not make another page for the cache. */
export const knownQuery = (query: AddressQuery, names: readonly string[]): AddressQuery =>
  Object.fromEntries(Object.entries(query).filter(([name]) => names.includes(name.replace(/\[\]$/, ''))))

/** The values of a parameter that may be given more than once, or by several fields of a form. */
export const queryValues = (query: AddressQuery, name: string): string[] =>
  // Boxes of a form that share a name have `[]` at its end.
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

/** The values that `joinedList` has joined. */
export const listOf = (text: string): string[] => text.split(',').filter(Boolean)

/** The same list without one of its values. */
export const without = (text: string, value: string): string =>
  listOf(text)
    .filter((one) => one !== value)
    .join(',')

/** The path with the values that are not empty as its query. */
export function addressWith(path: string, values: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''))
  return query.size > 0 ? `${path}?${query}` : path
}

/** Where a founder begins with the address of a product. */
export const NEW_PRODUCT = '/submit/new'

/** The page of what a signed-in user has put aside. */
export const SAVED = '/dashboard/saved'

export const COMPARE = '/compare'

export const compareAddress = (slugs: readonly string[]): string => `${COMPARE}?tools=${slugs.join(',')}`
