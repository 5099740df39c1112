// Pictures are encoded one at a time. The library for it is loaded with the first picture, because it takes 20 MB.
import { OPERATOR } from '../../kernel/job.ts'
import type { PictureUse } from '../../kernel/own-addresses.ts'
import { createFairTurns, untilAborted } from '../turns.ts'
import type { EncodedPicture } from './encode.ts'

/** The owner that the picture takes its turn under, and a signal that ends the wait. */
export interface PictureTurn {
  owner: string
  signal?: AbortSignal
}

export function createPictures(): {
  encode(bytes: Buffer, use: PictureUse, turn?: PictureTurn): Promise<EncodedPicture>
} {
  // One picture at a time: several large ones at once would need more memory than a small machine has.
  const takeTurn = createFairTurns(1)
  return {
    encode: (bytes, use, { owner, signal } = { owner: OPERATOR }) =>
      // Decoding cannot be stopped and keeps its turn for a few more seconds, but the caller no longer waits for it.
      untilAborted(
        takeTurn(owner, async () => (await import('./encode.ts')).encode(bytes, use), signal),
        signal,
      ),
  }
}
