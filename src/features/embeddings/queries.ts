import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { onlyRow, rowsOf } from '../../kernel/database/queries.ts'
import { LISTED_KINDS, type ListedKind } from '../catalog/schema.ts'
import { categories, directories, directoryCategories, tags, tools } from '../catalog/tables.ts'
import { directoryEmbeddings, toolEmbeddings } from './tables.ts'

const LISTINGS = { tool: tools, directory: directories }
const EMBEDDINGS = { tool: toolEmbeddings, directory: directoryEmbeddings }

// Small models take about 500 tokens, which is 1,500 to 2,000 characters of English.
const MAX_TEXT = 1_500

/** The names of the terms with these slugs, in their order. */
const namesOf = (terms: typeof tags | typeof directoryCategories, slugs: SQL): SQL =>
  sql`(select string_agg(term.name, ', ' order by given.place)
       from unnest(${slugs}) with ordinality given(slug, place) join ${terms} term on term.slug = given.slug)`

const TEXTS: Record<ListedKind, SQL> = {
  tool: sql`concat_ws(E'\n', l.name, nullif(l.tagline, ''),
    nullif(concat_ws(', ', (select c.name from ${categories} c where c.slug = l.category), ${namesOf(tags, sql`l.tags`)}), ''),
    nullif(l.description, ''))`,
  directory: sql`concat_ws(E'\n', l.name, nullif(l.small_description, ''),
    ${namesOf(directoryCategories, sql`l.categories`)}, nullif(l.full_description, ''))`,
}

/** The texts of published listings that a model is asked about. Only fields that every reader sees are part of them. */
const textsOf = (kind: ListedKind, ids: SQL): SQL =>
  sql`select l.id, left(${TEXTS[kind]}, ${MAX_TEXT}) as text from ${LISTINGS[kind]} l where l.published and l.id = any(${ids})`

const idList = (ids: readonly string[]): SQL => sql`${sql.param(ids)}::text[]`

/** Runs a statement whose rows have an id each, and returns the ids. */
const idsOf = async (db: Database, statement: SQL): Promise<string[]> =>
  (await rowsOf<{ id: string }>(db, statement)).map(({ id }) => id)

export const listPublishedIdsAfter = (db: Database, kind: ListedKind, after: string, limit: number) =>
  idsOf(db, sql`select id from ${LISTINGS[kind]} where published and id > ${after} order by id limit ${limit}`)

/**
 * Marks those of the listings that need a vector: they have none of this model, or it was made from another text, or its dimensions are not
 * `dimensions`. A listing that another transaction has locked is left out, because waiting for it could block that transaction; `locked`
 * says how many.
 */
export async function markDue(
  db: Database,
  kind: ListedKind,
  ids: readonly string[],
  { model, dimensions }: { model: string; dimensions?: number },
): Promise<{ marked: number; locked: number }> {
  const table = EMBEDDINGS[kind]
  const counts = await rowsOf<{ stale: number; marked: number }>(
    db,
    sql`
    with texts as (${textsOf(kind, idList(ids))}),
    stale as (
      select texts.id from texts left join ${table} e on e.listing_id = texts.id
      where (e.listing_id is null or e.model is distinct from ${model} or e.hash is distinct from md5(texts.text)
          or length(e.vector) <> ${dimensions ?? null}::int)
        and (e.due_at is null or e.due_at > now())
    ),
    unlocked as (
      select id from ${LISTINGS[kind]} where id in (select id from stale) order by id for key share skip locked
    ),
    marked as (
      insert into ${table} (listing_id, due_at) select id, now() from unlocked order by id
      on conflict (listing_id) do update set due_at = excluded.due_at, problem = null
      returning 1
    )
    select (select count(*) from stale)::int as stale, (select count(*) from marked)::int as marked`,
  )
  const { stale, marked } = onlyRow(counts)
  return { marked, locked: stale - marked }
}

/** Deletes the vectors of listings that are no longer published, among `ids` or among all, and returns the ids of these listings. */
export const deleteUnpublished = (db: Database, kind: ListedKind, ids?: readonly string[]): Promise<string[]> =>
  idsOf(
    db,
    sql`delete from ${EMBEDDINGS[kind]} e using ${LISTINGS[kind]} l
        where l.id = e.listing_id and not l.published ${ids ? sql`and e.listing_id = any(${idList(ids)})` : sql``}
        returning e.listing_id as id`,
  )

/** Those of the ids that belong to no published listing. */
export const listUnpublished = (db: Database, kind: ListedKind, ids: readonly string[]): Promise<string[]> =>
  idsOf(
    db,
    sql`select given.id from unnest(${idList(ids)}) given(id)
        where not exists (select 1 from ${LISTINGS[kind]} l where l.id = given.id and l.published)`,
  )

/** A listing whose vector is being made. `lease` tells whether it was marked again in the meantime. */
export interface VectorClaim {
  id: string
  lease: string
  text: string
  hash: string
}

// A process that ends during an attempt leaves its claims; after this time another process makes them.
export const VECTOR_LEASE_SECONDS = 90
// A text that was refused is tried again later, because the endpoint may have been changed.
const REFUSED_HOURS = 24

/** Claims the listings that have waited longest. */
export async function claimDue(db: Database, kind: ListedKind, limit: number): Promise<VectorClaim[]> {
  const table = EMBEDDINGS[kind]
  return rowsOf<VectorClaim>(
    db,
    sql`
    with claimed as (
      update ${table} set due_at = now() + make_interval(secs => ${VECTOR_LEASE_SECONDS})
      where listing_id in (
        select listing_id from ${table} e
        where due_at <= now() and exists (select 1 from ${LISTINGS[kind]} l where l.id = e.listing_id and l.published)
        order by due_at, listing_id limit ${limit} for update of e skip locked
      )
      returning listing_id, due_at::text as lease
    ),
    texts as (${textsOf(kind, sql`(select array_agg(listing_id) from claimed)::text[]`)})
    select texts.id, claimed.lease, texts.text, md5(texts.text) as hash
    from claimed join texts on texts.id = claimed.listing_id order by texts.id`,
  )
}

/** The new `due_at`; the row stays due when it was marked again after it was claimed. */
const dueAfter = (otherwise: SQL): SQL =>
  sql`case when e.due_at = given.lease::timestamptz then ${otherwise} else e.due_at end`

export interface MadeVector {
  claim: VectorClaim
  vector: Int8Array
}

/** Returns the ids of the listings that still exist. */
export function updateVectors(
  db: Database,
  kind: ListedKind,
  model: string,
  made: readonly MadeVector[],
): Promise<string[]> {
  const column = <T>(value: (one: MadeVector) => T) => sql.param(made.map(value))
  return idsOf(
    db,
    sql`
    update ${EMBEDDINGS[kind]} e set model = ${model}, hash = given.hash, vector = given.vector,
      dimensions = length(given.vector), made_at = now(), problem = null, due_at = ${dueAfter(sql`null`)}
    from unnest(${column(({ claim }) => claim.id)}::text[], ${column(({ claim }) => claim.hash)}::text[],
      ${column(({ claim }) => claim.lease)}::text[], ${column(({ vector }) => Buffer.from(vector.buffer))}::bytea[])
      given(id, hash, lease, vector)
    where e.listing_id = given.id returning e.listing_id as id`,
  )
}

/** Stores that the endpoint refused the text; removes the vector of an earlier text too. */
export const updateRefused = (
  db: Database,
  kind: ListedKind,
  model: string,
  { id, hash, lease }: VectorClaim,
  problem: string,
) =>
  db.execute(sql`
    update ${EMBEDDINGS[kind]} e set model = ${model}, hash = ${hash}, vector = null, dimensions = null,
      problem = ${problem}, due_at = ${dueAfter(sql`now() + make_interval(hours => ${REFUSED_HOURS})`)}
    from (select ${lease}::text as lease) given where e.listing_id = ${id}`)

/** Gives claims back: they are due again, after those that wait already. */
export const releaseVectorClaim = (db: Database, kind: ListedKind, claims: readonly VectorClaim[]) =>
  db.execute(sql`
    update ${EMBEDDINGS[kind]} e set due_at = now()
    from unnest(${idList(claims.map(({ id }) => id))}, ${idList(claims.map(({ lease }) => lease))}) given(id, lease)
    where e.listing_id = given.id and e.due_at = given.lease::timestamptz`)

/** How many listings wait for a vector, and how many the endpoint refused. */
export async function countListingsWithoutVector(db: Database): Promise<{ waiting: number; refused: number }> {
  const open = LISTED_KINDS.map(
    (kind) => sql`select problem is not null as refused from ${EMBEDDINGS[kind]} where due_at is not null`,
  )
  return onlyRow(
    await rowsOf<{ waiting: number; refused: number }>(
      db,
      sql`select (count(*) filter (where not refused))::int as waiting, (count(*) filter (where refused))::int as refused
          from (${sql.join(open, sql` union all `)}) open`,
    ),
  )
}

// More than one, so that a single row that was written by hand does not decide.
const NEWEST = 9

/** The dimensions that most of the newest vectors of the model have; undefined when there is none. */
export async function findDimensions(db: Database, model: string): Promise<number | undefined> {
  const newest = LISTED_KINDS.map(
    (kind) =>
      sql`(select length(vector) as length, made_at from ${EMBEDDINGS[kind]} where model = ${model} and vector is not null
           order by made_at desc limit ${NEWEST})`,
  )
  const rows = await rowsOf<{ length: number }>(
    db,
    sql`select length from (select * from (${sql.join(newest, sql` union all `)}) newest order by made_at desc limit ${NEWEST}) newest
        group by length order by count(*) desc, max(made_at) desc limit 1`,
  )
  return rows[0]?.length
}

export interface StoredVector {
  id: string
  vector: Buffer
}

const vectorsWhere = (db: Database, kind: ListedKind, model: string, condition: SQL, end = sql``) =>
  rowsOf<StoredVector>(
    db,
    sql`select listing_id as id, vector from ${EMBEDDINGS[kind]} where model = ${model} and vector is not null and ${condition} ${end}`,
  )

export const listVectorsAfter = (db: Database, kind: ListedKind, model: string, after: string, limit: number) =>
  vectorsWhere(db, kind, model, sql`listing_id > ${after}`, sql`order by listing_id limit ${limit}`)

export const listVectors = (db: Database, kind: ListedKind, model: string, ids: readonly string[]) =>
  vectorsWhere(db, kind, model, sql`listing_id = any(${idList(ids)})`)
