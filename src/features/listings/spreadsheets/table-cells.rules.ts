// Tables: reads a cell as the value of a field (yes and no, numbers, lists, days), and writes a value as a cell.
import type { TSchema } from 'typebox'
import { csvCell } from '../../../kernel/formats/csv.ts'
import type { Kind } from '../../catalog/schema.ts'
import { bodies } from '../schema.ts'

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
