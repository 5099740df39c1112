// The addresses on which founders send products. They exist unless FOUNDERS is off.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { getOwnClaim, listOwnClaims } from '../../../features/founders/claims/operations.ts'
import { listOwnSums } from '../../../features/founders/owned/account.operations.ts'
import * as own from '../../../features/founders/products/account.operations.ts'
import type { OwnProduct, ProductFields } from '../../../features/founders/products/schema.ts'
import type { Service } from '../../http/service.ts'
import { NEW_PRODUCT, OWN_PRODUCTS, SUBMIT } from '../addresses.ts'
import { DASHBOARD } from '../dashboard/frame.ts'
import { action } from '../kit/forms/actions.ts'
import { expectedVersionOf, type Refusal, refusalFlash, refusalOf, storedValuesSection } from '../kit/forms/forms.ts'
import { readListPage } from '../kit/lists/paged-lists.ts'
import type { Markup } from '../kit/markup.ts'
import { addPrivatePages, isCorrectable, type Visit, type VisitPages } from '../kit/sending/private-pages.ts'
import { addBadges } from './badge.ts'
import { claimPages } from './claim.ts'
import * as productForm from './fields.ts'
import { ownedPages } from './owned/owned-routes.ts'
import { previewCard, previewOf, sentFacts } from './preview.ts'
import { ownProductsPage } from './product-list.ts'
import { listedPage, newProductPage, productPage, readingPage, statePage } from './product-pages.ts'

const READ_AGAIN_SECONDS = 2

export function addFounderPages(server: FastifyInstance, service: Service): void {
  addBadges(server, service)
  addPrivatePages(server, service, DASHBOARD, { ...productPages, ...claimPages, ...ownedPages })
}

const productPages: VisitPages = {
  [NEW_PRODUCT]: { GET: showNew, POST: startProduct },
  [`${SUBMIT}/:id`]: { GET: async (visit) => showProduct(visit, await productOf(visit)), POST: changeProduct },
  [`${SUBMIT}/:id/discard`]: {
    POST: action({ operation: own.discardOwnProduct, back: OWN_PRODUCTS, text: 'The draft is deleted.' }),
  },
  [OWN_PRODUCTS]: {
    GET: async (visit) => {
      const list = await readListPage(visit, own.listOwnProducts)
      const owned = await visit.perform(listOwnClaims, {})
      const sums = owned.length > 0 ? await visit.perform(listOwnSums, {}) : []
      return visit.send(ownProductsPage(list, owned, sums))
    },
  },
}

const productOf = (visit: Visit): Promise<OwnProduct> => visit.perform(own.getOwnProduct, { id: visit.param('id') })

async function showNew(visit: Visit): Promise<FastifyReply> {
  const { website } = visit.query(['website'])
  if (website === '') return visit.send(newProductPage('', visit.token))
  try {
    const found = await visit.perform(own.findProductAddress, { website })
    if (found.listed) return await sendListed(visit, found.listed)
    if (found.id) return visit.redirect(`${SUBMIT}/${found.id}`)
    return visit.send(newProductPage(found.website, visit.token))
  } catch (error) {
    return sendNewRefused(visit, website, error)
  }
}

async function sendListed(visit: Visit, listed: Parameters<typeof listedPage>[0]): Promise<FastifyReply> {
  const { index, idOf } = visit.ctx.catalog.snapshot().tools
  const json = index.get(idOf.get(listed.slug) ?? '')?.json
  const { isOwner, mustProve } = await visit.perform(getOwnClaim, { slug: listed.slug })
  return visit.send(listedPage(listed, { tool: json && JSON.parse(json.toString()), isOwn: isOwner && !mustProve }))
}

/** Shows the form again, unless the failure is none that the founder can correct. */
function sendNewRefused(visit: Visit, website: string, error: unknown): Promise<FastifyReply> {
  if (!isCorrectable(error)) throw error
  const { text } = refusalOf(error, productForm.PRODUCT_LABELS)
  return visit.send(newProductPage(website, visit.token, text), error.status)
}

async function startProduct(visit: Visit): Promise<FastifyReply> {
  const { website = '' } = visit.form
  try {
    const { listed, id } = await visit.perform(own.startOwnProduct, {}, { website })
    return listed ? await sendListed(visit, listed) : visit.redirect(`${SUBMIT}/${id}`)
  } catch (error) {
    return sendNewRefused(visit, website, error)
  }
}

interface TypedForm {
  form: Readonly<Record<string, string | undefined>>
  /** The typed values that are valid, for the preview. */
  fields: ProductFields
  refusal?: Refusal & { status: number }
}

function showProduct(visit: Visit, product: OwnProduct, typed?: TypedForm): Promise<FastifyReply> {
  const byHand = visit.query(['by']).by === 'hand'
  if (product.state === 'reading' && !byHand && !typed) {
    visit.reply.header('refresh', String(READ_AGAIN_SECONDS))
    return visit.send(readingPage(product))
  }
  const snapshot = visit.ctx.catalog.snapshot()
  const shown = typed?.fields ?? product.fields
  const { publicUrl } = visit.service
  const preview = previewCard(previewOf(shown, { website: product.website, publicUrl, snapshot }), shown)
  if (!product.mayChange) {
    const facts = sentFacts(product.fields, snapshot)
    const { contactEmail } = visit.service.site.fields()
    const page = statePage({ product, preview, facts, contactEmail, sendsMail: visit.service.sendsMail })
    return visit.send(page)
  }
  const page = productPage({
    product,
    preview,
    filled: productForm.filledFields(shown),
    isOpen: visit.service.founders === 'open',
    token: visit.token,
    values: visit.values,
    stored: typed?.refusal?.status === 409 ? storedFields(typed.form, product) : undefined,
    fields: productForm.productFormFields({
      action: `${SUBMIT}/${product.id}`,
      form: typed?.form ?? productForm.formOfProduct(product.fields),
      problems: typed?.refusal?.marked ?? {},
      read: { sources: product.sources, fields: shown },
      snapshot,
    }),
  })
  const flash = refusalFlash(typed?.refusal)
  return visit.send({ ...page, flash }, typed?.refusal?.status ?? 200)
}

/** The values that another window has stored, where they differ from the typed ones. */
const storedFields = (form: TypedForm['form'], { fields }: OwnProduct): Markup => {
  const stored = productForm.formOfProduct(fields)
  return storedValuesSection(
    Object.entries(productForm.PRODUCT_LABELS).map(([name, label]) => [label, form[name], stored[name] ?? '']),
  )
}

async function changeProduct(visit: Visit): Promise<FastifyReply> {
  const id = visit.param('id')
  const product = await productOf(visit)
  const form = visit.form
  const opened = expectedVersionOf(visit)
  const { body, fields, problems } = productForm.productOfForm(form)
  const more = productForm.formWithMoreRows(form)
  if (more) return showProduct(visit, product, { form: more, fields })
  try {
    if (Object.keys(problems).length > 0) {
      const refusal = { ...productForm.productParseRefusal(problems), status: 400 }
      return showProduct(visit, product, { form, fields, refusal })
    }
    if (form.do === 'send') {
      const { state } = await visit.perform(own.sendOwnProduct, { id, ...opened }, body)
      const text = state === 'accepted' ? 'It is listed.' : 'It is sent and waits for review.'
      return visit.redirect(`${SUBMIT}/${id}`, { kind: 'good', text })
    }
    await visit.perform(own.saveOwnProduct, { id, ...opened }, body)
    return form.do === 'preview'
      ? visit.redirect(`${SUBMIT}/${id}`)
      : visit.redirect(OWN_PRODUCTS, { kind: 'good', text: 'Saved. Nothing is sent yet.' })
  } catch (error) {
    if (!isCorrectable(error)) throw error
    const refusal = { ...productForm.productRefusal(form, error), status: error.status }
    return showProduct(visit, product, { form, fields, refusal })
  }
}
