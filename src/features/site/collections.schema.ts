// Collections: lists of tools and directories that an operator has chosen, with a text of their own.
import { type Static, Type } from 'typebox'
import { NAME_PATTERN, SLUG_PATTERN, timestamp } from '../../kernel/schema.ts'
import { version } from '../audit/schema.ts'
import { MAX_TEXT } from './schema.ts'

/** All collections are kept in memory, so their number and size are bounded. */
export const MOST_COLLECTIONS = 200
const MOST_IN_COLLECTION = 100

export const collectionSlug = Type.String({
  maxLength: 100,
  pattern: SLUG_PATTERN,
  description: 'Slug of the collection, part of its address.',
  examples: ['write-better-mail'],
})

const slugs = (what: string, example: string) =>
  Type.Array(
    Type.String({ maxLength: 100, pattern: SLUG_PATTERN, description: `Slug of a ${what}.`, examples: [example] }),
    {
      maxItems: MOST_IN_COLLECTION,
      default: [],
      description: `Slugs of its ${what === 'tool' ? 'tools' : 'directories'}, in the order in which they are shown. One that is not listed is left out.`,
      examples: [[example]],
    },
  )

const fields = {
  name: Type.String({
    maxLength: 100,
    pattern: NAME_PATTERN,
    description: 'What it is called.',
    examples: ['Write better mail'],
  }),
  text: Type.String({
    maxLength: MAX_TEXT,
    default: '',
    description: 'What it is about, in Markdown.',
    examples: ['Tools that **draft and sort** your mail.'],
  }),
  tools: slugs('tool', 'acme-writer'),
  directories: slugs('directory', 'launch-list'),
  published: Type.Boolean({
    default: true,
    description: 'Whether visitors see it.',
    examples: [true],
  }),
}

/** Replaces everything: what is omitted gets its default. */
export const collectionBody = Type.Object(
  { ...Type.Partial(Type.Object(fields)).properties, name: fields.name },
  { title: 'NewCollection', description: 'The collection as it should be.' },
)

export const collectionSchema = Type.Object(
  {
    slug: collectionSlug,
    ...fields,
    version,
    createdAt: timestamp('When it was made.'),
    updatedAt: timestamp('When it was last changed.'),
  },
  { title: 'Collection', description: 'A list of tools and directories that an operator has chosen.' },
)
export type Collection = Static<typeof collectionSchema>
export type CollectionFields = Omit<Collection, 'slug' | 'version' | 'createdAt' | 'updatedAt'>
