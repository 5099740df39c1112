// @module-tag once
// Listings keep their JSON to the byte: in shared compressed blocks, after some of them were replaced or removed, and after they were
// written to the catalog file and read from it.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBlockWriter, type Listing, storedListing } from '../../src/features/catalog/memory/listing-json.ts'
import { indexOptions, putListings, type Snapshot } from '../../src/features/catalog/memory/listing-states.ts'
import { readListings, recordsOf } from '../../src/features/catalog/memory/stored-listings.ts'
import type { ListedKind } from '../../src/features/catalog/schema.ts'
import { createIndex } from '../../src/search/index.ts'
import { propertyRuns } from '../harness/property-runs.ts'

const KINDS = ['tool', 'directory'] as const

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.nat(40_000).map((length) => 'a description '.repeat(length / 14)),
)
/** A listing that is put (alone, or into the blocks of a load) or removed. */
const change = fc.record({
  kind: fc.constantFrom(...KINDS),
  id: fc.nat(60).map((number) => `listing-${number}`),
  texts: fc.option(fc.tuple(text, text), { freq: 5 }),
  isAlone: fc.boolean(),
})

test('the JSON of every listing is the same before and after it is stored', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 300 }), fc.constantFrom(0, 1_000_000), async (changes, listings) => {
      const snapshot = emptySnapshot()
      const writeShared = createBlockWriter(listings)
      const written = new Map<string, [json: string, extras: string]>()
      for (const { kind, id, texts, isAlone } of changes) {
        const catalog = kind === 'tool' ? snapshot.tools : snapshot.directories
        if (!texts) {
          putListings(catalog, [{ id }])
          written.delete(`${kind} ${id}`)
          continue
        }
        const [json, extras] = texts.map((value) => JSON.stringify({ website: value })) as [string, string]
        const item = storedListing(id, orderOf(kind), json, extras, isAlone ? undefined : writeShared)
        putListings(catalog, [{ id, document: { ...DOCUMENT, id, item } }])
        written.set(`${kind} ${id}`, [json, extras])
      }
      expect(contentOf(snapshot)).toEqual(written)
      const read = await readListings(recordsOf(snapshot), new AbortController().signal)
      expect(contentOf({ ...snapshot, tools: read.tool, directories: read.directory })).toEqual(written)
    }),
    { numRuns: propertyRuns(60) },
  )
})

test('requests are answered while the listings to store are looked through', async () => {
  const snapshot = emptySnapshot()
  const write = createBlockWriter(1_000_000)
  const items = Array.from({ length: 60_000 }, (_, at) => storedListing(`listing-${at}`, undefined, '{}', '{}', write))
  snapshot.tools.index.save = () => ({ saved: {}, items })
  let turns = 0
  const counting = setInterval(() => turns++, 0)
  await recordsOf(snapshot).next()
  clearInterval(counting)
  expect(turns).toBeGreaterThan(0)
})

const DOCUMENT = {
  text: ['', '', ''] as [string, string, string],
  facets: [],
  popularity: 0,
  recency: 0,
  numbers: [0, 0],
  revision: 1,
}

const orderOf = (kind: ListedKind): Listing['order'] => (kind === 'directory' ? [50, 'a name'] : undefined)

function emptySnapshot(): Snapshot {
  const listingsOf = (kind: ListedKind) => ({ index: createIndex(indexOptions(kind)), idOf: new Map<string, string>() })
  const taxonomy = {
    categories: new Map(),
    tags: new Map(),
    directoryCategories: new Map(),
    brokenAdultTerms: { categories: new Set<string>(), tags: new Set<string>() },
  }
  return { taxonomy, tools: listingsOf('tool'), directories: listingsOf('directory') }
}

function contentOf({ tools, directories }: Snapshot): Map<string, [string, string]> {
  const content = new Map<string, [string, string]>()
  for (const [kind, { index, idOf }] of [
    ['tool', tools],
    ['directory', directories],
  ] as const)
    for (const [slug, id] of idOf) {
      const item = index.get(id)
      if (item) content.set(`${kind} ${slug}`, [item.json.toString(), item.extras.toString()])
    }
  return content
}
