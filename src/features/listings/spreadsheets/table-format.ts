// Reads a table of any size as a stream: CSV with any separator, TSV, a JSON array, or JSON objects one after the other. The encoding,
// the format and the separator are guessed from the first bytes unless they are given.
import { pipeline, Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { badRequest, unfit } from '../../../kernel/errors.ts'
import { isObject } from '../../../kernel/values/objects.ts'
import { createPauses } from '../../../kernel/work/scheduler.ts'
import { MAX_LINE, MAX_LINE_TEXT } from '../import/lines.ts'
import { EXAMINED_BYTES, encodingOf } from './table.rules.ts'
import { ENCODINGS, type TableEncoding, type TableFormat } from './table.schema.ts'

const SEPARATORS = [',', ';', '\t', '|']

export interface TableFormatOptions {
  format?: TableFormat
  encoding?: TableEncoding
  separator?: string
  /** The source is only the beginning of a table, so an incomplete row at its end is ignored. */
  isCut?: boolean
}

/** `row` is the number that a spreadsheet shows (the headings are row 1), or the place of a JSON object. Cells of CSV are texts. */
export type TableRow = { row: number; cells: Record<string, unknown> } | { row: number; problem: string }

export interface Table {
  format: TableFormat
  encoding: TableEncoding
  separator: string | null
  columns: string[]
  rows: AsyncIterable<TableRow>
}

const MAX_COLUMNS = 200
const MAX_HEADING = 200
/** The columns of a JSON table are the names that its first objects have. */
const OBJECTS_READ_FOR_COLUMNS = 100

export async function openTable(source: AsyncIterable<Uint8Array>, options: TableFormatOptions = {}): Promise<Table> {
  const { head, all } = await peek(source)
  const encoding = options.encoding ?? encodingOf(head)
  const start = new TextDecoder(encoding).decode(head, { stream: true })
  const format = options.format ?? formatOf(start)
  const isCut = options.isCut === true
  const texts = decoded(all, encoding, isCut)
  if (format === 'json') return { format, encoding, separator: null, ...(await readObjects(texts, isCut)) }
  const separator = options.separator ?? (format === 'tsv' ? '\t' : separatorOf(start))
  return { format, encoding, separator, ...(await readCsv(texts, separator, isCut)) }
}

/** `head` is the beginning of the source; `all` yields the whole source. */
async function peek(source: AsyncIterable<Uint8Array>): Promise<{ head: Uint8Array; all: AsyncIterable<Uint8Array> }> {
  const chunks = source[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  let size = 0
  while (size < EXAMINED_BYTES) {
    const { done, value } = await chunks.next()
    if (done) break
    first.push(value)
    size += value.length
  }
  async function* all() {
    yield* first
    // The rest of the source: `chunks` is an iterator, and `yield*` needs an object that has one.
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  return { head: Buffer.concat(first).subarray(0, EXAMINED_BYTES), all: all() }
}

const formatOf = (start: string): TableFormat => {
  const firstCharacter = start.trimStart().charAt(0)
  if (firstCharacter === '[' || firstCharacter === '{') return 'json'
  return separatorOf(start) === '\t' ? 'tsv' : 'csv'
}

/** The separator that occurs most often in the headings, outside of quotes. */
function separatorOf(start: string): string {
  const withoutQuotes = start.trimStart().replace(/"[^"]*"/g, '')
  const [headings = ''] = withoutQuotes.split(/\r?\n|\r/, 1)
  const counts = SEPARATORS.map((separator) => headings.split(separator).length)
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ','
}

/** The chunks as text. `isCut`: a character that is incomplete at the end is left out. */
async function* decoded(
  chunks: AsyncIterable<Uint8Array>,
  encoding: TableEncoding,
  isCut: boolean,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
    if (!isCut) yield decoder.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw unfit(
      `The file is not valid ${encoding}. Save it as UTF-8, or name its encoding: ${ENCODINGS.join(', ')}.`,
      'encoding',
    )
  }
}

interface CsvRecord {
  record: string[]
  info: { records: number; empty_lines: number }
}

async function readCsv(
  texts: AsyncIterable<string>,
  separator: string,
  isCut: boolean,
): Promise<Pick<Table, 'columns' | 'rows'>> {
  const parser = parse({
    delimiter: separator,
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: MAX_LINE,
  })
  // Errors are ignored here, because `next` gets them from the parser.
  pipeline(Readable.from(texts, { objectMode: false }), parser, () => {})
  const records = (parser as AsyncIterable<CsvRecord>)[Symbol.asyncIterator]()
  let recordsRead = 0
  const next = async () => {
    try {
      const found = await records.next()
      recordsRead++
      return found
    } catch (error) {
      if (isCut && recordsRead > 0) return { done: true as const, value: undefined }
      throw failureOf(error)
    }
  }
  const first = await next()
  if (first.done) return { columns: [], rows: noRows() }
  const columns = headingsOf(first.value.record)
  async function* rows(): AsyncGenerator<TableRow> {
    for (let found = await next(); !found.done; found = await next()) {
      const { record, info } = found.value
      const row = info.records + info.empty_lines
      if (record.every((cell) => cell.trim() === '')) continue
      if (record.slice(columns.length).some((cell) => cell.trim() !== ''))
        yield { row, problem: `It has ${record.length} cells, and there are ${columns.length} columns.` }
      else yield { row, cells: Object.fromEntries(columns.map((column, at) => [column, record[at] ?? ''])) }
    }
  }
  return { columns, rows: rows() }
}

async function* noRows(): AsyncGenerator<TableRow> {}

/** An error of the parser as a 400 that says what to correct; any other error as it is. */
function failureOf(error: unknown): unknown {
  const { code, lines } = error as { code?: unknown; lines?: number }
  if (typeof code !== 'string' || !code.startsWith('CSV_')) return error
  if (code === 'CSV_MAX_RECORD_SIZE')
    return badRequest(
      `The row that ends on line ${lines} is longer than ${MAX_LINE_TEXT}: a quotation mark may be missing.`,
    )
  if (code === 'CSV_QUOTE_NOT_CLOSED') return badRequest('The last quotation mark is not closed.')
  return badRequest(`Line ${lines} could not be read (${code}).`)
}

/** Makes the headings unique: an empty one gets a name, and a repeated one its number. */
function headingsOf(record: readonly string[]): string[] {
  if (record.length > MAX_COLUMNS)
    throw badRequest(`There are ${record.length} columns; at most ${MAX_COLUMNS} are read.`)
  const columns: string[] = []
  for (const [at, text] of record.entries()) {
    const name = text.trim().slice(0, MAX_HEADING) || `Column ${at + 1}`
    columns.push(columns.includes(name) ? `${name} (${at + 1})` : name)
  }
  return columns
}

async function readObjects(texts: AsyncIterable<string>, isCut: boolean): Promise<Pick<Table, 'columns' | 'rows'>> {
  const values = objectsIn(texts, isCut)
  const first: TableRow[] = []
  const columns = new Set<string>()
  while (first.length < OBJECTS_READ_FOR_COLUMNS) {
    const { done, value } = await values.next()
    if (done) break
    first.push(value)
    if ('cells' in value) for (const name of Object.keys(value.cells)) columns.add(name)
    if (columns.size > MAX_COLUMNS)
      throw badRequest(`There are more than ${MAX_COLUMNS} names; at most so many are read.`)
  }
  async function* rows() {
    yield* first
    yield* values
  }
  return { columns: [...columns], rows: rows() }
}

/** The objects of a JSON array, or JSON objects one after the other, numbered from 1. */
async function* objectsIn(texts: AsyncIterable<string>, isCut: boolean): AsyncGenerator<TableRow> {
  const pause = createPauses()
  const scanner = createObjectScanner()
  let row = 0
  let parts: string[] = []
  let length = 0
  for await (const text of texts) {
    let start = 0
    for (let at = 0; at < text.length; at++) {
      const found = scanner.step(text.charAt(at))
      if (found === 'begins') start = at
      if (found === 'other')
        throw badRequest(`After object ${row} there is something else. The file must be a JSON array of objects.`)
      if (found !== 'ends') continue
      yield objectOf(++row, [...parts, text.slice(start, at + 1)].join(''))
      parts = []
      length = 0
      await pause()
    }
    if (!scanner.isInside()) continue
    parts.push(text.slice(start))
    length += text.length - start
    if (length > MAX_LINE) throw badRequest(`Object ${row + 1} is longer than ${MAX_LINE_TEXT}.`)
  }
  if (scanner.isInside() && !isCut) throw badRequest(`Object ${row + 1} does not end.`)
}

/** White space, and the commas and brackets of an array. */
const BETWEEN_OBJECTS = /[\s,[\]]/

/** Reads JSON character by character and says where an object of the outermost level begins and ends. `other`: text between objects. */
function createObjectScanner() {
  let depth = 0
  let inString = false
  let isEscaped = false
  function stepInString(character: string): void {
    if (isEscaped) isEscaped = false
    else if (character === '\\') isEscaped = true
    else if (character === '"') inString = false
  }
  return {
    isInside: () => depth > 0,
    step(character: string): 'begins' | 'ends' | 'other' | undefined {
      if (inString) return void stepInString(character)
      if (character === '{') {
        depth++
        return depth === 1 ? 'begins' : undefined
      }
      if (depth === 0) return BETWEEN_OBJECTS.test(character) ? undefined : 'other'
      if (character === '"') inString = true
      if (character === '}') depth--
      return depth === 0 ? 'ends' : undefined
    },
  }
}

function objectOf(row: number, text: string): TableRow {
  if (text.length > MAX_LINE) return { row, problem: `Longer than ${MAX_LINE_TEXT}.` }
  try {
    const value: unknown = JSON.parse(text)
    if (!isObject(value)) return { row, problem: 'It is no object.' }
    const cells = Object.fromEntries(Object.entries(value).map(([name, cell]) => [name.trim(), cell]))
    return Object.keys(cells).length === Object.keys(value).length
      ? { row, cells }
      : { row, problem: 'It has the same name twice, with blanks around one of them. Rename or remove one.' }
  } catch (error) {
    return { row, problem: `Not valid JSON: ${(error as Error).message}.` }
  }
}
