// Pure rules of tables: whether a file is one and in which encoding, which field a column is for by its heading, and how a cell is read as
// the value of a field (yes and no, numbers, lists, days) and written.
import type { TSchema } from 'typebox'
import { csvCell } from '../../../kernel/formats/csv.ts'
import type { Kind } from '../../catalog/schema.ts'
import { bodies } from '../schema.ts'
import type { TableEncoding } from './table.schema.ts'

/** How many of the first bytes of a file are examined. */
export const EXAMINED_BYTES = 64 * 1024

const TABLE_NAME = /\.(csv|tsv|tab)$/i
const TEXT_NAME = /\.txt$/i

/**
 * Whether a file is a table and not lines of JSON. A file is a table by its name, or because it begins with `[`, as no line of JSON does. A
 * `.txt` file is a table unless it begins with `{`.
 */
export function isTableFile(name: string, head: Uint8Array): boolean {
  if (TABLE_NAME.test(name)) return true
  // The decoder removes the byte order mark.
  const firstCharacter = new TextDecoder(encodingOf(head)).decode(head, { stream: true }).trimStart().charAt(0)
  return firstCharacter === '[' || (TEXT_NAME.test(name) && firstCharacter !== '' && firstCharacter !== '{')
}

/** Guesses the encoding: by a byte order mark; otherwise UTF-8 if the bytes are valid UTF-8, and Windows-1252 if not. */
export function encodingOf(head: Uint8Array): TableEncoding {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  try {
    // `stream`, because the last character may be incomplete.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}

/** The fields that a column may be mapped to. */
export const fieldsOf = (kind: Kind): string[] => ['slug', ...Object.keys(bodies[kind].properties)]

const normalise = (text: string): string =>
  text
    .slice(0, 100)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** Other headings that spreadsheets use for a field. If several fields fit a column, the first field of the kind gets it. */
const OTHER_HEADINGS: Readonly<Record<string, string>> = {
  name: 'title, tool, tool name, product, product name, app, company, startup, directory, site name',
  website: 'url, link, site, homepage, web, website url, web site, address, domain, product url',
  tagline: 'short description, summary, slogan, subtitle, headline, one liner, pitch',
  description: 'long description, full description, about, details, body, text',
  smallDescription: 'short description, summary, tagline',
  fullDescription: 'description, long description, about, details',
  category: 'main category, topic, section',
  categories: 'category, topics',
  tags: 'tag, keywords, labels',
  pricing: 'price, price model, pricing model, plan',
  cost: 'price, pricing, fee',
  minimumPrice: 'lowest price, price from, min price',
  icon: 'logo, logo url, favicon, icon url',
  frame: 'screenshot, image, image url, picture, cover, thumbnail',
  founderName: 'founder, author, maker, owner, contact name',
  founderEmail: 'email, e-mail, founder e-mail, contact email, mail',
  location: 'country, city, place',
  domainRating: 'dr, domain authority, da',
  monthlyVisits: 'traffic, visits, monthly traffic',
  type: 'link type, dofollow',
  submissionLink: 'submit url, submission url, submit link, submission form',
  opens: 'clicks, click throughs',
  createdAt: 'created, created at, date, date added, added',
  published: 'is published, live, visible, active',
  slug: 'id, handle, permalink',
}

const isOtherHeading = (field: string, heading: string): boolean =>
  OTHER_HEADINGS[field]?.split(', ').some((other) => normalise(other) === heading) === true

/**
 * The field that fits a heading, even if another column has it. The number that `headingsOf` (`table-format.ts`) adds to a repeated heading
 * is ignored.
 */
export function fittingField(kind: Kind, column: string): string | undefined {
  const heading = normalise(column.replace(/ \(\d+\)$/, ''))
  const fields = fieldsOf(kind)
  return fields.find((field) => normalise(field) === heading) ?? fields.find((field) => isOtherHeading(field, heading))
}

/** The field of each column; null where none fits. Each field goes to one column: the one with its name, or else the first that fits. */
export function guessMapping(kind: Kind, columns: readonly string[]): Record<string, string | null> {
  const fields = fieldsOf(kind)
  const mapping: Record<string, string | null> = Object.fromEntries(columns.map((column) => [column, null]))
  const free = new Set(fields)
  const assign = (column: string, field: string | undefined) => {
    if (field === undefined || mapping[column] !== null || !free.delete(field)) return
    mapping[column] = field
  }
  for (const column of columns) {
    const fieldOfThisName = fields.find((field) => normalise(field) === normalise(column))
    assign(column, fieldOfThisName)
  }
  for (const column of columns) {
    const fieldThatFits = fields.find((field) => free.has(field) && isOtherHeading(field, normalise(column)))
    assign(column, fieldThatFits)
  }
  return mapping
}

type CellResult = { value: unknown } | { problem: string } | 'empty'

interface FieldSchema {
  type?: string | string[]
  enum?: (string | null)[]
  items?: { type?: string }
}

const YES = ['true', 'yes', 'y', '1', 'x', 'on']
const NO = ['false', 'no', 'n', '0', 'off', '-']
const LONGEST_NUMBER = 40

/** An export puts an apostrophe before a text that spreadsheets would take for a formula. */
const PROTECTED_FORMULA = /^'+[=+\-@\t\r]/

/** The value of a cell for a field. A JSON value that is not text is taken as it is. */
export function readCell(kind: Kind, field: string, cell: unknown): CellResult {
  if (cell === null || cell === undefined) return 'empty'
  if (typeof cell !== 'string') return { value: cell }
  const text = (PROTECTED_FORMULA.test(cell.slice(0, 100)) ? cell.slice(1) : cell).trim()
  if (text === '') return 'empty'
  if (field === 'slug') return { value: text }
  const schema = (bodies[kind].properties as Record<string, TSchema>)[field] as FieldSchema | undefined
  const types = [schema?.type].flat()
  if (schema?.enum) return { value: schema.enum.find((value) => value?.toLowerCase() === text.toLowerCase()) ?? text }
  if (types.includes('boolean')) return readFlag(text)
  if (types.includes('number') || types.includes('integer')) return readNumber(text)
  if (types.includes('array')) return schema?.items?.type === 'string' ? readList(text) : readJson(text, '[')
  if (types.includes('object') || types.length === 0 || types[0] === undefined) return readJson(text, '{')
  return { value: field === 'createdAt' ? timeOf(text) : text }
}

function readFlag(text: string): CellResult {
  const word = text.toLowerCase()
  if (YES.includes(word)) return { value: true }
  return NO.includes(word) ? { value: false } : { problem: 'must be yes or no.' }
}

const PLAIN_NUMBER = /^-?\d+(\.\d+)?$/
const NUMBER_WITH_THOUSANDS = /^-?\d{1,3}(,\d{3})+(\.\d+)?$/
const CURRENCY_OR_PERCENT = /^[$€£]\s*|\s*[$€£%]$/g

/** Reads 1200, 1,200.50 and $12. A comma that could be a decimal point is refused rather than guessed. */
function readNumber(text: string): CellResult {
  const bare = text.length > LONGEST_NUMBER ? '' : text.replace(CURRENCY_OR_PERCENT, '')
  if (NUMBER_WITH_THOUSANDS.test(bare)) return { value: Number(bare.replaceAll(',', '')) }
  return PLAIN_NUMBER.test(bare) ? { value: Number(bare) } : { problem: 'must be a number such as 1200 or 4.5.' }
}

/** A JSON array, or texts between semicolons, bars, line breaks or commas: the first of these four that occurs is the separator. */
function readList(text: string): CellResult {
  if (text.startsWith('[')) return readJson(text, '[')
  const separator = [';', '|', '\n', ','].find((one) => text.includes(one))
  const parts = separator === undefined ? [text] : text.split(separator)
  return { value: parts.map((part) => part.trim()).filter((part) => part !== '') }
}

function readJson(text: string, opening: '[' | '{'): CellResult {
  const problem = `must be a JSON ${opening === '[' ? 'array' : 'object'}.`
  if (!text.startsWith('[') && !text.startsWith('{')) return { problem }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { problem }
  }
}

/** A day becomes its first moment. Other texts are returned as they are; the check of the field accepts or refuses them. */
const timeOf = (text: string): string => (/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00.000Z` : text)

/** What must not be in a text of a list that is written with semicolons, because `readList` would split there or read JSON. */
const SEPARATOR_OR_JSON = /[;|,\n[{]/

/** Writes a value as a cell that `readCell` can read. */
export function writeCell(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (value === null || value === undefined || typeof value === 'number' || value instanceof Date) return csvCell(value)
  const isListOfPlainTexts =
    Array.isArray(value) && value.every((one) => typeof one === 'string' && !SEPARATOR_OR_JSON.test(one))
  if (isListOfPlainTexts) return csvCell(value.join('; '))
  if (typeof value === 'string') return csvCell(value)
  const isEmpty = Object.keys(value).length === 0
  return csvCell(isEmpty ? '' : JSON.stringify(value))
}
