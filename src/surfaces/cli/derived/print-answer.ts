// Prints an answer by its schema, for a command that declares no columns or texts. Also prints every list.
import type { TSchema } from 'typebox'
import { columnFields } from '../../../kernel/schema.ts'
import { isObject } from '../../../kernel/values/objects.ts'
import { printTable, remark, say } from '../kit/output.ts'
import { dashed, type OptionField } from '../kit/schema-options.ts'
import { type Columns, shortTime } from '../kit/table.ts'
import type { Given } from './declared.ts'

type Row = Record<string, unknown>

/** Prints a list as a table, and an object as lines of `name: value` with its lists as tables below. */
export function printBySchema(schema: TSchema, data: unknown, given: Given): void {
  const { items, properties } = schema as OptionField
  if (Array.isArray(data))
    printRows<Row>(data, columnsOf(items, data), given, { empty: 'Nothing yet.', none: 'Nothing found.' })
  else if (isObject(data)) printObject(data, properties)
  else say(String(data))
}

function printObject(data: Row, fields: Record<string, OptionField> = {}): void {
  const isTable = (name: string) => fields[name]?.type === 'array' && fields[name].items?.properties !== undefined
  for (const [name, value] of Object.entries(data)) if (!isTable(name)) say(`${name}: ${textOf(value, fields[name])}`)
  for (const [name, value] of Object.entries(data)) {
    if (!isTable(name) || !Array.isArray(value) || value.length === 0) continue
    say(`\n${name}:`)
    printTable<Row>(value, columnsOf(fields[name]?.items, value))
  }
}

const columnsOf = (items: OptionField | undefined, rows: readonly Row[]): Columns<Row> =>
  Object.fromEntries(columnFields(items, rows).map(([name, field]) => [titleOf(name), columnOf(name, field)]))

const titleOf = (name: string): string => dashed(name).replaceAll('-', ' ').toUpperCase()

function columnOf(name: string, { type, format, enum: values }: OptionField): Columns<Row>[string] {
  if (format === 'date-time') return { time: name }
  // Identifiers and slugs are never shortened, because commands need them whole.
  const isText = [type].flat().includes('string') && values === undefined && !['id', 'slug'].includes(name)
  return isText ? { cut: name } : name
}

function textOf(value: unknown, field: OptionField | undefined): string {
  if (value === null || value === undefined || value === '') return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object') return JSON.stringify(value)
  return field?.format === 'date-time' ? shortTime(value) : String(value)
}

/** Prints a page of a list. Without rows it prints `none` if the operator gave filters, otherwise `empty`. */
export function printRows<Row>(
  rows: readonly Row[],
  columns: Columns<Row>,
  { operation, query }: Given,
  { empty, none }: { empty: string; none: string },
): void {
  const { limit: limitSchema = {} } = operation.parameters.properties as Record<string, OptionField>
  const { limit = limitSchema.default, page = 1, ...filters } = query
  const emptyText = Object.keys(filters).length > 0 ? none : empty
  if (rows.length === 0) say(Number(page) > 1 ? `Nothing on page ${page}.` : emptyText)
  else printTable(rows, columns)
  if (rows.length > 0 && rows.length === limit) remark(`\nThere may be more: --page ${Number(page) + 1}`)
}
