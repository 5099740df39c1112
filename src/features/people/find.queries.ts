// Finding a person in a whole table, one range of its blocks after the other: each statement takes a moment and locks only the rows that it
// changes, however large the table is. One statement for all of it would pass the time limit of a statement, and repeating it would too.
import { type SQL, sql } from 'drizzle-orm'
import * as ranges from '../../kernel/block-ranges.queries.ts'
import type { Database } from '../../kernel/context.ts'
import { countedRows } from '../../kernel/old-rows.queries.ts'
import { rowsOf } from '../../kernel/rows.ts'
import { casesOf, fasterPatternsOf, addressPattern } from './rules.ts'

export interface Person {
  email: string
  /** null: there is no account, or it is gone already. */
  userId: string | null
}

/** A person may be mentioned in any text. */
export const eachRangeOfRows = (db: Database, table: string, work: (range: SQL) => Promise<unknown>): Promise<void> =>
  ranges.eachRange(db, table, work, { readsLongValues: true })

export const column = (name: string): SQL => sql`${sql.identifier(name)}`
export const anyOf = (conditions: readonly SQL[]): SQL => sql`(${sql.join([...conditions], sql` or `)})`
export const isAddress = (text: SQL, { email }: Person): SQL =>
  anyOf(casesOf(email).map((one) => sql`lower(trim(${text})) = lower(${one}::text)`))
/**
 * The pattern does not match a longer address and takes long, so others are tried before it. Without `case` the database would choose the
 * order, and try the pattern first.
 */
export const mentions = (text: SQL, value: string): SQL => {
  const { some, sure } = fasterPatternsOf(value)
  const hasAny = (...parts: readonly string[]) =>
    anyOf(parts.map((part) => sql`position(${part} in ${text}::text) > 0`))
  return sql`case when not ${value.includes('@') ? hasAny('@', '%40') : sql`true`} then false
    when ${text}::text !~* ${some} then false
    when ${text}::text ~* ${sure} then true
    else ${text}::text ~* ${addressPattern([value])} end`
}

/** The conversations in which the person is the customer. A partner may write the address as in a mail: Ada <ada@example.com>. */
export const isCustomer = (person: Person): SQL =>
  anyOf([mentions(sql`(customer ->> 'email')`, person.email), isAddress(sql`external_id`, person)])

/** Performs a statement for each range, and adds up what it counted. */
export async function inRanges(db: Database, table: string, statement: (range: SQL) => SQL): Promise<number> {
  let count = 0
  await eachRangeOfRows(db, table, async (range) => {
    count += await countedRows(db, statement(range))
  })
  return count
}

/** The rows that a query finds in all ranges; after `most` rows it looks no further. */
export async function rowsInRanges<Row>(
  db: Database,
  table: string,
  query: (range: SQL) => SQL,
  most: number,
): Promise<Row[]> {
  const found: Row[] = []
  await eachRangeOfRows(db, table, async (range) => {
    found.push(...(await rowsOf<Row>(db, sql`${query(range)} limit ${most - found.length}`)))
    return found.length >= most ? ranges.ENOUGH : undefined
  })
  return found
}

/** Rows that are given to a reader: so many, and so long together, with their names. */
export interface Most {
  rows: number
  length: number
}

/** A row with its length as a text, and the length of all rows until it. */
export interface Measured extends Record<string, unknown> {
  _length: number
  _sum: number
}

/** The rows of a query in their order, and one more than fits if there is one. Its text is never longer than that, whatever is stored. */
export const measured = (query: SQL, { rows, length }: Most): SQL =>
  sql`select * from (
    select r.*, length(r::text) as _length, (sum(length(r::text)) over (rows unbounded preceding))::double precision as _sum
    from (${query} limit ${rows + 1}) r) s where _sum - _length < ${length}`

/** What fits of rows that were measured, and whether that is all. */
export function fitting<Row extends Measured>(found: readonly Row[], most: Most): { rows: Row[]; isAll: boolean } {
  let left = most.length
  const end = found.findIndex((row, at) => at >= most.rows || (left -= row._length) < 0)
  return end === -1 ? { rows: [...found], isAll: true } : { rows: found.slice(0, end), isAll: false }
}

/** The newest rows of all ranges that fit, and one more if there is one. A row has its time in `_at`. */
export async function newestInRanges<Row extends Measured & { _at: number }>(
  db: Database,
  table: string,
  query: (range: SQL) => SQL,
  most: Most,
): Promise<Row[]> {
  let found: Row[] = []
  await eachRangeOfRows(db, table, async (range) => {
    const more = await rowsOf<Row>(db, measured(sql`${query(range)} order by _at desc`, most))
    if (more.length === 0) return
    const all = [...found, ...more].sort((one, other) => other._at - one._at)
    found = all.slice(0, fitting(all, most).rows.length + 1)
  })
  return found
}
