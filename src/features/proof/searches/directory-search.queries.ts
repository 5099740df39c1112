// The searches of directories that are asked whether a product is listed there already.
import { and, eq, inArray, sql } from 'drizzle-orm'
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import type { Database } from '../../../kernel/context.ts'
import { rowsOf } from '../../../kernel/database/queries.ts'
import { directories } from '../../catalog/tables.ts'
import { paceHost } from '../../submissions/bench/link.rules.ts'
import { directorySearches, linkHosts } from '../tables.ts'

export interface ClaimedSearch {
  submissionId: string
  directoryId: string
  partnerId: string
  searchLink: string
  name: string
  /** The keys of the website that was submitted and of the one that the listing has now. */
  productKeys: string[]
}

/** The ids of directories whose search has a host that is busy for the next 10 seconds: a request waits no longer for its turn. */
export const listBusyDirectories = async (db: Database): Promise<string[]> => {
  const searched = await db
    .select({ id: directories.id, searchLink: directories.searchLink })
    .from(directories)
    .where(and(directories.published, sql`${directories.searchLink} <> ''`))
  const hostOf = (link: string | null) => (link && parseUrl(link) ? paceHost(link) : '')
  const hosts = [...new Set(searched.map(({ searchLink }) => hostOf(searchLink)))]
  const busy = await db
    .select({ host: linkHosts.host })
    .from(linkHosts)
    .where(and(inArray(linkHosts.host, hosts), sql`${linkHosts.nextAt} > clock_timestamp() + interval '10 seconds'`))
  const busyHosts = new Set(busy.map(({ host }) => host))
  return searched.filter(({ searchLink }) => busyHosts.has(hostOf(searchLink))).map(({ id }) => id)
}

/**
 * Claims one search of a submission whose work has not begun, that was never asked, whose directory is not on record and not `busy`; the
 * oldest submission comes first. A claim is never given twice, so that a directory is asked once even if a process ends.
 */
export const claimSearch = async (db: Database, busy: string[], now: Date): Promise<ClaimedSearch | undefined> => {
  const [claimed] = await rowsOf<ClaimedSearch>(
    db,
    sql`
    with next as (
      select s.id, d.id as directory_id, s.partner_id, d.search_link, t.name, array[s.website_key, t.website_key] as keys
      from submissions s
      join tools t on t.id = s.tool_id
      join directories d on d.published and d.search_link <> '' and d.id <> all(${sql.param(busy)}::text[])
      where s.state in ('IN_QUEUE', 'ASSIGNED')
        and not exists (select 1 from ${directorySearches} q where q.submission_id = s.id and q.directory_id = d.id)
        and not exists (select 1 from submission_rows r where r.submission_id = s.id and r.directory_id = d.id)
      order by s.created_at, s.id, d.id limit 1
    ), claimed as (
      insert into ${directorySearches} (submission_id, directory_id, state, asked_at)
      select id, directory_id, 'asking', ${now.toISOString()}::timestamptz from next
      on conflict do nothing returning submission_id
    )
    select id as "submissionId", directory_id as "directoryId", partner_id as "partnerId", search_link as "searchLink", name, keys as "productKeys"
    from next where exists (select 1 from claimed)`,
  )
  return claimed
}

const isClaimed = ({ submissionId, directoryId }: ClaimedSearch) =>
  and(eq(directorySearches.submissionId, submissionId), eq(directorySearches.directoryId, directoryId))

export const updateSearch = (
  db: Database,
  claimed: ClaimedSearch,
  found: Pick<typeof directorySearches.$inferSelect, 'state' | 'listingUrl'>,
) => db.update(directorySearches).set(found).where(isClaimed(claimed))

/** The search is asked later, because its host was not asked. */
export const deleteSearch = (db: Database, claimed: ClaimedSearch) =>
  db.delete(directorySearches).where(isClaimed(claimed))
