// Many listings with every kind of field, and all that readers can see of them.
import type { Snapshot } from '../../src/features/catalog/memory/snapshot.ts'

export const terms = (name: string) => [
  { kind: 'category', slug: 'bulk', name },
  ...Array.from({ length: 200 }, (_, i) => ({ kind: 'tag', slug: `t${i}`, name: `T ${i}` })),
  { kind: 'directoryCategory', slug: 'saas', name: 'SaaS' },
]
export const tool = (i: number, more: object = {}) => ({
  kind: 'tool',
  slug: `bulk-${i}`,
  name: `Bulk ${i}`,
  tagline: 'One of many “that” came\ttogether 🎉',
  description: 'Text',
  website: `https://bulk-${i}.example.com`,
  category: 'bulk',
  tags: [`t${i % 200}`, `t${(i + 1) % 200}`, `t${i % 200}`],
  rating: 4.1,
  screenshots: ['https://a.example.com/1.png'],
  socials: { x: 'https://x.com/a' },
  faqs: [{ question: 'Why?', answer: 'Because.' }],
  features: { One: 'First' },
  ...(i % 3 === 0 ? { createdAt: '2024-02-29T10:00:00.123Z' } : {}),
  ...more,
})
export const directory = (i: number, more: object = {}) => ({
  kind: 'directory',
  slug: `board-${i}`,
  name: `Board ${i}`,
  website: `https://board-${i}.example.com`,
  categories: ['saas'],
  domainRating: i % 100,
  ...more,
})
export const several = <T>(from: number, to: number, make: (i: number) => T): T[] =>
  Array.from({ length: to - from }, (_, i) => make(from + i))

/** Everything that readers can see of the listings, in every order. */
export function shown({ tools, directories }: Snapshot): string[] {
  return [tools, directories].flatMap(({ index, idOf }) => [
    ...(['default', 'popular-then-newest'] as const).flatMap((order) =>
      index.find({ order, offset: 0, limit: 10_000 }).items.map(({ json, extras }) => `${json}${extras}`),
    ),
    ...index.find({ q: 'bulk', offset: 0, limit: 10_000 }).items.map(({ slug }) => slug),
    ...[...idOf].map(([slug, id]) => `${slug} ${id} ${index.get(id)?.slug}`).sort(),
    String(index.size),
  ])
}
