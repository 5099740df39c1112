import { and, asc, desc, eq, getTableColumns, gt, inArray, lt, ne, or, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/context.ts'
import { deleteOldest, groupsByLength, removeWhere } from '../../../kernel/database/queries.ts'
import { users } from '../../accounts/tables.ts'
import { raisedVersion } from '../../audit/queries.ts'
import { categories, tags, tools, websiteKeyHost } from '../../catalog/tables.ts'
import { founderProducts, refusedWebsites } from '../tables.ts'
import type { ReadingStep } from './rules.ts'

export type ProductRow = typeof founderProducts.$inferSelect

const UNSENT = ['reading', 'draft'] as const

const shownProducts = (db: Database) =>
  db
    .select({
      ...getTableColumns(founderProducts),
      listing: { slug: tools.slug, name: tools.name, published: tools.published },
      // False for a product that was never sent. Otherwise typing an address would show that another account has sent that product.
      isSentByOther: sql<boolean>`${founderProducts.timesSent} > 0 and exists (select from founder_products o where o.state = 'waiting'
        and o.website_key = ${founderProducts.websiteKey} and o.user_id <> ${founderProducts.userId})`,
    })
    .from(founderProducts)
    .leftJoin(tools, eq(tools.id, founderProducts.toolId))
    .$dynamic()

export const listProductsOfUser = (db: Database, userId: string, limit: number, offset: number) =>
  shownProducts(db)
    .where(eq(founderProducts.userId, userId))
    .orderBy(desc(founderProducts.createdAt), desc(founderProducts.id))
    .limit(limit)
    .offset(offset)

export const findProductOfUser = async (db: Database, userId: string, id: string) =>
  (await shownProducts(db).where(and(eq(founderProducts.id, id), eq(founderProducts.userId, userId))))[0]

/** The latest product of the user with this website. */
export const findOwnByWebsite = async (db: Database, userId: string, websiteKey: string) =>
  (
    await shownProducts(db)
      .where(and(eq(founderProducts.userId, userId), eq(founderProducts.websiteKey, websiteKey)))
      .orderBy(desc(founderProducts.createdAt), desc(founderProducts.id))
      .limit(1)
  )[0]

export const findProduct = async (db: Database, id: string): Promise<ProductRow | undefined> =>
  (await db.select().from(founderProducts).where(eq(founderProducts.id, id)))[0]

export const findProductForUpdate = async (db: Database, id: string): Promise<ProductRow | undefined> =>
  (await db.select().from(founderProducts).where(eq(founderProducts.id, id)).for('update'))[0]

export const insertProduct = (db: Database, product: typeof founderProducts.$inferInsert) =>
  db.insert(founderProducts).values(product)

export const updateProduct = (
  db: Database,
  id: string,
  change: Partial<Omit<ProductRow, 'version'>> & Pick<ProductRow, 'updatedAt'>,
) =>
  db
    .update(founderProducts)
    .set({ ...change, version: raisedVersion(founderProducts.version) })
    .where(eq(founderProducts.id, id))

/** Changes the row only while the site is being read, so that nothing that the founder has typed is replaced. */
export const updateWhileReading = async (
  db: Database,
  id: string,
  change: Partial<Omit<ProductRow, 'version'>> & { step?: ReadingStep },
): Promise<boolean> =>
  (
    await db
      .update(founderProducts)
      .set(change)
      .where(and(eq(founderProducts.id, id), eq(founderProducts.state, 'reading')))
      .returning({ id: founderProducts.id })
  ).length > 0

export const deleteProduct = (db: Database, id: string) => db.delete(founderProducts).where(eq(founderProducts.id, id))

/** Deletes the oldest unsent products of a user, so that at most `most` stay. */
export const deleteOldDrafts = (db: Database, userId: string, most: number) =>
  deleteOldest(
    db,
    founderProducts,
    and(eq(founderProducts.userId, userId), inArray(founderProducts.state, [...UNSENT])),
    most,
  )

const countWhere = (db: Database, where: ReturnType<typeof and>): Promise<number> => db.$count(founderProducts, where)

export const countWaiting = (db: Database, userId: string) =>
  countWhere(db, and(eq(founderProducts.userId, userId), eq(founderProducts.state, 'waiting')))

/** How often the user has sent a product since then. A product that was refused and sent again counts twice. */
export const countSentSince = async (db: Database, userId: string, since: Date): Promise<number> => {
  const isOwn = eq(founderProducts.userId, userId)
  const first = await countWhere(db, and(isOwn, gt(founderProducts.firstSentAt, since)))
  return first + (await countWhere(db, and(isOwn, gt(founderProducts.timesSent, 1), gt(founderProducts.sentAt, since))))
}

export const isSentByOther = async (db: Database, userId: string, websiteKey: string): Promise<boolean> =>
  (await countWhere(
    db,
    and(
      eq(founderProducts.websiteKey, websiteKey),
      eq(founderProducts.state, 'waiting'),
      ne(founderProducts.userId, userId),
    ),
  )) > 0

/** The reason of the last refusal of a product of one of these hosts, of any account; undefined: none was refused. */
export const findRefusal = async (db: Database, hosts: readonly string[]): Promise<string | undefined> =>
  (
    await db
      .select({ reason: refusedWebsites.reason })
      .from(refusedWebsites)
      .where(inArray(websiteKeyHost(refusedWebsites.websiteKey), [...hosts]))
      .orderBy(desc(refusedWebsites.refusedAt), asc(refusedWebsites.websiteKey))
      .limit(1)
  )[0]?.reason

export const upsertRefusal = (db: Database, refusal: typeof refusedWebsites.$inferInsert) =>
  db.insert(refusedWebsites).values(refusal).onConflictDoUpdate({ target: refusedWebsites.websiteKey, set: refusal })

export const deleteRefusal = (db: Database, websiteKey: string) =>
  db.delete(refusedWebsites).where(eq(refusedWebsites.websiteKey, websiteKey))

const looksOfSlug = sql`translate(replace(replace(replace(${tools.slug}, '-', ''), 'rn', 'm'), 'vv', 'w'), '01i', 'oll')`

/** A published tool of another website with this name, or with one that looks the same (`looksOfName`). */
export const findToolNamed = async (
  db: Database,
  { name, looks }: { name: string; looks: string },
  websiteKey: string,
) =>
  (
    await db
      .select({ slug: tools.slug, name: tools.name })
      .from(tools)
      .where(
        and(
          eq(tools.published, true),
          or(sql`lower(${tools.name}) = lower(${name})`, looks === '' ? undefined : sql`${looksOfSlug} = ${looks}`),
          or(sql`${tools.websiteKey} is null`, ne(tools.websiteKey, websiteKey)),
        ),
      )
      .limit(1)
  )[0]

// More tags would take longer to compare with the text of a page than they help.
const MOST_TAGS = 5_000

/** The categories and tags that may be guessed for a product. A worker process keeps no catalog in memory, so they are read here. */
export const listTermNames = async (db: Database) => ({
  categories: await db.select({ slug: categories.slug, name: categories.name }).from(categories),
  tags: await db
    .select({ slug: tags.slug, name: tags.name })
    .from(tags)
    .where(eq(tags.submitted, false))
    .limit(MOST_TAGS),
})

const selectReviews = (db: Database) =>
  db
    .select({
      ...getTableColumns(founderProducts),
      user: { id: users.id, email: users.email },
      listing: { slug: tools.slug, name: tools.name, published: tools.published },
    })
    .from(founderProducts)
    .innerJoin(users, eq(users.id, founderProducts.userId))
    .leftJoin(tools, eq(tools.id, founderProducts.toolId))
    .$dynamic()

/** Suspicious ones first; of those that wait the oldest, of the others the last decided. Read in groups, because they may be long. */
export async function listReviewRows(db: Database, state: ProductRow['state'], limit: number, offset: number) {
  const order = [
    sql`cardinality(${founderProducts.suspicions}) > 0 desc`,
    state === 'waiting' ? asc(founderProducts.sentAt) : desc(founderProducts.decidedAt),
    asc(founderProducts.id),
  ]
  const page = db
    .select({ id: founderProducts.id })
    .from(founderProducts)
    .where(eq(founderProducts.state, state))
    .orderBy(...order)
    .limit(limit)
    .offset(offset)
  const lengths = await db
    .select({ id: founderProducts.id, length: sql<number>`length(${founderProducts.fields}::text)` })
    .from(founderProducts)
    .where(inArray(founderProducts.id, page))
    .orderBy(...order)
  const rows: Awaited<ReturnType<typeof selectReviews>> = []
  for (const group of groupsByLength(lengths)) {
    const ids = group.map(({ id }) => id)
    const found = selectReviews(db).where(inArray(founderProducts.id, ids))
    rows.push(...(await found.orderBy(...order)))
  }
  return rows
}

export const findReview = async (db: Database, id: string) =>
  (await selectReviews(db).where(and(eq(founderProducts.id, id), ne(founderProducts.timesSent, 0))))[0]

/** Products that were begun and not sent since this time. */
export const removeOldDrafts = (since: Date) =>
  removeWhere(founderProducts, and(inArray(founderProducts.state, [...UNSENT]), lt(founderProducts.updatedAt, since)))

/** Refused products that were not changed since this time. That their websites were refused stays known (`refused_websites`). */
export const removeOldRefused = (since: Date) =>
  removeWhere(founderProducts, and(eq(founderProducts.state, 'refused'), lt(founderProducts.updatedAt, since)))
