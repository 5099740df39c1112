// How operators say what a table for the import is, and what a preview of it shows.
import { type Static, Type } from 'typebox'
import { booleanType, integerType, nullable, oneOf, stringType, titledObject } from '../../../kernel/schema.ts'
import { KINDS } from '../../catalog/schema.ts'

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
/** How much of a table a preview reads. */
export const PREVIEWED_BYTES = 256 * 1024

export const tableKind = oneOf(KINDS, { default: 'tool', description: 'What a row is.', examples: ['tool'] })
export const tableParameters = {
  kind: Type.Optional(tableKind),
  map: Type.Optional(
    stringType(
      'A JSON object that corrects the guessed mapping: column to field, or to null to leave the column out.',
      '{"Product":"name","Notes":null}',
      { maxLength: 20_000 },
    ),
  ),
  unknownTerms: Type.Optional(
    oneOf(
      ['refuse', 'create'],
      'What happens to a category or tag that does not exist; refuse when omitted.',
      'create',
    ),
  ),
  terms: Type.Optional(
    stringType('A JSON object from categories or tags as cells have them to existing slugs.', '{"Dev Tools":"code"}', {
      maxLength: 20_000,
    }),
  ),
  format: Type.Optional(oneOf(TABLE_FORMATS, 'Guessed from the content when omitted.', 'csv')),
  encoding: Type.Optional(oneOf(ENCODINGS, 'Guessed from the content when omitted.', 'utf-8')),
  separator: Type.Optional(
    stringType('The character between two cells of CSV; guessed when omitted.', ';', {
      minLength: 1,
      maxLength: 1,
      // Not trimmed: the separator may be a tab or a space.
      'x-verbatim': true,
    }),
  ),
}

export const previewSchema = titledObject('TablePreview', 'How a table would be imported.', {
  format: oneOf(TABLE_FORMATS, 'The format that was used.', 'csv'),
  encoding: oneOf(ENCODINGS, 'The encoding that was used.', 'utf-8'),
  separator: nullable(stringType('The character between two cells; null for JSON.', ',')),
  fields: Type.Array(Type.String(), {
    description: 'The fields that a column may be mapped to.',
    examples: [['name']],
  }),
  columns: Type.Array(
    Type.Object({
      column: stringType('Heading of the column.', 'Product'),
      field: nullable(stringType('The field it is mapped to; null: left out.', 'name')),
      guess: nullable(
        stringType(
          'The field that its heading fits. Another column may have it: the import then asks which one it is.',
          'name',
        ),
      ),
      samples: Type.Array(Type.String(), { description: 'The first cells.', examples: [['Acme Writer']] }),
    }),
    { description: 'The columns.' },
  ),
  rows: Type.Array(
    Type.Object({
      row: integerType('Number of the row, as spreadsheets count.', 2),
      slug: stringType('Slug of the entry.', 'acme-writer'),
      name: stringType('Name of the entry.', 'Acme Writer'),
      created: Type.Array(Type.String(), {
        description: 'Categories and tags that it would make.',
        examples: [['api']],
      }),
      replaces: booleanType('An entry with this slug exists and would be replaced.', true),
      problem: nullable(stringType('What is wrong with it.', 'pricing is wrong.')),
      warning: nullable(
        stringType(
          'What is unusual about it: it would replace an entry with another website.',
          'It replaces Acme Writer (https://writer.example.com), which has another website.',
        ),
      ),
    }),
    { description: 'The first rows as they would be imported.' },
  ),
})
export type TablePreview = Static<typeof previewSchema>
