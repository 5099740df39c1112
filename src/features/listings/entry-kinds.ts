// The five kinds of entries as the operations speak of them.

import { type TObject, type TProperties, Type } from 'typebox'
import { timestamp } from '../../kernel/schema.ts'
import { version } from '../audit/schema.ts'

import type { Kind } from '../catalog/schema.ts'
import { bodies, type StoredEntry } from './schema.ts'

export interface Noun<K extends Kind = Kind> {
  kind: K
  path: string
  one: string
  group: string
  example: Record<string, unknown>
}

const TIME = '2026-03-01T09:30:00.000Z'
export const NOUNS: readonly [
  Noun<'category'>,
  Noun<'tag'>,
  Noun<'directoryCategory'>,
  Noun<'tool'>,
  Noun<'directory'>,
] = [
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

/** The noun as a part of a name: Tool, DirectoryCategory. */
export const titleOf = ({ kind }: Noun): string => `${kind[0]!.toUpperCase()}${kind.slice(1)}`

export function entryFields(noun: Noun): TProperties {
  const slug = Type.String({ description: `Slug of the ${noun.one}.`, examples: [noun.example.slug as string] })
  const listing = {
    id: Type.String({ description: 'Stable identifier.', examples: ['0199d2c4-7a10-7c3e-9f51-2b1f0c6f2a11'] }),
    createdAt: timestamp('When it was created.'),
    updatedAt: timestamp('When it was last changed.'),
  }
  return { slug, ...bodies[noun.kind].properties, version, ...(noun.group === 'Listings' ? listing : {}) }
}

export const entrySchema = <K extends Kind>(noun: Noun<K>) =>
  Type.Unsafe<StoredEntry<K>>(
    Type.Object(entryFields(noun), {
      title: `Stored${titleOf(noun)}`,
      description: `The stored ${noun.one}, private fields included.`,
    }),
  )

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
