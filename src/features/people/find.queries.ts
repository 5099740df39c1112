// Finding a person in a whole table, one range of its blocks after the other: each statement takes a moment and locks only the rows that it
// changes, however large the table is. One statement for all of it would pass the time limit of a statement, and repeating it would too.
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { countedRows } from '../../kernel/old-rows.queries.ts'
import { onlyRow, rowsOf } from '../../kernel/rows.ts'
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

const FIRST_BLOCKS = 64
// Rows may be short or have megabytes beside the table, so the next range follows from the time of the last one. It grows only so far,
// because a range of short rows may be followed by one of long rows.
const MOST_BLOCKS = 512
const QUICK_MS = 100
const SLOW_MS = 300

const blocksOf = async (db: Database, table: string): Promise<number> =>
  onlyRow(
    await rowsOf<{ blocks: number }>(
      db,
      sql`select (pg_relation_size(${table}::regclass) / current_setting('block_size')::int)::int as blocks`,
    ),
  ).blocks

const ENOUGH = Symbol('enough')

/** Gives every range to `work`, until that answers `ENOUGH`. */
async function eachRange(db: Database, table: string, work: (range: SQL) => Promise<unknown>): Promise<void> {
  let from = 0
  let size = FIRST_BLOCKS
  // The second time for what was moved to the end meanwhile: a change of a row makes a new one.
  for (let round = 0; round < 2; round++)
    for (const blocks = await blocksOf(db, table); from < blocks; ) {
      const begun = performance.now()
      const range = sql`ctid >= ${`(${from},0)`}::tid and ctid < ${`(${from + size},0)`}::tid`
      if ((await work(range)) === ENOUGH) return
      from += size
      const ms = performance.now() - begun
      if (ms < QUICK_MS) size = Math.min(MOST_BLOCKS, size * 2)
      else if (ms > SLOW_MS) size = Math.max(1, Math.floor(size / 2))
    }
}

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
