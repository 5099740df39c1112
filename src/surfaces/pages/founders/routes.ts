// The addresses on which founders send products. They exist unless FOUNDERS is off.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Snapshot } from '../../../features/catalog/memory/snapshot.ts'
import { getOwnClaim, listOwnClaims } from '../../../features/founders/claims/account.operations.ts'
import { listOwnSums } from '../../../features/founders/owned/account.operations.ts'
import * as own from '../../../features/founders/products/account.operations.ts'
import type { OwnProduct, ProductFields } from '../../../features/founders/products/schema.ts'
import type { Failure } from '../../../kernel/errors.ts'
import { identifiedCaller } from '../../http/gate.ts'
import type { Service } from '../../http/service.ts'
import { NEW_PRODUCT, OWN_PRODUCTS, SUBMIT } from '../addresses.ts'
import { sendDashboard } from '../dashboard/frame.ts'
import {
  csrfField,
  csrfValues,
  expectedVersionOf,
  formOf,
  type Refusal,
  refusalFlash,
  refusalOf,
  storedValues,
} from '../kit/forms/forms.ts'
import { type AddressQuery, queryText } from '../kit/lists/address-query.ts'
import { readListPage } from '../kit/lists/paged-lists.ts'
import type { Markup } from '../kit/markup.ts'
import { param } from '../kit/sending/answers.ts'
import { redirectWith } from '../kit/sending/messages.ts'
import { actAndRedirect, addPrivatePages, isCorrectable, performAs } from '../kit/sending/private-pages.ts'
import { addBadges } from './badge.ts'
import { claimRoutes } from './claim.ts'
import {
  filledFields,
  formOfProduct,
  formWithMoreRows,
  PRODUCT_LABELS,
  productFormFields,
  productOfForm,
  productParseRefusal,
  productRefusal,
} from './fields.ts'
import { ownedRoutes } from './owned/owned-routes.ts'
import { previewCard, previewOf, sentFacts } from './preview.ts'
import { ownProductsPage } from './product-list.ts'
import { listedPage, newProductPage, productPage, readingPage, statePage } from './product-pages.ts'

const READ_AGAIN_SECONDS = 2

export function addFounderPages(server: FastifyInstance, service: Service): void {
  addBadges(server, service)
  addPrivatePages(server, service, 'user', {
    [NEW_PRODUCT]: {
      GET: (request, reply) => showNew(service, request, reply),
      POST: (request, reply) => startProduct(service, request, reply),
    },
    [`${SUBMIT}/:id`]: {
      GET: async (request, reply) => showProduct(service, request, reply, await productOf(service, request)),
      POST: (request, reply) => changeProduct(service, request, reply),
    },
    [`${SUBMIT}/:id/discard`]: {
      POST: (request, reply) =>
        actAndRedirect(
          service,
          reply,
          { back: OWN_PRODUCTS, done: OWN_PRODUCTS, successText: 'The draft is deleted.' },
          () => performAs(service, request, own.discardOwnProduct, { id: param(request, 'id') }),
        ),
    },
    [OWN_PRODUCTS]: {
      GET: async (request, reply) => {
        const list = await readListPage(service, request, own.listOwnProducts)
        const owned = await performAs(service, request, listOwnClaims, {})
        const sums = owned.length > 0 ? await performAs(service, request, listOwnSums, {}) : []
        return sendDashboard(service, request, reply, ownProductsPage(list, owned, sums))
      },
    },
    ...claimRoutes(service),
    ...ownedRoutes(service),
  })
}

const productOf = (service: Service, request: FastifyRequest): Promise<OwnProduct> =>
  performAs(service, request, own.getOwnProduct, { id: param(request, 'id') })

async function showNew(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const website = queryText(request.query as AddressQuery, 'website')
  const token = csrfField(request)
  if (website === '') return sendDashboard(service, request, reply, newProductPage('', token))
  try {
    const found = await performAs(service, request, own.findProductAddress, { website })
    if (found.listed) return await sendListed(service, request, reply, found.listed)
    if (found.id) return reply.code(303).header('location', `${SUBMIT}/${found.id}`).send()
    return sendDashboard(service, request, reply, newProductPage(found.website, token))
  } catch (error) {
    if (!isCorrectable(error)) throw error
    return sendNewRefused(service, request, reply, website, error)
  }
}

async function sendListed(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  listed: Parameters<typeof listedPage>[0],
): Promise<FastifyReply> {
  const { index, idOf } = snapshotOf(service, request).tools
  const json = index.get(idOf.get(listed.slug) ?? '')?.json
  const { isOwner, mustProve } = await performAs(service, request, getOwnClaim, { slug: listed.slug })
  return sendDashboard(
    service,
    request,
    reply,
    listedPage(listed, { tool: json && JSON.parse(json.toString()), isOwn: isOwner && !mustProve }),
  )
}

const sendNewRefused = (
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  website: string,
  failure: Failure,
): FastifyReply => {
  const { text } = refusalOf(failure, PRODUCT_LABELS)
  return sendDashboard(service, request, reply, newProductPage(website, csrfField(request), text), failure.status)
}

async function startProduct(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { website = '' } = formOf(request)
  try {
    const { listed, id } = await performAs(service, request, own.startOwnProduct, {}, { website })
    if (listed) return await sendListed(service, request, reply, listed)
    return redirectWith(service, reply, `${SUBMIT}/${id}`)
  } catch (error) {
    if (!isCorrectable(error)) throw error
    return sendNewRefused(service, request, reply, website, error)
  }
}

const previewFor = (
  service: Service,
  request: FastifyRequest,
  { website }: OwnProduct,
  fields: ProductFields,
): Markup =>
  previewCard(
    previewOf(fields, {
      website,
      publicUrl: service.publicUrl,
      snapshot: snapshotOf(service, request),
    }),
    fields,
  )

const snapshotOf = (service: Service, request: FastifyRequest): Snapshot =>
  service.context(identifiedCaller(request)).catalog.snapshot()

interface TypedForm {
  form: Readonly<Record<string, string | undefined>>
  /** The typed values that are valid, for the preview. */
  fields: ProductFields
  refusal?: Refusal & { status: number }
}

function showProduct(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  product: OwnProduct,
  typed?: TypedForm,
): FastifyReply {
  const byHand = queryText(request.query as AddressQuery, 'by') === 'hand'
  if (product.state === 'reading' && !byHand && !typed) {
    reply.header('refresh', String(READ_AGAIN_SECONDS))
    return sendDashboard(service, request, reply, readingPage(product))
  }
  const preview = previewFor(service, request, product, typed?.fields ?? product.fields)
  const snapshot = snapshotOf(service, request)
  if (!product.mayChange) {
    const facts = sentFacts(product.fields, snapshot)
    const { contactEmail } = service.site.fields()
    const page = statePage({ product, preview, facts, contactEmail, sendsMail: service.sendsMail })
    return sendDashboard(service, request, reply, page)
  }
  const page = productPage({
    product,
    preview,
    filled: filledFields(typed?.fields ?? product.fields),
    isOpen: service.founders === 'open',
    token: csrfField(request),
    values: csrfValues(request),
    stored: typed?.refusal?.status === 409 ? storedFields(typed.form, product) : undefined,
    fields: productFormFields({
      action: `${SUBMIT}/${product.id}`,
      form: typed?.form ?? formOfProduct(product.fields),
      problems: typed?.refusal?.marked ?? {},
      read: { sources: product.sources, fields: typed?.fields ?? product.fields },
      snapshot,
    }),
  })
  const flash = refusalFlash(typed?.refusal)
  return sendDashboard(service, request, reply, { ...page, flash }, typed?.refusal?.status ?? 200)
}

/** The values that another window has stored, where they differ from the typed ones. */
const storedFields = (form: TypedForm['form'], { fields }: OwnProduct): Markup => {
  const stored = formOfProduct(fields)
  return storedValues(Object.entries(PRODUCT_LABELS).map(([name, label]) => [label, form[name], stored[name] ?? '']))
}

async function changeProduct(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const id = param(request, 'id')
  const product = await productOf(service, request)
  const form = formOf(request)
  const opened = expectedVersionOf(request)
  const { body, fields, problems } = productOfForm(form)
  const more = formWithMoreRows(form)
  if (more) return showProduct(service, request, reply, product, { form: more, fields })
  try {
    if (Object.keys(problems).length > 0) {
      const refusal = { ...productParseRefusal(problems), status: 400 }
      return showProduct(service, request, reply, product, { form, fields, refusal })
    }
    if (form.do === 'send') {
      const { state } = await performAs(service, request, own.sendOwnProduct, { id, ...opened }, body)
      const text = state === 'accepted' ? 'It is listed.' : 'It is sent and waits for review.'
      return redirectWith(service, reply, `${SUBMIT}/${id}`, { kind: 'good', text })
    }
    await performAs(service, request, own.saveOwnProduct, { id, ...opened }, body)
    return form.do === 'preview'
      ? redirectWith(service, reply, `${SUBMIT}/${id}`)
      : redirectWith(service, reply, OWN_PRODUCTS, { kind: 'good', text: 'Saved. Nothing is sent yet.' })
  } catch (error) {
    if (!isCorrectable(error)) throw error
    const refusal = { ...productRefusal(form, error), status: error.status }
    return showProduct(service, request, reply, product, { form, fields, refusal })
  }
}
