// Creates and replaces entries by slug, many in one statement.
import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Database } from '../../../kernel/context.ts'
import { onlyRow, rowsOf } from '../../../kernel/database/queries.ts'
import { firstVersion, hasHadVersions } from '../../audit/queries.ts'
import { REVISION } from '../../catalog/queries.ts'
import { type Ended, KINDS, type Kind } from '../../catalog/schema.ts'
import { tools } from '../../catalog/tables.ts'
import { columnsOf, type ListingRecord, RECORD_COLUMNS, readRecord, TABLES } from '../queries.ts'
import { jsonOfRow, type StoredJson, type StoredRow } from '../rules.ts'
import { bodies } from '../schema.ts'

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
  upsert<ChangedRow>(db, givenRows(kind, rows, at, PARTS[kind].changedRow), rows)

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
  const given = givenRows(kind, rows, at, RECORD_COLUMNS[kind])
  const [stored] = await (isLocked ? replaceRows<ListingRecord>(db, given) : upsert<ListingRecord>(db, given, rows))
  return stored && readRecord(kind, stored)
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
  returned: SQL
}

const givenRows = (kind: Kind, rows: readonly GivenRow[], at: Date, returned: SQL): GivenRows => ({
  kind,
  at,
  returned,
  json: `[${rows.map(({ json }) => json).join()}]`,
})

const hasField = (kind: Kind, name: string) => columnsOf(kind).some(([field]) => field === name)

/** SQL of the columns of a `ChangedRow`. */
const changeColumns = (kind: Kind): string =>
  [
    // `xmax` is 0 in an inserted row; in a replaced row it is the transaction that locked the old one.
    `stored.${hasField(kind, 'id') ? 'id' : 'slug'} as key, stored.slug, stored.xmax = 0 as "isNew"`,
    ...(hasField(kind, 'createdAt')
      ? ['stored.created_at as "createdAt"', 'stored.ended', `${REVISION} as revision`]
      : []),
    ...(hasField(kind, 'opens')
      ? ['stored.opens::double precision as opens', 'stored.search_words as "searchWords"']
      : []),
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
  const { table, columns, values } = PARTS[given.kind]
  return rowsOf<Row>(
    db,
    sql`
    insert into ${table} as stored (${columns}) select ${values}, 1 from ${givenTable(given)} left join ${table} old on false
    on conflict (slug) do nothing
    returning ${given.returned}`,
  )
}

async function replaceRows<Row>(db: Database, given: GivenRows): Promise<Row[]> {
  const { table, columns, values, newVersion, changes, differs } = PARTS[given.kind]
  return rowsOf<Row>(
    db,
    sql`
    insert into ${table} as stored (${columns})
    select ${values}, ${newVersion} from ${givenTable(given)} left join ${table} old on old.slug = given.slug
    on conflict (slug) do update set ${changes} where ${differs}
    returning ${given.returned}`,
  )
}

/** SQL that reads the JSON of the rows as a table whose columns are named like the fields, beside the time of the change. */
const givenTable = ({ kind, json, at }: GivenRows): SQL =>
  sql`json_to_recordset(${json}::json) as given (${PARTS[kind].types}) cross join (select ${at.toISOString()}::timestamptz as at) as change`

/** The parts of the statements that are the same for all rows of a kind. They are long, so they are made once. */
const PARTS = Object.fromEntries(KINDS.map((kind) => [kind, partsOf(kind)])) as Record<Kind, ReturnType<typeof partsOf>>

function partsOf(kind: Kind) {
  const table = TABLES[kind]
  // The version is the last column, because its value is not the same for new rows and for those that may replace others.
  const given = columnsOf(kind).filter(([field]) => field !== 'version')
  const values = given.map(([field]) => {
    if (field === 'editedFields') return EDITED_FIELDS
    if (field === 'updatedAt') return 'change.at'
    return COMPUTED[kind]?.[field] ?? `given."${field}"`
  })
  const types = columnsOf(kind).map(([field, column]) => `"${field}" ${column.getSQLType()}`)
  const replaced = given.map(([, { name }]) => name).filter((name) => name !== 'slug' && name !== 'id')
  const changes = replaced.map((name) => `${name} = excluded.${name}`)
  const compared = replaced.filter((name) => name !== 'updated_at')
  const comparedValues = (of: string) => compared.map(comparable(table, of)).join(', ')
  return {
    table,
    columns: sql.raw([...given.map(([, { name }]) => name), 'version'].join(', ')),
    values: sql.raw(values.join(', ')),
    // The first version is looked up only for new rows, because the version of a stored row is raised instead.
    newVersion: sql`case when old.slug is null then ${firstVersion(sql.raw(`'${kind}:' || given.slug`))} else 1 end`,
    types: sql.raw(types.join(', ')),
    changes: sql.raw([...changes, 'version = stored.version + 1'].join(', ')),
    differs: sql.raw(`(${comparedValues('stored')}) is distinct from (${comparedValues('excluded')})`),
    changedRow: sql.raw(changeColumns(kind)),
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
