import { and, count, desc, eq, getTableColumns, inArray, isNotNull, notExists, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Database } from '../../kernel/context.ts'
import { onlyRow, rowsOf } from '../../kernel/rows.ts'
import { partners } from '../partners/tables.ts'
import { webhookDeliveries } from './tables.ts'

export type DeliveryRow = typeof webhookDeliveries.$inferSelect
export type DeliveryState = DeliveryRow['state']

export const insertDelivery = (db: Database, delivery: DeliveryRow) => db.insert(webhookDeliveries).values(delivery)

export const findWebhookUrl = async (db: Database, partnerId: string): Promise<string | null> =>
  (await db.select({ url: partners.webhookUrl }).from(partners).where(eq(partners.id, partnerId)))[0]?.url ?? null

export const findWantedEvents = async (db: Database, partnerId: string): Promise<readonly string[]> =>
  (await db.select({ events: partners.events }).from(partners).where(eq(partners.id, partnerId)))[0]?.events ?? []

export interface ClaimedDelivery {
  id: string
  eventId: string
  event: string
  body: string
  url: string | null
  secret: string
}

// Longer than an attempt may take.
const ATTEMPT_MS = 15_000
// Longer than an attempt takes together with storing its outcome, by the clock of the database, which all processes share. If no outcome
// is stored by then, the process has ended or the database was down.
const HELD = sql.raw("interval '30 seconds'")

/** The state that readers see: an attempt under way is pending, and unknown only after the process that made it has ended. */
export const SHOWN_STATE =
  "case when webhook_deliveries.state = 'unknown' and webhook_deliveries.held_until > now() then 'pending' else webhook_deliveries.state end"
const shownState = sql.raw(SHOWN_STATE) as SQL<DeliveryRow['state']>

/** Lets only one process claim at a time, because each claim must see the previous ones. Call it inside a transaction. */
export const lockClaims = (db: Database) => db.execute(sql`select pg_advisory_xact_lock(7203114)`)

/**
 * Takes a pending delivery and marks it unknown, so that it is never taken again. Partners take turns: first the partner with the fewest
 * attempts under way, of those the one whose last attempt is longest ago, and of its deliveries the oldest. A partner may have at most
 * `maxPerPartner` attempts under way, because otherwise a receiver that hangs would delay the events of all other partners.
 */
export const updateClaimed = async (
  db: Database,
  at: Date,
  maxPerPartner: number,
): Promise<ClaimedDelivery | undefined> => {
  // An attempt with a time in the future was made with a wrong clock and is not under way.
  const [from, to] = [at.getTime() - ATTEMPT_MS, at.getTime() + ATTEMPT_MS].map((time) => new Date(time).toISOString())
  const [claimed] = await rowsOf<ClaimedDelivery>(
    db,
    sql`
    with waiting as (
      select partner_id,
        (select count(*) from webhook_deliveries sent
          where sent.partner_id = pending.partner_id and sent.state = 'unknown'
            and sent.attempted_at between ${from}::timestamptz and ${to}::timestamptz) as under_way,
        (select max(attempted_at) from webhook_deliveries tried where tried.partner_id = pending.partner_id) as last
      from (select distinct partner_id from webhook_deliveries where state = 'pending') pending
    ), turn as (
      select partner_id from waiting where under_way < ${maxPerPartner}
      order by under_way, last nulls first, partner_id limit 1
    ), next as (
      select id from webhook_deliveries where state = 'pending' and partner_id = (select partner_id from turn)
      order by created_at, id for update limit 1
    )
    update webhook_deliveries d set state = 'unknown', attempted_at = ${at.toISOString()}::timestamptz, held_until = now() + ${HELD}
    from next, partners p where d.id = next.id and p.id = d.partner_id
    returning d.id, d.event_id as "eventId", d.event, d.body, p.webhook_url as url, p.webhook_secret as secret`,
  )
  return claimed
}

export const updateOutcome = (
  db: Database,
  id: string,
  outcome: Pick<DeliveryRow, 'state' | 'status' | 'error' | 'durationMs' | 'answer'>,
) =>
  db
    .update(webhookDeliveries)
    .set({ ...outcome, heldUntil: null })
    .where(eq(webhookDeliveries.id, id))

/** Call this only when no other process can have an attempt under way: held deliveries then belong to a process that has ended. */
export const updateHeld = (db: Database) =>
  db.update(webhookDeliveries).set({ heldUntil: null }).where(isNotNull(webhookDeliveries.heldUntil))

/** Failed or unknown and not sent again since, so that an administrator has to look at it. */
function isOpen(db: Database) {
  const later = alias(webhookDeliveries, 'later')
  return and(
    inArray(shownState, ['failed', 'unknown']),
    notExists(
      db
        .select({ id: later.id })
        .from(later)
        .where(
          and(eq(later.eventId, webhookDeliveries.eventId), sql`${later.createdAt} > ${webhookDeliveries.createdAt}`),
        ),
    ),
  )
}

export const countOpenDeliveries = async (db: Database): Promise<number> =>
  onlyRow(await db.select({ count: count() }).from(webhookDeliveries).where(isOpen(db))).count

const shownColumns = { ...getTableColumns(webhookDeliveries), state: shownState.as('shown_state') }

export const listDeliveries = (
  db: Database,
  filter: { client?: string; state?: DeliveryState; open?: boolean },
  limit: number,
  offset: number,
) =>
  db
    .select(shownColumns)
    .from(webhookDeliveries)
    .where(
      and(
        filter.client === undefined ? undefined : eq(webhookDeliveries.partnerId, filter.client),
        filter.state === undefined ? undefined : eq(shownState, filter.state),
        filter.open ? isOpen(db) : undefined,
      ),
    )
    .orderBy(desc(webhookDeliveries.createdAt), desc(webhookDeliveries.id))
    .limit(limit)
    .offset(offset)

export const findDelivery = async (db: Database, id: string): Promise<DeliveryRow | undefined> =>
  (await db.select(shownColumns).from(webhookDeliveries).where(eq(webhookDeliveries.id, id)))[0]

export const findDeliveryWithPartner = async (db: Database, id: string) =>
  (
    await db
      .select({
        delivery: shownColumns,
        client: { id: partners.id, name: partners.name, webhookUrl: partners.webhookUrl },
      })
      .from(webhookDeliveries)
      .innerJoin(partners, eq(partners.id, webhookDeliveries.partnerId))
      .where(eq(webhookDeliveries.id, id))
  )[0]
