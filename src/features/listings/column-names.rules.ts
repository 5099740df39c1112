// Tables: guesses which field of an entry a column is for, and reads and writes the cells of a field.
import type { TSchema } from 'typebox'
import { csvCell } from '../../kernel/csv.ts'
import type { Kind } from '../catalog/schema.ts'
import { bodies } from './schema.ts'

/** The fields that a column may be mapped to. */
export const fieldsOf = (kind: Kind): string[] => ['slug', ...Object.keys(bodies[kind].properties)]

const normalise = (text: string): string =>
  text
    .slice(0, 100)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** Other headings that spreadsheets use for a field, as `heading:field`. If several fit a column, the first field of the kind gets it. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ...namesFor('name', 'title, tool, tool name, product, product name, app, company, startup, directory, site name'),
  ...namesFor('website', 'url, link, site, homepage, web, website url, web site, address, domain, product url'),
  ...namesFor('tagline', 'short description, summary, slogan, subtitle, headline, one liner, pitch'),
  ...namesFor('description', 'long description, full description, about, details, body, text'),
  ...namesFor('smallDescription', 'short description, summary, tagline'),
  ...namesFor('fullDescription', 'description, long description, about, details'),
  ...namesFor('category', 'main category, topic, section'),
  ...namesFor('categories', 'category, topics'),
  ...namesFor('tags', 'tag, keywords, labels'),
  ...namesFor('pricing', 'price, price model, pricing model, plan'),
  ...namesFor('cost', 'price, pricing, fee'),
  ...namesFor('minimumPrice', 'lowest price, price from, min price'),
  ...namesFor('icon', 'logo, logo url, favicon, icon url'),
  ...namesFor('frame', 'screenshot, image, image url, picture, cover, thumbnail'),
  ...namesFor('founderName', 'founder, author, maker, owner, contact name'),
  ...namesFor('founderEmail', 'email, e-mail, founder e-mail, contact email, mail'),
  ...namesFor('location', 'country, city, place'),
  ...namesFor('domainRating', 'dr, domain authority, da'),
  ...namesFor('monthlyVisits', 'traffic, visits, monthly traffic'),
  ...namesFor('type', 'link type, dofollow'),
  ...namesFor('submissionLink', 'submit url, submission url, submit link, submission form'),
  ...namesFor('opens', 'clicks, click throughs'),
  ...namesFor('createdAt', 'created, created at, date, date added, added'),
  ...namesFor('published', 'is published, live, visible, active'),
  ...namesFor('slug', 'id, handle, permalink'),
}

function namesFor(field: string, names: string): Record<string, string> {
  return Object.fromEntries(names.split(', ').map((name) => [`${normalise(name)}:${field}`, field]))
}

/** The field that fits a heading, even if another column has it. The number that `headingsOf` adds to a repeated heading is ignored. */
export function fittingField(kind: Kind, column: string): string | undefined {
  const heading = normalise(column.replace(/ \(\d+\)$/, ''))
  const fields = fieldsOf(kind)
  return (
    fields.find((field) => normalise(field) === heading) ??
    fields.find((field) => Object.hasOwn(OTHER_NAMES, `${heading}:${field}`))
  )
}

/** The field of each column, null where none fits. Each field goes to one column: one that has its name, or else the first that fits. */
export function guessMapping(kind: Kind, columns: readonly string[]): Record<string, string | null> {
  const fields = fieldsOf(kind)
  const mapping: Record<string, string | null> = Object.fromEntries(columns.map((column) => [column, null]))
  const free = new Set(fields)
  const assign = (column: string, field: string | undefined) => {
    if (field === undefined || mapping[column] !== null || !free.delete(field)) return
    mapping[column] = field
  }
  for (const column of columns)
    assign(
      column,
      fields.find((field) => normalise(field) === normalise(column)),
    )
  for (const column of columns)
    assign(
      column,
      fields.find((field) => free.has(field) && Object.hasOwn(OTHER_NAMES, `${normalise(column)}:${field}`)),
    )
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
  if (schema?.enum) return { value: schema.enum.find((one) => one?.toLowerCase() === text.toLowerCase()) ?? text }
  if (types.includes('boolean')) return readFlag(text)
  if (types.includes('number') || types.includes('integer')) return readNumber(text)
  if (types.includes('array')) return schema?.items?.type === 'string' ? readList(text) : readJson(text, '[')
  if (types.includes('object') || types.length === 0 || types[0] === undefined) return readJson(text, '{')
  return { value: field === 'createdAt' ? dateOf(text) : text }
}

function readFlag(text: string): CellResult {
  const word = text.toLowerCase()
  if (YES.includes(word)) return { value: true }
  return NO.includes(word) ? { value: false } : { problem: 'must be yes or no.' }
}

/** 1200, 1,200.50 and $12; a comma that could be a decimal point is refused rather than guessed. */
function readNumber(text: string): CellResult {
  const bare = text.length > LONGEST_NUMBER ? '' : text.replace(/^[$€£]\s*|\s*[$€£%]$/g, '')
  if (/^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(bare)) return { value: Number(bare.replaceAll(',', '')) }
  return /^-?\d+(\.\d+)?$/.test(bare) ? { value: Number(bare) } : { problem: 'must be a number such as 1200 or 4.5.' }
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
const dateOf = (text: string): string => (/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00.000Z` : text)

/** Writes a value as a cell that `readCell` can read. */
export function writeCell(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (value === null || value === undefined || typeof value === 'number' || value instanceof Date) return csvCell(value)
  if (Array.isArray(value) && value.every((one) => typeof one === 'string' && !/[;|,\n[{]/.test(one)))
    return csvCell(value.join('; '))
  return csvCell(typeof value === 'string' ? value : isEmpty(value) ? '' : JSON.stringify(value))
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0
