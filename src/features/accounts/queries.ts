// Users, their sessions, ways to sign in and sign-in links.
import { and, desc, eq, gt, isNull, lt, ne } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { hasWords, onlyRow, removeWhere } from '../../kernel/database/queries.ts'
import { raisedVersion } from '../audit/queries.ts'
import { credentials, sessions, signInLinks, users, verifications } from './tables.ts'

export type UserRow = typeof users.$inferSelect
export type LinkRow = typeof signInLinks.$inferSelect

const isAdministrator = and(eq(users.role, 'admin'), eq(users.banned, false))

export const findUser = async (db: Database, id: string): Promise<UserRow | undefined> =>
  (await db.select().from(users).where(eq(users.id, id)))[0]

export const findUserByEmail = async (db: Database, email: string): Promise<UserRow | undefined> =>
  (await db.select().from(users).where(eq(users.email, email)))[0]

export const findUserForUpdate = async (db: Database, id: string): Promise<UserRow | undefined> =>
  (await db.select().from(users).where(eq(users.id, id)).for('update'))[0]

/** The user with this e-mail address, locked; inserted if there is none, so that two concurrent requests create one user. */
export const insertOrFindUser = async (db: Database, user: typeof users.$inferInsert): Promise<UserRow> => {
  await db.insert(users).values(user).onConflictDoNothing({ target: users.email })
  return onlyRow(await db.select().from(users).where(eq(users.email, user.email)).for('update'))
}

/** Returns undefined when the address already has an account. */
export const insertUser = async (db: Database, user: typeof users.$inferInsert): Promise<UserRow | undefined> =>
  (await db.insert(users).values(user).onConflictDoNothing({ target: users.email }).returning())[0]

interface UserFilter {
  /** Part of the e-mail address. */
  q?: string
  plan?: UserRow['plan']
  role?: UserRow['role']
  banned?: boolean
  partner?: string
}

export const selectUsers = (db: Database, filter: UserFilter, limit: number, offset: number) => {
  const { q, plan, role, banned, partner } = filter
  return db
    .select()
    .from(users)
    .where(
      and(
        hasWords(q, [users.email]),
        plan === undefined ? undefined : eq(users.plan, plan),
        role === undefined ? undefined : eq(users.role, role),
        banned === undefined ? undefined : eq(users.banned, banned),
        partner === undefined ? undefined : eq(users.partnerId, partner),
      ),
    )
    .orderBy(desc(users.createdAt), desc(users.id))
    .limit(limit)
    .offset(offset)
}

/** The caller must have locked the user's row. */
export const updateUser = async (
  db: Database,
  id: string,
  change: Partial<Pick<UserRow, 'grantedPlan' | 'role' | 'banned' | 'partnerId'>> & Pick<UserRow, 'updatedAt'>,
): Promise<UserRow> =>
  onlyRow(
    await db
      .update(users)
      .set({ ...change, version: raisedVersion(users.version) })
      .where(eq(users.id, id))
      .returning(),
  )

/** The caller must have locked the user's row. `version` stays, because no operator edits whether an address is confirmed. */
export const updateEmailVerified = (db: Database, id: string, updatedAt: Date) =>
  db.update(users).set({ emailVerified: true, updatedAt }).where(eq(users.id, id))

/** The caller must have locked the user's row. `version` stays, because no operator edits the paid plan. */
export const updatePaidPlan = (db: Database, id: string, paidPlan: UserRow['paidPlan'], updatedAt: Date) =>
  db.update(users).set({ paidPlan, updatedAt }).where(eq(users.id, id))

/** The database deletes the user's sessions, credentials and links too. */
export const deleteUser = (db: Database, id: string) => db.delete(users).where(eq(users.id, id))

/** The rows stay locked until the transaction ends. Sorted by id, so that two concurrent transactions cannot deadlock. */
export const listAdministratorsForUpdate = (db: Database): Promise<Pick<UserRow, 'id' | 'email'>[]> =>
  db
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(isAdministrator)
    .orderBy(users.id)
    .for('no key update')

export const hasAdministrator = async (db: Database): Promise<boolean> =>
  (await db.select({ id: users.id }).from(users).where(isAdministrator).limit(1)).length > 0

export const deleteSessionsOfUser = (db: Database, userId: string) =>
  db.delete(sessions).where(eq(sessions.userId, userId))

export const listProvidersOfUser = async (db: Database, userId: string): Promise<string[]> =>
  (await db.select({ provider: credentials.providerId }).from(credentials).where(eq(credentials.userId, userId))).map(
    ({ provider }) => provider,
  )

export const upsertPassword = (db: Database, credential: typeof credentials.$inferInsert) =>
  db
    .insert(credentials)
    .values(credential)
    .onConflictDoUpdate({
      target: [credentials.providerId, credentials.accountId],
      set: { password: credential.password, updatedAt: credential.updatedAt },
    })

export const insertLink = (db: Database, link: LinkRow) => db.insert(signInLinks).values(link)

export const findSignInLink = async (db: Database, hash: string, now: Date): Promise<LinkRow | undefined> =>
  (
    await db
      .select()
      .from(signInLinks)
      .where(and(eq(signInLinks.hash, hash), gt(signInLinks.expiresAt, now)))
  )[0]

/** Deletes the link and returns it; undefined when it does not exist any more. Only one of several concurrent requests gets it. */
export const deleteLink = async (db: Database, hash: string, now: Date): Promise<LinkRow | undefined> =>
  (
    await db
      .delete(signInLinks)
      .where(and(eq(signInLinks.hash, hash), gt(signInLinks.expiresAt, now)))
      .returning()
  )[0]

export const deleteLinksOfUser = (db: Database, userId: string) =>
  db.delete(signInLinks).where(eq(signInLinks.userId, userId))

export const deleteLinksOfEmail = (db: Database, email: string) =>
  db.delete(signInLinks).where(eq(signInLinks.email, email))

/** Deletes all links for the first administrator: once one is used, the others must not work. */
export const deleteFirstAdministratorLinks = (db: Database) =>
  db
    .delete(signInLinks)
    .where(and(isNull(signInLinks.userId), isNull(signInLinks.email)))
    .returning({ hash: signInLinks.hash })

export const removeExpiredSessions = (now: Date) => removeWhere(sessions, lt(sessions.expiresAt, now))
export const removeExpiredVerifications = (now: Date) => removeWhere(verifications, lt(verifications.expiresAt, now))
export const removeExpiredLinks = (now: Date) => removeWhere(signInLinks, lt(signInLinks.expiresAt, now))

/** Deletes every way to sign in except the password. */
export const deleteOtherCredentials = (db: Database, userId: string) =>
  db.delete(credentials).where(and(eq(credentials.userId, userId), ne(credentials.providerId, 'credential')))
