// Collections: lists of tools and directories that an operator has chosen, with a text of their own.
import { type Static, Type } from 'typebox'
import { booleanType, NAME_PATTERN, SLUG_PATTERN, stringType, timestamp, titledObject } from '../../kernel/schema.ts'
import { version } from '../audit/schema.ts'
import { MAX_TEXT } from './schema.ts'

/** All collections are kept in memory, so their number and size are bounded. */
export const MOST_COLLECTIONS = 200
const MOST_IN_COLLECTION = 100

export const collectionSlug = stringType('Slug of the collection, part of its address.', 'write-better-mail', {
  maxLength: 100,
  pattern: SLUG_PATTERN,
})

const slugs = (what: string, example: string) =>
  Type.Array(stringType(`Slug of a ${what}.`, example, { maxLength: 100, pattern: SLUG_PATTERN }), {
    maxItems: MOST_IN_COLLECTION,
    default: [],
    description: `Slugs of its ${what === 'tool' ? 'tools' : 'directories'}, in the order in which they are shown. One that is not listed is left out.`,
    examples: [[example]],
  })

const fields = {
  name: stringType('What it is called.', 'Write better mail', { maxLength: 100, pattern: NAME_PATTERN }),
  text: stringType('What it is about, in Markdown.', 'Tools that **draft and sort** your mail.', {
    maxLength: MAX_TEXT,
    default: '',
  }),
  tools: slugs('tool', 'acme-writer'),
  directories: slugs('directory', 'launch-list'),
  published: booleanType('Whether visitors see it.', true, { default: true }),
}

/** Replaces everything: what is omitted gets its default. */
export const collectionBody = titledObject('NewCollection', 'The collection as it should be.', {
  ...Type.Partial(Type.Object(fields)).properties,
  name: fields.name,
})

export const collectionSchema = titledObject(
  'Collection',
  'A list of tools and directories that an operator has chosen.',
  {
    slug: collectionSlug,
    ...fields,
    version,
    createdAt: timestamp('When it was made.'),
    updatedAt: timestamp('When it was last changed.'),
  },
)
export type Collection = Static<typeof collectionSchema>
export type CollectionFields = Omit<Collection, 'slug' | 'version' | 'createdAt' | 'updatedAt'>
