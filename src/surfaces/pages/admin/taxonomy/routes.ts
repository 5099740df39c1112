// Categories, tags and directory categories. Administrators mark here which of them are adult.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { TOPIC } from '../../../../features/catalog/schema.ts'
import { freeSlug, termSlug } from '../../../../features/catalog/slugify.ts'
import { entryOperations } from '../../../../features/listings/operations.ts'
import { confirmTags, listMixedTags, splitTag } from '../../../../features/submissions/tags.operations.ts'
import { Failure, notFound } from '../../../../kernel/errors.ts'
import { identifiedCaller } from '../../../http/gate.ts'
import type { Service } from '../../../http/service.ts'
import { csrfField, formOf } from '../../kit/forms.ts'
import { redirectWith } from '../../kit/messages.ts'
import { readListPage } from '../../kit/paged-lists.ts'
import { param } from '../../kit/parameters.ts'
import { actAndRedirect, addPrivatePages, isCorrectable, performAs } from '../../kit/private-pages.ts'
import { type Refusal, refusalOf } from '../../kit/problems.ts'
import { filtersOf } from '../filtered-lists.ts'
import { sendAdmin } from '../frame.ts'
import { expectedVersionOf } from '../version-field.ts'
import {
  CONFIRM,
  PICK,
  SPLIT,
  TAGS,
  TAXONOMY,
  TAXONOMY_PARTS,
  type TaxonomyPart,
  type TaxonomyTerm,
  TERM_LABELS,
  type TypedTerm,
  taxonomyPage,
  taxonomyTermPage,
} from './pages.ts'

const taxonomyPartOf = (request: FastifyRequest): TaxonomyPart => {
  const part = TAXONOMY_PARTS.find(({ path }) => path === param(request, 'kind'))
  if (!part) throw notFound('This part of the taxonomy was')
  return part
}

export function addTaxonomyPages(server: FastifyInstance, service: Service): void {
  addPrivatePages(server, service, 'admin', {
    [TAXONOMY]: { GET: (_request, reply) => redirectWith(service, reply, `${TAXONOMY}/${TAXONOMY_PARTS[0].path}`) },
    [`${TAXONOMY}/:kind`]: {
      GET: (request, reply) => showTerms(service, request, reply, taxonomyPartOf(request), { slug: '' }),
      POST: (request, reply) => create(service, request, reply, taxonomyPartOf(request)),
    },
    [CONFIRM]: {
      POST: (request, reply) => {
        const slugs = Object.keys(formOf(request)).flatMap((name) =>
          name.startsWith(PICK) ? name.slice(PICK.length) : [],
        )
        const successText = `Confirmed ${slugs.length} ${slugs.length === 1 ? 'tag' : 'tags'}.`
        return actAndRedirect(service, reply, { back: TAGS, done: TAGS, successText }, () =>
          performAs(service, request, confirmTags, {}, { slugs }),
        )
      },
    },
    [SPLIT]: {
      POST: (request, reply) => {
        const { tag = '', name = '' } = formOf(request)
        const successText = `The listings whose partners wrote ${name} have a tag of that name now.`
        return actAndRedirect(service, reply, { back: TAGS, done: TAGS, successText }, () =>
          performAs(service, request, splitTag, {}, { tag, name }),
        )
      },
    },
    [`${TAXONOMY}/:kind/:slug`]: {
      GET: async (request, reply) => {
        const part = taxonomyPartOf(request)
        const term = await find(service, request, part)
        return sendAdmin(service, request, reply, taxonomyTermPage(part, term, fromStored(term), csrfField(request)))
      },
      POST: (request, reply) => save(service, request, reply, taxonomyPartOf(request)),
    },
    [`${TAXONOMY}/:kind/:slug/delete`]: {
      POST: (request, reply) => {
        const part = taxonomyPartOf(request)
        const slug = param(request, 'slug')
        const done = `${TAXONOMY}/${part.path}`
        const back = `${done}/${encodeURIComponent(slug)}`
        return actAndRedirect(service, reply, { back, done, successText: `Deleted the ${part.one} ${slug}.` }, () =>
          performAs(service, request, entryOperations[part.kind].remove, { slug, ...expectedVersionOf(request) }),
        )
      },
    },
  })
}

async function showTerms(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  part: TaxonomyPart,
  typed: TypedTerm,
  refusal?: Refusal,
): Promise<FastifyReply> {
  const filters = filtersOf(request, ['q', ...(part.kind === 'tag' ? (['submitted'] as const) : [])])
  const mixed = part.kind === 'tag' ? await performAs(service, request, listMixedTags, {}) : []
  const list = await readListPage(service, request, entryOperations[part.kind].list, filters)
  const page = taxonomyPage(part, { list, mixed }, filters, typed, csrfField(request), refusal)
  return sendAdmin(service, request, reply, page, refusal ? 400 : 200)
}

const find = (service: Service, request: FastifyRequest, part: TaxonomyPart): Promise<TaxonomyTerm> =>
  performAs(service, request, entryOperations[part.kind].get, { slug: param(request, 'slug') })

const fromStored = ({ slug, name, description, icon, adult }: TaxonomyTerm): TypedTerm => ({
  slug,
  name,
  description,
  icon,
  adult: adult ? 'true' : '',
})

const typedTermOf = (request: FastifyRequest): TypedTerm => {
  const { slug = '', name, description, icon, adult, keep } = formOf(request)
  return { slug, name, description, icon, adult, keep }
}

const bodyOf = (part: TaxonomyPart, { name = '', description = '', icon = '', adult }: TypedTerm) => ({
  name: name.trim(),
  ...(part.isDescribed ? { description: description.trim(), icon: icon.trim() } : {}),
  ...(part.mayBeAdult ? { adult: adult === 'true' } : {}),
})

async function create(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  part: TaxonomyPart,
): Promise<FastifyReply> {
  const typed = typedTermOf(request)
  const terms = service.context(identifiedCaller(request)).catalog.snapshot().taxonomy[TOPIC[part.kind]]
  const slug = typed.slug.trim() || freeSlug(termSlug(part.kind, typed.name ?? ''), (one) => terms.has(one))
  try {
    await performAs(service, request, entryOperations[part.kind].put, { slug, ifVersion: 0 }, bodyOf(part, typed))
  } catch (error) {
    if (!(error instanceof Failure) || (error.status !== 400 && error.status !== 409)) throw error
    const taken = `There is a ${part.one} ${slug} already. Choose another slug.`
    const refusal = error.status === 409 ? { text: taken, marked: { slug: taken } } : refusalOf(error, TERM_LABELS)
    return showTerms(service, request, reply, part, typed, refusal)
  }
  const path = `${TAXONOMY}/${part.path}`
  return redirectWith(service, reply, path, { kind: 'good', text: `Created the ${part.one} ${slug}.` })
}

async function save(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  part: TaxonomyPart,
): Promise<FastifyReply> {
  const typed = typedTermOf(request)
  const slug = param(request, 'slug')
  const term = await find(service, request, part)
  try {
    const submitted = term.submitted === true && typed.keep !== 'true'
    const body = { ...bodyOf(part, typed), ...(submitted ? { submitted } : {}) }
    await performAs(service, request, entryOperations[part.kind].put, { slug, ...expectedVersionOf(request) }, body)
  } catch (error) {
    if (!isCorrectable(error)) throw error
    const page = taxonomyTermPage(
      part,
      await find(service, request, part),
      { ...typed, slug },
      csrfField(request),
      refusalOf(error, TERM_LABELS),
    )
    return sendAdmin(service, request, reply, page, error.status)
  }
  return redirectWith(service, reply, `${TAXONOMY}/${part.path}`, {
    kind: 'good',
    text: `Saved the ${part.one} ${slug}.`,
  })
}
