// Categories, tags and directory categories. What is adult is decided here.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { entryOperations } from '../../../../features/listings/operations.ts'
import { slugify } from '../../../../features/submissions/rules.ts'
import { Failure, notFound } from '../../../../kernel/errors.ts'
import type { Service } from '../../../http/service.ts'
import { csrfField, formOf } from '../../kit/forms.ts'
import { redirectWith } from '../../kit/messages.ts'
import { readListPage } from '../../kit/paged-lists.ts'
import { param } from '../../kit/parameters.ts'
import { actAndRedirect, addPrivatePages, isCorrectable, performAs } from '../../kit/private-pages.ts'
import { sendAdmin } from '../frame.ts'
import { filtersOf } from '../narrowed-lists.ts'
import { guardOf } from '../version-field.ts'
import { TAXONOMIES, TAXONOMY, type Taxonomy, type Term, type Typed, termPage, termsPage } from './pages.ts'

const kindNamed = (request: FastifyRequest): Taxonomy => {
  const kind = TAXONOMIES.find(({ path }) => path === param(request, 'kind'))
  if (!kind) throw notFound('This part of the taxonomy was')
  return kind
}

export function addTaxonomyPages(server: FastifyInstance, service: Service): void {
  addPrivatePages(server, service, 'admin', {
    [TAXONOMY]: { GET: (_request, reply) => redirectWith(service, reply, `${TAXONOMY}/${TAXONOMIES[0]!.path}`) },
    [`${TAXONOMY}/:kind`]: {
      GET: (request, reply) => showTerms(service, request, reply, kindNamed(request), { slug: '' }),
      POST: (request, reply) => create(service, request, reply, kindNamed(request)),
    },
    [`${TAXONOMY}/:kind/:slug`]: {
      GET: async (request, reply) => {
        const kind = kindNamed(request)
        const term = await find(service, request, kind)
        return sendAdmin(service, request, reply, termPage(kind, term, fromStored(term), csrfField(request)))
      },
      POST: (request, reply) => save(service, request, reply, kindNamed(request)),
    },
    [`${TAXONOMY}/:kind/:slug/delete`]: {
      POST: (request, reply) => {
        const kind = kindNamed(request)
        const slug = param(request, 'slug')
        const done = `${TAXONOMY}/${kind.path}`
        const back = `${done}/${encodeURIComponent(slug)}`
        return actAndRedirect(service, reply, { back, done, successText: `Deleted the ${kind.one} ${slug}.` }, () =>
          performAs(service, request, entryOperations[kind.kind].remove, { slug, ...guardOf(request) }),
        )
      },
    },
  })
}

async function showTerms(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: Taxonomy,
  typed: Typed,
  problem?: string,
): Promise<FastifyReply> {
  const filters = filtersOf(request, ['q'])
  const list = await readListPage(service, request, entryOperations[kind.kind].list, filters)
  const page = termsPage(kind, list, filters, typed, csrfField(request), problem)
  return sendAdmin(service, request, reply, page, problem ? 400 : 200)
}

const find = (service: Service, request: FastifyRequest, kind: Taxonomy): Promise<Term> =>
  performAs(service, request, entryOperations[kind.kind].get, { slug: param(request, 'slug') })

const fromStored = ({ slug, name, description, icon, adult }: Term): Typed => ({
  slug,
  name,
  description,
  icon,
  adult: adult ? 'true' : '',
})

const typedIn = (request: FastifyRequest): Typed => {
  const { slug = '', name, description, icon, adult, keep } = formOf(request)
  return { slug, name, description, icon, adult, keep }
}

const bodyOf = (kind: Taxonomy, { name = '', description = '', icon = '', adult }: Typed) => ({
  name: name.trim(),
  ...(kind.isDescribed ? { description: description.trim(), icon: icon.trim() } : {}),
  ...(kind.mayBeAdult ? { adult: adult === 'true' } : {}),
})

async function create(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: Taxonomy,
): Promise<FastifyReply> {
  const typed = typedIn(request)
  const slug = typed.slug.trim() || slugify(typed.name ?? '')
  try {
    await performAs(service, request, entryOperations[kind.kind].put, { slug, ifVersion: 0 }, bodyOf(kind, typed))
  } catch (error) {
    if (!(error instanceof Failure) || (error.status !== 400 && error.status !== 409)) throw error
    const problem =
      error.status === 409 ? `There is a ${kind.one} ${slug} already. Choose another slug.` : error.message
    return showTerms(service, request, reply, kind, typed, problem)
  }
  const path = `${TAXONOMY}/${kind.path}`
  return redirectWith(service, reply, path, { kind: 'good', text: `Created the ${kind.one} ${slug}.` })
}

async function save(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: Taxonomy,
): Promise<FastifyReply> {
  const typed = typedIn(request)
  const slug = param(request, 'slug')
  const term = await find(service, request, kind)
  try {
    const submitted = term.submitted === true && typed.keep !== 'true'
    const body = { ...bodyOf(kind, typed), ...(submitted ? { submitted } : {}) }
    await performAs(service, request, entryOperations[kind.kind].put, { slug, ...guardOf(request) }, body)
  } catch (error) {
    if (!isCorrectable(error)) throw error
    const page = termPage(
      kind,
      await find(service, request, kind),
      { ...typed, slug },
      csrfField(request),
      error.message,
    )
    return sendAdmin(service, request, reply, page, error.status)
  }
  return redirectWith(service, reply, `${TAXONOMY}/${kind.path}`, {
    kind: 'good',
    text: `Saved the ${kind.one} ${slug}.`,
  })
}
