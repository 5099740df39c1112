// Compression of public answers, and the request headers (Accept-Encoding, Accept, If-None-Match) that choose what of an answer is sent.
// Pages of signed-in users and answers to partners and operators are sent uncompressed: the length of a compressed answer reveals how much
// of a guessed text it contains, so an attacker who can place text beside a secret could find out the secret (BREACH).
import { promisify } from 'node:util'
import { brotliCompress, gzip, gzipSync, constants as zlib } from 'node:zlib'

export type ContentEncoding = 'br' | 'gzip'

/**
 * The offered encoding with the highest quality for the client; of several with the same, the one offered first. Null: send the answer
 * uncompressed, because the client accepts none of them or prefers that. `*` stands for all that the header does not name, `identity` too.
 */
export function encodingFor(
  acceptEncoding: string | undefined,
  offered: readonly ContentEncoding[],
): ContentEncoding | null {
  if (acceptEncoding === undefined) return null
  const qualities = qualitiesIn(acceptEncoding)
  const qualityOf = (name: string): number => qualities.get(name) ?? qualities.get('*') ?? 0
  const highest = Math.max(...offered.map(qualityOf))
  if (highest <= 0 || highest < qualityOf('identity')) return null
  return offered.find((encoding) => qualityOf(encoding) === highest) ?? null
}

const QUICK_GZIP = { level: 4 }

/** For an answer that is sent once: takes a tenth of the time of the best compression, and the result is nearly as small. */
export const compressQuickly = (bytes: Buffer): Buffer => gzipSync(bytes, QUICK_GZIP)

/** The least bytes that are worth compressing; in a smaller answer most bytes are headers. */
export const LEAST_COMPRESSED = 1024

const gzipInThread = promisify<Buffer, object, Buffer>(gzip)
const brotliInThread = promisify<Buffer, object, Buffer>(brotliCompress)

/** For answers that are made once and sent often. */
export const compressWell: Record<ContentEncoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => brotliInThread(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: zlib.BROTLI_MAX_QUALITY } }),
  gzip: (bytes) => gzipInThread(bytes, { level: zlib.Z_BEST_COMPRESSION }),
}

const compressInThread: Record<ContentEncoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) =>
    brotliInThread(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: 4, [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  gzip: (bytes) => gzipInThread(bytes, QUICK_GZIP),
}

const compressedForms = new WeakMap<Buffer, Partial<Record<ContentEncoding, Buffer | Promise<Buffer | null>>>>()

/**
 * The compressed form of bytes that are kept and sent often. It is made in another thread at the first request, and is kept as long as the
 * bytes themselves.
 */
export function compressedForm(bytes: Buffer, encoding: ContentEncoding): Buffer | Promise<Buffer | null> {
  let made = compressedForms.get(bytes)
  if (!made) compressedForms.set(bytes, (made = {}))
  // If compression fails (no memory), the bytes are sent uncompressed, and the next request tries again.
  made[encoding] ??= compressInThread[encoding](bytes).then(
    (form) => (made[encoding] = form),
    () => {
      delete made[encoding]
      return null
    },
  )
  return made[encoding]
}

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
