// Writes the links of recorded listings: a new address is due for a look at once.
import { and, eq, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { rowsOf } from '../../kernel/rows.ts'
import { paceHost } from './link.rules.ts'
import { listingLinks, submissionRows, submissions } from './tables.ts'

interface RecordedAddress {
  submissionId: string
  directoryId: string
  listingUrl: string | null
}

/** Call it whenever the address of a listing was written. An address that did not change keeps its state and its schedule. */
export async function upsertLink(
  db: Database,
  { submissionId, directoryId, listingUrl }: RecordedAddress,
  at: Date,
): Promise<void> {
  if (listingUrl === null || !URL.canParse(listingUrl)) {
    await db
      .delete(listingLinks)
      .where(and(eq(listingLinks.submissionId, submissionId), eq(listingLinks.directoryId, directoryId)))
    return
  }
  const time = sql`${at.toISOString()}::timestamptz`
  // Everything begins anew with another address, or with one that was removed and comes back; only listing.live is not said a second
  // time, and the history knows whether it was said.
  await db.execute(sql`
    insert into ${listingLinks} (submission_id, directory_id, partner_id, listing_url, host, recorded_at, next_at, was_live)
    select ${submissionId}, ${directoryId}, partner_id, ${listingUrl}, ${paceHost(listingUrl)}, ${time}, ${time},
      exists (select 1 from link_checks c where c.submission_id = ${submissionId} and c.directory_id = ${directoryId} and c.state in ('live', 'nofollow'))
    from ${submissions} where id = ${submissionId}
    on conflict (submission_id, directory_id) do update set
      listing_url = excluded.listing_url, host = excluded.host, recorded_at = excluded.recorded_at, next_at = excluded.next_at,
      state = 'unchecked', checked_at = null, first_live_at = null, missing_since = null, lost_at = null, claim = null
    where listing_links.listing_url is distinct from excluded.listing_url`)
}

/** Recorded addresses that have no link yet, because an older version of the service recorded them; sorted, after the given one. */
export const listAddressesWithoutLink = (
  db: Database,
  after: Pick<RecordedAddress, 'submissionId' | 'directoryId'>,
  limit: number,
): Promise<RecordedAddress[]> =>
  rowsOf(
    db,
    sql`
    select r.submission_id as "submissionId", r.directory_id as "directoryId", r.listing_url as "listingUrl"
    from ${submissionRows} r
    left join ${listingLinks} l on l.submission_id = r.submission_id and l.directory_id = r.directory_id and l.listing_url = r.listing_url
    where l.submission_id is null and r.listing_url ~* '^https?://'
      and (r.submission_id, r.directory_id) > (${after.submissionId}, ${after.directoryId})
    order by r.submission_id, r.directory_id limit ${limit}`,
  )
