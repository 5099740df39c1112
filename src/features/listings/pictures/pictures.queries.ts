// The copies of pictures on other sites, the lock that keeps them while they are used, and the picture fields of listings.
import { asc, eq, gt, inArray, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../../../kernel/context.ts'
import { onlyRow, rowsOf } from '../../../kernel/database/queries.ts'
import { raisedVersion } from '../../audit/queries.ts'
import type { ListedKind } from '../../catalog/schema.ts'
import { directories, tools } from '../../catalog/tables.ts'
import { pictureCopies } from '../tables.ts'
import type { PictureFields } from './pictures.rules.ts'

/** The file names of the copies that exist, by key. */
export const findCopies = async (db: Database, keys: readonly string[]): Promise<Map<string, string>> => {
  if (keys.length === 0) return new Map()
  // One array parameter, because an import looks up hundreds at a time.
  const isWanted = sql`${pictureCopies.key} = any(${sql.param(keys)}::text[])`
  const rows = await db.select({ key: pictureCopies.key, name: pictureCopies.name }).from(pictureCopies).where(isWanted)
  return new Map(rows.map(({ key, name }) => [key, name]))
}

export const hasCopies = async (db: Database): Promise<boolean> =>
  (await db.select({ key: pictureCopies.key }).from(pictureCopies).limit(1)).length > 0

const LOCK = sql.raw('7203116')
export const COPIES_LOCK = sql`pg_advisory_xact_lock_shared(${LOCK})`

/**
 * Call this in a transaction that stores the address of a copy in a listing, before the copy is looked up. Until the transaction ends,
 * `pictures/unused.jobs.ts` deletes no copies. It is a statement of its own, because a statement that waits for a lock does not see what
 * changed meanwhile. It locks no single rows, because an import looks up hundreds of thousands of them.
 */
export const lockCopies = (db: Transaction) => db.execute(sql`select ${COPIES_LOCK}`)

/** False while another transaction holds `lockCopies`. If true, other transactions wait in `lockCopies` until this one ends. */
export const tryToLockOutCopyUse = async (db: Transaction): Promise<boolean> =>
  onlyRow(await rowsOf<{ locked: boolean }>(db, sql`select pg_try_advisory_xact_lock(${LOCK}) as locked`)).locked

const LONGEST_ADDRESS = 2_000

/** `address`: where the picture can be fetched again, if anywhere. A long one, such as a data: address, is not stored. */
export const upsertCopy = (db: Database, key: string, name: string, address: string | null, madeAt: Date) => {
  const copy = { name, address: (address?.length ?? 0) > LONGEST_ADDRESS ? null : address, madeAt }
  return db
    .insert(pictureCopies)
    .values({ key, ...copy })
    .onConflictDoUpdate({ target: pictureCopies.key, set: copy })
}

export const deleteCopies = (db: Database, names: readonly string[]) =>
  db.delete(pictureCopies).where(inArray(pictureCopies.name, [...names]))

export const listCopiesOf = (db: Database, names: readonly string[]) =>
  db
    .select()
    .from(pictureCopies)
    .where(inArray(pictureCopies.name, [...names]))

/** In the order of keys. Keys are hashes, so the copies after a random key are a random choice. */
export const listCopiesAfter = (db: Database, key: string, limit: number) =>
  db.select().from(pictureCopies).where(gt(pictureCopies.key, key)).orderBy(asc(pictureCopies.key)).limit(limit)

const TABLES = { tool: tools, directory: directories }

/** The listing must be locked. */
export const updatePictures = (
  db: Database,
  kind: ListedKind,
  id: string,
  fields: Partial<PictureFields>,
  at: Date,
) => {
  const table = TABLES[kind] as typeof tools
  return db
    .update(table)
    .set({ ...fields, updatedAt: at, version: raisedVersion(table.version) })
    .where(eq(table.id, id))
}
