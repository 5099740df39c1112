// A listing as the index keeps it: its slug, its sort key, and its JSON as bytes in a block of memory.
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { LRUCache } from 'lru-cache'

/** The places of its JSON and its extras are six fields here rather than two `Place` objects, which need 80 bytes more for each listing. */
export class Listing {
  readonly slug: string
  /** Sort key of the default order: the number descending, then the text. Tools have none, because they are sorted newest first. */
  readonly order?: readonly [number, string]
  private readonly jsonBlock: Block
  private readonly jsonStart: number
  private readonly jsonEnd: number
  private readonly extrasBlock: Block
  private readonly extrasStart: number
  private readonly extrasEnd: number

  constructor(slug: string, order: Listing['order'], [json, extras]: readonly [Place, Place]) {
    this.slug = slug
    if (order) this.order = order
    this.jsonBlock = json.block
    this.jsonStart = json.start
    this.jsonEnd = json.end
    this.extrasBlock = extras.block
    this.extrasStart = extras.start
    this.extrasEnd = extras.end
  }

  /** The object of a search result. */
  get json(): Buffer {
    return this.jsonBlock.bytes().subarray(this.jsonStart, this.jsonEnd)
  }

  /** The fields that only a single lookup returns, as an object of their own. */
  get extras(): Buffer {
    return this.extrasBlock.bytes().subarray(this.extrasStart, this.extrasEnd)
  }

  get website(): string {
    return JSON.parse(this.json.toString()).website
  }

  /** Where its JSON and its extras are. */
  get places(): [Place, Place] {
    return [
      { block: this.jsonBlock, start: this.jsonStart, end: this.jsonEnd },
      { block: this.extrasBlock, start: this.extrasStart, end: this.extrasEnd },
    ]
  }
}

export const storedListing = (
  slug: string,
  order: Listing['order'],
  json: string,
  extras: string,
  write: BlockWriter = writeOwnBlocks,
): Listing => new Listing(slug, order, write(json, extras))

// Blocks of memory for the JSON of listings. Listings that are loaded together share blocks, and blocks that are seldom read are
// compressed: at a million listings that is a gigabyte less. A listing that changes alone gets a block of its own, because a shared block
// stays in memory until all of its listings are replaced.

/** Where a text is in memory. */
export interface Place {
  block: Block
  start: number
  end: number
}

// About eight listings. Larger blocks compress a little better, but to read one listing of a block, all of it is unpacked.
const BLOCK_BYTES = 12 * 1024
// The fastest compression, because a stronger one saves only 2 % more.
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** The compressed blocks that were read last, unpacked. */
const unpacked = new LRUCache<Block, Buffer>({
  maxSize: 32 * 1024 * 1024,
  sizeCalculation: ({ length }) => Math.max(1, length),
})

export class Block {
  /** The texts, compressed if `isPacked`; otherwise there may be room for more. */
  stored: Buffer
  /** The length of its texts. */
  length: number
  isPacked: boolean

  constructor(stored: Buffer, length: number, isPacked: boolean) {
    this.stored = stored
    this.length = length
    this.isPacked = isPacked
  }

  bytes(): Buffer {
    if (!this.isPacked) return this.stored
    let bytes = unpacked.get(this)
    if (!bytes) {
      bytes = zstdDecompressSync(this.stored, { chunkSize: Math.max(constants.Z_MIN_CHUNK, this.length) })
      unpacked.set(this, bytes)
    }
    return bytes
  }

  write(text: string): Place {
    const start = this.length
    this.length += this.stored.write(text, start)
    return { block: this, start, end: this.length }
  }

  /** Compresses the texts. Nothing can be written afterwards. */
  pack(): void {
    const packed = zstdCompressSync(this.stored.subarray(0, this.length), FAST)
    if (packed.length >= this.length) return
    // Copied, because zlib returns a part of a larger buffer.
    this.stored = Buffer.allocUnsafeSlow(packed.length)
    packed.copy(this.stored)
    this.isPacked = true
  }

  /** False for a small block with the text of one listing: `stored-listings.ts` moves such texts into a block that listings share. */
  get isWorthKeeping(): boolean {
    return this.isPacked || this.stored.length >= BLOCK_BYTES
  }
}

type TextWriter = (text: string) => Place

/** Writes into a block until it is full, then into the next one. */
function createTextWriter({ packs }: { packs: boolean }): TextWriter {
  let block = new Block(Buffer.alloc(0), 0, false)
  return (text) => {
    const needed = Buffer.byteLength(text)
    if (block.length + needed > block.stored.length) {
      if (packs) block.pack()
      // Filled with zeros. The catalog file stores a block whole, so unused memory at its end, which may hold old data of this process,
      // would be written too.
      block = new Block(Buffer.alloc(Math.max(BLOCK_BYTES, needed)), 0, false)
    }
    return block.write(text)
  }
}

const writeOwnBlock: TextWriter = (text) =>
  new Block(Buffer.allocUnsafeSlow(Buffer.byteLength(text)), 0, false).write(text)

/** Stores the JSON and the extras of a listing. */
export type BlockWriter = (json: string, extras: string) => readonly [Place, Place]

/**
 * With more listings than this, the JSON of search results is compressed, too. With fewer, a search unpacks nothing, which saves a
 * millisecond for a page of 20 listings.
 */
const MOST_UNPACKED_LISTINGS = 200_000

/** For listings that are loaded together. `listings`: about how many the catalog will have afterwards. */
export function createBlockWriter(listings: number): BlockWriter {
  const writeJson = createTextWriter({ packs: listings > MOST_UNPACKED_LISTINGS })
  const writeExtras = createTextWriter({ packs: true })
  return (json, extras) => [writeJson(json), writeExtras(extras)]
}

/** For a listing that changes alone. */
export const writeOwnBlocks: BlockWriter = (json, extras) => [writeOwnBlock(json), writeOwnBlock(extras)]
