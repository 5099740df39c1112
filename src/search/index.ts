/**
 * An index in memory that answers searches over short documents exactly: right order, right total, any page.
 *
 * Words. Text and query are split by `words`: case, accents and apostrophes do not count. A document is indexed under its words and
 * under its compounds written as one ("text-to-speech", "texttospeech"); in the strong field, the name, also under each two neighbours
 * written as one ("Eleven Labs", "elevenlabs"). It is indexed under at most MOST_TERMS of them, those of the strongest field first.
 *
 * Full matches. A query has a set of words; function words ("with", "for") are dropped when another word is left. Every remaining word
 * must match the document. A word matches a term, that is a word of any document in the index, with a quality:
 *   exact   3  they are the same;
 *   form    2  they have the same English stem (`stemOf`, which knows British spelling); plain ASCII letters, three or more; or the term
 *              is the word written as one with the word before or after it in the query ("chat gpt" and "chatgpt"), or a form of that;
 *   prefix  1  the term is longer and begins with the word;
 *   typo    0  only when no term of any document matches the word in one of the ways above, whatever the facets, and it is no word of the
 *              language (the vectors do not have it): the term is one edit apart (character added, left out, replaced, or two
 *              neighbours swapped) for words of 4 to 7 characters, two for longer ones, none for shorter ones and for numbers; or another
 *              form of such a term. Of the words that may be misspelt, only the first MOST_MISSPELT of a query are compared.
 * A query takes at most MOST_INEXACT terms of the qualities prefix and typo. Its first words take theirs first, and each word takes the terms
 * that the most documents have, of equal ones the first by `<`.
 * A word that no term matches exactly, by form or by prefix, but that is two terms written as one ("elevenlabs"), counts as these two.
 * A query that is blank has no text condition. One that is not blank but has no word ("?!") matches nothing.
 *
 * With `lenient`, words of asking ("need", "tool", "directories") are not required when another word is, and documents that have all of
 * them come first (COMPLETE). A part of one or two letters of a compound ("follow-up", "e-mail") matches no longer term: it matches itself,
 * its forms, and the compound written as one.
 *
 * `respelt` replaces words that no document has by the term with the fewest typos (`Vocabulary.respelt`). With `isBold`, words of the
 * language are replaced, too, and one more typo is allowed in words of three characters and of five or more, if the consonants are the same or
 * one letter is missing in three.
 *
 * Relevance of full matches. A word scores the best of its hits in the document, FIELD (strong 1000, middle 100, weak 10) plus quality;
 * a document scores the sum over the words, plus WHOLE_NAME (500) when the words of its strong field are the words of the
 * query, function words included, in the same order, forms and joints apart: the user typed the name.
 *
 * With `prefer`, the first label counts more than everything else together, then the second, and so on. Without words, the order that is
 * named, or the default order, decides between documents that have the same preferred labels. With words and a named order, `prefer` has no
 * effect.
 *
 * Ranges. A number of a document is in a range when it is finite and within its bounds.
 *
 * Partial matches are added on request when fewer than ENOUGH_MATCHES documents match fully, unless the query is one word that a document
 * matches or the whole name of a full match. Words of asking ("need", "something") do not count, nor do words that about a third of the
 * documents have, nor shorter ones than LEAST_PREFIX letters that only longer words begin with. Each other word has a rarity, as in BM25; a
 * document scores the sum of `pointsOf` over its best hit for each word, and is a partial match when its words have LEAST_RARITY together
 * and it has LEAST_PART of the best score. The result then has at most MOST_IN_PARTIAL documents, the full matches first.
 *
 * Meaning (with `vectors`). The best MOST_COMPARED partial matches gain MEANING_POINTS times the cosine of their vector and that of the
 * query; those with little of what is asked for and a cosine below LEAST_WITH_WORDS are dropped. Documents whose sketches are the nearest
 * to that of the query are partial matches, too, whatever their words, when their cosine is at least LEAST_SIMILARITY, or
 * LEAST_SIMILARITY_OF_TWO_WORDS when the query has two words that are neither function words nor words of asking.
 *
 * With `lenient`, of the partial matches beyond the best MOST_WITH_LITTLE only those are in the result that have ENOUGH_WORDS of what is
 * asked for, by rarity: the others are near misses. When none has LEAST_WORDS of it and, by meaning, none is as near as LEAST_OF_NEAREST,
 * there are no partial matches.
 *
 * Order. With words: relevance, then popularity, then recency, all descending, then id. Without, or when a query names it:
 * the default order, or popularity, recency, id, or a number of the documents, descending, then the default order. Ids and texts compare
 * by `<`. Lengths and characters are UTF-16 units. Documents with the facet LAST come after all others in each of these orders, also after
 * partial matches; among themselves they are in the order. When partial matches come before them, they do not count as full matches.
 *
 * With `arrange`, the caller moves documents of a result by relevance a few places: full matches only among those that have the same of
 * what is preferred, partial ones only among each other, and none when the query is the whole name of a full match.
 *
 * Counts of facets. Each label is counted over the result of the search with the choices of all other facets; a choice is one or more
 * labels of a facet, and a document has to have one of them.
 *
 * A change updates the index in place and leaves no work for later, so the index never pauses to clean up.
 */
import type { IndexOptions, SearchDocument, SearchIndex } from './index-interface.ts'
import { createIndex } from './search-index.ts'

export type { ExplainedPlace, Explanation } from './explain/explain.ts'
export type { ExplainedDocument } from './explain/explain-document.ts'
export { type ExplainedHit, type ExplainedWord, WORD_USES } from './explain/explain-words.ts'
export type { NotFoundReason } from './explain/not-found-reasons.ts'
export type {
  IndexOptions,
  NumberOrder,
  NumberRange,
  RangedNumber,
  SearchDocument,
  SearchIndex,
  SearchQuery,
  SearchResult,
} from './index-interface.ts'
export { LAST } from './index-interface.ts'
export { FIELD, MOST_PREFERRED } from './matching/match-points.ts'
export type { WordHit } from './matching/matched-words.ts'
export { parseVectors, type WordVectors } from './meaning/vectors.ts'
export type { Arrangement } from './results/arranged.ts'
export type { CountedFacet } from './results/facet-counts.ts'
export { createIndex, createLoadableIndex } from './search-index.ts'
export type { Saved, SavedList, SavedNumbers } from './stored/saved.ts'
export { createTextMap, type TextMap } from './stored/text-map.ts'
export { QUALITY } from './terms/vocabulary.ts'
export { markTerms, type TextPiece } from './words/marked-text.ts'
export { ALSO_ASKING, ASKING_WORDS, FUNCTION_WORDS } from './words/query-words.ts'
export { indexedWords, shortParts, words } from './words/words.ts'

/** The documents of one step: few enough that a step takes about two milliseconds. */
const TOGETHER = 16

/** Makes an index while the process serves requests: `pause` is called after each step, and awaited when it returns a promise. */
export async function buildIndex<Item>(
  pages: AsyncIterable<Iterable<SearchDocument<Item>>> | Iterable<Iterable<SearchDocument<Item>>>,
  options?: IndexOptions<Item>,
  pause: () => Promise<void> | undefined = () => undefined,
): Promise<SearchIndex<Item>> {
  const index = createIndex(options)
  for await (const page of pages) {
    // Of several documents with the same id the last counts.
    const documents = [...new Map(Array.from(page, (document) => [document.id, document])).values()]
    for (let at = 0; at < documents.length; at += TOGETHER) {
      index.putAll(documents.slice(at, at + TOGETHER), [])
      await pause()
    }
  }
  return index
}
