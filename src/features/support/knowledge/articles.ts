// Changes the articles. The audit log contains the full text of every version.
import { randomUUID } from 'node:crypto'
import type { Context, TransactionContext } from '../../../kernel/context.ts'
import { lockText } from '../../../kernel/database/queries.ts'
import { badRequest, notFound, orNotFound } from '../../../kernel/errors.ts'
import { checkVersion } from '../../audit/version-guard.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import { supportModeOf } from '../conversation-response.ts'
import * as queries from './article.queries.ts'
import { MAX_ARTICLES, MAX_KNOWLEDGE } from './knowledge.schema.ts'

type Article = queries.ArticleRow
interface ArticleText {
  title: string
  body: string
}

export const shownArticle = ({ id, title, body, version, createdAt }: Article) => ({
  id,
  title,
  body,
  version,
  createdAt,
})

const TITLE_LENGTH = 200

/** Makes a title of a question: one line of limited length. */
export function titleFrom(question: string): string {
  const line = [...question.trim().replace(/\s+/g, ' ')]
  return line.length <= TITLE_LENGTH ? line.join('') : `${line.slice(0, TITLE_LENGTH - 1).join('')}…`
}

/** Articles with the same text keep their row; the others are deleted or created. Call this inside a transaction. */
export async function replaceArticles(
  ctx: TransactionContext,
  partnerId: string | null,
  texts: readonly ArticleText[],
  ifVersion?: number,
) {
  checkSize(texts)
  const before = await lockedArticles(ctx, partnerId)
  await checkVersion(ctx, ifVersion, {
    name: partnerId === null ? 'knowledge for all partners' : 'knowledge of the partner',
    version: await queries.findKnowledgeVersion(ctx.db, partnerId),
    subject: subjectOf(partnerId),
    actions: ['knowledge.replace', 'knowledge.add', 'knowledge.edit', 'knowledge.delete'],
  })
  const unmatched = Map.groupBy(before, textKey)
  const kept = texts.map((text) => unmatched.get(textKey(text))?.shift())
  const removed = [...unmatched.values()].flat()
  const isSame = removed.length === 0 && texts.every((_, position) => kept[position]?.position === position)
  if (isSame) return before
  if (removed.length > 0)
    await queries.deleteArticles(
      ctx.db,
      removed.map((article) => article.id),
    )
  const created = texts.flatMap((text, position) =>
    kept[position] ? [] : [newArticle(ctx, partnerId, text, position)],
  )
  if (created.length > 0) await queries.insertArticles(ctx.db, created)
  for (const [position, article] of kept.entries())
    if (article) await queries.updateArticlePosition(ctx.db, article.id, position)
  await recordChange(ctx, partnerId, 'knowledge.replace', {
    added: created.map(shownArticle),
    removed: removed.map(shownArticle),
    articles: texts.length,
  })
  return queries.listArticles(ctx.db, partnerId)
}

export async function addArticle(
  ctx: TransactionContext,
  partnerId: string | null,
  text: ArticleText,
): Promise<Article> {
  const before = await lockedArticles(ctx, partnerId)
  const existing = before.find((article) => textKey(article) === textKey(text))
  if (existing) return existing
  if (before.length >= MAX_ARTICLES)
    throw badRequest(`There are already ${MAX_ARTICLES} articles, the maximum. Delete or merge some first.`)
  checkSize([...before, text])
  const article = newArticle(ctx, partnerId, text, (before.at(-1)?.position ?? -1) + 1)
  await queries.insertArticles(ctx.db, [article])
  await recordChange(ctx, partnerId, 'knowledge.add', { article: shownArticle(article) })
  return article
}

interface ArticleReference {
  id: string
  ifVersion?: number
}

export async function editArticle(
  ctx: TransactionContext,
  reference: ArticleReference,
  text: ArticleText,
): Promise<Article> {
  const { id } = reference
  const { article: before, all } = await lockedArticle(ctx, reference)
  if (textKey(before) === textKey(text)) return before
  checkSize([...all.filter((article) => article.id !== id), text])
  const article = await queries.updateArticle(ctx.db, id, text)
  await recordChange(ctx, before.partnerId, 'knowledge.edit', {
    before: shownArticle(before),
    article: shownArticle(article),
  })
  return article
}

export async function removeArticle(ctx: TransactionContext, reference: ArticleReference): Promise<Article> {
  const { article } = await lockedArticle(ctx, reference)
  await queries.deleteArticles(ctx.db, [article.id])
  await recordChange(ctx, article.partnerId, 'knowledge.delete', { article: shownArticle(article) })
  return article
}

async function lockedArticle(ctx: TransactionContext, { id, ifVersion }: ArticleReference) {
  const found = orNotFound(await queries.findArticle(ctx.db, id), 'Article')
  const all = await lockedArticles(ctx, found.partnerId)
  // Looked up again after locking, because another request may have deleted it.
  const article = all.find((one) => one.id === id)
  if (!article) throw notFound('Article')
  await checkVersion(ctx, ifVersion, {
    name: `article ${article.title}`,
    version: article.version,
    subject: subjectOf(article.partnerId),
    actions: ['knowledge.edit'],
    details: { article: { id } },
  })
  return { article, all }
}

function checkSize(texts: readonly ArticleText[]): void {
  const size = texts.reduce((sum, { title, body }) => sum + title.length + body.length, 0)
  if (size > MAX_KNOWLEDGE)
    throw badRequest(
      `The articles have ${size.toLocaleString('en')} characters; the maximum is ${MAX_KNOWLEDGE.toLocaleString('en')}.`,
    )
}

/** Concurrent changes of the same list wait for each other. `supportModeOf` throws a 404 for an unknown partner. */
async function lockedArticles(ctx: TransactionContext, partnerId: string | null): Promise<Article[]> {
  await lockText(ctx.db, `knowledge:${partnerId ?? ''}`)
  if (partnerId !== null) await supportModeOf(ctx, partnerId)
  return queries.listArticles(ctx.db, partnerId)
}

const textKey = ({ title, body }: ArticleText): string => JSON.stringify([title, body])

const newArticle = (
  ctx: Context,
  partnerId: string | null,
  { title, body }: ArticleText,
  position: number,
): Article => ({ id: randomUUID(), partnerId, position, title, body, version: 1, createdAt: ctx.now() })

const subjectOf = (partnerId: string | null): string => (partnerId === null ? 'knowledge' : `partner:${partnerId}`)

/** Every change of the knowledge calls this. */
async function recordChange(
  ctx: TransactionContext,
  partnerId: string | null,
  action: string,
  details: Record<string, unknown>,
) {
  await queries.raiseKnowledgeVersion(ctx.db, partnerId)
  await writeAudit(ctx, action, subjectOf(partnerId), details)
}
