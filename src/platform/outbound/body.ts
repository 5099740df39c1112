// Reading an answer: decoded, and never more of it than was asked for.
import { pipeline, type Readable, type Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { OutboundFailure } from './failures.ts'

// What packing may add to data that cannot be packed. Beyond it there is more than was asked for, or bytes that decode to nothing.
const PACKING_BYTES = 64 * 1024

export async function readBody(
  raw: Readable,
  encoding: string | undefined,
  maxBytes: number,
): Promise<{ body: Buffer; truncated: boolean }> {
  // Also after reading has stopped, an error without a listener would end the process.
  raw.on('error', () => {})
  const chunks: Buffer[] = []
  let length = 0
  let isTooLong = false
  try {
    const decoder = decoderOf(encoding)
    const decoded: Readable = decoder ? pipeline(raw, packedPart, decoder, () => {}) : raw
    for await (const chunk of decoded as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      length += chunk.length
      if (length > maxBytes) break
    }
  } finally {
    raw.destroy()
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), truncated: isTooLong || length > maxBytes }

  async function* packedPart(source: AsyncIterable<Buffer>) {
    let packed = 0
    for await (const chunk of source) {
      yield chunk
      packed += chunk.length
      if ((isTooLong = packed > maxBytes + PACKING_BYTES)) return
    }
  }
}

function decoderOf(encoding: string | undefined): Transform | null {
  switch (encoding?.trim().toLowerCase() || 'identity') {
    case 'identity':
      return null
    case 'gzip':
    case 'x-gzip':
      // Many servers end their stream early; what there is of it is good.
      return createGunzip({ finishFlush: constants.Z_SYNC_FLUSH })
    case 'deflate':
      return createInflate({ finishFlush: constants.Z_SYNC_FLUSH })
    case 'br':
      return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })
    default:
      // Also several at once: each would multiply what one sent byte can make us do.
      throw new OutboundFailure('The answer is packed in a way that was not asked for.')
  }
}
