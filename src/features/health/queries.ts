// What looks at websites have found (the table listing_health), and which look is due next.
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { parseUrl } from '../../kernel/addresses/web-address.ts'
import type { Database } from '../../kernel/context.ts'
import { announceDue, eitherWay, findMsTo, removeWhere, rowsOf } from '../../kernel/database/queries.ts'
import type { Ended, ListedKind } from '../catalog/schema.ts'
import { directories, tools } from '../catalog/tables.ts'
import { type HealthState, healthStateOf } from '../listings/schema.ts'
import { listingHealth } from '../listings/tables.ts'
import { linkHosts } from '../proof/tables.ts'
import { paceHost } from '../submissions/bench/link.rules.ts'
import type { KnownDirectory } from './looks/facts.rules.ts'
import { HEALTH_TOPIC, NO_MEMORY } from './rules.ts'

export type HealthRow = typeof listingHealth.$inferSelect

export interface ClaimedWebsite {
  listingId: string
  kind: ListedKind
  host: string
  claim: string
  /** The website that the listing has now; null when it is not published. */
  website: string | null
  /** null for a directory. */
  toolSlug: string | null
}

const TABLES = { tool: tools, directory: directories } satisfies Record<ListedKind, unknown>

const time = (at: Date) => sql`${at.toISOString()}::timestamptz`

// How many due websites of a kind are searched for one whose host is free.
const MAX_SEARCHED = 200

/**
 * Claims a website that is due and whose host is free, and reserves the host's turn: the one of the tools or of the directories that has
 * waited longest. Call it after `lockClaims`. Undefined when nothing is due or every host has to wait.
 */
export const claimNextDue = async (
  db: Database,
  { claim, now, until }: { claim: string; now: Date; until: Date },
): Promise<ClaimedWebsite | undefined> => {
  const [claimed] = await rowsOf<ClaimedWebsite>(
    db,
    sql`
    with next as materialized (
      select due.* from (values ('tool'), ('directory')) kinds (kind) cross join lateral (
        select l.listing_id, l.host from (
          select listing_id, host, next_at from ${listingHealth}
          where kind = kinds.kind and next_at <= ${time(now)} order by next_at limit ${MAX_SEARCHED}
        ) l
        left join ${linkHosts} h on h.host = l.host
        where h.next_at is null or h.next_at <= clock_timestamp() order by l.next_at limit 1
      ) due order by random() limit 1
    ), turn as (
      insert into ${linkHosts} (host, next_at) select host, clock_timestamp() + interval '1 second' from next
      on conflict (host) do update set next_at = excluded.next_at
    )
    update ${listingHealth} l set claim = ${claim}, next_at = ${time(until)} from next where l.listing_id = next.listing_id
    returning l.listing_id as "listingId", l.kind, l.host, l.claim, case l.kind
      when 'tool' then (select website from ${tools} where id = l.listing_id and published)
      else (select website from ${directories} where id = l.listing_id and published) end as website,
      (select slug from ${tools} where id = l.listing_id) as "toolSlug"`,
  )
  return claimed
}

const FIRST_DUE = sql`select min(first.next_at) from (values ('tool'), ('directory')) kinds (kind)
  cross join lateral (select next_at from ${listingHealth} where kind = kinds.kind order by next_at limit 1) first`
/** After how many milliseconds a website is due or a claim ends; null when there is none. */
export const findNextLook = (db: Database, now: Date): Promise<number | null> => findMsTo(db, FIRST_DUE, now)

const isClaimed = ({ listingId, claim }: ClaimedWebsite) =>
  and(eq(listingHealth.listingId, listingId), eq(listingHealth.claim, claim))

/** undefined when another look has taken over. The row stays locked until the transaction ends. */
export const findClaimedWebsiteForUpdate = async (
  db: Database,
  claimed: ClaimedWebsite,
): Promise<HealthRow | undefined> => (await db.select().from(listingHealth).where(isClaimed(claimed)).for('update'))[0]

/** Ends the claim without an outcome. */
export const releaseClaim = async (db: Database, claimed: ClaimedWebsite, nextAt: Date): Promise<void> => {
  await db.update(listingHealth).set({ nextAt, claim: null }).where(isClaimed(claimed))
  await announceDue(db, HEALTH_TOPIC)
}

/** Stores the outcome of a look and ends its claim. */
export const updateLooked = (
  db: Database,
  claimed: ClaimedWebsite,
  website: string,
  change: Partial<Omit<HealthRow, 'claim'>> & Pick<HealthRow, 'nextAt'>,
) =>
  db
    .update(listingHealth)
    .set({ ...change, website, host: paceHost(website), claim: null })
    .where(isClaimed(claimed))

/** Stores how the product has ended; null: it has not. Returns whether this changes the listing, so that readers must see it. */
export const updateEnded = async (
  db: Database,
  kind: ListedKind,
  id: string,
  ended: Ended | null,
): Promise<boolean> => {
  const table = TABLES[kind] as typeof tools
  const changed = await db
    .update(table)
    .set({ ended })
    .where(and(eq(table.id, id), sql`${table.ended} is distinct from ${ended}`))
    .returning({ id: table.id })
  return changed.length > 0
}

/**
 * Reads the next `limit` published listings after this id. Returns those whose website no look was planned for, and the last id that was
 * read. Both limits in the statement keep the database from comparing each listing with each row of the other table.
 */
export const listUnknownWebsites = async (
  db: Database,
  kind: ListedKind,
  after: string,
  limit: number,
): Promise<{ unknown: { id: string; website: string; isNew: boolean }[]; last: string | undefined }> => {
  const rows = await rowsOf<{ id: string; website: string; isNew: boolean; isUnknown: boolean }>(
    db,
    sql`
    with next as materialized (
      select id, website from ${TABLES[kind]} where published and id > ${after} order by id limit ${limit}
    ), seen as materialized (
      select next.*, h.listing_id is null as "isNew",
        next.website ~* '^https?://' and h.website is distinct from next.website and h.claim is null as "isUnknown"
      from next left join lateral (select * from ${listingHealth} where listing_id = next.id limit 1) h on true
    )
    select * from seen where "isUnknown" or id = (select max(id) from next) order by id`,
  )
  return { unknown: rows.filter(({ isUnknown }) => isUnknown), last: rows.at(-1)?.id }
}

/** Plans the first looks at these websites. What was found at an earlier website of the listing is deleted, except the successor. */
export const upsertWebsites = async (
  db: Database,
  kind: ListedKind,
  planned: readonly { id: string; website: string; nextAt: Date }[],
): Promise<void> => {
  const reset = { ...NO_MEMORY, checkedAt: null, status: null, finalUrl: null, decidedAt: null }
  const rows = planned.map(({ id, website, nextAt }) => ({
    ...{ listingId: id, kind, website, nextAt, host: parseUrl(website) ? paceHost(website) : '' },
    ...reset,
  }))
  await db
    .insert(listingHealth)
    .values(rows)
    .onConflictDoUpdate({
      target: listingHealth.listingId,
      set: { ...reset, website: sql`excluded.website`, host: sql`excluded.host`, nextAt: sql`excluded.next_at` },
    })
  await announceDue(db, HEALTH_TOPIC)
}

/** What the catalog says about entering products into a published directory. */
export const findKnownDirectory = async (db: Database, id: string): Promise<KnownDirectory | undefined> =>
  (
    await db
      .select({
        ...{ cost: directories.cost, minimumPrice: directories.minimumPrice, requiresBadge: directories.requiresBadge },
        ...{ automation: directories.automation, submissionLink: directories.submissionLink },
      })
      .from(directories)
      .where(and(eq(directories.id, id), directories.published))
  )[0]

/** Rows whose listing was deleted. */
export const removeOrphans = removeWhere(
  listingHealth,
  sql`not exists (select 1 from ${tools} where id = listing_id) and not exists (select 1 from ${directories} where id = listing_id)`,
)

export const findHealth = async (db: Database, listingId: string): Promise<HealthRow | undefined> =>
  (await db.select().from(listingHealth).where(eq(listingHealth.listingId, listingId)))[0]

/** The ids of those listings that the last look found alive. */
export const listAlive = async (db: Database, ids: readonly string[]): Promise<Set<string>> => {
  if (ids.length === 0) return new Set()
  const rows = await db
    .select({ id: listingHealth.listingId })
    .from(listingHealth)
    .where(and(inArray(listingHealth.listingId, [...ids]), eq(listingHealth.state, 'alive')))
  return new Set(rows.map(({ id }) => id))
}

export const findPublished = async (
  db: Database,
  kind: ListedKind,
  slug: string,
): Promise<{ id: string; website: string } | undefined> => {
  const table = TABLES[kind] as typeof tools
  const found = db.select({ id: table.id, website: table.website }).from(table)
  return (await found.where(and(eq(table.slug, slug), eq(table.published, true))))[0]
}

interface HealthFilter {
  kind?: ListedKind
  state?: HealthState
  /** Whether an operator still has to decide about the listing. */
  open?: boolean
  /** Only rows whose state was first found then or later. */
  since?: Date
}

/**
 * For a lateral join: the published listing with this id, a tool or a directory. The limit makes the database look it up for each row,
 * instead of comparing all listings with all rows.
 */
export const listedAs = (
  id: SQL,
): SQL => sql`(select id, slug, name, website, 'tool' as kind from ${tools} where id = ${id} and published
  union all select id, slug, name, website, 'directory' from ${directories} where id = ${id} and published limit 1)`

interface StoredHealthRow extends Omit<HealthRow, 'host' | 'claim' | 'showsBadge'> {
  slug: string
  name: string
  successor: { slug: string; name: string } | null
}

/** A condition on a row of `listing_health` with the alias h: an operator has not decided about its state yet. */
export const NEEDS_DECISION = sql.raw(
  `h.state in ('gone', 'parked', 'moved') and (h.decided_at is null or h.decided_at < h.since)`,
)

const rowsWhere = async (db: Database, condition: SQL, limit: number, offset: number): Promise<StoredHealthRow[]> => {
  const rows = await rowsOf<StoredHealthRow>(
    db,
    sql`
    select h.listing_id as "listingId", l.kind, l.slug, l.name, l.website, h.state, h.since, h.checked_at as "checkedAt", h.status,
      h.final_url as "finalUrl", h.decided_at as "decidedAt",
      case when s.id is not null then json_build_object('slug', s.slug, 'name', s.name) end as successor
    from ${listingHealth} h
    join lateral ${listedAs(sql`h.listing_id`)} l on true
    left join lateral ${listedAs(sql`h.successor_id`)} s on true
    where ${condition} order by h.since desc nulls last, h.listing_id desc limit ${limit} offset ${offset}`,
  )
  const date = (value: Date | null) => value && new Date(value)
  return rows.map((row) => ({
    ...row,
    state: healthStateOf(row.state),
    ...{ since: date(row.since), checkedAt: date(row.checkedAt), decidedAt: date(row.decidedAt) },
  }))
}

export const listHealthRows = (
  db: Database,
  { kind, state, open, since }: HealthFilter,
  limit: number,
  offset: number,
): Promise<StoredHealthRow[]> =>
  rowsWhere(
    db,
    and(
      sql`true`,
      kind && sql`h.kind = ${kind}`,
      state && sql`h.state = ${state}`,
      eitherWay(open, NEEDS_DECISION, sql`not coalesce(${NEEDS_DECISION}, false)`),
      since === undefined ? undefined : sql`h.since >= ${time(since)}`,
    ) ?? sql`true`,
    limit,
    offset,
  )

/** undefined when there is no such published listing, or a look at its website was never planned. */
export const findHealthRow = async (db: Database, kind: ListedKind, slug: string) =>
  (
    await rowsWhere(
      db,
      sql`h.kind = ${kind} and h.listing_id = (select id from ${TABLES[kind]} where slug = ${slug})`,
      1,
      0,
    )
  )[0]

export const updateHealthDecision = (
  db: Database,
  listingId: string,
  change: { decidedAt?: Date; successorId?: string | null },
) => db.update(listingHealth).set(change).where(eq(listingHealth.listingId, listingId))
