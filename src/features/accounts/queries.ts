import { desc, eq } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { users } from './tables.ts'

export type UserRow = typeof users.$inferSelect

export const findUserByEmail = async (db: Database, email: string): Promise<UserRow | undefined> =>
  (await db.select().from(users).where(eq(users.email, email)).for('update'))[0]

/** Does nothing when the address is taken, so that two callers at once end up with one user. */
export const insertUser = (db: Database, user: UserRow) =>
  db.insert(users).values(user).onConflictDoNothing({ target: users.email })

export const listUsers = (db: Database, limit: number, offset: number) =>
  db.select().from(users).orderBy(desc(users.createdAt), desc(users.id)).limit(limit).offset(offset)

export const updateUser = async (
  db: Database,
  id: string,
  change: Partial<Pick<UserRow, 'plan' | 'role' | 'banned'>> & Pick<UserRow, 'updatedAt'>,
): Promise<UserRow | undefined> => (await db.update(users).set(change).where(eq(users.id, id)).returning())[0]
