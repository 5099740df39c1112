// The JSON of a listing, as bytes. Listings that are loaded together share blocks of memory: two buffers for each listing would need 600
// bytes more and slow down the garbage collector. A listing that changes alone gets its own block, because a shared block stays in memory
// until all of its listings are replaced.

export interface Listing {
  slug: string
  website: string
  /** Sort key of the default order: the number descending, then the text. Tools have none, because they are sorted newest first. */
  order?: readonly [number, string]
  /** The object of a search result. */
  json: Buffer
  /** The fields that only a single lookup returns, as an object of their own. */
  extras: Buffer
}

/** Writes two texts one after the other into a block, and returns where they are. */
export type BlockWriter = (first: string, next: string) => { block: Buffer; start: number; middle: number; end: number }

const BLOCK_BYTES = 256 * 1024

export function createBlockWriter(): BlockWriter {
  let block = Buffer.alloc(0)
  let used = 0
  return (first, next) => {
    const needed = Buffer.byteLength(first) + Buffer.byteLength(next)
    if (used + needed > block.length) {
      block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, needed))
      used = 0
    }
    const start = used
    const middle = start + block.write(first, start)
    used = middle + block.write(next, middle)
    return { block, start, middle, end: used }
  }
}

const writeOwnBlock: BlockWriter = (first, next) => {
  const firstBytes = Buffer.byteLength(first)
  const block = Buffer.allocUnsafeSlow(firstBytes + Buffer.byteLength(next))
  block.write(first)
  block.write(next, firstBytes)
  return { block, start: 0, middle: firstBytes, end: block.length }
}

/** A class, so that all listings share its getters. */
class StoredListing implements Listing {
  readonly slug: string
  readonly order?: Listing['order']
  private readonly block: Buffer
  private readonly start: number
  private readonly middle: number
  private readonly end: number

  constructor(slug: string, order: Listing['order'], { block, start, middle, end }: ReturnType<BlockWriter>) {
    this.slug = slug
    if (order) this.order = order
    this.block = block
    this.start = start
    this.middle = middle
    this.end = end
  }

  get json(): Buffer {
    return this.block.subarray(this.start, this.middle)
  }

  get extras(): Buffer {
    return this.block.subarray(this.middle, this.end)
  }

  get website(): string {
    return JSON.parse(this.json.toString()).website
  }
}

/** A listing whose two texts are in a block that was written before. */
export const listingIn = (slug: string, order: Listing['order'], place: ReturnType<BlockWriter>): Listing =>
  new StoredListing(slug, order, place)

export const storedListing = (
  slug: string,
  order: Listing['order'],
  json: string,
  extras: string,
  write: BlockWriter = writeOwnBlock,
): Listing => listingIn(slug, order, write(json, extras))
