// Import and export of one kind of entries as a table, for people who keep their catalog in a spreadsheet.
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { unfit } from '../../../kernel/errors.ts'
import { operationsFor } from '../../../kernel/operation.ts'
import { booleanType } from '../../../kernel/schema.ts'
import { exportTable } from '../import/export.ts'
import { importPieces } from '../import/import.ts'
import { piecesOf } from '../import/lines.ts'
import { importResult } from '../operations.ts'
import {
  mappingOf,
  NOTHING_REPLACED,
  readRow,
  readTerms,
  refuseRivals,
  replacedBy,
  sentencesOfRow,
  tableLines,
} from './import-table.ts'
import { fieldsOf, fittingField, guessMapping } from './table.rules.ts'
import * as schema from './table.schema.ts'
import { openTable } from './table-format.ts'

const operation = operationsFor('operator', 'Import and export')

const PREVIEWED_ROWS = 10
const MOST_SAMPLES = 3
const LONGEST_SAMPLE = 80
const SLICE_BYTES = 4 * 1024

const tableBody = 'CSV with headings, TSV, or a JSON array of objects.'

export const importTable = operation({
  name: 'import_table',
  summary: 'Import a table',
  description:
    'Takes CSV, TSV or a JSON array of any size and creates or replaces one entry a row, all in one transaction. Columns are mapped to fields by their headings; map corrects that. A category or tag may be written by slug or name. A row without a slug gets one from its name, and an entry that has this slug is replaced: the preview says which. One wrong row and nothing is kept (400, with the first 100 wrong rows, named by row and column); skipInvalid=true keeps the good ones.',
  method: 'POST',
  path: '/import/table',
  parameters: Type.Object({
    ...schema.tableParameters,
    skipInvalid: Type.Optional(booleanType('true keeps the good rows.', false)),
  }),
  body: Type.Unsafe<AsyncIterable<Uint8Array>>({}),
  lines: Type.Object({}, { description: tableBody }),
  lineTypes: schema.TABLE_TYPES,
  data: importResult,
  failures: [400, 409, 415],
  example: { success: true, data: { imported: 120, created: 100, replaced: 15, rejected: [], rejectedCount: 0 } },
  run: async (ctx, { kind = 'tool', map, unknownTerms = 'refuse', terms, skipInvalid, ...options }, body) => {
    const table = await openTable(body, options)
    const mapping = mappingOf(kind, table.columns, map)
    refuseRivals(kind, mapping, map)
    const rules = { kind, mapping, terms: await readTerms(ctx, unknownTerms, terms) }
    if (!Object.values(rules.mapping).includes('name') && table.columns.length > 0)
      throw unfit(
        `No column is mapped to name. The columns are ${table.columns.join(', ')}; say with map which one it is.`,
        'map',
      )
    const pieces = piecesOf(tableLines(table, rules))
    return { data: await importPieces(ctx, pieces, skipInvalid === true, rules.terms.isMade) }
  },
})

export const previewTable = operation({
  name: 'preview_table',
  summary: 'Preview the import of a table',
  description: `Takes the beginning of a table (at most ${schema.PREVIEWED_BYTES / 1024} KiB) and says how it would be imported: the mapping of its columns and the first rows, with what they would replace. Stores nothing.`,
  method: 'POST',
  path: '/import/table/preview',
  parameters: Type.Object(schema.tableParameters),
  bytes: { types: schema.TABLE_TYPES, maxBytes: schema.PREVIEWED_BYTES },
  data: schema.previewSchema,
  failures: [400, 413, 415],
  example: {
    success: true,
    data: {
      format: 'csv',
      encoding: 'utf-8',
      separator: ',',
      fields: ['slug', 'name', 'website'],
      columns: [{ column: 'Product', field: 'name', guess: 'name', samples: ['Acme Writer'] }],
      rows: [
        {
          row: 2,
          slug: 'acme-writer',
          name: 'Acme Writer',
          created: [],
          replaces: true,
          problem: null,
          warning: 'It replaces Acme Writer (https://writer.example.com), which has another website.',
        },
      ],
    },
  },
  run: async (ctx, { kind = 'tool', map, unknownTerms = 'refuse', terms, ...options }, body: Buffer) => {
    const isCut = body.length >= schema.PREVIEWED_BYTES
    const table = await openTable(Readable.from(slicesOf(body)), { ...options, isCut })
    const mapping = mappingOf(kind, table.columns, map)
    const rules = { kind, mapping, terms: await readTerms(ctx, unknownTerms, terms) }
    const guesses = guessMapping(kind, table.columns)
    const samples = new Map<string, string[]>(table.columns.map((column) => [column, []]))
    const rows: schema.TablePreview['rows'] = []
    for await (const found of table.rows) {
      if ('problem' in found)
        rows.push({ row: found.row, slug: '', name: '', created: [], ...NOTHING_REPLACED, problem: found.problem })
      else {
        for (const [column, cell] of Object.entries(found.cells)) addSample(samples.get(column), cell)
        const { row, entry, created, problems } = readRow(rules, found)
        rows.push({
          row,
          slug: String(entry.slug ?? '').slice(0, LONGEST_SAMPLE),
          name: String(entry.name ?? '').slice(0, LONGEST_SAMPLE),
          created: created.map(({ slug }) => String(slug)),
          ...(problems.length > 0 ? NOTHING_REPLACED : await replacedBy(ctx, kind, entry)),
          problem: problems.length > 0 ? sentencesOfRow(mapping, problems) : null,
        })
      }
      if (rows.length === PREVIEWED_ROWS) break
    }
    const columns = table.columns.map((column) => ({
      column,
      field: mapping[column] ?? null,
      guess: guesses[column] ?? fittingField(kind, column) ?? null,
      samples: samples.get(column) ?? [],
    }))
    const { format, encoding, separator } = table
    return { data: { format, encoding, separator, fields: fieldsOf(kind), columns, rows } }
  },
})

/** The beginning of the table in small slices, so that the parser returns the first rows before it reaches the end, which may be cut. */
function* slicesOf(body: Buffer): Generator<Buffer> {
  for (let offset = 0; offset < body.length; offset += SLICE_BYTES) yield body.subarray(offset, offset + SLICE_BYTES)
}

function addSample(samples: string[] | undefined, cell: unknown): void {
  const text = typeof cell === 'string' ? cell : JSON.stringify(cell)
  if (samples && samples.length < MOST_SAMPLES && text?.trim()) samples.push(text.trim().slice(0, LONGEST_SAMPLE))
}

export const exportTableOperation = operation({
  name: 'export_table',
  summary: 'Export a table',
  description:
    'All entries of one kind as CSV with headings, private fields included, in the form that the import of a table takes. A text that a spreadsheet would take for a formula has an apostrophe before it, which an import removes.',
  method: 'GET',
  path: '/export/table',
  parameters: Type.Object({ kind: Type.Optional(schema.tableKind) }),
  data: Type.String({ description: 'Rows of CSV; the first one has the headings.' }),
  streams: schema.CSV,
  example: 'slug,name,adult\r\napi,API,no\r\n',
  run: (ctx, { kind = 'tool' }) => ({ lines: exportTable(ctx.db, kind) }),
})

export const tableOperations = [importTable, previewTable, exportTableOperation]
