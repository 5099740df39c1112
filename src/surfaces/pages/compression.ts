// Fewer bytes over the wire, for what is public. Pages of a signed-in user are sent as they are: compressing a secret beside
// text that somebody else chose tells that somebody about the secret.
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib'

export type Encoding = 'br' | 'gzip'

/** The best of the offered encodings that the reader takes; null: as it is. */
export function encodingFor(acceptEncoding: string | undefined, offered: readonly Encoding[]): Encoding | null {
  const taken = new Set(
    (acceptEncoding ?? '').split(',').flatMap((part) => {
      const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
      return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [] : [name]
    }),
  )
  return offered.find((encoding) => taken.has(encoding)) ?? null
}

/** For what is made once and sent often. */
export const compressWell: Record<Encoding, (bytes: Buffer) => Buffer> = {
  br: (bytes) => brotliCompressSync(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: zlib.BROTLI_MAX_QUALITY } }),
  gzip: (bytes) => gzipSync(bytes, { level: zlib.Z_BEST_COMPRESSION }),
}

/** For what is made for one answer: a tenth of the time of the best, and nearly as small. */
export const compressQuickly = (bytes: Buffer): Buffer => gzipSync(bytes, { level: 4 })
