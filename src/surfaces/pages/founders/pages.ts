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
import { badge, emptyState, type Tone } from '../kit/components.ts'
import type { Page } from '../kit/document.ts'
import { field } from '../kit/field.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { type ListPage, listPageLinks } from '../kit/paged-lists.ts'
import { table } from '../kit/table.ts'
import { time } from '../kit/values.ts'

export const SUBMIT = '/submit'
export const NEW_PRODUCT = '/submit/new'
export const FOUNDER_HELP = '/submit/help'
export const OWN_PRODUCTS = '/dashboard/products'

export type OwnedListing = Static<typeof listOwnClaims.data>[number]

type PageBody = Pick<Page, 'title' | 'body' | 'flash'>

/** The field for the address of a product. It is sent as a query, so that it is still there after signing in. */
export const addressForm = (value = '', error?: string): Markup =>
  html`<form class="form" method="get" action="${NEW_PRODUCT}">
${field({ name: 'website', label: 'Address of your product', value, error, inputMode: 'url', spellcheck: false, required: true, maxLength: 2000, placeholder: 'acme-writer.example.com', hint: 'We read the page and fill in the listing. You correct it before anyone sees it.' })}
<div class="row">${button('Continue')}</div>
</form>`

const steps = (current: 'Address' | 'Check' | 'Review'): Markup =>
  html`<ol class="trail" aria-label="Progress">${(['Address', 'Check', 'Review'] as const).map((step) => html`<li${step === current && html` aria-current="step"`}>${step}</li>`)}</ol>`

export const newProductPage = (website: string, token: Markup, error?: string): PageBody => ({
  title: 'Submit a product',
  body: html`<div class="flow">
${steps('Address')}
<h1>Submit a product</h1>
${
  error === undefined && website
    ? html`<p class="lead">We read <bdi>${website}</bdi> and fill in a listing with what it says. Nothing is public before you send it.</p>
<form class="row" method="post" action="${NEW_PRODUCT}">${token}<input type="hidden" name="website" value="${website}">${button('Read my site')}${linkButton(SUBMIT, 'Another address', { kind: 'plain' })}</form>`
    : addressForm(website, error)
}
</div>`,
})

export const listedPage = ({ slug, name }: { slug: string; name: string }): PageBody => ({
  title: `${oneLine(name, 40)} is listed`,
  body: html`<div class="flow">
${steps('Address')}
<h1><bdi>${name}</bdi> is already here</h1>
<p class="lead">The catalog lists this website. If the product is yours, claim the listing to show it.</p>
<div class="row">${linkButton(`/tools/${slug}/claim`, 'Claim it')}${linkButton(`/tools/${slug}`, 'See the listing', { kind: 'plain' })}</div>
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
${steps('Check')}
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
  token: Markup
  values: Record<string, string>
  /** What is stored, after a conflict with another window. */
  stored?: Markup
}

export const productPage = ({ product, fields, preview, token, values, stored }: ProductForm): PageBody => {
  const action = `${SUBMIT}/${product.id}`
  const site = webAddress(product.website)
  return {
    title: 'Your listing',
    body: html`<div class="flow">
${steps('Check')}
<h1>${Object.keys(product.sources).length > 0 ? 'Here is your listing, nearly done' : 'Describe your product'}</h1>
<p class="lead">${product.note === '' ? '' : html`${product.note} Fill in the form by hand. `}Correct what is wrong and add what only you know. Nothing is public yet. ${site && html`<a href="${site}" target="_blank" rel="nofollow noopener noreferrer">${URL.parse(site)?.host}</a>`}</p>
${product.reason && html`<section class="panel flow"><h2>Why it was refused</h2><p dir="auto">${product.reason}</p><p class="small">Correct it and send it again. This is possible once.</p></section>`}
${stored}
<div class="beside preview-first">
<form class="form wide marked" method="post" action="${action}">
${token}${versionField(product)}
<p class="small quiet">Fields with a star are needed to send it.</p>
<button type="submit" class="visually-hidden" name="do" value="preview" tabindex="-1" aria-hidden="true">Show the preview</button>
${fields}
${saveBar(button('Send it', { name: 'do', value: 'send' }), button('Show the preview', { name: 'do', value: 'preview', kind: 'plain', skipsChecks: true }), button('Save and finish later', { name: 'do', value: 'save', kind: 'plain', skipsChecks: true }))}
</form>
<aside class="side flow" aria-label="Preview">
<h2>Preview</h2>
${preview}
<p class="small quiet">As readers see it in lists, with what is saved.</p>
</aside>
</div>
${product.timesSent === 0 && confirmedAction({ action: `${action}/discard`, label: 'Delete this draft', slim: true, values, question: 'What you have typed is deleted.', confirmLabel: 'Delete it' })}
</div>`,
  }
}

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

export const ownProductsPage = (list: ListPage<OwnProduct>, owned: readonly OwnedListing[]): PageBody => ({
  title: 'Products',
  body: html`<div class="flow">
<div class="section-head"><h1>Products</h1>${linkButton(SUBMIT, 'Submit a product')}</div>
<p class="lead">What you have sent, and what became of it. At most ${MOST_WAITING} wait at a time, and ${MOST_A_DAY} may be sent a day.</p>
${table({
  caption: 'Products',
  rows: list.rows,
  columns: [
    {
      label: 'Product',
      rowHeader: true,
      cell: (product) => html`<a href="${SUBMIT}/${product.id}"><bdi>${oneLine(nameOf(product), 60)}</bdi></a>`,
    },
    {
      label: 'State',
      cell: (product) =>
        html`${badge(...STATE_WORDS[product.state])}${product.reason && html` <bdi class="note">${oneLine(product.reason, 160)}</bdi>`}`,
    },
    {
      label: 'Listing',
      cell: ({ listing }) =>
        listing?.published ? html`<a href="/tools/${listing.slug}">/tools/${listing.slug}</a>` : null,
    },
    { label: 'Sent', cell: ({ sentAt }) => time(sentAt) },
  ],
  empty: emptyState({ title: 'Nothing sent yet', text: 'Begin with the address of your product.' }),
})}
${listPageLinks(list, OWN_PRODUCTS, {})}
${
  owned.length > 0 &&
  html`<section class="flow"><h2>Listings that you own</h2>
${table({
  caption: 'Listings that you own',
  rows: owned,
  columns: [
    {
      label: 'Listing',
      rowHeader: true,
      cell: ({ tool }) => html`<a href="${OWN_PRODUCTS}/${tool.slug}"><bdi>${oneLine(tool.name, 60)}</bdi></a>`,
    },
    {
      label: 'State',
      cell: ({ tool, failedAt, published }) =>
        failedAt
          ? html`${badge('Proof not found', 'danger')} <span class="note"><a href="/tools/${tool.slug}/claim">Show the token again</a> within a week.</span>`
          : published
            ? badge('Public', 'good')
            : badge('Not public'),
    },
    { label: 'Yours since', cell: ({ provenAt }) => time(provenAt) },
  ],
  empty: emptyState({ title: 'None yet' }),
})}</section>`
}
</div>`,
})
