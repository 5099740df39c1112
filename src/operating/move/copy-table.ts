// Copies one table from one database to another in batches. Every value is copied as text, which is the same on both sides for every type.
import { onlyRow } from '../../kernel/rows.ts'
import type { RunSql } from '../../platform/database/postgres.ts'
import type { MovedTable } from './table-list.ts'

// Large enough that round trips do not matter, small enough to need little memory.
const BATCH_BYTES = 1024 * 1024
const MOST_ROWS = 2_000

/** Sets every session parameter that the text of a value depends on. */
export const SAME_TEXT = `set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres';
  set extra_float_digits = 1; set bytea_output = 'hex'; set client_encoding = 'UTF8'`

export async function copyTable(
  from: RunSql,
  to: RunSql,
  { name, columns }: MovedTable,
  onRows: (count: number) => void,
): Promise<void> {
  const texts = columns.map((column, i) => `${column.name}::text as c${i}`)
  await from(`declare moved no scroll cursor for select ${texts.join(', ')} from ${name}`)
  // A cast from text uses the type's own input function, so JSON keeps every space and numbers keep every digit.
  const values = columns.map(({ type }, i) => `v.c${i}::${type}`)
  const insert = `insert into ${name} (${columns.map((column) => column.name).join(', ')}) overriding system value
    select ${values.join(', ')} from unnest(${columns.map((_, i) => `$${i + 1}::text[]`).join(', ')})
    as v(${columns.map((_, i) => `c${i}`).join(', ')})`
  for (let size = 50; ; ) {
    const rows = (await from(`fetch forward ${size} from moved`)).rows as Record<string, string | null>[]
    if (rows.length === 0) break
    const lists = columns.map((_, i) => rows.map((row) => row[`c${i}`] ?? null))
    await to(insert, lists)
    onRows(rows.length)
    const bytes = lists.flat().reduce((sum, text) => sum + (text?.length ?? 0), 0)
    size = Math.max(1, Math.min(MOST_ROWS, Math.ceil((rows.length * BATCH_BYTES) / Math.max(1, bytes))))
  }
  await from('close moved')
}

export interface TableSum {
  rows: number
  /** Equal for the same rows in any order. */
  checksum: string
}

/** Lets the database compute the checksum, over all columns in the order of their names. */
export async function sumOf(query: RunSql, { name, columns }: MovedTable): Promise<TableSum> {
  const row = `row(${columns.map((column) => `${column.name}::text`).join(', ')})::text`
  // Both halves of each row's hash are summed up. A lost, duplicated or changed row changes both sums.
  const half = (at: number) => `coalesce(sum(('x' || substr(h, ${at}, 15))::bit(60)::bigint), 0)::text`
  const { rows } = await query(
    `select count(*)::text as rows, ${half(1)} as a, ${half(16)} as b
       from (select encode(sha256(convert_to(${row}, 'UTF8')), 'hex') as h from ${name}) as hashes`,
  )
  const found = onlyRow(rows as { rows: string; a: string; b: string }[])
  return { rows: Number(found.rows), checksum: `${BigInt(found.a).toString(16)}-${BigInt(found.b).toString(16)}` }
}
