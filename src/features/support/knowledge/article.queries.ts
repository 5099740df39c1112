import { and, asc, eq, inArray, isNull, ne, or, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/context.ts'
import { onlyRow } from '../../../kernel/database/queries.ts'
import { raisedVersion } from '../../audit/queries.ts'
import { articles, knowledgeVersions } from '../tables.ts'

export type ArticleRow = typeof articles.$inferSelect

/** Articles of one partner, or with null those for all partners. */
const ofOwner = (partnerId: string | null) =>
  partnerId === null ? isNull(articles.partnerId) : eq(articles.partnerId, partnerId)

export const listArticles = (db: Database, partnerId: string | null): Promise<ArticleRow[]> =>
  db.select().from(articles).where(ofOwner(partnerId)).orderBy(asc(articles.position), asc(articles.id))

/** The articles from which a partner's customers are answered: the partner's own and those for all partners. */
const usable = (partnerId: string | null) => or(isNull(articles.partnerId), ofOwner(partnerId))
const ownFirst = [sql`${articles.partnerId} is null`, asc(articles.position), asc(articles.id)]

/** The ids and versions of the articles; the same list means the same texts. */
export const listUsableVersions = async (db: Database, partnerId: string | null): Promise<string[]> =>
  (
    await db
      .select({ id: articles.id, version: articles.version })
      .from(articles)
      .where(usable(partnerId))
      .orderBy(...ownFirst)
  ).map(({ id, version }) => `${id} ${version}`)

export const listUsableArticles = (db: Database, partnerId: string | null): Promise<ArticleRow[]> =>
  db
    .select()
    .from(articles)
    .where(usable(partnerId))
    .orderBy(...ownFirst)

export const insertArticles = (db: Database, rows: readonly ArticleRow[]) => db.insert(articles).values([...rows])
export const updateArticlePosition = (db: Database, id: string, position: number) =>
  db
    .update(articles)
    .set({ position })
    .where(and(eq(articles.id, id), ne(articles.position, position)))
export const deleteArticles = (db: Database, ids: readonly string[]) =>
  db.delete(articles).where(inArray(articles.id, [...ids]))
export const findArticle = async (db: Database, id: string): Promise<ArticleRow | undefined> =>
  (await db.select().from(articles).where(eq(articles.id, id)))[0]

export const updateArticle = async (
  db: Database,
  id: string,
  text: Pick<ArticleRow, 'title' | 'body'>,
): Promise<ArticleRow> =>
  onlyRow(
    await db
      .update(articles)
      .set({ ...text, version: raisedVersion(articles.version) })
      .where(eq(articles.id, id))
      .returning(),
  )

/** The version of a partner's articles together, or with null of those for all partners; 0 when none were ever written. */
export const findKnowledgeVersion = async (db: Database, partnerId: string | null): Promise<number> =>
  (
    await db
      .select({ version: knowledgeVersions.version })
      .from(knowledgeVersions)
      .where(eq(knowledgeVersions.owner, partnerId ?? ''))
  )[0]?.version ?? 0

export const raiseKnowledgeVersion = (db: Database, partnerId: string | null) =>
  db
    .insert(knowledgeVersions)
    .values({ owner: partnerId ?? '' })
    .onConflictDoUpdate({ target: knowledgeVersions.owner, set: { version: raisedVersion(knowledgeVersions.version) } })
