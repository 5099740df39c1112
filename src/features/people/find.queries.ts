// Finds a person in a whole table, one range of blocks after the other. Each statement is quick and locks only the rows that it changes,
// however large the table is. A single statement for a large table would exceed the statement timeout at every attempt.
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import * as ranges from '../../kernel/database/block-ranges.queries.ts'
import { countedRows, rowsOf } from '../../kernel/database/queries.ts'
import { DIRECT_ORDERS } from '../partners/rules.ts'
import { addressPattern, casesOf, fasterPatternsOf } from './rules.ts'

export interface Person {
  email: string
  /** null: there is no account, or it is already deleted. */
  userId: string | null
}

/** `account`: only what belongs to the account of the person. `everywhere`: also other rows that contain the address. */
export type Scope = 'account' | 'everywhere'

/** Calls `work` with each range of the table. The ranges are small enough to read all texts, because any text may mention the person. */
export const eachRangeOfRows = (db: Database, table: string, work: (range: SQL) => Promise<unknown>): Promise<void> =>
  ranges.eachRange(db, table, work, { readsLongValues: true })

export const column = (name: string): SQL => sql`${sql.identifier(name)}`
export const anyOf = (conditions: readonly SQL[]): SQL => sql`(${sql.join([...conditions], sql` or `)})`

/** Whether the whole text is the address of the person. */
export const isAddress = (text: SQL, { email }: Person): SQL =>
  anyOf(casesOf(email).map((one) => sql`lower(trim(${text})) = lower(${one}::text)`))

/**
 * Whether the text contains the value, an e-mail address or a user id. `addressPattern` is exact but slow, so faster checks come first. The
 * order is fixed with `case`, because otherwise the database would try `addressPattern` first.
 */
export const mentions = (text: SQL, value: string): SQL => {
  const { mayMatch, surelyMatches } = fasterPatternsOf(value)
  const hasAny = (...parts: readonly string[]) =>
    anyOf(parts.map((part) => sql`position(${part} in ${text}::text) > 0`))
  return sql`case when not ${value.includes('@') ? hasAny('@', '%40') : sql`true`} then false
    when ${text}::text !~* ${mayMatch} then false
    when ${text}::text ~* ${surelyMatches} then true
    else ${text}::text ~* ${addressPattern([value])} end`
}

/** The entries of the audit log about what the account did. An earlier account may have had the same address. */
export const isOwnAction = ({ email, userId }: Person): SQL =>
  sql`(lower(actor) = ${email} and at >= (select created_at from users where id = ${userId}))`

/** The conversations about orders of the account. */
export const isAboutOrderOf = (userId: string | null): SQL =>
  sql`partner_id = ${DIRECT_ORDERS.id} and external_id = any(array(select 'order:' || id from orders where user_id = ${userId}))`

/** The conversations in which the person is the customer. A partner may write the address as in a mail: Ada <ada@example.com>. */
export const isCustomer = (person: Person): SQL =>
  anyOf([mentions(sql`(customer ->> 'email')`, person.email), isAddress(sql`external_id`, person)])

/** Runs a statement for each range. Returns the number of rows in all ranges. */
export async function inRanges(db: Database, table: string, statement: (range: SQL) => SQL): Promise<number> {
  let count = 0
  await eachRangeOfRows(db, table, async (range) => {
    count += await countedRows(db, statement(range))
  })
  return count
}

/** The rows that a query finds in all ranges, at most `most`. */
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

/** Limits of what is returned: the number of rows, and the length of all rows together. */
export interface Limits {
  rows: number
  length: number
}

/** A row with its length as text, and the length of all rows up to and including it. */
export interface Measured extends Record<string, unknown> {
  _length: number
  _sum: number
}

/** The rows of a query that fit, in their order, and one more if there is one. So the database returns at most one row too many. */
export const measured = (query: SQL, { rows, length }: Limits): SQL =>
  sql`select * from (
    select r.*, length(r::text) as _length, (sum(length(r::text)) over (rows unbounded preceding))::double precision as _sum
    from (${query} limit ${rows + 1}) r) s where _sum - _length < ${length}`

/** The measured rows that fit, and whether these are all. */
export function fitting<Row extends Measured>(found: readonly Row[], limits: Limits): { rows: Row[]; isAll: boolean } {
  const rows: Row[] = []
  let lengthLeft = limits.length
  for (const row of found) {
    lengthLeft -= row._length
    if (rows.length >= limits.rows || lengthLeft < 0) return { rows, isAll: false }
    rows.push(row)
  }
  return { rows, isAll: true }
}

/** The newest rows of all ranges that fit, and one more if there is one. `_at` is the time of a row. */
export async function newestInRanges<Row extends Measured & { _at: number }>(
  db: Database,
  table: string,
  query: (range: SQL) => SQL,
  limits: Limits,
): Promise<Row[]> {
  let found: Row[] = []
  await eachRangeOfRows(db, table, async (range) => {
    const inRange = await rowsOf<Row>(db, measured(sql`${query(range)} order by _at desc`, limits))
    if (inRange.length === 0) return
    const all = [...found, ...inRange].sort((one, other) => other._at - one._at)
    found = all.slice(0, fitting(all, limits).rows.length + 1)
  })
  return found
}
