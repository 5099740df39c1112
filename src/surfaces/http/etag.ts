import type { Encoding } from './compression.ts'

/** Whether the If-None-Match header says that the client already has the answer with this tag. */
export const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag))

/** A compressed answer is another representation and needs another tag. */
export const tagOf = (etag: string, encoding: Encoding | null): string =>
  encoding ? `${etag.slice(0, -1)}-${encoding}"` : etag
