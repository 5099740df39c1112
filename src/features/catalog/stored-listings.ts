// How the listings of a snapshot and their indexes are stored in the catalog file, and read from it.
import { createPauses } from '../../kernel/scheduler.ts'
import { createLoadableIndex, type Saved, type SavedList } from '../../search/index.ts'
import { type Listing, listingIn } from './listing-json.ts'
import { indexOptions, type ListingIndex, type Snapshot } from './listing-states.ts'
import { LISTED_KINDS, type ListedKind, TOPIC } from './schema.ts'

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
  /** Two for each listing: the end of its JSON in the bytes, and the end of its extras. */
  ends: Uint32Array
  bytes: Buffer
}

const PIECE_BYTES = 1 << 20
const PIECE_TEXTS = 5_000

/** Everything in a snapshot but the taxonomy. For each kind: first the lists of the index, then the listings, which need those lists. */
export function* recordsOf(snapshot: Snapshot): Generator<StoredRecord> {
  for (const kind of LISTED_KINDS) {
    const { saved, items } = snapshot[TOPIC[kind]].index.save()
    for (const [name, list] of Object.entries(saved)) for (const piece of piecesOf(name, list)) yield { kind, ...piece }
    for (const listings of listingPieces(items)) yield { kind, listings }
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

function* listingPieces(items: readonly (Listing | undefined)[]): Generator<StoredListings> {
  let [slugs, ends, parts, bytes]: [string[], number[], Buffer[], number] = [[], [], [], 0]
  for (const [number, item] of items.entries()) {
    slugs.push(item?.slug ?? '')
    for (const part of item ? [item.json, item.extras] : []) {
      parts.push(part)
      bytes += part.length
      ends.push(bytes)
    }
    if (!item) ends.push(bytes, bytes)
    if (bytes < PIECE_BYTES && slugs.length < PIECE_TEXTS && number < items.length - 1) continue
    yield { slugs, ends: Uint32Array.from(ends), bytes: Buffer.concat(parts) }
    ;[slugs, ends, parts, bytes] = [[], [], [], 0]
  }
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
  const idOf = new Map<string, string>()
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
    addListings({ slugs, ends, bytes }: StoredListings): void {
      const ids = saved['documents.ids'] as string[]
      let start = 0
      for (const [at, slug] of slugs.entries()) {
        const place = { block: bytes, start, middle: ends[2 * at] ?? 0, end: ends[2 * at + 1] ?? 0 }
        const number = items.length
        if (slug !== '') idOf.set(slug, ids[number] ?? '')
        const order = kind === 'directory' ? orderOf(saved, number) : undefined
        items.push(slug === '' ? undefined : listingIn(slug, order, place))
        start = place.end
      }
    },
  }
}

const orderOf = (saved: Saved, number: number): Listing['order'] => [
  (saved['documents.defaultNumber'] as Float64Array)[number] ?? 0,
  (saved['documents.defaultText'] as string[])[number] ?? '',
]
