// The five kinds of entries as the operations speak of them.
import { type TObject, Type } from 'typebox'
import { timestamp } from '../../kernel/schema.ts'
import { version } from '../audit/schema.ts'
import { bodies, type Kind } from './schema.ts'

export interface Noun {
  kind: Kind
  path: string
  one: string
  group: string
  example: Record<string, unknown>
}

export type ListingNoun = Noun & { kind: 'tool' | 'directory' }
export type TermNoun = Noun & { kind: 'category' | 'tag' | 'directoryCategory' }

const TIME = '2026-03-01T09:30:00.000Z'
export const NOUNS: readonly [TermNoun, TermNoun, TermNoun, ListingNoun, ListingNoun] = [
  {
    kind: 'category',
    path: '/categories',
    one: 'category',
    group: 'Taxonomy',
    example: { slug: 'writing', name: 'Writing', description: '', icon: '✍️', adult: false, version: 3 },
  },
  {
    kind: 'tag',
    path: '/tags',
    one: 'tag',
    group: 'Taxonomy',
    example: { slug: 'api', name: 'API', adult: false, version: 3 },
  },
  {
    kind: 'directoryCategory',
    path: '/directory-categories',
    one: 'directory category',
    group: 'Taxonomy',
    example: { slug: 'saas', name: 'SaaS', version: 3 },
  },
  { kind: 'tool', path: '/tools', one: 'tool', group: 'Listings', example: exampleOf(bodies.tool, 'acme-writer') },
  {
    kind: 'directory',
    path: '/directories',
    one: 'directory',
    group: 'Listings',
    example: exampleOf(bodies.directory, 'launch-list'),
  },
]

export const slugParameter = (noun: Noun) =>
  Type.Object({
    slug: Type.String({ description: `Slug of the ${noun.one}.`, examples: [noun.example.slug as string] }),
  })

/** An entry as it is stored; goes to operators only. */
export const record = (noun: Noun): TObject => {
  const slug = Type.String({ description: `Slug of the ${noun.one}.`, examples: [noun.example.slug as string] })
  const listing = {
    id: Type.String({ description: 'Stable identifier.', examples: ['0199d2c4-7a10-7c3e-9f51-2b1f0c6f2a11'] }),
    createdAt: timestamp('When it was created.'),
    updatedAt: timestamp('When it was last changed.'),
  }
  return Type.Object(
    { slug, ...bodies[noun.kind].properties, version, ...(noun.group === 'Listings' ? listing : {}) },
    { description: `The stored ${noun.one}, private fields included.` },
  )
}

function exampleOf(body: TObject, slug: string): Record<string, unknown> {
  const fields = Object.entries(body.properties).map(([name, property]) => [
    name,
    (property as { examples?: unknown[] }).examples?.[0] ?? null,
  ])
  return {
    slug,
    ...Object.fromEntries(fields),
    version: 3,
    id: '0199d2c4-7a10-7c3e-9f51-2b1f0c6f2a11',
    updatedAt: TIME,
  }
}
