// How the listings of a snapshot and their indexes are stored in the catalog file, and read from it.
import { createPauses } from '../../kernel/scheduler.ts'
import { createLoadableIndex, type Saved } from '../../search/index.ts'
import { indexOptions } from './index-options.ts'
import type { List, ListFile } from './list-file.ts'
import { type Listing, listingIn } from './listing-json.ts'
import type { ListingIndex, Snapshot } from './listing-states.ts'
import { LISTED_KINDS, type ListedKind, TOPIC } from './schema.ts'

const BLOCK_BYTES = 1 << 20

/** Everything that is stored of a snapshot but the taxonomy. */
export function* listsOf(snapshot: Snapshot): Generator<readonly [name: string, list: List]> {
  for (const kind of LISTED_KINDS) {
    const { saved, items } = snapshot[TOPIC[kind]].index.save()
    for (const [name, list] of Object.entries(saved)) yield [`${kind}.index.${name}`, list]
    yield [`${kind}.slugs`, items.map((item) => item?.slug ?? '')]
    const places = { middles: new Uint32Array(items.length), ends: new Uint32Array(items.length) }
    const counts: number[] = []
    yield [`${kind}.json`, blocksOf(items, places, counts)]
    yield [`${kind}.middles`, places.middles]
    yield [`${kind}.ends`, places.ends]
    yield [`${kind}.counts`, Uint32Array.from(counts)]
  }
}

/** The JSON of the listings in blocks. Sets where each listing has its middle and its end in its block, and how many are in each block. */
function* blocksOf(
  items: readonly (Listing | undefined)[],
  { middles, ends }: { middles: Uint32Array; ends: Uint32Array },
  counts: number[],
): Generator<Buffer> {
  let parts: Buffer[] = []
  let [bytes, count] = [0, 0]
  for (const [number, item] of items.entries()) {
    count++
    if (item) {
      const { json, extras } = item
      parts.push(json, extras)
      middles[number] = bytes + json.length
      bytes += json.length + extras.length
    } else middles[number] = bytes
    ends[number] = bytes
    if (bytes < BLOCK_BYTES && number < items.length - 1) continue
    counts.push(count)
    yield Buffer.concat(parts)
    parts = []
    ;[bytes, count] = [0, 0]
  }
}

export async function readListings(
  file: ListFile<unknown>,
  kind: ListedKind,
  signal: AbortSignal,
): Promise<ListingIndex> {
  const saved: Saved = {}
  const prefix = `${kind}.index.`
  for (const name of file.names)
    if (name.startsWith(prefix)) {
      saved[name.slice(prefix.length)] = await file.read(name)
      signal.throwIfAborted()
    }
  const slugs = (await file.read(`${kind}.slugs`)) as string[]
  const numbers = async (name: string) => (await file.read(`${kind}.${name}`)) as Uint32Array
  const [middles, ends, counts] = [await numbers('middles'), await numbers('ends'), await numbers('counts')]
  const ids = saved['documents.ids'] as string[]
  const idOf = new Map<string, string>()
  const items: (Listing | undefined)[] = []
  const pause = createPauses()
  let blockNumber = 0
  for await (const block of file.chunks(`${kind}.json`)) {
    let start = 0
    const last = items.length + (counts[blockNumber++] ?? 0)
    for (let number = items.length; number < last; number++) {
      const [slug, middle, end] = [slugs[number] ?? '', middles[number] ?? 0, ends[number] ?? 0]
      const order = kind === 'directory' ? orderOf(saved, number) : undefined
      items.push(slug === '' ? undefined : listingIn(slug, order, { block, start, middle, end }))
      if (slug !== '') idOf.set(slug, ids[number] ?? '')
      start = end
    }
    await pause()
    signal.throwIfAborted()
  }
  const { index, restore } = createLoadableIndex(indexOptions(kind))
  for (const _ of restore(saved, items)) {
    await pause()
    signal.throwIfAborted()
  }
  return { index, idOf }
}

const orderOf = (saved: Saved, number: number): Listing['order'] => [
  (saved['documents.defaultNumber'] as Float64Array)[number] ?? 0,
  (saved['documents.defaultText'] as string[])[number] ?? '',
]
