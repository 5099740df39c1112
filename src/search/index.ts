/**
 * An index in memory that answers searches over short documents exactly: right order, right total, any page.
 *
 * Words. Text and query are split by `words`: case, accents and apostrophes do not count.
 *
 * Which documents match. A query has a set of words; function words ("with", "for") are dropped when another word is
 * left. Every remaining word must match the document. A word matches a term, that is a word of any document in the index,
 * with a quality:
 *   exact   3  they are the same;
 *   form    2  they have the same English stem (`stemOf`); plain ASCII letters, three or more;
 *   prefix  1  the term is longer and begins with the word;
 *   typo    0  only when no term of any document matches the word in one of the ways above, whatever the facets: one edit
 *              apart (character added, left out, replaced, or two neighbours swapped) for words of 4 to 7 characters,
 *              two for longer ones, none for shorter ones and for numbers; and all other forms of a term so found.
 * A query that is blank has no text condition. One that is not blank but has no word ("?!") matches nothing.
 *
 * Relevance. A word scores the best of its hits in the document, FIELD (strong 1000, middle 100, weak 10) plus quality;
 * a document scores the sum over the words, plus WHOLE_NAME (500) when the words of its strong field are the words of the
 * query, function words included, in the same order, forms apart: the user typed the name.
 *
 * Order. With words: relevance, then popularity, then recency, all descending, then id. Without, or when a query names it:
 * the default order, or popularity, recency, id. Ids and texts compare by `<`. Lengths and characters are UTF-16 units.
 *
 * A change updates the index in place and leaves no work for later, so the index never pauses to clean up.
 */
export { buildIndex } from './build-index.ts'
export {
  createIndex,
  createLoadableIndex,
  type IndexOptions,
  type SearchDocument,
  type SearchIndex,
  type SearchQuery,
  type SearchResult,
} from './search-index.ts'
export { words } from './words.ts'
