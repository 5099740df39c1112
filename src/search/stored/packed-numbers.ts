// Numbers that hold two or three smaller numbers, so that long lists of them need little memory.

/**
 * A posting says that a document has a term: the document's number, the strongest field that has the term (0 strong, 1 middle, 2 weak)
 * and how often it is in the document (1 to 4; 4 means four or more), in one number that sorts by document.
 */
export const posting = (document: number, field: number, count: number): number =>
  document * 16 + field * 4 + Math.min(count, 4) - 1
/** The least number that a posting of the document can be. */
export const firstPosting = (document: number): number => document * 16
export const documentOf = (posting: number): number => posting >>> 4
export const fieldOf = (posting: number): number => (posting >>> 2) & 3
export const countOf = (posting: number): number => (posting & 3) + 1

/**
 * A term entry is a term with a number from 0 to 3. In the terms that match a word of a query, that number is the quality of the match; in
 * the terms of a document, the strongest field that has the term; in the terms near a misspelt word, how many typos they are away from it.
 */
export const termEntry = (term: number, detail: number): number => term * 4 + detail
export const termOf = (entry: number): number => entry >>> 2
export const qualityOf = (entry: number): number => entry & 3
export const fieldOfTerm = (entry: number): number => entry & 3
export const typosOf = (entry: number): number => entry & 3
