// Changing the knowledge. Every version is in the audit log, whole.
import { randomUUID } from 'node:crypto'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { badRequest, notFound } from '../../kernel/errors.ts'
import { insertAudit } from '../audit/queries.ts'
import { auditEntry } from '../audit/rules.ts'
import { checkVersion } from '../audit/version-guard.ts'
import { lockText } from '../submissions/queries.ts'
import { MAX_ARTICLES, MAX_KNOWLEDGE } from './knowledge.schema.ts'
import * as queries from './queries.ts'

type Article = queries.ArticleRow
export interface ArticleText {
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

interface Which {
  id: string
  ifVersion?: number
}

/** Another text in the place of an article. */
export async function editArticle(ctx: TransactionContext, which: Which, text: ArticleText): Promise<Article> {
  const { id } = which
  const { article: before, all } = await lockedArticle(ctx, which)
  if (key(before) === key(text)) return before
  checkSize([...all.filter((article) => article.id !== id), text])
  const article = await queries.updateArticle(ctx.db, id, text)
  await note(ctx, before.partnerId, 'knowledge.edit', { before: shownArticle(before), article: shownArticle(article) })
  return article
}

export async function removeArticle(ctx: TransactionContext, which: Which): Promise<Article> {
  const { article } = await lockedArticle(ctx, which)
  await queries.deleteArticles(ctx.db, [article.id])
  await note(ctx, article.partnerId, 'knowledge.delete', { article: shownArticle(article) })
  return article
}

async function lockedArticle(ctx: TransactionContext, { id, ifVersion }: Which) {
  const found = await queries.findArticle(ctx.db, id)
  if (!found) throw notFound('Article')
  const all = await lockedArticles(ctx, found.partnerId)
  // Looked for again among what is locked: another request may have deleted it.
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
      `The articles have ${size.toLocaleString('en')} characters together; ${MAX_KNOWLEDGE.toLocaleString('en')} is the most.`,
    )
}

/** Of whoever changes the same knowledge at once, one waits for the other. */
async function lockedArticles(ctx: TransactionContext, partnerId: string | null): Promise<Article[]> {
  await lockText(ctx.db, `knowledge:${partnerId ?? ''}`)
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
  version: 1,
  createdAt: ctx.now(),
})

const subjectOf = (partnerId: string | null): string => (partnerId === null ? 'knowledge' : `partner:${partnerId}`)

/** Every change comes through here. */
async function note(
  ctx: TransactionContext,
  partnerId: string | null,
  action: string,
  details: Record<string, unknown>,
) {
  await queries.raiseKnowledgeVersion(ctx.db, partnerId)
  await insertAudit(ctx.db, auditEntry(ctx, action, subjectOf(partnerId), details))
}
