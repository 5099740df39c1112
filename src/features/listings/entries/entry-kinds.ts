// The five kinds of catalog entries, with the paths, labels and examples that their operations use.
import { type TObject, type TProperties, Type } from 'typebox'
import { exampleOf, stringType, timestamp, titledObject } from '../../../kernel/schema.ts'
import { capitalised } from '../../../kernel/values/text.ts'
import { version } from '../../audit/schema.ts'
import type { Kind } from '../../catalog/schema.ts'
import { bodies, type StoredEntry } from '../schema.ts'

export interface EntryKind<K extends Kind = Kind> {
  kind: K
  path: string
  /** The kind in a sentence. */
  label: string
  /** The group of its operations in the API reference. */
  group: 'Taxonomy' | 'Listings'
  example: Record<string, unknown>
}

const TIME = '2026-03-01T09:30:00.000Z'
export const ENTRY_KINDS: readonly [
  EntryKind<'category'>,
  EntryKind<'tag'>,
  EntryKind<'directoryCategory'>,
  EntryKind<'tool'>,
  EntryKind<'directory'>,
] = [
  {
    kind: 'category',
    path: '/categories',
    label: 'category',
    group: 'Taxonomy',
    example: { slug: 'writing', name: 'Writing', description: '', icon: '✍️', adult: false, version: 3 },
  },
  {
    kind: 'tag',
    path: '/tags',
    label: 'tag',
    group: 'Taxonomy',
    example: { slug: 'api', name: 'API', adult: false, version: 3 },
  },
  {
    kind: 'directoryCategory',
    path: '/directory-categories',
    label: 'directory category',
    group: 'Taxonomy',
    example: { slug: 'saas', name: 'SaaS', version: 3 },
  },
  {
    kind: 'tool',
    path: '/tools',
    label: 'tool',
    group: 'Listings',
    example: storedExample(bodies.tool, 'acme-writer'),
  },
  {
    kind: 'directory',
    path: '/directories',
    label: 'directory',
    group: 'Listings',
    example: storedExample(bodies.directory, 'launch-list'),
  },
]

export const slugParameter = (entryKind: EntryKind) =>
  Type.Object({
    slug: stringType(`Slug of the ${entryKind.label}.`, entryKind.example.slug as string),
  })

/** The kind as a part of a schema's title: Tool, DirectoryCategory. */
export const schemaTitle = ({ kind }: EntryKind): string => capitalised(kind)

export function entryFields(entryKind: EntryKind): TProperties {
  const slug = stringType(`Slug of the ${entryKind.label}.`, entryKind.example.slug as string)
  const listingFields = {
    id: stringType('Stable identifier.', '0199d2c4-7a10-7c3e-9f51-2b1f0c6f2a11'),
    createdAt: timestamp('When it was created.'),
    updatedAt: timestamp('When it was last changed.'),
  }
  return {
    slug,
    ...bodies[entryKind.kind].properties,
    version,
    ...(entryKind.group === 'Listings' ? listingFields : {}),
  }
}

export const entrySchema = <K extends Kind>(entryKind: EntryKind<K>) =>
  Type.Unsafe<StoredEntry<K>>(
    titledObject(
      `Stored${schemaTitle(entryKind)}`,
      `The stored ${entryKind.label}, private fields included.`,
      entryFields(entryKind),
    ),
  )

function storedExample(body: TObject, slug: string): Record<string, unknown> {
  const fields = exampleOf(body) as Record<string, unknown>
  return { slug, ...fields, version: 3, id: '0199d2c4-7a10-7c3e-9f51-2b1f0c6f2a11', updatedAt: TIME }
}
