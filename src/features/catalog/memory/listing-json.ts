// A listing as the index keeps it: its slug, its sort key, and its JSON as bytes in a block of memory (`json-blocks.ts`).
import { type Block, type BlockWriter, type Place, writeOwnBlocks } from './json-blocks.ts'

/** The two places are six fields here and not two `Place` objects, which would need 80 bytes more for each listing. */
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
