import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, not, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import {
  announceDue,
  findMsTo,
  onlyRow,
  pickColumns,
  type RemoveBatch,
  removeWhere,
  rowsOf,
} from '../../kernel/database/queries.ts'
import { directories, tools } from '../catalog/tables.ts'
import { partners } from '../partners/tables.ts'
import { LINKS_TOPIC, type LinkState, NOT_FOUND } from '../submissions/bench/link.rules.ts'
import { listingLinks, submissions } from '../submissions/tables.ts'
import type { CurrentProduct } from './links/drift.rules.ts'
import { linkChecks, linkHosts, robotsFiles } from './tables.ts'

export type ListingLinkRow = typeof listingLinks.$inferSelect

export interface ClaimedLink {
  submissionId: string
  directoryId: string
  partnerId: string
  toolId: string
  listingUrl: string
  host: string
  claim: string
  /** The keys of the website that was submitted and of the one that the listing has now. */
  productKeys: string[]
  product: CurrentProduct
}

/** Lets only one process claim at a time, because each claim must see the previous ones. Call it inside a transaction. */
export const lockClaims = (db: Database) => db.execute(sql`select pg_advisory_xact_lock(7203115)`)

const time = (at: Date) => sql`${at.toISOString()}::timestamptz`

/** Texts that a page may have taken from the description are at its beginning. */
const MAX_DESCRIPTION = 4_000

/** What a check needs of a claimed link. */
const CLAIMED_COLUMNS =
  sql.raw(`l.submission_id as "submissionId", l.directory_id as "directoryId", l.partner_id as "partnerId",
  s.tool_id as "toolId", l.listing_url as "listingUrl", l.host, l.claim, array[s.website_key, t.website_key] as "productKeys",
  json_build_object('name', t.name, 'tagline', t.tagline, 'description', left(t.description, ${MAX_DESCRIPTION}), 'pricing', t.pricing,
    'website', t.website, 'nameLimit', d.name_limit, 'taglineLimit', d.tagline_limit, 'directoryTagline', l.own_words) as product`)

const PACE = sql.raw("interval '1 second'")

interface LinkClaim {
  claim: string
  now: Date
  /** The claim ends then, so that the link of a process that stopped is due again. */
  until: Date
  maxPerPartner: number
}

// How many links of a partner are searched for one with a free host. If all of them wait for busy hosts, `oldestOfHosts` is used.
const MAX_SEARCHED = 200

const isFree = sql.raw('(h.next_at is null or h.next_at <= clock_timestamp())')

/** For each waiting partner the oldest due link whose host is free. */
const oldestOfPartners = (now: Date) => sql`
  select waiting.under_way, due.* from waiting cross join lateral (
    select l.submission_id, l.directory_id, l.host from (
      select submission_id, directory_id, host, next_at from ${listingLinks}
      where partner_id = waiting.id and next_at <= ${time(now)} order by next_at limit ${MAX_SEARCHED}
    ) l
    left join ${linkHosts} h on h.host = l.host
    where ${isFree} order by l.next_at limit 1
  ) due`

/** For each free host the oldest due link. The recursion steps through the hosts by the index, so the links of busy hosts cost nothing. */
const oldestOfHosts = (now: Date) => sql`
  select waiting.under_way, due.submission_id, due.directory_id, due.host from (
    with recursive hosts as (
      (select host from ${listingLinks} order by host limit 1)
      union all
      select (select l.host from ${listingLinks} l where l.host > hosts.host order by l.host limit 1) from hosts where hosts.host is not null
    )
    select hosts.host from hosts left join ${linkHosts} h on h.host = hosts.host where hosts.host is not null and ${isFree}
  ) free
  cross join lateral (
    select l.* from ${listingLinks} l
    where l.host = free.host and l.next_at <= ${time(now)} and l.partner_id in (select id from waiting) order by l.next_at limit 1
  ) due
  join waiting on waiting.id = due.partner_id`

/**
 * Claims the next link that is due and whose host is free, and reserves the host's turn. Partners take turns: first the partner with the
 * fewest checks running, among equals any. Returns undefined when nothing is due or every host has to wait.
 */
export const claimNextDueLink = async (db: Database, claim: LinkClaim): Promise<ClaimedLink | undefined> =>
  (await claimAmong(db, claim, oldestOfPartners(claim.now))) ?? (await claimAmong(db, claim, oldestOfHosts(claim.now)))

async function claimAmong(
  db: Database,
  { claim, now, until, maxPerPartner }: LinkClaim,
  candidates: SQL,
): Promise<ClaimedLink | undefined> {
  const [claimed] = await rowsOf<ClaimedLink>(
    db,
    sql`
    with waiting as materialized (
      select id, under_way from (
        select p.id, (select count(*) from ${listingLinks} r
          where r.partner_id = p.id and r.claim is not null and r.next_at > ${time(now)}) as under_way
        from ${partners} p
        where exists (select 1 from ${listingLinks} w where w.partner_id = p.id and w.next_at <= ${time(now)})
      ) counted where under_way < ${maxPerPartner}
    ), next as materialized (
      select submission_id, directory_id, host from (${candidates}) candidates order by under_way, random() limit 1
    ), turn as (
      insert into ${linkHosts} (host, next_at) select host, clock_timestamp() + ${PACE} from next
      on conflict (host) do update set next_at = excluded.next_at
    )
    update ${listingLinks} l set claim = ${claim}, next_at = ${time(until)}
    from next, ${submissions} s, ${tools} t, ${directories} d
    where l.submission_id = next.submission_id and l.directory_id = next.directory_id and s.id = l.submission_id and t.id = s.tool_id
      and d.id = l.directory_id
    returning ${CLAIMED_COLUMNS}`,
  )
  return claimed
}

// Partner by partner, because the index begins with the partner.
const FIRST_DUE = sql`select min(first.next_at) from ${partners} p
  cross join lateral (select next_at from ${listingLinks} where partner_id = p.id order by next_at limit 1) first`
/** After how many milliseconds a link is due or a claim ends; null when there is no link. */
export const findNextCheck = (db: Database, now: Date): Promise<number | null> => findMsTo(db, FIRST_DUE, now)

/** Claims this link, due or not, unless a check of it is running. */
export const claimGivenLink = async (
  db: Database,
  submissionId: string,
  directoryId: string,
  { claim, now, until }: Omit<LinkClaim, 'maxPerPartner'>,
): Promise<ClaimedLink | undefined> => {
  const [claimed] = await rowsOf<ClaimedLink>(
    db,
    sql`
    update ${listingLinks} l set claim = ${claim}, next_at = ${time(until)}
    from ${submissions} s, ${tools} t, ${directories} d
    where l.submission_id = ${submissionId} and l.directory_id = ${directoryId} and s.id = l.submission_id and t.id = s.tool_id
      and d.id = l.directory_id
      and (l.claim is null or l.next_at <= ${time(now)})
    returning ${CLAIMED_COLUMNS}`,
  )
  return claimed
}

const isClaimed = ({ submissionId, directoryId, claim }: Pick<ClaimedLink, 'submissionId' | 'directoryId' | 'claim'>) =>
  and(
    eq(listingLinks.submissionId, submissionId),
    eq(listingLinks.directoryId, directoryId),
    eq(listingLinks.claim, claim),
  )

/** undefined when another check has taken over or another address was recorded. The row stays locked until the transaction ends. */
export const findClaimedForUpdate = async (db: Database, claimed: ClaimedLink): Promise<ListingLinkRow | undefined> =>
  (await db.select().from(listingLinks).where(isClaimed(claimed)).for('update'))[0]

/** Stores the outcome of a check and ends its claim. */
export const updateLink = async (
  db: Database,
  claimed: ClaimedLink,
  change: Partial<Omit<ListingLinkRow, 'claim'>> & Pick<ListingLinkRow, 'nextAt'>,
) => {
  await db
    .update(listingLinks)
    .set({ ...change, claim: null })
    .where(isClaimed(claimed))
  await announceDue(db, LINKS_TOPIC)
}

/** Makes these links due. */
export const updateDue = async (db: Database, submissionId: string, directoryIds: readonly string[], at: Date) => {
  await db
    .update(listingLinks)
    .set({ nextAt: at })
    .where(
      and(
        eq(listingLinks.submissionId, submissionId),
        inArray(listingLinks.directoryId, [...directoryIds]),
        sql`${listingLinks.claim} is null`,
      ),
    )
  await announceDue(db, LINKS_TOPIC)
}

/** The directories of the links of a submission, those checked longest ago first. */
export const listLinkIds = async (db: Database, submissionId: string): Promise<string[]> =>
  (
    await db
      .select({ id: listingLinks.directoryId })
      .from(listingLinks)
      .where(eq(listingLinks.submissionId, submissionId))
      .orderBy(sql`${listingLinks.checkedAt} nulls first`, asc(listingLinks.directoryId))
  ).map(({ id }) => id)

/** Reserves the next free second of the host, by the clock of the database, unless it is more than `latestMs` away. */
export const reserveTurn = async (
  db: Database,
  host: string,
  latestMs: number,
): Promise<{ waitMs: number; taken: boolean }> => {
  const rows = await rowsOf<{ wait: number }>(
    db,
    sql`
    insert into ${linkHosts} (host, next_at) values (${host}, clock_timestamp() + ${PACE})
    on conflict (host) do update set next_at = greatest(link_hosts.next_at, clock_timestamp()) + ${PACE}
    where link_hosts.next_at <= clock_timestamp() + make_interval(secs => ${latestMs / 1000}::float8)
    returning (extract(epoch from link_hosts.next_at - ${PACE} - clock_timestamp()) * 1000)::float8 as wait`,
  )
  const [reserved] = rows
  if (reserved) return { waitMs: Math.max(0, Number(reserved.wait)), taken: true }
  return { waitMs: latestMs, taken: false }
}

/** The host is not asked before this time has passed. */
export const postponeHost = (db: Database, host: string, waitMs: number) => {
  const until = sql`clock_timestamp() + make_interval(secs => ${waitMs / 1000}::float8)`
  return db.execute(sql`
    insert into ${linkHosts} (host, next_at) values (${host}, ${until})
    on conflict (host) do update set next_at = greatest(link_hosts.next_at, excluded.next_at)`)
}

/** A host without a row may be asked at once, so rows of the past are not needed. */
export const removeOldHosts = removeWhere(linkHosts, sql`${linkHosts.nextAt} < clock_timestamp() - interval '1 hour'`)

export const findRobots = async (db: Database, origin: string, since: Date): Promise<string | undefined> =>
  (
    await db
      .select({ rules: robotsFiles.rules })
      .from(robotsFiles)
      .where(and(eq(robotsFiles.origin, origin), sql`${robotsFiles.fetchedAt} > ${time(since)}`))
  )[0]?.rules

export const upsertRobots = (db: Database, file: typeof robotsFiles.$inferSelect) =>
  db.insert(robotsFiles).values(file).onConflictDoUpdate({ target: robotsFiles.origin, set: file })

export const removeOldRobots = (before: Date) => removeWhere(robotsFiles, lt(robotsFiles.fetchedAt, before))

export const insertCheck = (db: Database, check: typeof linkChecks.$inferInsert) => db.insert(linkChecks).values(check)

export const findDirectorySlug = async (db: Database, id: string): Promise<string> =>
  onlyRow(await db.select({ slug: directories.slug }).from(directories).where(eq(directories.id, id))).slug

const checkColumns = {
  directory: directories.slug,
  ...pickColumns(linkChecks, 'listingUrl', 'state', 'checkedAt', 'status', 'finalUrl', 'rel', 'anchorText', 'noindex'),
}

/** The checks of a submission, newest first. */
export const listChecks = (db: Database, submissionId: string, limit: number, offset: number) =>
  db
    .select(checkColumns)
    .from(linkChecks)
    .innerJoin(directories, eq(directories.id, linkChecks.directoryId))
    .where(eq(linkChecks.submissionId, submissionId))
    .orderBy(desc(linkChecks.checkedAt), desc(linkChecks.id))
    .limit(limit)
    .offset(offset)

/**
 * Decides about checks that are older than `before`, the oldest first: a check is deleted when the previous one found the same state and a
 * later one was made in the same quarter; the others are kept forever. Returns how many were decided on.
 */
export const removeOldChecks =
  (before: Date): RemoveBatch =>
  async (db, limit) => {
    const decided = await rowsOf<{ id: string }>(
      db,
      sql`
    with old as (
      select id, submission_id, directory_id, checked_at, state from ${linkChecks}
      where not kept and checked_at < ${time(before)} order by checked_at limit ${limit}
    ), decided as (
      select old.id,
        (select c.state from ${linkChecks} c where c.submission_id = old.submission_id and c.directory_id = old.directory_id
          and (c.checked_at, c.id) < (old.checked_at, old.id) order by c.checked_at desc, c.id desc limit 1) = old.state
        and exists (select 1 from ${linkChecks} c where c.submission_id = old.submission_id and c.directory_id = old.directory_id
          and (c.checked_at, c.id) > (old.checked_at, old.id)
          and c.checked_at < date_trunc('quarter', old.checked_at at time zone 'UTC') at time zone 'UTC' + interval '3 months') as is_repeated
      from old
    ), deleted as (
      delete from ${linkChecks} using decided where link_checks.id = decided.id and decided.is_repeated
    ), marked as (
      update ${linkChecks} set kept = true from decided where link_checks.id = decided.id and decided.is_repeated is not true
    )
    select id from decided`,
    )
    return decided.length
  }

/** Links that an administrator has to look at; those that were never found may have a wrong address. */
const NEEDS_FOLLOW_UP = or(
  isNotNull(listingLinks.lostAt),
  eq(listingLinks.state, 'blocked'),
  and(isNull(listingLinks.firstLiveAt), inArray(listingLinks.state, [...NOT_FOUND])),
)

export interface LinkKey {
  submissionId: string
  directoryId: string
}

interface LinkFilter {
  state?: LinkState
  lost?: boolean
  followUp?: boolean
  drift?: boolean
  submission?: string
  client?: string
}

/** The product of a link as it is now, without its description. */
const productColumns = {
  ...{ name: tools.name, tagline: tools.tagline, description: sql<string>`''`, pricing: tools.pricing },
  ...{ website: tools.website, nameLimit: directories.nameLimit, taglineLimit: directories.taglineLimit },
  directoryTagline: listingLinks.directoryTagline,
}

/** A check that is stored now has read the product a few minutes ago at the earliest. */
const checkBegan = sql`${listingLinks.checkedAt} - interval '10 minutes'`

/** Links with drift whose tool or directory was changed since the last check began, by their keys, after the given one. */
export const listDriftBeforeChange = (db: Database, after: LinkKey, limit: number) =>
  db
    .select({ ...pickColumns(listingLinks, 'submissionId', 'directoryId', 'drift'), product: productColumns })
    .from(listingLinks)
    .innerJoin(submissions, eq(submissions.id, listingLinks.submissionId))
    .innerJoin(tools, eq(tools.id, submissions.toolId))
    .innerJoin(directories, eq(directories.id, listingLinks.directoryId))
    .where(
      and(
        isNotNull(listingLinks.drift),
        or(gt(tools.updatedAt, checkBegan), gt(directories.updatedAt, checkBegan)),
        sql`(${listingLinks.submissionId}, ${listingLinks.directoryId}) > (${after.submissionId}, ${after.directoryId})`,
      ),
    )
    .orderBy(asc(listingLinks.submissionId), asc(listingLinks.directoryId))
    .limit(limit)

const isOneOfLinks = (keys: readonly LinkKey[]): SQL => {
  const column = (name: keyof LinkKey) => sql`${sql.param(keys.map((key) => key[name]))}::text[]`
  return sql`(${listingLinks.submissionId}, ${listingLinks.directoryId}) in (select * from unnest(${column('submissionId')}, ${column('directoryId')}))`
}

/** `ended`: the links whose drift holds no longer. */
const driftCondition = (drift: boolean, ended: readonly LinkKey[]): SQL | undefined =>
  drift
    ? and(isNotNull(listingLinks.drift), not(isOneOfLinks(ended)))
    : or(isNull(listingLinks.drift), isOneOfLinks(ended))

/** `endedDrift`: the links whose drift holds no longer; needed only with the filter by drift. */
export const listLinks = (
  db: Database,
  { state, lost, followUp, drift, submission, client }: LinkFilter,
  endedDrift: readonly LinkKey[],
  limit: number,
  offset: number,
) => {
  const lostCondition = lost ? isNotNull(listingLinks.lostAt) : isNull(listingLinks.lostAt)
  return db
    .select({
      submissionId: listingLinks.submissionId,
      tool: { id: tools.id, name: tools.name, slug: tools.slug, website: tools.website },
      client: { id: partners.id, name: partners.name },
      directory: directories.slug,
      directoryName: directories.name,
      listingUrl: listingLinks.listingUrl,
      link: { state: listingLinks.state, checkedAt: listingLinks.checkedAt, firstLiveAt: listingLinks.firstLiveAt },
      ...pickColumns(listingLinks, 'lostAt', 'nextAt', 'drift'),
      product: productColumns,
    })
    .from(listingLinks)
    .innerJoin(submissions, eq(submissions.id, listingLinks.submissionId))
    .innerJoin(tools, eq(tools.id, submissions.toolId))
    .innerJoin(partners, eq(partners.id, listingLinks.partnerId))
    .innerJoin(directories, eq(directories.id, listingLinks.directoryId))
    .where(
      and(
        followUp ? NEEDS_FOLLOW_UP : undefined,
        state === undefined ? undefined : eq(listingLinks.state, state),
        lost === undefined ? undefined : lostCondition,
        drift === undefined ? undefined : driftCondition(drift, endedDrift),
        submission === undefined ? undefined : eq(listingLinks.submissionId, submission),
        client === undefined ? undefined : eq(listingLinks.partnerId, client),
      ),
    )
    .orderBy(desc(listingLinks.checkedAt), desc(listingLinks.submissionId), desc(listingLinks.directoryId))
    .limit(limit)
    .offset(offset)
}

/** The submission whose report has this token, with its tool. */
export const findReport = async (db: Database, token: string) =>
  (
    await db
      .select({
        submission: { id: submissions.id, state: submissions.state, paymentType: submissions.paymentType },
        tool: { id: tools.id, name: tools.name, slug: tools.slug, website: tools.website },
        logo: tools.icon,
      })
      .from(submissions)
      .innerJoin(tools, eq(tools.id, submissions.toolId))
      .where(eq(submissions.reportToken, token))
  )[0]

/** Stores another token, so that the old address of the report stops working. */
export const updateReportToken = (db: Database, id: string, reportToken: string) =>
  db.update(submissions).set({ reportToken }).where(eq(submissions.id, id))
