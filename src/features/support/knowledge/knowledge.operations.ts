import { Type } from 'typebox'
import type { Context } from '../../../kernel/context.ts'
import { operationsFor } from '../../../kernel/operation.ts'
import { stringType } from '../../../kernel/schema.ts'
import { versionGuard } from '../../audit/schema.ts'
import { EXAMPLE_PARTNER_ID } from '../../partners/schema.ts'
import { asksForPerson } from '../answers/person-request.rules.ts'
import { supportModeOf } from '../conversation-response.ts'
import { ARTICLE_ID } from '../schema.ts'
import * as queries from './article.queries.ts'
import { addArticle, editArticle, removeArticle, replaceArticles, shownArticle } from './articles.ts'
import * as schema from './knowledge.schema.ts'

const operation = operationsFor('operator', 'Support')

const client = stringType('Identifier of the partner.', EXAMPLE_PARTNER_ID)

/** The same three operations for one partner's knowledge and for the knowledge for all partners. */
const operationsOf = <const N extends string>(scope: {
  name: N
  path: string
  parameters: { id?: typeof client }
  whose: string
}) => {
  const partnerIdIn = (input: object): string | null => (input as { id?: string }).id ?? null
  const parameters = Type.Object(scope.parameters)
  const failures = scope.parameters.id ? ([404] as const) : []
  return {
    get: operation({
      name: `get_${scope.name}` as const,
      summary: `The knowledge ${scope.whose}`,
      description: `All articles ${scope.whose}, in their order.`,
      method: 'GET',
      path: scope.path,
      parameters,
      data: schema.knowledgeSchema,
      run: async (ctx, input) => {
        const id = partnerIdIn(input)
        if (id !== null) await supportModeOf(ctx, id) // a 404 for an unknown partner
        return { data: await shownKnowledge(ctx, id, await queries.listArticles(ctx.db, id)) }
      },
    }),
    put: operation({
      name: `put_${scope.name}` as const,
      summary: `Replace the knowledge ${scope.whose}`,
      description: `Makes these the articles ${scope.whose}; others are deleted. Earlier versions are in the audit log.`,
      method: 'PUT',
      path: scope.path,
      parameters: Type.Object({ ...scope.parameters, ...versionGuard.parameters }),
      body: schema.articlesBody,
      data: schema.knowledgeSchema,
      failures: [400, ...failures, ...versionGuard.failures],
      exampleFields: { version: 8 },
      run: (ctx, input, body) =>
        ctx.transaction(async (ctx) => {
          const id = partnerIdIn(input)
          return { data: await shownKnowledge(ctx, id, await replaceArticles(ctx, id, body.articles, input.ifVersion)) }
        }),
    }),
    add: operation({
      name: `add_${scope.name}` as const,
      summary: `Add an article to the knowledge ${scope.whose}`,
      description: `Adds one article after the others ${scope.whose}.`,
      method: 'POST',
      path: scope.path,
      parameters,
      body: schema.articleBody,
      data: schema.articleSchema,
      run: (ctx, input, body) =>
        ctx.transaction(async (ctx) => ({ data: shownArticle(await addArticle(ctx, partnerIdIn(input), body)) })),
    }),
  }
}

export const partnerKnowledge = operationsOf({
  name: 'partner_knowledge',
  path: '/partners/:id/knowledge',
  parameters: { id: client },
  whose: 'of a partner',
})

export const sharedKnowledge = operationsOf({
  name: 'knowledge',
  path: '/knowledge',
  parameters: {},
  whose: 'for all partners',
})

const articleId = stringType('Identifier of the article.', ARTICLE_ID)

export const editKnowledgeArticle = operation({
  name: 'edit_article',
  summary: 'Edit an article',
  description: 'Puts another text in the place of an article, of a partner or for all.',
  method: 'PUT',
  path: '/knowledge/:id',
  parameters: Type.Object({ id: articleId, ...versionGuard.parameters }),
  body: schema.articleBody,
  data: schema.articleSchema,
  failures: [400, 404, ...versionGuard.failures],
  run: (ctx, input, body) =>
    ctx.transaction(async (ctx) => ({ data: shownArticle(await editArticle(ctx, input, body)) })),
})

export const deleteKnowledgeArticle = operation({
  name: 'delete_article',
  summary: 'Delete an article',
  description: 'Deletes one article, of a partner or for all. Its text stays in the audit log.',
  method: 'DELETE',
  path: '/knowledge/:id',
  parameters: Type.Object({ id: articleId, ...versionGuard.parameters }),
  data: schema.articleSchema,
  failures: [400, 404, ...versionGuard.failures],
  run: (ctx, input) => ctx.transaction(async (ctx) => ({ data: shownArticle(await removeArticle(ctx, input)) })),
})

const MAX_PASSAGES = 10

export const searchKnowledge = operation({
  name: 'search_knowledge',
  summary: 'Search the knowledge',
  description:
    'Passages that speak of a question, best first, and whether the built-in answerer would reply with one of them.',
  method: 'GET',
  path: '/knowledge/search',
  parameters: Type.Object({
    q: stringType('The question.', 'How long do refunds take?', { maxLength: 4000 }),
    client: Type.Optional({ ...client, description: 'Also the knowledge of this partner.' }),
  }),
  data: Type.Array(schema.foundPassageSchema),
  failures: [400, 404],
  exampleFields: { text: 'You can get a refund within 14 days.' },
  run: async (ctx, input) => ({ data: await search(ctx, input.q, input.client ?? null) }),
})

async function search(ctx: Context, question: string, partnerId: string | null) {
  if (partnerId !== null) await supportModeOf(ctx, partnerId)
  const knowledge = await ctx.knowledge.of(ctx.db, partnerId)
  const answer = asksForPerson(question) ? null : knowledge.answer(question)
  return knowledge
    .find(question)
    .slice(0, MAX_PASSAGES)
    .map(({ passage, coverage }) => ({
      ...passage,
      coverage,
      answers: answer?.articleId === passage.articleId && answer.text.includes(passage.text),
    }))
}

export const knowledgeOperations = [
  ...Object.values(partnerKnowledge),
  ...Object.values(sharedKnowledge),
  searchKnowledge,
  editKnowledgeArticle,
  deleteKnowledgeArticle,
]

const shownKnowledge = async (ctx: Context, partnerId: string | null, articles: readonly queries.ArticleRow[]) => ({
  articles: articles.map(shownArticle),
  version: await queries.findKnowledgeVersion(ctx.db, partnerId),
})
