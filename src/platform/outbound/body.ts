// Reads and decompresses the body of an answer, up to a number of bytes.
import { pipeline, type Readable, type Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { OutboundFailure } from './failures.ts'

// Compression makes incompressible data at most this much longer. A body that is even longer decompresses to too many bytes, or has bytes
// that decompress to nothing.
const COMPRESSION_OVERHEAD = 64 * 1024

export async function readResponseBody(
  raw: Readable,
  encoding: string | undefined,
  maxBytes: number,
): Promise<{ body: Buffer; truncated: boolean }> {
  // An error without a listener would end the process, also after reading has stopped.
  raw.on('error', () => {})
  const chunks: Buffer[] = []
  let length = 0
  let isTooLong = false
  try {
    const decoder = decoderOf(encoding)
    const decoded: Readable = decoder ? pipeline(raw, limitCompressed, decoder, () => {}) : raw
    for await (const chunk of decoded as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      length += chunk.length
      if (length > maxBytes) break
    }
  } finally {
    raw.destroy()
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), truncated: isTooLong || length > maxBytes }

  async function* limitCompressed(source: AsyncIterable<Buffer>) {
    let compressedBytes = 0
    for await (const chunk of source) {
      yield chunk
      compressedBytes += chunk.length
      if ((isTooLong = compressedBytes > maxBytes + COMPRESSION_OVERHEAD)) return
    }
  }
}

function decoderOf(encoding: string | undefined): Transform | null {
  switch (encoding?.trim().toLowerCase() || 'identity') {
    case 'identity':
      return null
    case 'gzip':
    case 'x-gzip':
      // Many servers end their stream early; the part that was sent is usable.
      return createGunzip({ finishFlush: constants.Z_SYNC_FLUSH })
    case 'deflate':
      return createInflate({ finishFlush: constants.Z_SYNC_FLUSH })
    case 'br':
      return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })
    default:
      // Several encodings at once are refused too: each multiplies the work that one sent byte causes.
      throw new OutboundFailure('The answer uses a content encoding that was not requested.')
  }
}
