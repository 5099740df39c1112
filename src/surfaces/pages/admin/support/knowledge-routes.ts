// Product knowledge: of one partner at /admin/partners/:id/knowledge, and for all partners at /admin/knowledge. The same pages.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { getPartner, listPartners } from '../../../../features/keys/partners.operations.ts'
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
import { filtersOf } from '../filtered-lists.ts'
import { sendAdmin } from '../frame.ts'
import { PARTNERS } from '../partners/pages.ts'
import { expectedVersionOf } from '../version-field.ts'
import { type Article, articlePage, knowledgePage, type Shelf, type Typed } from './knowledge.ts'

export function addKnowledgePages(server: FastifyInstance, service: Service): void {
  addShelf(server, service, '/admin/knowledge', false)
  addShelf(server, service, `${PARTNERS}/:id/knowledge`, true)
}

function addShelf(server: FastifyInstance, service: Service, base: string, isPartners: boolean): void {
  const { get, add } = isPartners ? partnerKnowledge : sharedKnowledge

  const whose = (request: FastifyRequest) => (isPartners ? { id: param(request, 'id') } : {})

  async function shelfOf(request: FastifyRequest): Promise<Shelf> {
    if (!isPartners) return { partner: null, path: base }
    const partner = await performAs(service, request, getPartner, whose(request))
    return { partner, path: `${PARTNERS}/${partner.id}/knowledge` }
  }

  const articlesOf = async (request: FastifyRequest) =>
    (await performAs(service, request, get, whose(request))).articles

  const typedIn = (request: FastifyRequest): Typed => {
    const { title, body } = formOf(request)
    return { title, body: body?.replace(/\r\n?/g, '\n') }
  }

  addPrivatePages(server, service, 'admin', {
    [base]: {
      GET: async (request, reply) => {
        const shelf = await shelfOf(request)
        const { q } = filtersOf(request, ['q'])
        const client = shelf.partner ? { client: shelf.partner.id } : {}
        const asked = q ? { q, passages: await performAs(service, request, searchKnowledge, { q, ...client }) } : null
        const partners = isPartners ? [] : await performAs(service, request, listPartners, { limit: 200 })
        const page = knowledgePage(shelf, await articlesOf(request), asked, partners)
        return sendAdmin(service, request, reply, page)
      },
      POST: async (request, reply) => {
        const typed = typedIn(request)
        return store(request, reply, false, typed, () => performAs(service, request, add, whose(request), typed))
      },
    },
    [`${base}/-/new`]: {
      GET: async (request, reply) => {
        const page = articlePage({
          shelf: await shelfOf(request),
          article: null,
          typed: {},
          token: csrfField(request),
        })
        return sendAdmin(service, request, reply, page)
      },
    },
    [`${base}/:article`]: {
      GET: async (request, reply) => {
        const shelf = await shelfOf(request)
        const article = await find(request)
        const page = articlePage({ shelf, article, typed: article, token: csrfField(request) })
        return sendAdmin(service, request, reply, page)
      },
      POST: async (request, reply) => {
        const typed = typedIn(request)
        return store(request, reply, true, typed, async () => {
          const { id } = await find(request)
          await performAs(service, request, editKnowledgeArticle, { id, ...expectedVersionOf(request) }, typed)
        })
      },
    },
    [`${base}/:article/delete`]: {
      POST: async (request, reply) => {
        const { path } = await shelfOf(request)
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

  /** Only among those of this shelf: the address says whose it is. */
  async function find(request: FastifyRequest): Promise<Article> {
    const article = (await articlesOf(request)).find(({ id }) => id === param(request, 'article'))
    if (!article) throw notFound('Article')
    return article
  }

  async function store(
    request: FastifyRequest,
    reply: FastifyReply,
    isThere: boolean,
    typed: Typed,
    work: () => Promise<unknown>,
  ): Promise<FastifyReply> {
    const shelf = await shelfOf(request)
    try {
      await work()
    } catch (error) {
      // An article that was deleted meanwhile is gone. What was typed is not.
      const isGone = isThere && error instanceof Failure && error.status === 404
      if (!isGone && !isCorrectable(error)) throw error
      const page = articlePage({
        shelf,
        article: isThere && !isGone ? await find(request) : null,
        typed,
        token: csrfField(request),
        problem: isGone
          ? 'While you worked on it, this article was deleted. Nothing was saved. Look at the list first; saving here adds what you typed as a new article.'
          : error.message,
      })
      return sendAdmin(service, request, reply, page, isGone ? 409 : error.status)
    }
    return redirectWith(service, reply, shelf.path, { kind: 'good', text: isThere ? 'Saved.' : 'Added.' })
  }
}
