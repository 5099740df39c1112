// Fewer bytes over the wire, for what every reader may see. Pages of a signed-in user and answers to partners and operators are sent
// as they are: the length of a compressed answer tells how much of a guessed text is in it, so an attacker who can put text beside
// a secret could find out the secret (BREACH).
import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, gzip, gzipSync, constants as zlib } from 'node:zlib'

export type Encoding = 'br' | 'gzip'

/** The best of the offered encodings that the reader takes; null: as it is. */
export function encodingFor(acceptEncoding: string | undefined, offered: readonly Encoding[]): Encoding | null {
  if (acceptEncoding === undefined) return null
  const taken = new Set(
    acceptEncoding.split(',').flatMap((part) => {
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

const QUICK_GZIP = { level: 4 }

/** For what is made for one answer: a tenth of the time of the best, and nearly as small. */
export const compressQuickly = (bytes: Buffer): Buffer => gzipSync(bytes, QUICK_GZIP)

/** Bytes that are worth compressing: below, the headers are most of the answer. */
export const LEAST_COMPRESSED = 1024

const gzipAside = promisify<Buffer, object, Buffer>(gzip)
const brotliAside = promisify<Buffer, object, Buffer>(brotliCompress)
const compressAside: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) =>
    brotliAside(bytes, {
      params: { [zlib.BROTLI_PARAM_QUALITY]: 4, [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes) => gzipAside(bytes, QUICK_GZIP),
}

const forms = new WeakMap<Buffer, Partial<Record<Encoding, Buffer | Promise<Buffer | null>>>>()

/**
 * The compressed form of bytes that are kept and sent often. It is made once, in another thread, when it is first asked for, and is
 * kept as long as the bytes themselves.
 */
export function compressedForm(bytes: Buffer, encoding: Encoding): Buffer | Promise<Buffer | null> {
  let made = forms.get(bytes)
  if (!made) forms.set(bytes, (made = {}))
  // Where it fails (no memory) the bytes go out as they are, and the next request tries again.
  made[encoding] ??= compressAside[encoding](bytes).then(
    (form) => (made[encoding] = form),
    () => {
      delete made[encoding]
      return null
    },
  )
  return made[encoding]
}
