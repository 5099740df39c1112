// Writes the links of recorded listings (`listing_links`). A new address is due for its first check at once.
import { and, eq, sql } from 'drizzle-orm'
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import type { Database } from '../../../kernel/context.ts'
import { announceDue, rowsOf } from '../../../kernel/database/queries.ts'
import { listingLinks, submissionRows, submissions } from '../tables.ts'
import { LINKS_TOPIC, paceHost } from './link.rules.ts'

interface RecordedAddress {
  submissionId: string
  directoryId: string
  listingUrl: string | null
}

/**
 * Call it whenever the address of a listing was written. An address that did not change keeps its state and its schedule. Does nothing if
 * the row's address is no longer `listingUrl`: whoever changed it has called this too.
 */
export async function syncLink(
  db: Database,
  { submissionId, directoryId, listingUrl }: RecordedAddress,
  at: Date,
): Promise<void> {
  // Locks the row until the transaction ends, because its address and its link change together.
  const rows = await rowsOf<{ lostAt: Date | null; isNew: boolean }>(
    db,
    sql`
    select r.lost_at as "lostAt", not exists (select 1 from ${listingLinks} l where l.submission_id = r.submission_id
      and l.directory_id = r.directory_id and l.listing_url = r.listing_url) as "isNew"
    from ${submissionRows} r where r.submission_id = ${submissionId} and r.directory_id = ${directoryId}
      and r.listing_url is not distinct from ${listingUrl}::text for no key update of r`,
  )
  const [row] = rows
  if (!row) return
  if (listingUrl === null || !parseUrl(listingUrl)) {
    // If the link was lost, the row of the directory still says so.
    await db
      .delete(listingLinks)
      .where(and(eq(listingLinks.submissionId, submissionId), eq(listingLinks.directoryId, directoryId)))
    return
  }
  // A new address has not been lost yet.
  if (row.lostAt && row.isNew) await updateRowLoss(db, submissionId, directoryId, null)
  const time = sql`${at.toISOString()}::timestamptz`
  // A new address starts from the beginning, and so does one that was removed and comes back. Only the event listing.live is not sent again:
  // the earlier checks tell whether it was sent (`was_live`).
  await db.execute(sql`
    insert into ${listingLinks} (submission_id, directory_id, partner_id, listing_url, host, recorded_at, next_at, was_live)
    select ${submissionId}, ${directoryId}, partner_id, ${listingUrl}, ${paceHost(listingUrl)}, ${time}, ${time},
      exists (select 1 from link_checks c where c.submission_id = ${submissionId} and c.directory_id = ${directoryId} and c.state in ('live', 'nofollow'))
    from ${submissions} where id = ${submissionId}
    on conflict (submission_id, directory_id) do update set
      listing_url = excluded.listing_url, host = excluded.host, recorded_at = excluded.recorded_at, next_at = excluded.next_at,
      state = 'unchecked', checked_at = null, first_live_at = null, missing_since = null, lost_at = null, claim = null, drift = null, own_words = null
    where listing_links.listing_url is distinct from excluded.listing_url`)
  await announceDue(db, LINKS_TOPIC)
}

/** Locks the row. Recording locks the row and then its link; a check must do so in the same order, so that the two cannot deadlock. */
export const lockRow = (db: Database, submissionId: string, directoryId: string) =>
  db.execute(sql`
    select 1 from ${submissionRows} where submission_id = ${submissionId} and directory_id = ${directoryId} for no key update`)

/** Call it when the link of a listing was lost or was found again. */
export const updateRowLoss = (db: Database, submissionId: string, directoryId: string, lostAt: Date | null) =>
  db
    .update(submissionRows)
    .set({ lostAt })
    .where(and(eq(submissionRows.submissionId, submissionId), eq(submissionRows.directoryId, directoryId)))

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
