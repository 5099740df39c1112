// API keys: live ones for the cache in memory, lists for operators and owners, and their changes.
import {
  and,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  isNull,
  not,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { eitherWay, onlyRow, pickColumns } from '../../kernel/database/queries.ts'
import { users } from '../accounts/tables.ts'
import { ANSWERING_MODES } from '../partners/schema.ts'
import { partners } from '../partners/tables.ts'
import type { KeyEntry } from './rules.ts'
import { keySettings, keys, keyUsage } from './tables.ts'
import { lastUse } from './usage/queries.ts'

export type KeyRow = typeof keys.$inferSelect

/**
 * The plan whose budgets apply. Partner keys read with the premium budgets. A plan that the user pays for applies to all keys of the user.
 * Otherwise the key's own plan applies, or if it has none the user's.
 */
const planOfKey = sql<
  KeyEntry['plan']
>`case when ${keys.partnerId} is not null or ${users.paidPlan} = 'premium' then 'premium' else coalesce(${keys.plan}, ${users.plan}) end`

const selectEntries = (db: Database) =>
  db
    .select({
      ...pickColumns(keys, 'id', 'hash', 'last4', 'userId', 'partnerId', 'test'),
      support: sql<boolean>`coalesce(${inArray(partners.support, ANSWERING_MODES)}, false)`,
      plan: planOfKey,
      endsAt: keys.endsAt,
    })
    .from(keys)
    .leftJoin(users, eq(users.id, keys.userId))
    .leftJoin(partners, eq(partners.id, keys.partnerId))
    .$dynamic()

/** Neither revoked nor, if it was replaced, past its end. The clock of the database decides, because all processes share it. */
const notEnded = and(isNull(keys.revokedAt), or(isNull(keys.endsAt), gt(keys.endsAt, sql`now()`)))

/** A key is live when it has not ended and its owner is not banned. */
const live = and(notEnded, sql`not coalesce(${users.banned}, ${partners.banned})`)

/** When the key was revoked, or ended because another one replaced it. */
const endedAt =
  sql<Date | null>`coalesce(${keys.revokedAt}, case when ${keys.endsAt} <= now() then ${keys.endsAt} end)`.mapWith(
    keys.revokedAt,
  )

export const listLiveKeys = (db: Database): Promise<KeyEntry[]> => selectEntries(db).where(live)

export const listLiveKeysOf = (
  db: Database,
  ids: { keys: string[]; users: string[]; partners: string[] },
): Promise<KeyEntry[]> =>
  selectEntries(db).where(
    and(live, or(inArray(keys.id, ids.keys), inArray(keys.userId, ids.users), inArray(keys.partnerId, ids.partners))),
  )

export const findLiveKeyByHash = async (db: Database, hash: string): Promise<KeyEntry | undefined> =>
  (await selectEntries(db).where(and(live, eq(keys.hash, hash))))[0]

export const insertKey = (db: Database, key: KeyRow) => db.insert(keys).values(key)

export const listNotEndedKeysOfUser = (db: Database, userId: string): Promise<{ id: string }[]> =>
  db
    .select({ id: keys.id })
    .from(keys)
    .where(and(eq(keys.userId, userId), notEnded))

/** Test keys and other keys are counted apart, because each of the two has its own limit. */
export const countNotEndedKeysOfPartner = async (db: Database, partnerId: string, test: boolean): Promise<number> =>
  onlyRow(
    await db
      .select({ live: count() })
      .from(keys)
      .where(and(eq(keys.partnerId, partnerId), eq(keys.test, test), notEnded)),
  ).live

interface KeyFilter {
  id?: string
  user?: string
  partner?: string
  live?: boolean
  unheld?: boolean
}

/** A key that has not ended and that its owner does not have: the same condition as `isUnheld` in rules.ts. */
const isUnheld = sql`(${notEnded} and ${keys.shownAt} is null and not exists (select 1 from ${keyUsage} where ${keyUsage.keyId} = ${keys.id}))`

export const countUndeliveredKeys = (db: Database): Promise<number> => db.$count(keys, isUnheld)

export const updateKeyShown = (db: Database, id: string, at: Date) =>
  db.update(keys).set({ shownAt: at }).where(eq(keys.id, id))

/** Keys as lists show them, newest first. */
const shownKeys = (db: Database, condition: SQL | undefined) =>
  db
    .select({
      ...pickColumns(keys, 'id', 'last4', 'name', 'userId', 'partnerId', 'test'),
      plan: planOfKey,
      owner: sql<string>`coalesce(${users.email}, ${partners.name})`,
      ...pickColumns(keys, 'policyVersion', 'policyAgreedAt', 'policyVouchedBy', 'createdAt', 'shownAt'),
      lastUsedAt: lastUse(),
      revokedAt: endedAt,
      endsAt: keys.endsAt,
    })
    .from(keys)
    .leftJoin(users, eq(users.id, keys.userId))
    .leftJoin(partners, eq(partners.id, keys.partnerId))
    .where(condition)
    .orderBy(desc(keys.createdAt), desc(keys.id))
    .$dynamic()

export const selectKeys = (
  db: Database,
  { id, user, partner, live, unheld }: KeyFilter,
  limit: number,
  offset: number,
) =>
  shownKeys(
    db,
    and(
      eitherWay(unheld, isUnheld, not(isUnheld)),
      id === undefined ? undefined : eq(keys.id, id),
      user === undefined ? undefined : eq(keys.userId, user),
      partner === undefined ? undefined : eq(keys.partnerId, partner),
      eitherWay(live, notEnded, isNotNull(endedAt)),
    ),
  )
    .limit(limit)
    .offset(offset)

/** With `userId`, only a key of that user matches. */
const keyOf = (id: string, userId: string | undefined) =>
  and(eq(keys.id, id), userId === undefined ? undefined : eq(keys.userId, userId))

/** When the key was revoked; null: it was not revoked; undefined: it does not exist. */
export const findRevoked = async (db: Database, id: string, userId?: string): Promise<Date | null | undefined> =>
  (await db.select({ revokedAt: keys.revokedAt }).from(keys).where(keyOf(id, userId)))[0]?.revokedAt

/** Returns false when the key does not exist or was already revoked. */
export const updateKeyRevoked = async (db: Database, id: string, at: Date, userId?: string): Promise<boolean> => {
  const rows = await db
    .update(keys)
    .set({ revokedAt: at })
    .where(and(keyOf(id, userId), isNull(keys.revokedAt)))
    .returning({ id: keys.id })
  return rows.length > 0
}

/** With `userId`, only a key of that user is found. */
export const findKeyOwner = async (db: Database, id: string, userId?: string) =>
  (await db.select({ userId: keys.userId, partnerId: keys.partnerId }).from(keys).where(keyOf(id, userId)))[0]

export const findLast4 = async (db: Database, id: string): Promise<string | undefined> =>
  (await db.select({ last4: keys.last4 }).from(keys).where(eq(keys.id, id)))[0]?.last4

/** `revokedAt` is also set when the key was replaced and has ended. */
export const findKeyForUpdate = async (db: Database, id: string) =>
  (
    await db
      .select({ ...getTableColumns(keys), revokedAt: endedAt })
      .from(keys)
      .where(eq(keys.id, id))
      .for('update')
  )[0]

export const updateKeyEnd = (db: Database, id: string, endsAt: Date) =>
  db.update(keys).set({ endsAt }).where(eq(keys.id, id))

export const listKeysOfUser = (db: Database, userId: string) => shownKeys(db, eq(keys.userId, userId))

export const findKeyOfUser = async (db: Database, userId: string, id: string) =>
  (await shownKeys(db, and(eq(keys.userId, userId), eq(keys.id, id))))[0]

/** The database also deletes the usage and the calls of the keys (`on delete cascade`). */
export const deleteKeysOfUser = (db: Database, userId: string) => db.delete(keys).where(eq(keys.userId, userId))

/** Removes the keys' own plans, so that the plan of the user applies to all of them. Returns how many keys had a plan of their own. */
export const updateKeysToUserPlan = async (db: Database, userId: string): Promise<number> =>
  (
    await db
      .update(keys)
      .set({ plan: null })
      .where(and(eq(keys.userId, userId), isNotNull(keys.plan)))
      .returning({ id: keys.id })
  ).length

/** Returns the stored fingerprint. Stores the given one first if there is none yet. */
export const insertPepperFingerprint = async (db: Database, fingerprint: string): Promise<string> => {
  await db.insert(keySettings).values({ id: 'keys', pepperFingerprint: fingerprint }).onConflictDoNothing()
  return onlyRow(await db.select().from(keySettings).where(eq(keySettings.id, 'keys'))).pepperFingerprint
}
