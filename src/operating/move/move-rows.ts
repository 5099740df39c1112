// Moves the whole database from one place to another: all rows in one transaction, which is committed only after both sides were
// compared table by table.
import { onlyRow } from '../../kernel/database/queries.ts'
import { OperatingError } from '../../kernel/errors.ts'
import { MIGRATIONS, migrationState } from '../../platform/database/migrations.ts'
import type { RunSql, Store } from '../../platform/database/postgres.ts'
import { silentLog } from '../../platform/log.ts'
import { createQueue } from '../../platform/queue.ts'
import { inOrder, listReferences, listSequences, listTables, type MovedTable } from './table-list.ts'

export interface MovedRows {
  tables: ({ table: string } & TableSum)[]
  rows: number
  /** Background jobs that were waiting or running. */
  jobs: number
}

export interface MoveOptions {
  /** Continue although other clients are connected to the old database. */
  ignoreConnections: boolean
  onProgress(step: string): void
}

export async function moveRows(source: Store, target: Store, options: MoveOptions): Promise<MovedRows> {
  await checkSource(source, options)
  options.onProgress('Making the tables')
  // A service that starts on the target during the move waits, and then finds all rows or none.
  return target.alone(async () => {
    await prepareTarget(target)
    const moved = await source.session((from) => target.session((to) => moveInside(from, to, options)))
    // Without statistics, the first queries would be planned as if the tables were empty.
    await target.query('analyze').catch(() => {})
    return moved
  })
}

async function checkSource(source: Store, { ignoreConnections }: MoveOptions): Promise<void> {
  const state = await migrationState(source.query)
  if (state.unknown > 0)
    throw new OperatingError('The old database was made by a newer version. Move it with that version.')
  if (state.pending.length > 0)
    throw new OperatingError(
      'The old database is not up to date. Start the service once with this version, stop it, and move then.',
    )
  // `copy` exists only for the embedded database, which no other client can use.
  if (source.copy || ignoreConnections) return
  const { rows } = await source.query(
    `select coalesce(nullif(application_name, ''), 'without a name') as name, coalesce(host(client_addr), 'local') as address
     from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid() and usename is not null`,
  )
  if (rows.length > 0)
    throw new OperatingError(
      `${rows.length} other connections use the old database; what they write from now on would be lost. Stop the service everywhere, or add --ignore-connections when none of them writes.`,
    )
}

/** Makes the tables without rows, so that a move that is interrupted here leaves a database that counts as empty. */
async function prepareTarget(target: Store): Promise<void> {
  const [{ encoding, version, reading }] = (
    await target.query(
      `select current_setting('server_encoding') as encoding, current_setting('server_version_num')::int as version, pg_is_in_recovery() as reading`,
    )
  ).rows as [{ encoding: string; version: number; reading: boolean }]
  if (encoding !== 'UTF8') throw new OperatingError(`The new database has the encoding ${encoding}; it must be UTF8.`)
  if (version < 150_000) throw new OperatingError('The new database is older than PostgreSQL 15.')
  if (reading) throw new OperatingError('The new database is a standby that only reads. Name its primary.')
  await refuseRows(target.query)
  const state = await migrationState(target.query)
  if (state.unknown > 0) throw new OperatingError('The new database was made by a newer version of the service.')
  await target.migrate(MIGRATIONS)
  const queue = createQueue(target, [], silentLog)
  await queue.start()
  await queue.close()
}

/** Rows in any table count, because a database that another program uses must not be the target. */
async function refuseRows(query: RunSql): Promise<void> {
  const filled: string[] = []
  for (const { name, title } of await listTables(query))
    if ((await query(`select 1 from ${name} limit 1`)).rows.length > 0) filled.push(title)
  if (filled.length > 0)
    throw new OperatingError(
      `The new place is not empty: there are rows in ${filled.slice(0, 5).join(', ')}${filled.length > 5 ? ` and ${filled.length - 5} more tables` : ''}. Name an empty database, or a folder without one.`,
    )
}

async function moveInside(from: RunSql, to: RunSql, { onProgress }: MoveOptions): Promise<MovedRows> {
  for (const query of [from, to])
    await query(`${SAME_TEXT}; set statement_timeout = 0; set idle_in_transaction_session_timeout = 0`)
  await from('begin isolation level repeatable read, read only')
  await to('begin')
  const tables = await listTables(from)
  checkColumns(tables, await listTables(to))
  const { ordered, circular } = inOrder(tables, await listReferences(to))
  for (const { from: table, constraint } of circular)
    await to(`alter table ${table} alter constraint ${constraint} deferrable initially deferred`)
  for (const [i, table] of ordered.entries()) {
    const place = `table ${i + 1} of ${ordered.length}`
    onProgress(`Moving  ${table.title}, ${place}`)
    let done = 0
    await copyTable(from, to, table, (count) => {
      done += count
      onProgress(`Moving  ${table.title}: ${done} rows, ${place}`)
    })
  }
  await to('set constraints all immediate')
  for (const { from: table, constraint } of circular)
    await to(`alter table ${table} alter constraint ${constraint} not deferrable`)
  // Sequences continue at their old values, even if the rows with the highest numbers were deleted.
  for (const { name, last, used } of await listSequences(from))
    await to('select setval($1, $2, $3)', [name, last, used])
  const sums = await compareTables(from, to, tables, onProgress)
  const { rows } = await to(`select count(*)::int as n from jobs.job where state in ('created', 'retry', 'active')`)
  const waiting = onlyRow(rows as { n: number }[])
  await to('commit')
  await from('commit')
  return { tables: sums, rows: sums.reduce((sum, { rows }) => sum + rows, 0), jobs: waiting.n }
}

function checkColumns(sourceTables: readonly MovedTable[], targetTables: readonly MovedTable[]): void {
  const byTitle = (tables: readonly MovedTable[]) =>
    new Map(tables.map((table) => [table.title, JSON.stringify(table.columns)]))
  const target = byTitle(targetTables)
  for (const [title, columns] of byTitle(sourceTables))
    if (target.get(title) !== columns)
      throw new OperatingError(
        `The table ${title} ${target.has(title) ? 'has other columns at the new place' : 'does not exist at the new place: it is not one of the service'}. Nothing was moved.`,
      )
}

async function compareTables(
  from: RunSql,
  to: RunSql,
  tables: readonly MovedTable[],
  onProgress: (step: string) => void,
): Promise<({ table: string } & TableSum)[]> {
  const sums: ({ table: string } & TableSum)[] = []
  for (const table of tables) {
    onProgress(`Comparing  ${table.title}`)
    const [here, there] = await Promise.all([sumOf(from, table), sumOf(to, table)])
    if (here.rows !== there.rows || here.checksum !== there.checksum)
      throw new Error(
        `${table.title} differs after the move (${here.rows} and ${there.rows} rows, ${here.checksum} and ${there.checksum}). Nothing was kept.`,
      )
    sums.push({ table: table.title, ...there })
  }
  return sums
}

// A batch is large enough that round trips do not matter, and small enough to need little memory.
const BATCH_BYTES = 1024 * 1024
const MOST_ROWS = 2_000

/** Sets every session parameter that the text of a value depends on. */
const SAME_TEXT = `set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres';
  set extra_float_digits = 1; set bytea_output = 'hex'; set client_encoding = 'UTF8'`

/**
 * Copies one table in batches and calls `onRows` after each with its count. Every value is copied as text, which is the same on both sides
 * for every type.
 */
async function copyTable(
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

interface TableSum {
  rows: number
  /** Equal for the same rows in any order. */
  checksum: string
}

/** Lets the database compute the checksum, over all columns in the order of their names. */
async function sumOf(query: RunSql, { name, columns }: MovedTable): Promise<TableSum> {
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
