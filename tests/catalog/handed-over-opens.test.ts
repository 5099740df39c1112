// A click-through that readers have seen is not taken back by an import whose rows are older.
// @module-tag once
import { expect, test } from 'vitest'
import { indexOptions } from '../../src/features/catalog/memory/listing-states.ts'
import { createSnapshotUpdater } from '../../src/features/catalog/memory/put-changes.ts'
import { createIndex } from '../../src/search/index.ts'

const LISTINGS = 400
const LAST = `id-${LISTINGS - 1}`

const rowOf = (at: number) => ({
  id: `id-${at}`,
  slug: `t-${at}`,
  name: `Tool ${at}`,
  tagline: '',
  description: 'some words '.repeat(40),
  website: 'https://a.example',
  category: null,
  tags: [],
  pricing: 'FREE',
  rating: 0,
  opens: 5,
  featured: false,
  icon: null,
  frame: null,
  founderName: null,
  location: null,
  domainRating: null,
  isForSale: false,
  askingPrice: 0,
  discountCode: '',
  affiliate: false,
  affiliateLink: null,
  screenshots: [],
  video: null,
  socials: {},
  faqs: [],
  features: {},
  createdAt: new Date(1),
  updatedAt: new Date(2),
  version: 1,
  revision: 77,
})

test('while the rows of an import are put in place', async () => {
  const listings = (kind: 'tool' | 'directory') => ({ index: createIndex(indexOptions(kind)), idOf: new Map() })
  const terms = { categories: new Map(), tags: new Map(), directoryCategories: new Map() }
  const snapshot = {
    taxonomy: { ...terms, brokenAdultTerms: { categories: new Set(), tags: new Set() } },
    tools: listings('tool'),
    directories: listings('directory'),
  } as never
  const brokenRows = { add() {}, remove() {}, replace() {}, list: () => [] } as never
  const updater = createSnapshotUpdater({ publicUrl: 'https://x.example', brokenRows, changed() {} })
  const imported = () => {
    const rows = new Map(Array.from({ length: LISTINGS }, (_, at) => [`id-${at}`, rowOf(at)]))
    return { topic: 'tools', ids: [...rows.keys()], rows, id: 'import' }
  }
  const shown = () => JSON.parse(String((snapshot as any).tools.index.get(LAST).json)).opens
  const first = imported()
  updater.expect([first])
  await updater.put(snapshot, {} as never, [first])
  updater.forget([first])
  expect(shown()).toBe(5)

  const second = imported()
  updater.expect([second])
  const placing = updater.put(snapshot, {} as never, [second])
  const db = { select: () => ({ from: () => ({ where: async () => [{ id: LAST, opens: 6 }] }) }) } as never
  await updater.put(snapshot, db, [{ topic: 'opens', ids: [LAST] }])
  expect(shown()).toBe(6)
  await placing
  updater.forget([second])
  expect(shown()).toBe(6)
})
