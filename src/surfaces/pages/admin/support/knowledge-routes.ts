// Product knowledge of one partner at /admin/partners/:id/knowledge and for all partners at /admin/knowledge, with the same pages.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { getPartner, listPartners } from '../../../../features/partners/operations.ts'
import {
  deleteKnowledgeArticle,
  editKnowledgeArticle,
  partnerKnowledge,
  searchKnowledge,
  sharedKnowledge,
} from '../../../../features/support/knowledge.operations.ts'
import { Failure, notFound } from '../../../../kernel/errors.ts'
import type { Service } from '../../../http/service.ts'
import { csrfField, formOf } from '../../kit/forms.ts'
import { redirectWith } from '../../kit/messages.ts'
import { param } from '../../kit/parameters.ts'
import { actAndRedirect, addPrivatePages, isCorrectable, performAs } from '../../kit/private-pages.ts'
import { refusalOf } from '../../kit/problems.ts'
import { filtersOf } from '../filtered-lists.ts'
import { sendAdmin } from '../frame.ts'
import { PARTNERS } from '../partners.ts'
import { expectedVersionOf } from '../version-field.ts'
import {
  ARTICLE_LABELS,
  type Article,
  articlePage,
  type KnowledgeOwner,
  knowledgePage,
  type TypedArticle,
} from './knowledge.ts'

const DELETED_MEANWHILE =
  'While you worked on it, this article was deleted. Nothing was saved. Look at the list first; saving here adds what you typed as a new article.'

export function addKnowledgePages(server: FastifyInstance, service: Service): void {
  addKnowledgeOf(server, service, '/admin/knowledge', false)
  addKnowledgeOf(server, service, `${PARTNERS}/:id/knowledge`, true)
}

function addKnowledgeOf(server: FastifyInstance, service: Service, base: string, isOfPartner: boolean): void {
  const { get, add } = isOfPartner ? partnerKnowledge : sharedKnowledge

  const ownerParameters = (request: FastifyRequest) => (isOfPartner ? { id: param(request, 'id') } : {})

  async function ownerOf(request: FastifyRequest): Promise<KnowledgeOwner> {
    if (!isOfPartner) return { partner: null, path: base }
    const partner = await performAs(service, request, getPartner, ownerParameters(request))
    return { partner, path: `${PARTNERS}/${partner.id}/knowledge` }
  }

  const articlesOf = async (request: FastifyRequest) =>
    (await performAs(service, request, get, ownerParameters(request))).articles

  const typedArticleOf = (request: FastifyRequest): TypedArticle => {
    const { title, body } = formOf(request)
    return { title, body: body?.replace(/\r\n?/g, '\n') }
  }

  addPrivatePages(server, service, 'admin', {
    [base]: {
      GET: async (request, reply) => {
        const owner = await ownerOf(request)
        const { q } = filtersOf(request, ['q'])
        const client = owner.partner ? { client: owner.partner.id } : {}
        const trial = q ? { q, passages: await performAs(service, request, searchKnowledge, { q, ...client }) } : null
        const partners = isOfPartner ? [] : await performAs(service, request, listPartners, { limit: 200 })
        const page = knowledgePage(owner, await articlesOf(request), trial, partners)
        return sendAdmin(service, request, reply, page)
      },
      POST: async (request, reply) => {
        const typed = typedArticleOf(request)
        return store(request, reply, false, typed, () =>
          performAs(service, request, add, ownerParameters(request), typed),
        )
      },
    },
    [`${base}/-/new`]: {
      GET: async (request, reply) => {
        const page = articlePage({
          owner: await ownerOf(request),
          article: null,
          typed: {},
          token: csrfField(request),
        })
        return sendAdmin(service, request, reply, page)
      },
    },
    [`${base}/:article`]: {
      GET: async (request, reply) => {
        const owner = await ownerOf(request)
        const article = await find(request)
        const page = articlePage({ owner, article, typed: article, token: csrfField(request) })
        return sendAdmin(service, request, reply, page)
      },
      POST: async (request, reply) => {
        const typed = typedArticleOf(request)
        return store(request, reply, true, typed, async () => {
          const { id } = await find(request)
          await performAs(service, request, editKnowledgeArticle, { id, ...expectedVersionOf(request) }, typed)
        })
      },
    },
    [`${base}/:article/delete`]: {
      POST: async (request, reply) => {
        const { path } = await ownerOf(request)
        return actAndRedirect(
          service,
          reply,
          { back: path, done: path, successText: 'The article is deleted.' },
          async () => {
            const { id } = await find(request)
            await performAs(service, request, deleteKnowledgeArticle, { id, ...expectedVersionOf(request) })
          },
        )
      },
    },
  })

  /** Finds the article only among those of the owner that the address names. */
  async function find(request: FastifyRequest): Promise<Article> {
    const article = (await articlesOf(request)).find(({ id }) => id === param(request, 'article'))
    if (!article) throw notFound('Article')
    return article
  }

  async function store(
    request: FastifyRequest,
    reply: FastifyReply,
    exists: boolean,
    typed: TypedArticle,
    work: () => Promise<unknown>,
  ): Promise<FastifyReply> {
    const owner = await ownerOf(request)
    try {
      await work()
    } catch (error) {
      // If the article was deleted in the meantime, the form keeps what the user typed.
      const isGone = exists && error instanceof Failure && error.status === 404
      if (!isGone && !isCorrectable(error)) throw error
      const page = articlePage({
        owner,
        article: exists && !isGone ? await find(request) : null,
        typed,
        token: csrfField(request),
        refusal: isGone ? { text: DELETED_MEANWHILE, marked: {} } : refusalOf(error, ARTICLE_LABELS),
      })
      return sendAdmin(service, request, reply, page, isGone ? 409 : error.status)
    }
    return redirectWith(service, reply, owner.path, { kind: 'good', text: exists ? 'Saved.' : 'Added.' })
  }
}
