// The pages on which a founder sends a product and follows its review.
import type { Static } from 'typebox'
import type { listOwnClaims } from '../../../features/founders/claims/account.operations.ts'
import {
  MOST_A_DAY,
  MOST_WAITING,
  type ProductState,
  READING_STEPS,
} from '../../../features/founders/products/rules.ts'
import type { OwnProduct } from '../../../features/founders/products/schema.ts'
import { webAddress } from '../addresses.ts'
import { versionField } from '../admin/version-field.ts'
import { button, confirmedAction, linkButton, saveBar } from '../kit/button.ts'
import { badge, emptyState, progress, type Tone, tile } from '../kit/components.ts'
import type { Page } from '../kit/document.ts'
import { field } from '../kit/field.ts'
import { icon } from '../kit/icon.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { type ListPage, listPageLinks } from '../kit/paged-lists.ts'
import { time } from '../kit/values.ts'
import type { filledFields } from './fields.ts'

export const SUBMIT = '/submit'
export const NEW_PRODUCT = '/submit/new'
export const FOUNDER_HELP = '/submit/help'
export const OWN_PRODUCTS = '/dashboard/products'

export type OwnedListing = Static<typeof listOwnClaims.data>[number]

type PageBody = Pick<Page, 'title' | 'body' | 'flash'>

/** The field for the address of a product. It is sent as a query, so that it is still there after signing in. */
const addressForm = (value = '', error?: string): Markup =>
  html`<form class="form" method="get" action="${NEW_PRODUCT}">
${field({ name: 'website', label: 'Address of your product', value, error, inputMode: 'url', spellcheck: false, required: true, maxLength: 2000, placeholder: 'acme-writer.example.com', hint: 'We read the page and fill in the listing. You correct it before anyone sees it.' })}
<div class="row">${button('Continue')}</div>
</form>`

const STEPS = [
  ['Address', 'We read your site'],
  ['Check', 'You correct the listing'],
  ['Review', 'An administrator looks at it'],
] as const

const steps = (current: (typeof STEPS)[number][0]): Markup =>
  html`<ol class="trail" aria-label="Progress">${STEPS.map(([step, text]) => html`<li${step === current && html` aria-current="step"`}><b>${step}</b> <span>${text}</span></li>`)}</ol>`

export const newProductPage = (website: string, token: Markup, error?: string): PageBody => ({
  title: 'Submit a product',
  body: html`<div class="flow">
${steps('Address')}
<h1>Submit a product</h1>
<section class="panel flow">${
    error === undefined && website
      ? html`<p>We read <strong><bdi>${website}</bdi></strong> and fill in a listing with what it says: name, texts, price, logo and pictures. Nothing is public before you send it.</p>
<form class="row" method="post" action="${NEW_PRODUCT}">${token}<input type="hidden" name="website" value="${website}">${button('Read my site')}${linkButton(SUBMIT, 'Another address', { kind: 'plain' })}</form>`
      : addressForm(website, error)
  }</section>
</div>`,
})

export const listedPage = ({ slug, name }: { slug: string; name: string }): PageBody => ({
  title: `${oneLine(name, 40)} is listed`,
  body: html`<div class="flow">
${steps('Address')}
<h1><bdi>${name}</bdi> is already here</h1>
<section class="panel flow"><p>The catalog lists this website. If the product is yours, claim the listing: you correct its texts, see its numbers and may carry the badge.</p>
<ul class="marks">${CLAIM_WAYS.map(([name, text]) => html`<li>${icon(name, 'small')}${text}</li>`)}</ul>
<div class="row">${linkButton(`/tools/${slug}/claim`, 'Claim it')}${linkButton(`/tools/${slug}`, 'See the listing', { kind: 'plain' })}</div></section>
</div>`,
})

const CLAIM_WAYS = [
  ['globe', 'DNS entry'],
  ['file', 'File on your site'],
  ['code', 'Tag on the page'],
] as const

const STEP_WORDS: Record<(typeof READING_STEPS)[number], string> = {
  queued: 'Waiting for a free place',
  page: 'Reading the page',
  pictures: 'Storing logo and picture',
}

export const readingPage = ({ id, website, step }: OwnProduct): PageBody => ({
  title: 'Reading your site',
  body: html`<div class="flow">
${steps('Address')}
<h1>We are reading your site</h1>
<p class="lead"><bdi>${website}</bdi> is being read. This page loads itself again every two seconds, until the form is filled in.</p>
<div role="status"><ol class="outcomes">${READING_STEPS.map((one, at) => html`<li>${STEP_WORDS[one]} ${at < READING_STEPS.indexOf(step) ? badge('Done', 'good') : one === step && badge('Now', 'accent')}</li>\n`)}</ol></div>
<div class="row">${linkButton(`${SUBMIT}/${id}?by=hand`, 'Fill it in by hand', { kind: 'plain' })}${linkButton(`${SUBMIT}/${id}`, 'Look again', { kind: 'plain' })}</div>
</div>`,
})

export interface ProductForm {
  product: OwnProduct
  fields: Markup[]
  preview: Markup
  filled: ReturnType<typeof filledFields>
  /** Whether a product is public once it is sent, unless something about it is unusual. */
  isOpen: boolean
  token: Markup
  values: Record<string, string>
  /** What is stored, after a conflict with another window. */
  stored?: Markup
}

export const productPage = (given: ProductForm): PageBody => {
  const { product, fields, filled, token } = given
  const action = `${SUBMIT}/${product.id}`
  const site = webAddress(product.website)
  const host =
    site && html`<a href="${site}" target="_blank" rel="nofollow noopener noreferrer">${URL.parse(site)?.host}</a>`
  const wasRead = Object.keys(product.sources).length > 0
  return {
    title: 'Your listing',
    body: html`<div class="flow">
${steps('Check')}
<h1>${wasRead ? 'Here is your listing, nearly done' : 'Describe your product'}</h1>
<p class="lead">${product.note !== '' ? html`${product.note} ` : wasRead && html`We read ${host}; ${filled.filled} of ${filled.all} fields are filled in. `}${wasRead ? 'Correct what is wrong and add what only you know.' : 'Say what it is; fields with a star are needed.'} Nothing is public yet.${!wasRead && html` ${host}`}</p>
${product.reason && html`<section class="panel flow"><h2>Why it was refused</h2><p dir="auto">${product.reason}</p><p class="small">Correct it and send it again. This is possible once.</p></section>`}
${given.stored}
<div class="beside preview-first">
<form class="form wide marked" method="post" action="${action}">
${token}${versionField(product)}
<button type="submit" class="visually-hidden" name="do" value="preview" tabindex="-1" aria-hidden="true">Show the preview</button>
${fields}
<section class="panel flow"><h2>What happens then</h2>
<ul class="listed small">
<li>${given.isOpen ? 'It is listed at once, unless something about it is unusual; then an administrator looks at it first.' : 'An administrator reads it. You see the decision and its reason under Products.'}</li>
<li>It costs nothing. Once it is listed you can claim it, change it and see its numbers.</li>
<li>Fields with a star are needed to send it; the others can follow later.</li>
</ul></section>
${saveBar(button('Send it', { name: 'do', value: 'send' }), button('Show the preview', { name: 'do', value: 'preview', kind: 'plain', skipsChecks: true }), button('Save and finish later', { name: 'do', value: 'save', kind: 'plain', skipsChecks: true }))}
</form>
<aside class="side" aria-label="Preview">
<section class="panel flow preview"><h2>Preview</h2>
${given.preview}
<p class="small quiet">As readers see it in lists, with what is saved.</p></section>
${filledPanel(filled)}
</aside>
</div>
${product.timesSent === 0 && confirmedAction({ action: `${action}/discard`, label: 'Delete this draft', slim: true, values: given.values, question: 'What you have typed is deleted.', confirmLabel: 'Delete it' })}
</div>`,
  }
}

const filledPanel = ({ filled, all, missing }: ProductForm['filled']): Markup =>
  html`<section class="panel flow left-out">${progress({ label: 'Filled in', value: filled, max: all })}
${missing.length > 0 && html`<ul>${missing.map(({ label, why, href }) => html`<li><a href="${href}">${label}</a> ${why}</li>\n`)}</ul>`}</section>`

const STATE_WORDS: Record<ProductState, [word: string, tone: Tone]> = {
  reading: ['Reading the site', 'accent'],
  draft: ['Not sent', 'plain'],
  waiting: ['Waiting for review', 'notice'],
  accepted: ['Listed', 'good'],
  refused: ['Refused', 'danger'],
}

const nameOf = ({ fields, website }: OwnProduct): string => fields.name ?? website

/** A product that the founder cannot change now. */
export const statePage = (product: OwnProduct, preview: Markup): PageBody => ({
  title: oneLine(nameOf(product), 40),
  body: html`<div class="flow">
${steps('Review')}
<h1><bdi>${nameOf(product)}</bdi> ${badge(...STATE_WORDS[product.state])}</h1>
${
  product.state === 'waiting'
    ? html`<p class="lead">Sent ${time(product.sentAt)}. An administrator looks at it; you see the decision here.</p>`
    : product.state === 'accepted'
      ? html`<p class="lead">It is accepted${product.listing?.published ? html` and listed at <a href="/tools/${product.listing.slug}">/tools/${product.listing.slug}</a>` : '. Its listing is not public at the moment'}.</p>`
      : html`<p class="lead">It was refused and cannot be sent again.</p>`
}
${product.reason && html`<section class="panel flow"><h2>What the administrator wrote</h2><p dir="auto">${product.reason}</p></section>`}
<div class="row">${product.listing?.published && linkButton(`/tools/${product.listing.slug}/claim`, 'Claim the listing')}${linkButton(OWN_PRODUCTS, 'All your products', { kind: 'plain' })}</div>
<section class="flow" aria-label="Preview">${preview}</section>
</div>`,
})

interface ProductRow {
  name: string
  logo: string | null
  state: Markup
  text: Markup | string
  /** What to do next, and where. */
  next: string
  href: string
  /** Whether the founder is waited for. */
  isWaitedFor: boolean
}

const ownedRow = ({ tool, published, provenAt, failedAt }: OwnedListing): ProductRow => ({
  ...{ name: tool.name, logo: null, isWaitedFor: failedAt !== null },
  state: failedAt
    ? badge('Proof not found', 'danger')
    : published
      ? badge('Public', 'good')
      : badge('Not public', 'notice'),
  text: failedAt
    ? 'Show your token again within a week to keep the listing.'
    : html`Yours since ${time(provenAt)}. Numbers, changes and the badge are on its page.`,
  next: failedAt ? 'Show the token' : 'Open',
  href: failedAt ? `/tools/${tool.slug}/claim` : `${OWN_PRODUCTS}/${tool.slug}`,
})

function sentRow(product: OwnProduct): ProductRow {
  const { state, listing, reason, sentAt, mayChange } = product
  const isUnclaimed = state === 'accepted' && listing?.published === true
  const isWaitedFor = state === 'draft' || (state === 'refused' && mayChange)
  const texts: Record<ProductState, Markup | string> = {
    reading: 'The form is filled in with what your site says.',
    draft: 'Finish it and send it. Nothing is public yet.',
    waiting: html`Sent ${time(sentAt)}. An administrator looks at it; there is nothing to do for you.`,
    accepted: isUnclaimed
      ? html`<a href="/tools/${listing.slug}">Its page</a> is public. Claim it to change it and to see its numbers.`
      : 'Its listing is not public.',
    refused: `${oneLine(reason, 160)}${mayChange ? ' Correct it and send it again.' : ''}`,
  }
  return {
    ...{ name: nameOf(product), logo: product.fields.icon ?? null, isWaitedFor },
    state: badge(...STATE_WORDS[state]),
    text: texts[state],
    next: isUnclaimed ? 'Claim' : state === 'draft' ? 'Finish' : isWaitedFor ? 'Correct' : 'Look',
    href: isUnclaimed ? `/tools/${listing.slug}/claim` : `${SUBMIT}/${product.id}`,
  }
}

/** What a founder has sent and owns, with the next step of each; null when there is nothing. A listing that is owned is shown once. */
export function productRows(sent: readonly OwnProduct[], owned: readonly OwnedListing[], most?: number): Markup | null {
  const isOwned = ({ listing }: OwnProduct) => owned.some(({ tool }) => tool.slug === listing?.slug)
  const rows = [...owned.map(ownedRow), ...sent.filter((product) => !isOwned(product)).map(sentRow)]
    .toSorted((a, b) => Number(b.isWaitedFor) - Number(a.isWaitedFor))
    .slice(0, most)
  if (rows.length === 0) return null
  return html`<ul class="panel minis tasks">
${rows.map(
  ({ name, logo, state, text, next, href, isWaitedFor }, at) =>
    html`<li class="mini">${tile(name, logo, { after: rows[at - 1]?.name })}<div><h3><bdi>${oneLine(name, 60)}</bdi> ${state}</h3><p dir="auto">${text}</p></div><div class="end">${linkButton(href, html`${next}<span class="visually-hidden">: ${oneLine(name, 60)}</span>`, { kind: isWaitedFor ? 'main' : 'plain', slim: true })}</div></li>\n`,
)}</ul>`
}

export const ownProductsPage = (list: ListPage<OwnProduct>, owned: readonly OwnedListing[]): PageBody => ({
  title: 'Products',
  body: html`<div class="flow">
<div class="section-head"><h1>Products</h1>${linkButton(SUBMIT, 'Submit a product')}</div>
<p class="lead">What you have sent and what is yours, with what to do next. At most ${MOST_WAITING} wait at a time, and ${MOST_A_DAY} may be sent a day.</p>
<h2 class="visually-hidden">All products</h2>
${productRows(list.rows, owned) ?? emptyState({ title: 'Nothing sent yet', text: 'Begin with the address of your product.' })}
${listPageLinks(list, OWN_PRODUCTS, {})}
</div>`,
})
