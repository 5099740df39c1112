// The list of what a founder has sent and owns, with the next step of each.
import type { Static } from 'typebox'
import type { listOwnClaims } from '../../../features/founders/claims/operations.ts'
import { SHOWN_DAYS } from '../../../features/founders/owned/numbers.operations.ts'
import type { ListingSums } from '../../../features/founders/owned/schema.ts'
import { MOST_A_DAY, MOST_WAITING, type ProductState } from '../../../features/founders/products/rules.ts'
import type { OwnProduct } from '../../../features/founders/products/schema.ts'
import { OWN_PRODUCTS, SUBMIT } from '../addresses.ts'
import { linkButton } from '../kit/button.ts'
import { badge, tile } from '../kit/components.ts'
import { type ListPage, listPageLinks } from '../kit/lists/paged-lists.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import type { Page } from '../kit/sending/document.ts'
import { date, number } from '../kit/values.ts'
import { type Task, taskRows } from '../work-rows.ts'
import { lastDay } from './owned/proof-words.ts'
import { addressForm, productName, productStateBadge } from './product-pages.ts'

type OwnedListing = Static<typeof listOwnClaims.data>[number]

const ownedTask = ({ tool, icon, published, provenAt, failedAt }: OwnedListing, sums?: ListingSums): Task => ({
  name: tool.name,
  mark: tile(tool.name, icon),
  isWaitedFor: failedAt !== null,
  state: failedAt
    ? badge('Proof not found', 'danger')
    : published
      ? badge('Public', 'good')
      : badge('Not public', 'notice'),
  text: failedAt
    ? html`Show your token again by ${lastDay(failedAt)} to keep the listing.`
    : sums
      ? html`In the last ${SHOWN_DAYS} days: ${number(sums.appearances)}&nbsp;appearances in searches, ${number(sums.views)}&nbsp;views, ${number(sums.opens)}&nbsp;opens.`
      : html`Yours since ${date(provenAt)}. Numbers, changes and the badge are on its page.`,
  next: failedAt ? 'Show the token' : 'Open',
  href: failedAt ? `/tools/${tool.slug}/claim` : `${OWN_PRODUCTS}/${tool.slug}`,
})

function sentTask(product: OwnProduct): Task {
  const { state, listing, reason, sentAt, mayChange } = product
  const isUnclaimed = state === 'accepted' && listing?.published === true
  const isWaitedFor = state === 'draft' || isUnclaimed || (state === 'refused' && mayChange)
  const texts: Record<ProductState, Markup | string> = {
    reading: 'The form is filled in with what your site says.',
    draft: 'Finish it and send it. Nothing is public yet.',
    waiting: html`Sent on ${date(sentAt)}.`,
    accepted: isUnclaimed
      ? html`<a href="/tools/${listing.slug}">Its page</a> is public. Claim it to change it and to see its numbers.`
      : 'Its listing is not public.',
    refused: `${oneLine(reason, 160)}${mayChange ? ' Correct it and send it again.' : ''}`,
  }
  return {
    name: productName(product),
    isWaitedFor,
    mark: tile(productName(product), product.fields.icon ?? null),
    state: productStateBadge(state),
    text: texts[state],
    next: isUnclaimed ? 'Claim' : state === 'draft' ? 'Finish' : isWaitedFor ? 'Correct' : 'View',
    href: isUnclaimed ? `/tools/${listing.slug}/claim` : `${SUBMIT}/${product.id}`,
  }
}

/** The rows of the list, and how many wait for the founder; null when there are none. A listing that is owned is shown once. */
export function productRows(
  sent: readonly OwnProduct[],
  owned: readonly OwnedListing[],
  { most, sums = [] }: { most?: number; sums?: readonly ListingSums[] } = {},
): { rows: Markup; waiting: number } | null {
  const isOwned = ({ listing }: OwnProduct) => owned.some(({ tool }) => tool.slug === listing?.slug)
  const tasks = [
    ...owned.map((listing) =>
      ownedTask(
        listing,
        sums.find(({ slug }) => slug === listing.tool.slug),
      ),
    ),
    ...sent.filter((product) => !isOwned(product)).map(sentTask),
  ]
  if (tasks.length === 0) return null
  return { rows: taskRows(tasks, most), waiting: tasks.filter(({ isWaitedFor }) => isWaitedFor).length }
}

export const ownProductsPage = (
  list: ListPage<OwnProduct>,
  owned: readonly OwnedListing[],
  sums: readonly ListingSums[],
): Pick<Page, 'title' | 'body'> => {
  const products = productRows(list.rows, owned, { sums })
  return {
    title: 'Products',
    body: html`<div class="flow">
<div class="row apart"><h1>Products</h1>${products && linkButton(SUBMIT, 'Submit a product')}</div>
<p class="lead">What you have sent and what is yours, with what to do next. At most ${MOST_WAITING} wait at a time, and ${MOST_A_DAY} may be sent a day.</p>
${
  products
    ? html`<h2 class="visually-hidden">All products</h2>
${products.rows}`
    : html`<section class="panel flow"><h2>Nothing sent yet</h2>${addressForm()}</section>`
}
${listPageLinks(list, OWN_PRODUCTS, {})}
</div>`,
  }
}
