// Creates and replaces entries by slug, many in one statement.
import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Database } from '../../kernel/context.ts'
import { onlyRow, rowsOf } from '../../kernel/queries.ts'
import { firstVersion, hasHadVersions } from '../audit/queries.ts'
import { REVISION } from '../catalog/queries.ts'
import type { Ended, Kind } from '../catalog/schema.ts'
import { tools } from '../catalog/tables.ts'
import { type ListingRecord, TABLES } from './queries.ts'
import { jsonOfRow, type StoredJson, type StoredRow } from './rules.ts'
import { bodies } from './schema.ts'

// Times are stored in milliseconds, as they are sent and exported. `now()` and rows of older versions of the service have microseconds.
const inMilliseconds = (time: string): string => `date_trunc('milliseconds', ${time})`
// A stored time outside these years is broken and is replaced.
const CREATED_AT = `coalesce(given."createdAt", ${inMilliseconds(`case when old.created_at between '0001-01-01T00:00Z' and '9999-12-31T00:00Z' then old.created_at else now() end`)})`

// A finding at the old address says nothing about the new one.
const ENDED = 'case when old.website = given.website then old.ended end'

// Columns that do not simply get the given value. Some keep their old value when a listing is replaced without them.
const COMPUTED: Partial<Record<Kind, Record<string, string>>> = {
  tool: {
    opens: 'coalesce(given.opens, old.opens, 0)',
    searchWords: `coalesce(given."searchWords", old.search_words, '')`,
    createdAt: CREATED_AT,
    ended: ENDED,
    // Only submissions flag fields. A listing that an administrator writes counts as reviewed.
    flaggedFields: `coalesce(given."flaggedFields", '{}')`,
    hiddenReason: `case when given.published then null else coalesce(given."hiddenReason", case when old.published then 'taken-down' else old.hidden_reason end, 'draft') end`,
  },
  directory: { createdAt: CREATED_AT, ended: ENDED },
  // An operator who writes the tag without `submitted` confirms it.
  tag: { submittedBy: 'case when given.submitted then old.submitted_by end' },
}

const EDITED_FIELDS = editedFields()

/**
 * SQL of the column `edited_fields`. A submission gives an empty list when it makes a listing; from then on the column gets the names of the
 * fields that operators change with these statements. It stays null for a listing without a submission.
 */
function editedFields(): string {
  const columns = getTableColumns(tools) as Record<string, PgColumn>
  const changed = Object.keys(bodies.tool.properties).flatMap((field) => {
    const column = columns[field]
    if (!column || COMPUTED.tool?.[field]) return []
    const text = column.dataType === 'json' ? '::text' : ''
    return `case when old.${column.name}${text} is distinct from given."${field}"${text} then '${field}' end`
  })
  const all = `select distinct field from unnest(old.edited_fields || array[${changed.join(', ')}]) field where field is not null`
  return `case when old.slug is null then given."editedFields" when old.edited_fields is not null then array(${all} order by field) end`
}

/** A row that is new or changed. Only listings have `createdAt`, `ended` and `revision`, and only tools `opens` and `searchWords`. */
export interface ChangedRow {
  /** The id of a listing, the slug of a term. */
  key: string
  slug: string
  isNew: boolean
  createdAt?: string
  opens?: number
  searchWords?: string
  ended?: Ended | null
  revision?: number
}

/**
 * Creates or replaces many rows of one kind by slug. Returns the rows that are new or changed; `at` becomes the time of their last change.
 * A row whose values are the same stays untouched.
 */
export const upsertRows = (db: Database, kind: Kind, rows: readonly StoredRow[], at: Date): Promise<ChangedRow[]> =>
  upsertJson(
    db,
    kind,
    rows.map((row) => ({ slug: row.slug, json: jsonOfRow(row) })),
    at,
  )

/** As `upsertRows`, with rows that are already JSON. */
export const upsertJson = (db: Database, kind: Kind, rows: readonly GivenRow[], at: Date): Promise<ChangedRow[]> =>
  upsert<ChangedRow>(db, givenRows(kind, rows, at, changeColumns(kind)), rows)

/**
 * As `upsertRows` for one row, but returns it as `findRecord` does, a listing with its revision; undefined when its values are the same.
 * `isLocked`: the row exists, and this transaction has locked it.
 */
export async function upsertRecord(
  db: Database,
  kind: Kind,
  row: StoredRow,
  at: Date,
  isLocked: boolean,
): Promise<ListingRecord | undefined> {
  const rows = [{ slug: row.slug, json: jsonOfRow(row) }]
  const given = givenRows(kind, rows, at, recordColumns(kind))
  const [stored] = await (isLocked ? replaceRows<ListingRecord>(db, given) : upsert<ListingRecord>(db, given, rows))
  if (stored)
    for (const [field, column] of columnsOf(kind))
      if (stored[field] !== null) stored[field] = column.mapFromDriverValue(stored[field])
  return stored
}

async function upsert<Row>(db: Database, given: GivenRows, rows: readonly GivenRow[]): Promise<Row[]> {
  const slugs = rows.map(({ slug }) => slug)
  if (await lockExisting(db, given.kind, slugs)) return replaceRows(db, given)
  const inserted = await insertRows<Row>(db, given)
  // Another transaction may have just stored one of the slugs.
  return inserted.length === rows.length ? inserted : [...inserted, ...(await replaceRows<Row>(db, given))]
}

export interface GivenRow {
  slug: string
  json: StoredJson
}

interface GivenRows {
  kind: Kind
  json: string
  at: Date
  /** What the statement returns of each new or changed row. */
  returned: string
}

const givenRows = (kind: Kind, rows: readonly GivenRow[], at: Date, returned: string): GivenRows => ({
  kind,
  at,
  returned,
  json: `[${rows.map(({ json }) => json).join()}]`,
})

const columnsOf = (kind: Kind) => Object.entries(getTableColumns(TABLES[kind]) as Record<string, PgColumn>)
const hasField = (kind: Kind, name: string) => columnsOf(kind).some(([field]) => field === name)

const REVISION_COLUMN = `${REVISION} as revision`

/** SQL of the columns of a `ChangedRow`. */
const changeColumns = (kind: Kind): string =>
  [
    // `xmax` is 0 in an inserted row; in a replaced row it is the transaction that locked the old one.
    `stored.${hasField(kind, 'id') ? 'id' : 'slug'} as key, stored.slug, stored.xmax = 0 as "isNew"`,
    ...(hasField(kind, 'createdAt') ? ['stored.created_at as "createdAt"', 'stored.ended', REVISION_COLUMN] : []),
    ...(hasField(kind, 'opens')
      ? ['stored.opens::double precision as opens', 'stored.search_words as "searchWords"']
      : []),
  ].join(', ')

/** SQL of all columns, for `upsertRecord`. */
const recordColumns = (kind: Kind): string =>
  [
    ...columnsOf(kind).map(([field, { name }]) => `stored.${name} as "${field}"`),
    ...(hasField(kind, 'id') ? [REVISION_COLUMN] : []),
  ].join(', ')

/**
 * Locks the existing rows, so that a click-through counted meanwhile is not overwritten. Returns false when none of the rows exists or
 * existed before, because storing them is then much cheaper.
 */
async function lockExisting(db: Database, kind: Kind, slugs: readonly string[]): Promise<boolean> {
  const subjects = slugs.map((slug) => `${kind}:${slug}`)
  const rows = await rowsOf<{ known: boolean }>(
    db,
    sql`
    with locked as (select 1 from ${TABLES[kind]} where slug = any(${sql.param(slugs)}::text[]) for update)
    select (select count(*) from locked) > 0 or ${hasHadVersions(sql.param(subjects))} as known`,
  )
  return onlyRow(rows).known
}

async function insertRows<Row>(db: Database, given: GivenRows): Promise<Row[]> {
  const { table, columns, values } = insertParts(given, sql`1`)
  return rowsOf<Row>(
    db,
    sql`
    insert into ${table} as stored (${columns})
    select ${values} from ${givenTable(given)} left join ${table} old on false
    on conflict (slug) do nothing
    returning ${sql.raw(given.returned)}`,
  )
}

async function replaceRows<Row>(db: Database, given: GivenRows): Promise<Row[]> {
  // The first version is looked up only for new rows, because the version of a stored row is raised instead.
  const newVersion = sql`case when old.slug is null then ${firstVersion(sql.raw(`'${given.kind}:' || given.slug`))} else 1 end`
  const { table, columns, values } = insertParts(given, newVersion)
  const replaced = columnNames(table).filter((name) => name !== 'slug' && name !== 'id')
  const changes = replaced.map((name) => `${name} = ${name === 'version' ? 'stored.version + 1' : `excluded.${name}`}`)
  const compared = replaced.filter((name) => name !== 'updated_at' && name !== 'version')
  const comparedValues = (of: string) => compared.map(comparable(table, of)).join(', ')
  return rowsOf<Row>(
    db,
    sql`
    insert into ${table} as stored (${columns})
    select ${values} from ${givenTable(given)} left join ${table} old on old.slug = given.slug
    on conflict (slug) do update set ${sql.raw(changes.join(', '))}
      where (${sql.raw(comparedValues('stored'))}) is distinct from (${sql.raw(comparedValues('excluded'))})
    returning ${sql.raw(given.returned)}`,
  )
}

/** SQL that reads the JSON of the rows as a table whose columns are named like the fields. */
function givenTable({ kind, json }: GivenRows): SQL {
  const types = columnsOf(kind).map(([field, column]) => `"${field}" ${column.getSQLType()}`)
  return sql`json_to_recordset(${json}::json) as given (${sql.raw(types.join(', '))})`
}

/** The parts of the statement that inserts the rows; `newVersion` is the SQL of the version of a new row. */
function insertParts({ kind, at }: GivenRows, newVersion: SQL) {
  const table = TABLES[kind]
  const values = columnsOf(kind).map(([field]) => {
    if (field === 'version') return newVersion
    if (field === 'editedFields') return sql.raw(EDITED_FIELDS)
    if (field === 'updatedAt') return sql`${at.toISOString()}::timestamptz`
    return sql.raw(COMPUTED[kind]?.[field] ?? `given."${field}"`)
  })
  return {
    table,
    columns: sql.raw(columnNames(table).join(', ')),
    values: sql.join(values, sql`, `),
  }
}

/** PostgreSQL cannot compare json values, so their texts are compared, which the service always writes the same way. */
function comparable(table: PgTable, of: string): (name: string) => string {
  const types = new Map(Object.values(getTableColumns(table)).map(({ name, dataType }) => [name, dataType]))
  return (name) => {
    const column = `${of}.${name}`
    if (types.get(name) === 'json') return `${column}::text`
    return types.get(name) === 'date' ? inMilliseconds(column) : column
  }
}

const columnNames = (table: PgTable): string[] => Object.values(getTableColumns(table)).map((column) => column.name)
