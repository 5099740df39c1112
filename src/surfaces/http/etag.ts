import type { Encoding } from './compression.ts'

/** Whether a reader has seen the answer with this tag, going by its If-None-Match. */
export const isSeen = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag))

/** What is compressed is another representation and has another tag. */
export const tagOf = (etag: string, encoding: Encoding | null): string =>
  encoding ? `${etag.slice(0, -1)}-${encoding}"` : etag
