// What the lists of operators are narrowed by: `q`.
import { and, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm'

/** A text to look into, or how to tell whether one of many texts has a word in it. */
type Place = SQLWrapper | ((contains: (text: SQLWrapper) => SQL) => SQL)

/** Every word is in one of the places, in any case; no character of it has a meaning of its own. Without words: no condition. */
export const hasWords = (words: string | undefined, places: readonly Place[]): SQL | undefined =>
  and(
    ...(words ?? '')
      .trim()
      .split(/\s+/)
      .filter(Boolean)
      .map((word) => {
        const contains = (text: SQLWrapper): SQL => sql`position(lower(${word}::text) in lower(${text})) > 0`
        return or(...places.map((place) => (typeof place === 'function' ? place(contains) : contains(place))))
      }),
  )
