// Reads and updates of picture_work (listings whose pictures are to be copied), and of the picture fields of listings.
import { and, desc, eq, gt, inArray, or, type SQL, sql } from 'drizzle-orm'
import { MEDIA_PATH } from '../../kernel/addresses/own-addresses.ts'
import type { Database } from '../../kernel/context.ts'
import { onlyRow, pickColumns, rowsOf } from '../../kernel/database/queries.ts'
import type { ListedKind } from '../catalog/schema.ts'
import { directories, tools } from '../catalog/tables.ts'
import { enrichments } from '../enrichment/tables.ts'
import { PER_HOST, type PictureWorkState, type WorkPart } from './rules.ts'
import { pictureWork } from './tables.ts'

const columnsOf = (kind: ListedKind) =>
  kind === 'tool'
    ? {
        ...pickColumns(tools, 'id', 'slug', 'icon', 'frame', 'screenshots', 'website'),
        mayAskSite: sql<boolean>`${mayAskSite(kind)}`,
      }
    : {
        ...pickColumns(directories, 'id', 'slug', 'icon', 'frame'),
        screenshots: sql<string[]>`'[]'::json`,
        website: directories.website,
        mayAskSite: sql<boolean>`${mayAskSite(kind)}`,
      }

export interface PicturedListing {
  id: string
  slug: string
  icon: string | null
  frame: string | null
  screenshots: string[]
  website: string
  mayAskSite: boolean
}

/** The table of the kind, typed as that of tools: callers use only columns that both tables have, or check the kind before. */
const tableOf = (kind: ListedKind) => (kind === 'tool' ? tools : directories) as typeof tools

/** Leaves out submitted tools that are being enriched: enrichment copies their pictures. */
const notBeingEnriched = (kind: ListedKind): SQL | undefined =>
  kind === 'tool'
    ? sql`not exists (select 1 from ${enrichments} where ${enrichments.toolId} = ${tools.id} and ${enrichments.state} = 'pending')`
    : undefined

/** Whether the website may be asked for pictures: not after the product has ended, nor if enrichment has read the website already. */
const mayAskSite = (kind: ListedKind): SQL =>
  kind === 'tool'
    ? sql`(${tools.ended} is null and not exists (select 1 from ${enrichments} where ${enrichments.toolId} = ${tools.id}))`
    : sql`(${directories.ended} is null)`

const isElsewhere = (column: SQL, ownPrefix: string): SQL =>
  sql`(${column} is not null and not starts_with(${column}, ${ownPrefix}))`

/**
 * Published listings that may have a picture on another host, or lack one that their website may have (`asksSites`), ordered by id: those
 * with the given ids, or a page after an id.
 */
export const listPictured = (
  db: Database,
  kind: ListedKind,
  { publicUrl, asksSites }: { publicUrl: string; asksSites: boolean },
  which: { ids: readonly string[] } | { after: string; limit: number },
): Promise<PicturedListing[]> => {
  const table = tableOf(kind)
  const ownPrefix = `${publicUrl}${MEDIA_PATH}/`
  const someElsewhere = [isElsewhere(sql`${table.icon}`, ownPrefix), isElsewhere(sql`${table.frame}`, ownPrefix)]
  if (kind === 'tool')
    someElsewhere.push(sql`json_typeof(${tools.screenshots}) = 'array' and ${tools.screenshots}::text <> '[]'`)
  if (asksSites)
    someElsewhere.push(
      sql`(${table.icon} is null or ${table.frame} is null) and ${table.website} <> '' and ${mayAskSite(kind)}`,
    )
  const among = 'ids' in which ? inArray(table.id, [...which.ids]) : gt(table.id, which.after)
  return db
    .select(columnsOf(kind))
    .from(table)
    .where(and(eq(table.published, true), among, or(...someElsewhere), notBeingEnriched(kind)))
    .orderBy(table.id)
    .limit('ids' in which ? which.ids.length : which.limit) as Promise<PicturedListing[]>
}

/** Listings, published or not, that may have a picture stored by this service, ordered by id. */
export const listCopied = (db: Database, kind: ListedKind, publicUrl: string, after: string, limit: number) => {
  const table = tableOf(kind)
  const ownPrefix = `${publicUrl}${MEDIA_PATH}/`
  const all = sql`concat_ws(' ', ${table.icon}, ${table.frame}${kind === 'tool' ? sql`, ${tools.screenshots}` : sql``})`
  return db
    .select(columnsOf(kind))
    .from(table)
    .where(and(gt(table.id, after), sql`strpos(${all}, ${ownPrefix}) > 0`))
    .orderBy(table.id)
    .limit(limit) as Promise<PicturedListing[]>
}

export const findPictured = async (
  db: Database,
  kind: ListedKind,
  id: string,
): Promise<PicturedListing | undefined> => {
  const table = tableOf(kind)
  const rows = await db
    .select(columnsOf(kind))
    .from(table)
    .where(and(eq(table.id, id), eq(table.published, true)))
  return rows[0] as PicturedListing | undefined
}

/** The row stays locked until the transaction ends. */
export const findPicturedForUpdate = async (db: Database, kind: ListedKind, id: string) => {
  const table = tableOf(kind)
  const rows = await db.select(columnsOf(kind)).from(table).where(eq(table.id, id)).for('update')
  return rows[0] as PicturedListing | undefined
}

/** Marks listings as waiting unless they were marked before with the same addresses. Returns how many were marked. */
export async function markWaiting(
  db: Database,
  kind: ListedKind,
  listings: readonly { id: string; host: string; hash: string }[],
): Promise<number> {
  if (listings.length === 0) return 0
  const column = (of: (one: (typeof listings)[number]) => string) => sql`${sql.param(listings.map(of))}::text[]`
  const marked = await rowsOf(
    db,
    sql`
    insert into ${pictureWork} (kind, listing_id, host, hash, state, attempts, due_at, parts, updated_at)
    select ${kind}::text, given.id, given.host, given.hash, 'waiting', 0, now(), '[]'::json, now()
    from unnest(${column(({ id }) => id)}, ${column(({ host }) => host)}, ${column(({ hash }) => hash)}) given(id, host, hash)
    order by given.id
    on conflict (kind, listing_id) do update set host = excluded.host, hash = excluded.hash, state = 'waiting', attempts = 0,
      due_at = excluded.due_at, updated_at = excluded.updated_at
      where ${pictureWork}.hash <> excluded.hash
    returning 1`,
  )
  return marked.length
}

/** Deletes the work on listings that no longer exist. */
export const deleteGone = (db: Database, kind: ListedKind) =>
  db.execute(
    sql`delete from ${pictureWork} w where kind = ${kind} and not exists (select 1 from ${tableOf(kind)} l where l.id = w.listing_id)`,
  )

/** A claim of a process that stopped ends after this time, and another process takes the listing. */
const PICTURE_LEASE_SECONDS = 60

export interface PictureClaim {
  kind: ListedKind
  listingId: string
  hash: string
  attempts: number
  /** What came of the last attempt. */
  parts: WorkPart[]
}

/** Claims the listing that has been due longest and whose host has fewer than PER_HOST claims. Counts the attempt. */
export const claimWork = async (db: Database): Promise<PictureClaim | undefined> =>
  (
    await rowsOf<PictureClaim>(
      db,
      sql`
      with busy as (select host from ${pictureWork} where leased_until > now() group by host having count(*) >= ${PER_HOST}),
      next as (
        select kind, listing_id from ${pictureWork}
        where state = 'waiting' and due_at <= now() and (leased_until is null or leased_until <= now())
          and host not in (select host from busy)
        order by due_at, listing_id limit 1 for update skip locked
      )
      update ${pictureWork} w set leased_until = now() + make_interval(secs => ${PICTURE_LEASE_SECONDS}), attempts = attempts + 1, updated_at = now()
      from next where w.kind = next.kind and w.listing_id = next.listing_id
      returning w.kind, w.listing_id as "listingId", w.hash, w.attempts, w.parts`,
    )
  )[0]

const isRowOf = ({ kind, listingId }: Pick<PictureClaim, 'kind' | 'listingId'>) =>
  and(eq(pictureWork.kind, kind), eq(pictureWork.listingId, listingId))

/** Stores the outcome of an attempt, unless the listing was marked again meanwhile. `hash`: that of the addresses it has now. */
export const updateAttempted = (
  db: Database,
  claim: PictureClaim,
  {
    state,
    afterSeconds,
    parts,
    hash,
  }: { state: PictureWorkState; afterSeconds: number; parts: WorkPart[]; hash: string },
) => {
  const unlessMarkedAgain = (value: SQL, otherwise: SQL) =>
    sql`case when hash = ${claim.hash} then ${value} else ${otherwise} end`
  return db
    .update(pictureWork)
    .set({
      state: sql`${unlessMarkedAgain(sql`${state}`, sql`state`)}`,
      dueAt: sql`${unlessMarkedAgain(sql`now() + make_interval(secs => ${afterSeconds})`, sql`due_at`)}`,
      parts: sql`${unlessMarkedAgain(sql`${JSON.stringify(parts)}::json`, sql`parts`)}`,
      hash: sql`${unlessMarkedAgain(sql`${hash}`, sql`hash`)}`,
      leasedUntil: null,
      updatedAt: sql`now()`,
    })
    .where(isRowOf(claim))
}

/** Gives a claim back; the attempt does not count. */
export const releasePictureClaim = (db: Database, claim: PictureClaim) =>
  db
    .update(pictureWork)
    .set({ leasedUntil: null, attempts: sql`greatest(${pictureWork.attempts} - 1, 0)` })
    .where(isRowOf(claim))

export const deleteWork = (db: Database, claim: Pick<PictureClaim, 'kind' | 'listingId'>) =>
  db.delete(pictureWork).where(isRowOf(claim))

/** In how many seconds the next listing can be worked on; null: none waits. */
export const findNextWait = async (db: Database): Promise<number | null> =>
  onlyRow(
    await rowsOf<{ seconds: number | null }>(
      db,
      sql`select extract(epoch from min(greatest(due_at, coalesce(leased_until, due_at))) - now())::double precision as seconds
          from ${pictureWork} where state = 'waiting'`,
    ),
  ).seconds

interface PictureCounts {
  waiting: number
  done: number
  failed: number
}

export const countWork = async (db: Database): Promise<PictureCounts> =>
  onlyRow(
    await rowsOf<PictureCounts>(
      db,
      sql`select count(*) filter (where state = 'waiting')::int as waiting, count(*) filter (where state = 'done')::int as done,
          count(*) filter (where state = 'failed')::int as failed from ${pictureWork}`,
    ),
  )

/** The listings of picture_work, last changed first. */
export const listWork = (db: Database, { state }: { state?: PictureWorkState }, limit: number, offset: number) => {
  const listing = {
    slug: sql<string>`coalesce(${tools.slug}, ${directories.slug})`,
    name: sql<string>`coalesce(${tools.name}, ${directories.name})`,
  }
  const joined = (kind: ListedKind, id: SQL) => and(eq(pictureWork.kind, kind), sql`${pictureWork.listingId} = ${id}`)
  return db
    .select({
      kind: pictureWork.kind,
      listingId: pictureWork.listingId,
      ...listing,
      ...pickColumns(pictureWork, 'state', 'attempts', 'parts', 'updatedAt'),
    })
    .from(pictureWork)
    .leftJoin(tools, joined('tool', sql`${tools.id}`))
    .leftJoin(directories, joined('directory', sql`${directories.id}`))
    .where(
      and(
        state === undefined ? undefined : eq(pictureWork.state, state),
        sql`coalesce(${tools.id}, ${directories.id}) is not null`,
      ),
    )
    .orderBy(desc(pictureWork.updatedAt), desc(pictureWork.listingId))
    .limit(limit)
    .offset(offset)
}

/** Makes all failed listings wait again and returns how many there were. */
export const updateFailedToWaiting = async (db: Database): Promise<number> =>
  (
    await rowsOf(
      db,
      sql`update ${pictureWork} set state = 'waiting', attempts = 0, due_at = now(), updated_at = now() where state = 'failed' returning 1`,
    )
  ).length
