import { inSteps } from '../stored/saved.ts'

/**
 * The terms in the order of their texts, which compare by `<`. They are kept in blocks, so that a change moves only the terms of one block.
 */
export class SortedTerms {
  private readonly texts: readonly string[]
  /** No block is empty. */
  private blocks: number[][] = []

  /** `texts`: by term. */
  constructor(texts: readonly string[]) {
    this.texts = texts
  }

  insert(term: number): void {
    const [at, place] = this.firstFrom(this.texts[term]!)
    const block = this.blocks[at] ?? this.blocks.at(-1)
    if (!block) return void this.blocks.push([term])
    // A term after all others goes to the end of the last block.
    block.splice(this.blocks[at] ? place : block.length, 0, term)
    if (block.length > MOST_IN_BLOCK) this.blocks.splice(at + 1, 0, block.splice(MOST_IN_BLOCK / 2))
  }

  /** Call this while the text of the term is still known. */
  remove(term: number): void {
    const [at, place] = this.firstFrom(this.texts[term]!)
    this.blocks[at]!.splice(place, 1)
    if (this.blocks[at]!.length === 0) this.blocks.splice(at, 1)
  }

  firstWith(text: string): number | undefined {
    const [at, place] = this.firstFrom(text)
    const term = this.blocks[at]?.[place]
    return term !== undefined && this.texts[term]!.startsWith(text) ? term : undefined
  }

  /** All terms that begin with the text, in parts. */
  *allWith(text: string): Generator<readonly number[]> {
    const [first, from] = this.firstFrom(text)
    const [last, to] = this.firstFrom(text + AFTER_ALL_LETTERS)
    for (let at = first; at <= last && at < this.blocks.length; at++) {
      const block = this.blocks[at]!
      const [start, end] = [at === first ? from : 0, at === last ? to : block.length]
      yield start === 0 && end === block.length ? block : block.slice(start, end)
    }
  }

  save(): Uint32Array<ArrayBuffer> {
    const saved = new Uint32Array(this.blocks.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const block of this.blocks) {
      saved.set(block, at)
      at += block.length
    }
    return saved
  }

  *restore(saved: Uint32Array): Generator<void> {
    const starts = Array.from({ length: Math.ceil(saved.length / RESTORED) }, (_, at) => at * RESTORED)
    yield* inSteps(starts, (start) => this.blocks.push(Array.from(saved.subarray(start, start + RESTORED))))
  }

  /** The block and the place in it of the first term that is not below the text; the number of blocks when all are. */
  private firstFrom(text: string): [block: number, place: number] {
    const { texts, blocks } = this
    const at = lowerBound(blocks.length, (block) => texts[blocks[block]!.at(-1)!]! < text)
    const block = blocks[at]
    return [at, block ? lowerBound(block.length, (place) => texts[block[place]!]! < text) : 0]
  }
}

/** The first number up to `high` for which `isBelow` does not hold. */
function lowerBound(high: number, isBelow: (at: number) => boolean): number {
  let low = 0
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBelow(middle)) low = middle + 1
    else high = middle
  }
  return low
}

const MOST_IN_BLOCK = 512
/** The terms of a restored block. It has room for terms that are added later. */
const RESTORED = 384
// Words are letters and digits, which all come before this character.
const AFTER_ALL_LETTERS = '\uffff'
