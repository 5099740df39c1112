// The condition behind the parameter `q` of operator lists.
import { and, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm'

/** A column to search, or a condition that uses `contains` to search several texts. */
type SearchedText = SQLWrapper | ((contains: (text: SQLWrapper) => SQL) => SQL)

/** Every word must be in one of the texts, ignoring case; no character is a wildcard. Without words there is no condition. */
export const hasWords = (words: string | undefined, texts: readonly SearchedText[]): SQL | undefined =>
  and(
    ...(words ?? '')
      .trim()
      .split(/\s+/)
      .filter(Boolean)
      .map((word) => {
        const contains = (text: SQLWrapper): SQL => sql`position(lower(${word}::text) in lower(${text})) > 0`
        return or(...texts.map((text) => (typeof text === 'function' ? text(contains) : contains(text))))
      }),
  )
