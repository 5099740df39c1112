// The review of products that founders have sent: the queue, and for each product a page with its form, what is suspicious about it, and
// the decision.
import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import { decideReview, getReview, listReviews } from '../../../../features/founders/products/operations.ts'
import { REFUSAL_REASONS } from '../../../../features/founders/products/rules.ts'
import type { REVIEW_STATES } from '../../../../features/proposals/schema.ts'
import { parseUrl } from '../../../../kernel/addresses/web-address.ts'
import { identifiedCaller } from '../../../http/gate.ts'
import { webAddress } from '../../addresses.ts'
import * as productForm from '../../founders/fields.ts'
import { previewCard, previewOf } from '../../founders/preview.ts'
import { button, keyboardHelpOf, keyHint, saveBar } from '../../kit/button.ts'
import { badge, breadcrumbs, type Tone, tile } from '../../kit/components.ts'
import { select, textarea } from '../../kit/forms/field.ts'
import { expectedVersionOf, type Refusal, refusalFlash, refusalOf, versionField } from '../../kit/forms/forms.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import { isCorrectable, type Visit, type VisitPages } from '../../kit/sending/private-pages.ts'
import { ago } from '../../kit/values.ts'
import { toolPage } from '../../site/listing/tool.ts'
import { ADMIN } from '../kit/frame.ts'
import { declareList, externalLink } from '../kit/list-pages.ts'

type Review = Static<typeof getReview.data>

export const REVIEWS = `${ADMIN}/reviews`
const STATES: Record<(typeof REVIEW_STATES)[number], [word: string, tone: Tone]> = {
  waiting: ['Waiting', 'notice'],
  accepted: ['Accepted', 'good'],
  refused: ['Refused', 'danger'],
}

export const reviewPages: VisitPages = {
  [REVIEWS]: {
    GET: declareList({
      path: REVIEWS,
      operation: listReviews,
      title: 'Reviews',
      lead: 'Products that founders have sent, suspicious ones first. Accepted ones are public at once.',
      filters: {
        state: {
          tabs: 'Reviews by state',
          none: 'Waiting',
          options: [
            { value: 'accepted', label: 'Accepted' },
            { value: 'refused', label: 'Refused' },
          ],
          noneParameters: { state: 'waiting' },
        },
      },
      columns: [
        {
          label: 'Product',
          rowHeader: true,
          cell: (review) =>
            html`<span class="named">${tile(nameOf(review), review.fields.icon ?? null)}<span class="stack"><a href="${REVIEWS}/${review.id}"><bdi>${oneLine(nameOf(review), 60)}</bdi></a><span class="note">${externalLink(review.website, parseUrl(review.website)?.host ?? 'Site')}</span></span></span>${suspicionList(review)}`,
        },
        { label: 'Sent by', onPhones: 'unlabelled', cell: ({ user }) => html`<bdi>${user.email}</bdi>` },
        { label: 'Sent', onPhones: 'unlabelled', cell: ({ sentAt }) => ago(sentAt) },
      ],
      empty: ({ filters: { state } }) =>
        state
          ? { title: 'None in this state' }
          : { title: 'Nothing waits', text: 'Founders send products on /submit.' },
    }),
  },
  [`${REVIEWS}/:id`]: { GET: async (visit) => showReview(visit, await findReview(visit)), POST: decide },
  [`${REVIEWS}/:id/preview`]: {
    GET: async (visit) => {
      const review = await findReview(visit)
      const page = previewPage(visit, previewTool(visit, review, review.fields))
      return visit.send({ title: `Preview of ${oneLine(nameOf(review), 40)}`, body: page.body })
    },
  },
}

const findReview = (visit: Visit): Promise<Review> => visit.perform(getReview, { id: visit.param('id') })
const nameOf = ({ fields, website }: Review): string => fields.name ?? website

const suspicionList = ({ suspicions }: Review): Markup | null =>
  suspicions.length === 0
    ? null
    : html`<ul class="outcomes">${suspicions.map((text) => html`<li>${badge('Look', 'danger')} <bdi class="small">${text}</bdi></li>\n`)}</ul>`

const snapshotOf = ({ service, request }: Visit) => service.context(identifiedCaller(request)).catalog.snapshot()

const previewTool = (visit: Visit, { website }: Review, fields: Review['fields']) =>
  previewOf(fields, { website, snapshot: snapshotOf(visit), publicUrl: visit.service.publicUrl })

const previewPage = (visit: Visit, tool: ReturnType<typeof previewTool>) =>
  toolPage(tool, { adult: false, currency: visit.service.site.fields().currency })

interface Typed {
  form: Visit['form']
  refusal?: Refusal & { status: number }
}

async function showReview(visit: Visit, review: Review, typed?: Typed): Promise<FastifyReply> {
  const address = `${REVIEWS}/${review.id}`
  const listed = previewTool(visit, review, review.fields)
  const page = {
    title: oneLine(nameOf(review), 40),
    flash: refusalFlash(typed?.refusal),
    body: html`<div class="flow">
${breadcrumbs([{ label: 'Reviews', href: REVIEWS }, { label: oneLine(nameOf(review), 60) }])}
<div class="row apart"><h1><bdi>${nameOf(review)}</bdi> ${badge(...STATES[review.state])}</h1>${review.state === 'waiting' && html`<div>${keyboardHelp}</div>`}</div>
<p class="lead">Sent by <bdi>${review.user.email}</bdi> ${ago(review.sentAt)}${review.timesSent > 1 && ', for the second time'}.${review.state !== 'waiting' && html` ${externalLink(review.website, review.website)}`}</p>
${review.suspicions.length > 0 && html`<div class="flash danger" role="note">${suspicionList(review)}</div>`}
${review.state === 'waiting' && (await neighbours(visit, review))}
${review.reason && html`<section class="panel flow"><h2>What the founder was told</h2><p dir="auto">${review.reason}</p></section>`}
${review.listing && html`<p>Its listing is <a href="${ADMIN}/tools/${review.listing.slug}">${review.listing.name}</a>.</p>`}
<div class="halves preview-first">
${review.state === 'waiting' && decisionForm(visit, review, address, typed)}
<aside class="flow" aria-label="The page as it will look"><h2>The page as it will look</h2>
<div class="page-preview" tabindex="0"><div inert>${previewPage(visit, listed).body}</div></div>
<h2>In lists</h2>
${previewCard(listed, review.fields)}
<p><a href="${address}/preview" data-press="p">The page alone${keyHint('p')}</a></p></aside>
</div>
</div>`,
  }
  return visit.send(page, typed?.refusal?.status)
}

/** In a longer queue, the products behind these have no links to their neighbours. */
const MOST_WALKED = 500

/** Links to the reviews before and after this one in the queue, and to the product's site. */
async function neighbours(visit: Visit, { id, website }: Review): Promise<Markup> {
  const waiting = await visit.perform(listReviews, { state: 'waiting', limit: MOST_WALKED })
  const at = waiting.findIndex((one) => one.id === id)
  const link = (one: Review | undefined, key: string, label: string) =>
    one &&
    html`<a class="button plain slim" href="${REVIEWS}/${one.id}" data-press="${key}">${label}${keyHint(key)}</a>`
  const site = webAddress(website)
  return html`<div class="row">${link(waiting[at - 1], 'k', 'Previous')}${at !== -1 && link(waiting[at + 1], 'j', 'Next')}${site && html`<a class="button plain slim" href="${site}" data-press="o" target="_blank" rel="nofollow noopener noreferrer">Open its site${keyHint('o')}</a>`}</div>`
}

const KEYS = [
  ['j, k', 'next, previous product'],
  ['o', 'open its site'],
  ['p', 'the page alone'],
  ['a', 'go to Accept; Enter accepts'],
  ['r', 'go to the reason of a refusal'],
  ['Escape', 'leave a field'],
  ['?', 'show or hide this'],
] as const

const keyboardHelp = keyboardHelpOf(KEYS, 'With JavaScript. Letters work while no text field is in use.')

/** Phones have it below the reason, and in the bar a link to the reason. */
const refuse = button('Refuse', { name: 'do', value: 'refuse', kind: 'danger', skipsChecks: true })

const decisionForm = (visit: Visit, review: Review, action: string, typed?: Typed): Markup =>
  html`<form class="form wide decision" method="post" action="${action}">
${visit.token}${versionField(review)}
<button type="submit" class="visually-hidden" name="do" value="accept" tabindex="-1" aria-hidden="true">Accept</button>
<fieldset class="fields"><legend>Decision</legend>
<div data-press="r">${select({ name: 'usual', label: 'Reason', none: 'None, or the sentence below', value: typed?.form.usual, options: REFUSAL_REASONS.map((text) => ({ value: text, label: text })) })}</div>
${textarea({ name: 'reason', label: 'In your own words', rows: 2, maxLength: 1000, value: typed?.form.reason, error: typed?.refusal?.marked.reason, hint: 'The founder reads it. A refusal needs a reason.' })}
<div class="refuse">${refuse}</div>
</fieldset>
${saveBar(button('Accept', { name: 'do', value: 'accept', key: 'a', skipsChecks: true }), html`<a class="button danger" href="#field-usual">Refuse …</a>`, refuse)}
<details${typed && html` open`}><summary>Correct it before it is listed</summary><div class="form">
${productForm.productFormFields({ action, form: typed?.form ?? productForm.formOfProduct(review.fields), problems: typed?.refusal?.marked ?? {}, snapshot: snapshotOf(visit) })}
</div></details>
</form>`

async function decide(visit: Visit): Promise<FastifyReply> {
  const review = await findReview(visit)
  const { form } = visit
  const more = productForm.formWithMoreRows(form)
  if (more) return showReview(visit, review, { form: more })
  const reason = (form.reason ?? '').trim() || form.usual || undefined
  const { body, problems } = productForm.productOfForm(form)
  const isAccepted = form.do === 'accept'
  try {
    if (isAccepted && Object.keys(problems).length > 0) {
      const refusal = { status: 400, text: Object.values(problems).join(' '), marked: problems }
      return showReview(visit, review, { form, refusal })
    }
    const decided = await visit.perform(
      decideReview,
      { id: review.id, ...expectedVersionOf(visit) },
      isAccepted ? { decision: 'accept', reason, ...changedIn(review, body) } : { decision: 'refuse', reason },
    )
    const text = decided.listing ? `${nameOf(decided)} is listed.` : `${nameOf(decided)} is refused.`
    return visit.redirect(REVIEWS, { kind: 'good', text })
  } catch (error) {
    if (!isCorrectable(error)) throw error
    const refusal = { ...refusalOf(error, { ...productForm.PRODUCT_LABELS, reason: 'Reason' }), status: error.status }
    return showReview(visit, review, { form, refusal })
  }
}

/** The fields that the administrator has changed in the form, and the names of those that were emptied. */
function changedIn({ fields }: Review, body: Record<string, unknown>) {
  const before: Readonly<Record<string, unknown>> = productForm.productOfForm(productForm.formOfProduct(fields)).body
  const changed = Object.entries(body).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]))
  return { changes: Object.fromEntries(changed), removed: Object.keys(before).filter((name) => !(name in body)) }
}
