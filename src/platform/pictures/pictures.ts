// Encodes and draws pictures, one at a time. The library is loaded with the first one, because it takes 15 MB.
import type { Pictures } from '../../kernel/interfaces/picture-store.ts'
import { OPERATOR } from '../../kernel/job.ts'
import { untilAborted } from '../../kernel/work/deadline.ts'
import { createFairTurns } from '../../kernel/work/turns.ts'

/** The share images of all listings have one owner, so together they get one turn in each round. */
const SHARE_OWNER = 'share images'

export function createPictures(): Pictures {
  // One picture at a time: several large ones at once would need more memory than a small machine has.
  const takeTurn = createFairTurns(1)
  return {
    encode: (bytes, use, { owner, signal } = { owner: OPERATOR }) =>
      // Decoding cannot be stopped and keeps its turn for a few more seconds, but the caller no longer waits for it.
      untilAborted(
        takeTurn(owner, async () => (await import('./encode.ts')).encode(bytes, use), signal),
        signal,
      ),
    drawShare: (card) => takeTurn(SHARE_OWNER, async () => (await import('./share-image.ts')).drawShareImage(card)),
  }
}
