// Finding a person in a whole table, one range of its blocks after the other: each statement takes a moment and locks only the rows that it
// changes, however large the table is. One statement for all of it would pass the time limit of a statement, and repeating it would too.
import { type SQL, sql } from 'drizzle-orm'
import { ENOUGH, eachRange } from '../../kernel/block-ranges.queries.ts'
import type { Database } from '../../kernel/context.ts'
import { countedRows } from '../../kernel/old-rows.queries.ts'
import { rowsOf } from '../../kernel/rows.ts'
import { patternOf } from './rules.ts'

export interface Person {
  email: string
  /** null: there is no account, or it is gone already. */
  userId: string | null
}

export const column = (name: string): SQL => sql`${sql.identifier(name)}`
export const anyOf = (conditions: readonly SQL[]): SQL => sql`(${sql.join([...conditions], sql` or `)})`
export const isAddress = (text: SQL, { email }: Person): SQL => sql`lower(trim(${text})) = ${email}`
/** The position is found faster than the pattern, which does not match a longer address. */
export const mentions = (text: SQL, value: string): SQL =>
  sql`(position(${value}::text in lower(${text}::text)) > 0 and ${text}::text ~* ${patternOf([value])})`
/** Both spellings, because a saved filter holds the address as in a URL. */
export const mentionsAddress = (text: SQL, { email }: Person): SQL =>
  anyOf([...new Set([email, encodeURIComponent(email).toLowerCase()])].map((value) => mentions(text, value)))

/** The conversations in which the person is the customer. */
export const isCustomer = (person: Person): SQL =>
  anyOf([isAddress(sql`customer ->> 'email'`, person), isAddress(sql`external_id`, person)])

/** Performs a statement for each range, and adds up what it counted. */
export async function inRanges(db: Database, table: string, statement: (range: SQL) => SQL): Promise<number> {
  let count = 0
  await eachRange(db, table, async (range) => {
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
  await eachRange(db, table, async (range) => {
    found.push(...(await rowsOf<Row>(db, sql`${query(range)} limit ${most - found.length}`)))
    return found.length >= most ? ENOUGH : undefined
  })
  return found
}

/** The same, of which only the `most` newest are kept. A row has its time in `_at`. */
export async function newestInRanges<Row extends { _at: number }>(
  db: Database,
  table: string,
  query: (range: SQL) => SQL,
  most: number,
): Promise<Row[]> {
  let found: Row[] = []
  await eachRange(db, table, async (range) => {
    const more = await rowsOf<Row>(db, sql`${query(range)} order by _at desc limit ${most}`)
    if (more.length > 0) found = [...found, ...more].sort((one, other) => other._at - one._at).slice(0, most)
  })
  return found
}
