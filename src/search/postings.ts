/**
 * A posting says that a document has a term: the document's number, the strongest field that has the term (0 strong, 1 middle, 2 weak)
 * and how often it is in the document (1 to 4; 4 means four or more), in one number that sorts by document.
 */
export const posting = (document: number, field: number, count: number): number =>
  document * 16 + field * 4 + Math.min(count, 4) - 1
export const firstPosting = (document: number): number => document * 16
export const documentOf = (posting: number): number => posting >>> 4
export const fieldOf = (posting: number): number => (posting >>> 2) & 3
export const countOf = (posting: number): number => (posting & 3) + 1
