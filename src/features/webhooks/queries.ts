import {
  and,
  between,
  desc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  lt,
  ne,
  notExists,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Database } from '../../kernel/context.ts'
import { removeWhere, rowsOf } from '../../kernel/database/queries.ts'
import { partners } from '../partners/tables.ts'
import { DELIVERY_STATES, TEST_EVENT } from './schema.ts'
import { webhookDeliveries } from './tables.ts'

export type DeliveryRow = typeof webhookDeliveries.$inferSelect
export const insertDelivery = (db: Database, delivery: DeliveryRow) => db.insert(webhookDeliveries).values(delivery)

export const findWebhookUrl = async (db: Database, partnerId: string): Promise<string | null> =>
  (await db.select({ url: partners.webhookUrl }).from(partners).where(eq(partners.id, partnerId)))[0]?.url ?? null

export interface ClaimedDelivery {
  id: string
  eventId: string
  event: string
  body: string
  url: string | null
  secret: string
  previousSecret: string | null
  test: boolean
  /** When it was claimed. The headers of the attempt have this time. */
  at: Date
}

interface ClaimLimits {
  maxPerPartner: number
  maxTests: number
  /** An attempt that was claimed longer ago has ended. */
  underWayMs: number
  /** How long a claimed delivery is shown as pending, by the clock of the database, which all processes share. */
  heldMs: number
}

/** The state that readers see: until `held_until`, a claimed delivery is pending and not yet unknown. */
export const SHOWN_STATE =
  "case when webhook_deliveries.state = 'unknown' and webhook_deliveries.held_until > now() then 'pending' else webhook_deliveries.state end"
const shownState = sql.raw(SHOWN_STATE) as SQL<DeliveryRow['state']>

/**
 * Lets only one process take deliveries at a time, because each must see what the others have taken. Call it inside a transaction. The number
 * names this lock.
 */
export const lockDeliveryClaims = (db: Database) => db.execute(sql`select pg_advisory_xact_lock(7203114)`)

/**
 * Takes a pending delivery: marks it unknown, so that it is never claimed again. Partners take turns: first the partner with the fewest
 * attempts under way, of those the one whose last attempt is longest ago, and of its deliveries the oldest. A partner may have at most
 * `maxPerPartner` attempts under way, because otherwise a receiver that hangs would delay the events of all other partners. The sandbox of
 * a partner takes turns as if it were another partner, with at most `maxTests` attempts, so that it does not delay live events.
 */
export const claimPendingDelivery = async (
  db: Database,
  at: Date,
  { maxPerPartner, maxTests, underWayMs, heldMs }: ClaimLimits,
): Promise<ClaimedDelivery | undefined> => {
  // An attempt with a time in the future was made with a wrong clock and is not under way.
  const [from, to] = [at.getTime() - underWayMs, at.getTime() + underWayMs].map((time) => new Date(time).toISOString())
  const [claimed] = await rowsOf<Omit<ClaimedDelivery, 'at'>>(
    db,
    sql`
    with waiting as (
      select partner_id, test,
        (select count(*) from webhook_deliveries sent
          where sent.partner_id = pending.partner_id and sent.test = pending.test and sent.state = 'unknown'
            and sent.attempted_at between ${from}::timestamptz and ${to}::timestamptz) as under_way,
        (select max(attempted_at) from webhook_deliveries tried
          where tried.partner_id = pending.partner_id and tried.test = pending.test) as last
      from (
        select p.id as partner_id, kinds.test from partners p cross join (values (false), (true)) kinds (test)
        cross join lateral (
          select from webhook_deliveries w where w.state = 'pending' and w.partner_id = p.id and w.test = kinds.test limit 1
        ) one
      ) pending
    ), turn as (
      select partner_id, test from waiting where under_way < case when test then ${maxTests}::int else ${maxPerPartner}::int end
      order by under_way, last nulls first, partner_id, test limit 1
    ), next as (
      select id from webhook_deliveries where state = 'pending' and (partner_id, test) = (select partner_id, test from turn)
      order by created_at, id for update limit 1
    )
    update webhook_deliveries d set state = 'unknown', attempted_at = ${at.toISOString()}::timestamptz, held_until = now() + ${heldMs} * interval '1 millisecond'
    from next, partners p where d.id = next.id and p.id = d.partner_id
    returning d.id, d.event_id as "eventId", d.event, d.body, d.test, p.webhook_url as url, p.webhook_secret as secret,
      case when p.previous_valid_until > ${at.toISOString()}::timestamptz then p.previous_secret end as "previousSecret"`,
  )
  return claimed && { ...claimed, at }
}

/** Whether at least `count` events of a partner's sandbox wait. */
export const hasWaitingTests = async (db: Database, partnerId: string, count: number): Promise<boolean> =>
  (
    await rowsOf(
      db,
      sql`select 1 from webhook_deliveries where state = 'pending' and partner_id = ${partnerId} and test limit 1 offset ${count - 1}`,
    )
  ).length > 0

/** Whether a delivery waits for its attempt. */
export const hasPending = async (db: Database): Promise<boolean> =>
  (
    await db
      .select({ id: webhookDeliveries.id })
      .from(webhookDeliveries)
      .where(sql`${webhookDeliveries.state} = 'pending'`)
      .limit(1)
  ).length > 0

export const updateOutcome = (
  db: Database,
  id: string,
  outcome: Pick<DeliveryRow, 'state' | 'status' | 'error' | 'durationMs' | 'answer'>,
) =>
  db
    .update(webhookDeliveries)
    .set({ ...outcome, heldUntil: null })
    .where(eq(webhookDeliveries.id, id))

/** Shows all claimed deliveries as unknown. Call this only while no process can have an attempt under way. */
export const releaseHeld = (db: Database) =>
  db.update(webhookDeliveries).set({ heldUntil: null }).where(isNotNull(webhookDeliveries.heldUntil))

/** Whether a delivery failed or is unknown, and was not sent again since: an administrator has to look at it. Test events are never open. */
function isOpen(db: Database) {
  const later = alias(webhookDeliveries, 'later')
  return and(
    inArray(shownState, ['failed', 'unknown']),
    ne(webhookDeliveries.event, TEST_EVENT),
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

const isLive = eq(webhookDeliveries.test, false)

export const countOpenDeliveries = (db: Database): Promise<number> =>
  db.$count(webhookDeliveries, and(isLive, isOpen(db)))

const shownColumns = { ...getTableColumns(webhookDeliveries), state: shownState.as('shown_state') }

/** Live deliveries, or with `test` those of sandboxes. */
export const listDeliveries = (
  db: Database,
  filter: {
    partnerId?: string
    state?: DeliveryRow['state']
    open?: boolean
    test?: boolean
    after?: Pick<DeliveryRow, 'id' | 'createdAt'>
  },
  limit: number,
  offset: number,
) =>
  db
    .select(shownColumns)
    .from(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.test, filter.test ?? false),
        filter.partnerId === undefined ? undefined : eq(webhookDeliveries.partnerId, filter.partnerId),
        filter.state === undefined ? undefined : eq(shownState, filter.state),
        filter.open ? isOpen(db) : undefined,
        filter.after &&
          sql`(${webhookDeliveries.createdAt}, ${webhookDeliveries.id}) < (${filter.after.createdAt.toISOString()}::timestamptz, ${filter.after.id})`,
      ),
    )
    .orderBy(desc(webhookDeliveries.createdAt), desc(webhookDeliveries.id))
    .limit(limit)
    .offset(offset)

export const findDelivery = async (db: Database, id: string): Promise<DeliveryRow | undefined> =>
  (await db.select(shownColumns).from(webhookDeliveries).where(eq(webhookDeliveries.id, id)))[0]

/** A delivery to the partner, live or of its sandbox. */
export const findOwnDelivery = async (db: Database, partnerId: string, id: string): Promise<DeliveryRow | undefined> =>
  (await db.select(shownColumns).from(webhookDeliveries).where(isOwn(partnerId, id)))[0]

/** A delivery to the partner or to its sandbox. The row stays locked until the transaction ends. */
export const findOwnDeliveryForUpdate = async (
  db: Database,
  { partnerId, test }: { partnerId: string; test: boolean },
  id: string,
): Promise<DeliveryRow | undefined> =>
  (
    await db
      .select(shownColumns)
      .from(webhookDeliveries)
      .where(and(isOwn(partnerId, id), eq(webhookDeliveries.test, test)))
      .for('update')
  )[0]

const isOwn = (partnerId: string, id: string) =>
  and(eq(webhookDeliveries.partnerId, partnerId), eq(webhookDeliveries.id, id))

/** Whether the event of this delivery was sent again since. */
export const wasSentAgain = async (db: Database, { eventId, id, createdAt }: DeliveryRow): Promise<boolean> =>
  (
    await db
      .select({ id: webhookDeliveries.id })
      .from(webhookDeliveries)
      .where(
        and(
          eq(webhookDeliveries.eventId, eventId),
          ne(webhookDeliveries.id, id),
          gt(webhookDeliveries.createdAt, createdAt),
        ),
      )
      .limit(1)
  ).length > 0

/** The webhook URL and the chosen events of a partner, whose row stays locked until the transaction ends. */
export const findEventSettingsForUpdate = async (db: Database, partnerId: string) =>
  (await eventSettings(db, partnerId).for('no key update'))[0]

export const findEventSettings = async (db: Database, partnerId: string) => (await eventSettings(db, partnerId))[0]

const eventSettings = (db: Database, partnerId: string) =>
  db
    .select({ webhookUrl: partners.webhookUrl, events: partners.events })
    .from(partners)
    .where(eq(partners.id, partnerId))

const HOUR_SECONDS = 3600

/**
 * Whether the partner has a delivery of this event that was stored in the last `seconds`, or one of the last hour that is still pending. A
 * time in the future was written with a wrong clock and counts only if it is less than `seconds` away.
 */
export const hasRecentDelivery = async (
  db: Database,
  partnerId: string,
  event: string,
  now: Date,
  seconds: number,
): Promise<boolean> => {
  const inSeconds = (count: number) => new Date(now.getTime() + count * 1000)
  const rows = await db
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(
      and(
        eq(webhookDeliveries.partnerId, partnerId),
        eq(webhookDeliveries.event, event),
        between(webhookDeliveries.createdAt, inSeconds(-HOUR_SECONDS), inSeconds(seconds)),
        or(gt(webhookDeliveries.createdAt, inSeconds(-seconds)), eq(shownState, 'pending')),
      ),
    )
    .limit(1)
  return rows.length > 0
}

export const findDeliveryWithPartner = async (db: Database, id: string) =>
  (
    await db
      .select({
        delivery: shownColumns,
        client: { id: partners.id, name: partners.name, webhookUrl: partners.webhookUrl },
        secrets: {
          secret: partners.webhookSecret,
          previousSecret: partners.previousSecret,
          previousValidUntil: partners.previousValidUntil,
        },
      })
      .from(webhookDeliveries)
      .innerJoin(partners, eq(partners.id, webhookDeliveries.partnerId))
      .where(eq(webhookDeliveries.id, id))
  )[0]

const ATTEMPTED = DELIVERY_STATES.filter((state) => state !== 'pending')

/** Deletes old live deliveries that are not pending. Those of sandboxes are deleted elsewhere. */
export const removeOldDeliveries = (before: Date) =>
  removeWhere(
    webhookDeliveries,
    and(inArray(webhookDeliveries.state, ATTEMPTED), lt(webhookDeliveries.createdAt, before), isLive),
  )
