// How the listings of a snapshot and their indexes are stored in the catalog file, and read from it. The JSON of listings is stored in
// blocks (`listing-json.ts`).
import { createPauses } from '../../../kernel/work/scheduler.ts'
import { createLoadableIndex, createTextMap, type Saved, type SavedList } from '../../../search/index.ts'
import { LISTED_KINDS, type ListedKind, TOPIC } from '../schema.ts'
import { Block, createBlockWriter, Listing, type Place } from './listing-json.ts'
import { indexOptions, type ListingIndex, type Snapshot } from './listing-states.ts'

/** A piece of a list of the index, or some listings. Each takes about a millisecond to read. */
export type StoredRecord = { kind: ListedKind } & (Piece | { listings: StoredListings })

interface Piece {
  name: string
  /** The length of the whole list; the piece begins at `at`. */
  length: number
  at: number
  piece: SavedList
}

interface StoredListings {
  /** Empty where a document was removed. */
  slugs: string[]
  /** Six for each listing: for its JSON and its extras the number of the block in `blocks`, and the start and end there. */
  places: Uint32Array
  blocks: Pick<Block, 'stored' | 'length' | 'isPacked'>[]
}

const PIECE_BYTES = 1 << 20
const PIECE_TEXTS = 5_000

/** Everything in a snapshot but the taxonomy. For each kind: first the lists of the index, then the listings, which need those lists. */
export async function* recordsOf(snapshot: Snapshot): AsyncGenerator<StoredRecord> {
  for (const kind of LISTED_KINDS) {
    const { saved, items } = snapshot[TOPIC[kind]].index.save()
    for (const [name, list] of Object.entries(saved)) for (const piece of piecesOf(name, list)) yield { kind, ...piece }
    const usedBytes = await usedBytesOf(items)
    for (const listings of listingPieces(items, usedBytes)) yield { kind, listings }
  }
}

function* piecesOf(name: string, list: SavedList): Generator<Piece> {
  const { length } = list
  const pieceLength = ArrayBuffer.isView(list) ? PIECE_BYTES / list.BYTES_PER_ELEMENT : PIECE_TEXTS
  let at = 0
  do {
    const piece = ArrayBuffer.isView(list) ? list.subarray(at, at + pieceLength) : list.slice(at, at + pieceLength)
    yield { name, length, at, piece }
    at += pieceLength
  } while (at < length)
}

type Items = readonly (Listing | undefined)[]
/** How many bytes of a block the listings use. */
type UsedBytes = ReadonlyMap<Block, number>

async function usedBytesOf(items: Items): Promise<UsedBytes> {
  const usedBytes = new Map<Block, number>()
  const pause = createPauses()
  for (const item of items) {
    for (const { block, start, end } of item?.places ?? [])
      usedBytes.set(block, (usedBytes.get(block) ?? 0) + end - start)
    await pause()
  }
  return usedBytes
}

function* listingPieces(items: Items, usedBytes: UsedBytes): Generator<StoredListings> {
  let slugs: string[] = []
  let places: number[] = []
  let blocks = new Map<Block, number>()
  let bytes = 0
  const takePiece = (): StoredListings => {
    const saved = blocks.keys().map(({ stored, length, isPacked }) => ({ stored, length, isPacked }))
    const piece = { slugs, places: Uint32Array.from(places), blocks: [...saved] }
    ;[slugs, places, blocks, bytes] = [[], [], new Map(), 0]
    return piece
  }
  const blockNumber = (block: Block): number => {
    const known = blocks.get(block)
    if (known !== undefined) return known
    bytes += block.stored.length
    blocks.set(block, blocks.size)
    return blocks.size - 1
  }
  for (const item of inSharedBlocks(items, usedBytes)) {
    slugs.push(item?.slug ?? '')
    if (item) for (const { block, start, end } of item.places) places.push(blockNumber(block), start, end)
    else places.push(0, 0, 0, 0, 0, 0)
    if (bytes >= PIECE_BYTES || slugs.length >= PIECE_TEXTS) yield takePiece()
  }
  yield takePiece()
}

/** The listings. Those that have blocks of their own, or whose blocks are mostly outdated, are written into new shared blocks. */
function* inSharedBlocks(items: Items, usedBytes: UsedBytes): Generator<Listing | undefined> {
  const isKept = ({ block }: Place) => block.isWorthKeeping && (usedBytes.get(block) ?? 0) >= block.length / 2
  const write = createBlockWriter(items.length)
  for (const item of items)
    yield !item || item.places.every(isKept)
      ? item
      : new Listing(item.slug, item.order, write(item.json.toString(), item.extras.toString()))
}

export async function readListings(
  records: AsyncIterable<StoredRecord>,
  signal: AbortSignal,
): Promise<Record<ListedKind, ListingIndex>> {
  const stored = { tool: createCollector('tool'), directory: createCollector('directory') }
  const pause = createPauses()
  for await (const record of records) {
    if ('name' in record) stored[record.kind].addPiece(record)
    else stored[record.kind].addListings(record.listings)
    await pause()
    signal.throwIfAborted()
  }
  const restoreIndex = async (kind: ListedKind): Promise<ListingIndex> => {
    const { saved, items, idOf } = stored[kind]
    const { index, restore } = createLoadableIndex(indexOptions(kind))
    for (const _ of restore(saved, items)) {
      await pause()
      signal.throwIfAborted()
    }
    return { index, idOf }
  }
  return { tool: await restoreIndex('tool'), directory: await restoreIndex('directory') }
}

/** Collects what is read of one kind. */
function createCollector(kind: ListedKind) {
  const saved: Saved = {}
  const items: (Listing | undefined)[] = []
  const idOf = createTextMap<string>()
  return {
    saved,
    items,
    idOf,
    addPiece({ name, length, at, piece }: Piece): void {
      if (ArrayBuffer.isView(piece)) {
        saved[name] ??= new (piece.constructor as Uint32ArrayConstructor)(length)
        ;(saved[name] as typeof piece).set(piece, at)
      } else {
        saved[name] ??= []
        ;(saved[name] as string[]).push(...piece)
      }
    },
    addListings({ slugs, places, blocks }: StoredListings): void {
      const ids = saved['documents.ids'] as string[]
      const read = blocks.map(({ stored, length, isPacked }) => new Block(stored, length, isPacked))
      for (const [at, slug] of slugs.entries()) {
        const number = items.length
        if (slug !== '') idOf.set(slug, ids[number] ?? '')
        const order = kind === 'directory' ? orderOf(saved, number) : undefined
        const placeAt = (from: number): Place => ({
          block: read[places[from] ?? 0] as Block,
          start: places[from + 1] ?? 0,
          end: places[from + 2] ?? 0,
        })
        items.push(slug === '' ? undefined : new Listing(slug, order, [placeAt(6 * at), placeAt(6 * at + 3)]))
      }
    },
  }
}

const orderOf = (saved: Saved, number: number): Listing['order'] => [
  (saved['documents.defaultNumber'] as Float64Array)[number] ?? 0,
  (saved['documents.defaultText'] as string[])[number] ?? '',
]
