// The pages on which a founder sends a product and follows its review.
import type { Tool } from '../../../features/catalog/schema.ts'
import { mayChange, type ProductState, READING_STEPS } from '../../../features/founders/products/rules.ts'
import type { OwnProduct } from '../../../features/founders/products/schema.ts'
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import { NEW_PRODUCT, OWN_PRODUCTS, SUBMIT, webAddress } from '../addresses.ts'
import { button, confirmedAction, linkButton, saveBar } from '../kit/button.ts'
import { badge, numberedSteps, progress, type Tone, tile } from '../kit/components.ts'
import { field } from '../kit/forms/field.ts'
import { versionField } from '../kit/forms/forms.ts'
import { icon } from '../kit/icon.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import type { Page } from '../kit/sending/document.ts'
import { brokenAtDots, date } from '../kit/values.ts'
import type { filledFields } from './fields.ts'
import { CLAIM_WAYS } from './owned/proof-words.ts'

type PageBody = Pick<Page, 'title' | 'body' | 'flash'>

/** The field for the address of a product. It is sent as a query, so that it is still there after signing in. */
export const addressForm = (value = '', error?: string): Markup =>
  html`<form class="form" method="get" action="${NEW_PRODUCT}">
${field({ name: 'website', label: 'Address of your product', value, error, inputMode: 'url', spellcheck: false, required: true, maxLength: 2000, placeholder: 'acme.example', hint: 'We read the page and fill in the listing. You correct it before anyone sees it.' })}
<div class="row">${button('Continue')}</div>
</form>`

const STEPS = [
  ['Address', 'We read your site', ''],
  ['Check', 'You correct the listing', 'Checked by you'],
  ['Review', 'An administrator looks at it', ''],
] as const

/** The steps of a submission, with the current one marked. The first step shows the host of the product once it is known. */
export const submitSteps = (
  current: (typeof STEPS)[number][0],
  website = '',
  outcome?: 'Accepted' | 'Refused',
): Markup => {
  const now = STEPS.findIndex(([step]) => step === current)
  const host = parseUrl(website)?.host
  return html`<ol class="trail" aria-label="Progress">${STEPS.map(([step, text, done], at) => html`<li${at === now && html` aria-current="step"`}><b>${(at < now || outcome === 'Accepted') && icon('check', 'small')}${step}</b> <span>${at === 0 && host ? html`<bdi>${brokenAtDots(oneLine(host, 60))}</bdi>` : (at === now && outcome) || (at < now && done) || text}</span></li>`)}</ol>`
}

export const newProductPage = (website: string, token: Markup, error?: string): PageBody => ({
  title: 'Submit a product',
  body: html`<div class="flow">
${submitSteps('Address', error === undefined ? website : '')}
<h1>Submit a product</h1>
<div class="panel flow prose">${
    error === undefined && website
      ? html`<p>We read <strong><bdi>${website}</bdi></strong> and fill in a listing with what it says: name, texts, price, logo and pictures. Nothing is public before you send it.</p>
<form class="row" method="post" action="${NEW_PRODUCT}">${token}<input type="hidden" name="website" value="${website}">${button('Read my site')}${linkButton(SUBMIT, 'Another address', { kind: 'plain' })}</form>`
      : addressForm(website, error)
  }</div>
</div>`,
})

/** `tool`: the listing as readers see it; undefined while the catalog does not show it. */
export const listedPage = (
  { slug, name }: { slug: string; name: string },
  { tool, isOwn }: { tool?: Pick<Tool, 'icon' | 'tagline'>; isOwn: boolean },
): PageBody => ({
  title: `${oneLine(name, 40)} is listed`,
  body: html`<div class="flow">
${submitSteps('Address')}
<h1><bdi>${name}</bdi> is already here</h1>
<section class="panel flow">${tool && html`<p class="named">${tile(name, tool.icon)}<strong dir="auto">${tool.tagline}</strong></p>\n`}${
    isOwn
      ? html`<p>The catalog lists this website, and the listing is yours.</p>`
      : html`<p>The catalog lists this website. If the product is yours, claim the listing: you correct its texts, see its numbers and may carry the badge.</p>
<ul class="marks">${CLAIM_WAYS.map(([name, text]) => html`<li>${icon(name, 'small')}${text}</li>`)}</ul>`
  }
<div class="row">${isOwn ? linkButton(`${OWN_PRODUCTS}/${slug}`, 'Numbers and changes') : linkButton(`/tools/${slug}/claim`, 'Claim it')}${linkButton(`/tools/${slug}`, 'See the listing', { kind: 'plain' })}</div></section>
</div>`,
})

const STEP_WORDS: Record<(typeof READING_STEPS)[number], string> = {
  queued: 'Waiting for a free place',
  page: 'Reading the page',
  pictures: 'Storing logo and picture',
}

export const readingPage = ({ id, website, step }: OwnProduct): PageBody => ({
  title: 'Reading your site',
  body: html`<div class="flow">
${submitSteps('Address', website)}
<h1>We are reading your site</h1>
<p class="lead"><bdi>${website}</bdi> is being read. This page loads itself again every two seconds, until the form is filled in.</p>
<section class="panel flow" role="status"><ol class="links">${READING_STEPS.map((one, at) => html`<li>${STEP_WORDS[one]} ${at < READING_STEPS.indexOf(step) ? badge('Done', 'good') : one === step && badge('Now', 'accent')}</li>\n`)}</ol></section>
<div class="row">${linkButton(`${SUBMIT}/${id}?by=hand`, 'Fill it in by hand', { kind: 'plain' })}${linkButton(`${SUBMIT}/${id}`, 'Look again', { kind: 'plain' })}</div>
</div>`,
})

interface ProductForm {
  product: OwnProduct
  fields: Markup[]
  preview: Markup
  filled: ReturnType<typeof filledFields>
  /** Whether a product is public once it is sent, unless something about it is unusual. */
  isOpen: boolean
  token: Markup
  values: Record<string, string>
  /** The stored values, after a conflict with another window. */
  stored?: Markup
}

export const productPage = (given: ProductForm): PageBody => {
  const { product, fields, filled, token } = given
  const action = `${SUBMIT}/${product.id}`
  const site = webAddress(product.website)
  const host =
    site && html`<a href="${site}" target="_blank" rel="nofollow noopener noreferrer">${parseUrl(site)?.host}</a>`
  const wasRead = Object.keys(product.sources).length > 0
  const isCounted = wasRead && product.note === '' && product.state !== 'refused'
  return {
    title: 'Your listing',
    body: html`<div class="flow">
${submitSteps('Check')}
${
  product.state === 'refused'
    ? html`<h1><bdi>${productName(product)}</bdi> ${productStateBadge('refused')}</h1>
<p class="lead">It was not listed. Correct what the reason names, then send it again: that is possible once. Nothing is public.</p>
${refusedBecause(product)}`
    : html`<h1>${!wasRead ? 'Describe your product' : filled.filled * 2 < filled.all ? `${filled.filled} of ${filled.all} fields are filled in` : 'Here is your listing, nearly done'}</h1>
<p class="lead">${product.note !== '' ? html`We could not read ${host}. ${product.note} ` : wasRead && html`We read ${host}; ${filled.filled * 2 < filled.all ? 'the rest is yours to say' : `${filled.filled} of ${filled.all} fields are filled in`}. `}${wasRead ? 'Correct what is wrong and add what only you know.' : 'Say what it is; fields with a star are needed.'} Nothing is public yet.${!wasRead && product.note === '' && html` ${host}`}</p>`
}
${given.stored}
${sentByOther(product)}
<div class="beside preview-first">
<form class="form wide marked" method="post" action="${action}">
${token}${versionField(product)}
<button type="submit" class="visually-hidden" name="do" value="preview" tabindex="-1" aria-hidden="true">Preview</button>
${fields}
<section class="panel flow"><h2>What happens then</h2>
<ul class="listed small">
<li>${given.isOpen ? 'It is listed at once, unless something about it is unusual; then an administrator looks at it first.' : 'An administrator reads it. You see the decision and its reason under Products.'}</li>
<li>It costs nothing. Once it is listed you can claim it, change it and see its numbers.</li>
<li>Fields with a star are needed to send it; the others can follow later.</li>
</ul></section>
${saveBar(button(product.state === 'refused' ? 'Send it again' : 'Send it', { name: 'do', value: 'send' }), button('Preview', { name: 'do', value: 'preview', kind: 'plain', skipsChecks: true }), button('Save for later', { name: 'do', value: 'save', kind: 'plain', skipsChecks: true }))}
</form>
<aside class="side" aria-label="Preview">
<section class="panel flow preview"><h2>Preview</h2>
${given.preview}
<p class="small quiet">As readers see it in lists, with what is saved.</p></section>
${filledPanel(filled, isCounted)}
</aside>
</div>
${product.timesSent === 0 && confirmedAction({ action: `${action}/discard`, label: 'Delete this draft', slim: true, values: given.values, question: 'What you have typed is deleted.', confirmLabel: 'Delete it' })}
</div>`,
  }
}

/** `isCounted`: the head of the page says how many fields are filled in. Each field says itself what it is good for. */
const filledPanel = ({ filled, all, missing }: ProductForm['filled'], isCounted: boolean): Markup | false =>
  !(isCounted && missing.length === 0) &&
  html`<section class="panel flow left-out">${!isCounted && progress({ label: 'Filled in', value: filled, max: all })}
${missing.length > 0 && html`<h2>What is missing</h2><ul>${missing.map(({ label, href, isNeeded }) => html`<li><a href="${href}">${label}</a>${isNeeded && ' is needed to send it.'}</li>\n`)}</ul>`}</section>`

const STATE_WORDS: Record<ProductState, [word: string, tone: Tone]> = {
  reading: ['Reading the site', 'accent'],
  draft: ['Not sent', 'plain'],
  waiting: ['Waiting for review', 'info'],
  accepted: ['Listed', 'good'],
  refused: ['Refused', 'danger'],
}

export const productStateBadge = (state: ProductState): Markup => badge(...STATE_WORDS[state])

export const productName = ({ fields, website }: OwnProduct): string =>
  fields.name ?? parseUrl(website)?.host ?? website

const refusedBecause = ({ reason, decidedAt }: OwnProduct): Markup | '' =>
  reason &&
  html`<section class="flash danger"><div><h2>Why it was refused</h2><p dir="auto">${reason}</p><p class="small">${date(decidedAt)}</p></div></section>`

const sentByOther = ({ isSentByOther }: OwnProduct): Markup | false =>
  isSentByOther &&
  html`<p class="flash notice" role="status">Another account has sent this website too, and its product waits for review. An administrator decides which one is listed. The account that shows its token on the website can then claim the listing.</p>`

interface StatePage {
  product: OwnProduct
  preview: Markup
  facts: Markup
  contactEmail: string
  sendsMail: boolean
}

/** A product that the founder cannot change now: how far it is, what happens next, and what was sent. */
export const statePage = (given: StatePage): PageBody => {
  const { product } = given
  const listing = product.listing?.published ? product.listing : null
  return {
    title: oneLine(productName(product), 40),
    body: html`<div class="flow">
${submitSteps('Review', product.website, product.state === 'accepted' ? 'Accepted' : product.state === 'refused' ? 'Refused' : undefined)}
<div class="beside">
<div class="flow">
<h1><bdi>${productName(product)}</bdi> ${productStateBadge(product.state)}</h1>
<p class="lead">${stateSentence(given)}</p>
${product.state === 'waiting' && sentByOther(product)}
${product.state === 'refused' ? refusedBecause(product) : product.reason && html`<section class="panel flow"><h2>What the administrator wrote</h2><p dir="auto">${product.reason}</p></section>`}
<div class="row">${listing && linkButton(`/tools/${listing.slug}/claim`, 'Claim the listing')}${listing && linkButton(`/tools/${listing.slug}`, 'See the listing', { kind: 'plain' })}${product.state === 'refused' && given.contactEmail && html`<a class="button plain" href="mailto:${given.contactEmail}">Ask us</a>`}${linkButton(OWN_PRODUCTS, 'All your products', { kind: 'plain' })}</div>
${product.state !== 'refused' && html`<section class="panel flow"><h2>What happens next</h2>${numberedSteps(product.state === 'waiting' ? waitingSteps(given) : listedSteps)}</section>`}
</div>
<aside class="side" aria-label="Preview"><section class="panel flow preview"><h2>Preview</h2>${given.preview}<p class="small quiet">${product.state === 'accepted' ? 'As you sent it; the listing may have changed since.' : product.state === 'refused' ? 'As you sent it.' : 'As readers will see it in lists.'}</p></section></aside>
</div>
<section class="panel flow"><h2>What you sent</h2>${given.facts}</section>
</div>`,
  }
}

const stateSentence = ({ product, contactEmail }: StatePage): Markup | string => {
  if (product.state === 'waiting') return html`Sent on ${date(product.sentAt)}. There is nothing to do for you now.`
  if (product.state === 'refused')
    return `It was refused twice and cannot be sent again.${contactEmail ? ' If you think that is wrong, ask us.' : ''}`
  return product.listing?.published
    ? html`Listed since ${date(product.decidedAt)} at <a href="/tools/${product.listing.slug}">/tools/${product.listing.slug}</a>. Claim it if it is not yours yet.`
    : 'It is accepted. Its listing is not public at the moment.'
}

const waitingSteps = ({ product, sendsMail }: StatePage): [string, string][] => [
  [
    'An administrator reads it',
    `The decision and its reason are then on this page${sendsMail ? ' and in a mail to you' : ''}.`,
  ],
  [
    'It is listed',
    `Its page is public, and searches and lists show it. ${mayChange({ ...product, state: 'refused' }) ? 'If it is refused, you correct it and send it again.' : 'If it is refused again, it cannot be sent a third time.'}`,
  ],
  ['You claim it', 'You show that the site is yours. Then you change the listing and see its numbers.'],
]

export const listedSteps: readonly (readonly [string, string])[] = [
  ['Claim it', 'Show that the site is yours, with a DNS entry, a file or a tag on the page. It takes minutes.'],
  ['Look after it', 'Change texts and pictures at once, and see how many people found, viewed and opened it.'],
  ['Show the badge', 'Put it on your site if you like. It is not needed for anything.'],
]
