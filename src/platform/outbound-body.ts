// Reading an answer: decoded, and never more of it than was asked for.
import { pipeline, type Readable, type Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { OutboundFailure } from './outbound-failures.ts'

// What packing may add to data that cannot be packed. Beyond it somebody sends bytes that decode to nothing.
const PACKING_BYTES = 64 * 1024

export async function readBody(
  raw: Readable,
  encoding: string | undefined,
  maxBytes: number,
): Promise<{ body: Buffer; truncated: boolean }> {
  const decoder = decoderOf(encoding)
  // Also after reading has stopped, an error without a listener would end the process.
  raw.on('error', () => {})
  const decoded: Readable = decoder ? pipeline(raw, limited(maxBytes + PACKING_BYTES), decoder, () => {}) : raw
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of decoded as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      length += chunk.length
      if (length > maxBytes) break
    }
  } finally {
    raw.destroy()
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), truncated: length > maxBytes }
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

const limited = (maxBytes: number) =>
  async function* (source: AsyncIterable<Buffer>) {
    let length = 0
    for await (const chunk of source) {
      length += chunk.length
      if (length > maxBytes) throw new OutboundFailure('The answer is larger packed than unpacked.')
      yield chunk
    }
  }
