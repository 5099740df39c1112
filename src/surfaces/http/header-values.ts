import type { ContentEncoding } from './compression.ts'

/** Whether the If-None-Match header says that the client already has the answer with this tag. */
export const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag))

/** A compressed answer is another representation and needs another tag. */
export const tagOf = (etag: string, encoding: ContentEncoding | null): string =>
  encoding ? `${etag.slice(0, -1)}-${encoding}"` : etag

/**
 * What an Accept or Accept-Encoding header names, in lower case, with its quality: from 0 (not acceptable) to 1. A quality that is no number
 * counts as 0.
 */
export const qualitiesIn = (header: string): Map<string, number> => new Map(header.split(',').map(readQuality))

function readQuality(item: string): [name: string, quality: number] {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))
  return [name, quality === undefined ? 1 : Number(quality.slice(2)) || 0]
}
