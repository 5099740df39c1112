// Changing the knowledge. Every version is in the audit log, whole.
import { randomUUID } from 'node:crypto'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { badRequest, notFound } from '../../kernel/errors.ts'
import { insertAudit } from '../audit/queries.ts'
import { auditEntry } from '../audit/rules.ts'
import { lockWords } from '../submissions/queries.ts'
import { MAX_ARTICLES, MAX_KNOWLEDGE } from './knowledge.schema.ts'
import * as queries from './queries.ts'

type Article = queries.ArticleRow
export interface ArticleText {
  title: string
  body: string
}

export const shownArticle = ({ id, title, body, createdAt }: Article) => ({ id, title, body, createdAt })

const TITLE_LENGTH = 200

/** A question as a title: its first line, not too long. */
export function titleFrom(question: string): string {
  const line = [...question.trim().replace(/\s+/g, ' ')]
  return line.length <= TITLE_LENGTH ? line.join('') : `${line.slice(0, TITLE_LENGTH - 1).join('')}…`
}

/** Those with the same text keep their row, the others are deleted or made. Call inside a transaction. */
export async function replaceArticles(
  ctx: TransactionContext,
  partnerId: string | null,
  texts: readonly ArticleText[],
) {
  checkSize(texts)
  const before = await lockedArticles(ctx, partnerId)
  const left = Map.groupBy(before, key)
  const kept = texts.map((text) => left.get(key(text))?.shift())
  const gone = [...left.values()].flat()
  const isSame = gone.length === 0 && texts.every((_, position) => kept[position]?.position === position)
  if (isSame) return before
  if (gone.length > 0)
    await queries.deleteArticles(
      ctx.db,
      gone.map((article) => article.id),
    )
  const created = texts.flatMap((text, position) => (kept[position] ? [] : [made(ctx, partnerId, text, position)]))
  if (created.length > 0) await queries.insertArticles(ctx.db, created)
  for (const [position, article] of kept.entries())
    if (article) await queries.updateArticlePosition(ctx.db, article.id, position)
  await note(ctx, partnerId, 'knowledge.replace', {
    added: created.map(shownArticle),
    removed: gone.map(shownArticle),
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
  const there = before.find((article) => key(article) === key(text))
  if (there) return there
  if (before.length >= MAX_ARTICLES)
    throw badRequest(`There are ${MAX_ARTICLES} articles already, which is the most. Delete or join some first.`)
  checkSize([...before, text])
  const article = made(ctx, partnerId, text, (before.at(-1)?.position ?? -1) + 1)
  await queries.insertArticles(ctx.db, [article])
  await note(ctx, partnerId, 'knowledge.add', { article: shownArticle(article) })
  return article
}

/** Another text in the place of an article. It is a new one: an article never changes under its id. */
export async function editArticle(ctx: TransactionContext, id: string, text: ArticleText): Promise<Article> {
  const found = await queries.findArticle(ctx.db, id)
  if (!found) throw notFound('Article')
  const all = await lockedArticles(ctx, found.partnerId)
  // Looked for again among what is locked: somebody else may have been quicker.
  const before = all.find((article) => article.id === id)
  if (!before) throw notFound('Article')
  if (key(before) === key(text)) return before
  checkSize([...all.filter((article) => article.id !== id), text])
  const article = made(ctx, before.partnerId, text, before.position)
  await queries.deleteArticles(ctx.db, [id])
  await queries.insertArticles(ctx.db, [article])
  await note(ctx, before.partnerId, 'knowledge.edit', { before: shownArticle(before), article: shownArticle(article) })
  return article
}

export async function removeArticle(ctx: TransactionContext, id: string): Promise<Article> {
  const owner = await queries.findArticle(ctx.db, id)
  const article = owner && (await lockedArticles(ctx, owner.partnerId)).find((one) => one.id === id)
  if (!article) throw notFound('Article')
  await queries.deleteArticles(ctx.db, [id])
  await note(ctx, article.partnerId, 'knowledge.delete', { article: shownArticle(article) })
  return article
}

function checkSize(texts: readonly ArticleText[]): void {
  const size = texts.reduce((sum, { title, body }) => sum + title.length + body.length, 0)
  if (size > MAX_KNOWLEDGE)
    throw badRequest(
      `The articles have ${size.toLocaleString('en')} characters together; ${MAX_KNOWLEDGE.toLocaleString('en')} is the most.`,
    )
}

/** Of whoever changes the same knowledge at once, one waits for the other. */
async function lockedArticles(ctx: TransactionContext, partnerId: string | null): Promise<Article[]> {
  await lockWords(ctx.db, `knowledge:${partnerId ?? ''}`)
  if (partnerId !== null && (await queries.findSupportMode(ctx.db, partnerId)) === undefined) throw notFound('Partner')
  return queries.listArticles(ctx.db, partnerId)
}

const key = ({ title, body }: ArticleText): string => JSON.stringify([title, body])

const made = (ctx: Context, partnerId: string | null, { title, body }: ArticleText, position: number): Article => ({
  id: randomUUID(),
  partnerId,
  position,
  title,
  body,
  createdAt: ctx.now(),
})

const note = (ctx: Context, partnerId: string | null, action: string, details: Record<string, unknown>) =>
  insertAudit(ctx.db, auditEntry(ctx, action, partnerId === null ? 'knowledge' : `partner:${partnerId}`, details))
