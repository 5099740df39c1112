// The events of partners in the order in which they happened.
import { and, asc, eq, getTableColumns, gt, lte, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { onlyRow, type RemoveBatch, rowsOf } from '../../kernel/database/queries.ts'
import { eventFeeds, partnerEvents } from './tables.ts'

/** The list of events of a partner, or with `test` that of its sandbox. */
export interface Feed {
  partnerId: string
  test: boolean
}

type NewEvent = Omit<typeof partnerEvents.$inferInsert, 'position'>

/**
 * Adds an event to its feed. Call this at the end of a transaction: other transactions that store an event of the same feed wait until the
 * commit.
 */
export const insertPartnerEvent = async (db: Database, { partnerId, test, id, event, body, createdAt }: NewEvent) => {
  await db.execute(sql`
    with feed as (
      insert into ${eventFeeds} as stored (partner_id, test, last) values (${partnerId}, ${test}, 1)
      on conflict (partner_id, test) do update set last = stored.last + 1 returning last)
    insert into ${partnerEvents} (partner_id, test, position, id, event, body, created_at)
    select ${partnerId}, ${test}, feed.last, ${id}, ${event}, ${body}, ${createdAt.toISOString()}::timestamptz from feed`)
}

/** The position of the last event of the feed, and of the last one that was deleted because of its age; 0 for none. */
export const findFeed = async (db: Database, { partnerId, test }: Feed): Promise<{ last: number; removed: number }> =>
  (
    await db
      .select({ last: eventFeeds.last, removed: eventFeeds.removed })
      .from(eventFeeds)
      .where(and(eq(eventFeeds.partnerId, partnerId), eq(eventFeeds.test, test)))
  )[0] ?? { last: 0, removed: 0 }

/**
 * The events after the position, in their order. Returns none when one of them was deleted because of its age meanwhile; the next request
 * with this cursor is then refused.
 */
export const listEventsAfter = (db: Database, { partnerId, test }: Feed, position: number, limit: number) =>
  db
    .select(getTableColumns(partnerEvents))
    .from(partnerEvents)
    .innerJoin(
      eventFeeds,
      and(
        eq(eventFeeds.partnerId, partnerEvents.partnerId),
        eq(eventFeeds.test, partnerEvents.test),
        lte(eventFeeds.removed, position),
      ),
    )
    .where(
      and(eq(partnerEvents.partnerId, partnerId), eq(partnerEvents.test, test), gt(partnerEvents.position, position)),
    )
    .orderBy(asc(partnerEvents.position))
    .limit(limit)

/** Deletes events that are older than `before`, and those of a sandbox beyond its newest `mostTests`. */
export const removeOldPartnerEvents =
  (before: Date, mostTests: number): RemoveBatch =>
  async (db, limit) =>
    onlyRow(
      await rowsOf<{ count: number }>(
        db,
        sql`
        with gone as (
          delete from ${partnerEvents} where ctid = any(array(
            select e.ctid from ${partnerEvents} e join ${eventFeeds} f using (partner_id, test)
            where e.created_at < ${before.toISOString()}::timestamptz or (e.test and e.position <= f.last - ${mostTests}::int)
            limit ${limit} for update of e skip locked))
          returning partner_id, test, position),
        noted as (
          update ${eventFeeds} f set removed = greatest(f.removed, top.position)
          from (select partner_id, test, max(position) as position from gone group by 1, 2) top
          where f.partner_id = top.partner_id and f.test = top.test)
        select count(*)::int as count from gone`,
      ),
    ).count
