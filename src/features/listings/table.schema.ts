import { type Static, Type } from 'typebox'
import { nullable, oneOf } from '../../kernel/schema.ts'
import { KINDS } from '../catalog/schema.ts'

const TABLE_FORMATS = ['csv', 'tsv', 'json'] as const
export type TableFormat = (typeof TABLE_FORMATS)[number]
export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const
export type TableEncoding = (typeof ENCODINGS)[number]

export const CSV = { type: 'text/csv', extension: 'csv' } as const
/** The media types of a table. They do not decide the format, which is detected from the content. */
export const TABLE_TYPES = [
  CSV.type,
  'text/tab-separated-values',
  'application/json',
  'application/octet-stream',
] as const
export const PREVIEWED_BYTES = 256 * 1024

export const tableKind = oneOf(KINDS, { default: 'tool', description: 'What a row is.', examples: ['tool'] })
export const tableParameters = {
  kind: Type.Optional(tableKind),
  map: Type.Optional(
    Type.String({
      maxLength: 20_000,
      description:
        'A JSON object that corrects the guessed mapping: column to field, or to null to leave the column out.',
      examples: ['{"Product":"name","Notes":null}'],
    }),
  ),
  unknownTerms: Type.Optional(
    oneOf(['refuse', 'create'], {
      description: 'What happens to a category or tag that does not exist; refuse when omitted.',
      examples: ['create'],
    }),
  ),
  terms: Type.Optional(
    Type.String({
      maxLength: 20_000,
      description: 'A JSON object from categories or tags as cells have them to existing slugs.',
      examples: ['{"Dev Tools":"code"}'],
    }),
  ),
  format: Type.Optional(
    oneOf(TABLE_FORMATS, { description: 'Guessed from the content when omitted.', examples: ['csv'] }),
  ),
  encoding: Type.Optional(
    oneOf(ENCODINGS, { description: 'Guessed from the content when omitted.', examples: ['utf-8'] }),
  ),
  separator: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1,
      'x-verbatim': true,
      description: 'The character between two cells of CSV; guessed when omitted.',
      examples: [';'],
    }),
  ),
}

export const previewSchema = Type.Object(
  {
    format: oneOf(TABLE_FORMATS, { description: 'The format that was used.', examples: ['csv'] }),
    encoding: oneOf(ENCODINGS, { description: 'The encoding that was used.', examples: ['utf-8'] }),
    separator: nullable(
      Type.String({ description: 'The character between two cells; null for JSON.', examples: [','] }),
    ),
    fields: Type.Array(Type.String(), {
      description: 'The fields that a column may be mapped to.',
      examples: [['name']],
    }),
    columns: Type.Array(
      Type.Object({
        column: Type.String({ description: 'Heading of the column.', examples: ['Product'] }),
        field: nullable(Type.String({ description: 'The field it is mapped to; null: left out.', examples: ['name'] })),
        guess: nullable(
          Type.String({
            description:
              'The field that its heading fits. Another column may have it: the import then asks which one it is.',
            examples: ['name'],
          }),
        ),
        samples: Type.Array(Type.String(), { description: 'The first cells.', examples: [['Acme Writer']] }),
      }),
      { description: 'The columns.' },
    ),
    rows: Type.Array(
      Type.Object({
        row: Type.Integer({ description: 'Number of the row, as spreadsheets count.', examples: [2] }),
        slug: Type.String({ description: 'Slug of the entry.', examples: ['acme-writer'] }),
        name: Type.String({ description: 'Name of the entry.', examples: ['Acme Writer'] }),
        created: Type.Array(Type.String(), {
          description: 'Categories and tags that it would make.',
          examples: [['api']],
        }),
        replaces: Type.Boolean({
          description: 'An entry with this slug exists and would be replaced.',
          examples: [true],
        }),
        problem: nullable(Type.String({ description: 'What is wrong with it.', examples: ['pricing is wrong.'] })),
        warning: nullable(
          Type.String({
            description: 'What is unusual about it: it would replace an entry with another website.',
            examples: ['It replaces Acme Writer (https://writer.example.com), which has another website.'],
          }),
        ),
      }),
      { description: 'The first rows as they would be imported.' },
    ),
  },
  { title: 'TablePreview', description: 'How a table would be imported.' },
)
export type TablePreview = Static<typeof previewSchema>
