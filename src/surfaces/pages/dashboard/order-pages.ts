// The pages of orders: the list, choosing a package, and an order with its work and questions.
import type { Static } from 'typebox'
import type { orderChoicesSchema, ownOrderSchema, ownWorkSchema } from '../../../features/billing/orders/schema.ts'
import { NEW_ORDER_PAGE, ORDERS_PAGE } from '../../../features/billing/orders/start.ts'
import type { SiteFields } from '../../../features/site/schema.ts'
import { packageOf } from '../../../features/submissions/rules.ts'
import { MAX_QUESTION } from '../../../features/support/schema.ts'
import { capitalised } from '../../../kernel/values/text.ts'
import { OWN_PRODUCTS } from '../addresses.ts'
import { actionForm, button, hiddenFields, linkButton } from '../kit/button.ts'
import { badge, breadcrumbs, emptyState, numberedSteps, tile } from '../kit/components.ts'
import { select, textarea } from '../kit/forms/field.ts'
import { type ListPage, listPageLinks } from '../kit/lists/paged-lists.ts'
import { table } from '../kit/lists/table.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { namedListing, type ServedRequest } from '../kit/named-listing.ts'
import type { Page } from '../kit/sending/document.ts'
import { date, number } from '../kit/values.ts'
import { contactLink, packageCards, sellerList } from '../site/texts/submit.ts'
import { orderBadge, orderSentence } from '../states.ts'
import { finishedBadge, taskRows, workProgress, workTasks } from '../work-rows.ts'
import { partnerStateBadge } from './partner/partner.ts'
import { ownThread } from './partner/support.ts'

export type OwnOrder = Static<typeof ownOrderSchema>
type OwnWork = Static<typeof ownWorkSchema>
type Choices = Static<typeof orderChoicesSchema>
type PageBody = Pick<Page, 'title' | 'body'>

export const orderPath = ({ id }: { id: string }): string => `${ORDERS_PAGE}/${id}`

export const ordersPage = (served: ServedRequest, list: ListPage<OwnOrder>): PageBody => ({
  title: 'Orders',
  body: html`<div class="flow">
<div class="section-head"><h1>Orders</h1>${served.service.sellsPackages && linkButton(NEW_ORDER_PAGE, 'Order a package')}</div>
<p class="lead">Packages that you ordered, and how far the work is.</p>
${table({
  caption: 'Orders',
  rows: list.rows,
  columns: [
    {
      label: 'Product',
      rowHeader: true,
      cell: (order) =>
        order.tool
          ? namedListing(served, 'tools', { ...order.tool, name: oneLine(order.tool.name, 60) }, orderPath(order))
          : html`<a href="${orderPath(order)}">${nameOf(order)}</a>`,
    },
    { label: 'Package', cell: ({ paymentType }) => packageOf(paymentType).paymentLabel },
    { label: 'Payment', cell: (order) => orderBadge(order) },
    {
      label: 'Work',
      cell: ({ submissionState, submittedCount, targetDirectoriesCount }) =>
        submissionState &&
        html`${partnerStateBadge(submissionState)} <span class="note">${submittedCount} of ${targetDirectoriesCount} directories</span>`,
    },
    { label: 'Ordered', cell: ({ createdAt }) => date(createdAt) },
  ],
  empty: emptyState({
    title: 'Nothing ordered yet',
    text: 'We enter your product into the directories that fit it best, by hand, and you follow each one.',
  }),
})}
${listPageLinks(list, ORDERS_PAGE)}
</div>`,
})

const nameOf = ({ tool }: OwnOrder): string => tool?.name ?? 'A listing that was deleted'

export const newOrderPage = (
  choices: Choices,
  asked: { tool: string; name: string },
  token: Markup,
  site: SiteFields,
): PageBody => {
  const free = choices.products.filter(({ problem }) => problem === null)
  const taken = choices.products.filter(({ problem }) => problem !== null)
  return {
    title: 'Order a package',
    body: html`<div class="flow">
${breadcrumbs([{ label: 'Orders', href: ORDERS_PAGE }, { label: 'Order a package' }])}
<h1>Order a package</h1>
${choices.packages.length > 0 && html`<p class="lead">We enter your product into directories by hand. One payment for one product, no subscription.</p>`}
${taken.map(
  ({ name, problem, slug }) =>
    (slug === asked.tool || free.length === 0) &&
    html`<p class="flash notice" role="status"><strong><bdi>${oneLine(name, 60)}</bdi></strong>: ${problem}</p>
`,
)}
${choices.packages.length === 0 ? nothingSold(site) : free.length > 0 ? orderForm(choices, free, asked, token, site) : choices.products.length === 0 && noProduct}
</div>`,
  }
}

const noProduct = emptyState({
  title: 'No product yet',
  text: 'A package is for a product that is listed here and is yours. Send your product in, or claim its listing; both cost nothing.',
  action: linkButton('/submit', 'Submit a product'),
})

const orderForm = (
  { packages }: Choices,
  products: Choices['products'],
  asked: { tool: string; name: string },
  token: Markup,
  site: SiteFields,
): Markup =>
  html`<form class="form wide" method="post" action="${NEW_ORDER_PAGE}">
${token}
${select({ name: 'tool', label: 'Product', required: true, value: asked.tool || (products.length === 1 ? products[0]?.slug : ''), none: products.length === 1 ? undefined : 'Choose', options: products.map(({ slug, name }) => ({ value: slug, label: oneLine(name, 80) })) })}
<h2 class="visually-hidden">Packages</h2>
${packageCards(packages, site, (name, title) => button(`Order ${title}`, { name: 'package', value: name, kind: asked.name === '' || asked.name === name ? 'main' : 'plain' }))}
<p class="small quiet">You pay at Stripe, and nothing of your card reaches this service. If the whole payment is given back before the work begins, the order is withdrawn.</p>
</form>`

/** `hasInvoice`: whether a paid order has an invoice, which the payment service makes. `price`: of the package, while it is not paid. */
export const orderPage = (
  order: OwnWork,
  values: Record<string, string>,
  { mayPay, hasInvoice, price }: { mayPay: boolean; hasInvoice: boolean; price: string | null },
): PageBody => ({
  title: oneLine(nameOf(order), 60),
  body: html`<div class="flow">
${breadcrumbs([{ label: 'Orders', href: ORDERS_PAGE }, { label: oneLine(nameOf(order), 60) }])}
<div class="row"><h1><bdi>${nameOf(order)}</bdi></h1>${orderBadge(order)}</div>
<div class="usage"><div>
${!(order.work && order.state === 'paid') && html`<section class="card"><p>${orderSentence(order)}</p>${mayPay && order.tool && html`<div class="row">${actionForm({ action: NEW_ORDER_PAGE, label: price === null ? 'Go to the payment' : `Pay ${price}`, values: { ...values, tool: order.tool.slug, package: order.paymentType } })}</div>`}</section>`}
${(mayPay || order.state === 'processing') && html`<section class="card"><div class="card-head"><h2>What happens then</h2></div>${numberedSteps(paidSteps(order))}</section>`}
${order.work && workPart(order.work, order.questions || order.mayAsk ? '#questions' : undefined)}
${(order.questions || order.mayAsk) && questionsPart(order, values)}
</div><div>${orderFacts(order, values, hasInvoice, price)}</div></div>
</div>`,
})

const paidSteps = ({ state, answersQuestions }: OwnWork): Parameters<typeof numberedSteps>[0] => [
  [state === 'open' ? 'You pay at Stripe' : 'Your payment arrives', 'The invoice is then on this page.'],
  ['We enter your product', 'By hand, into the directories that fit it best. You see each one here, with its listing.'],
  [
    'You get a report',
    `It says where your product is listed.${answersQuestions ? ' You can ask us something here at any time.' : ''}`,
  ],
]

const orderFacts = (
  order: OwnWork,
  values: Record<string, string>,
  hasInvoice: boolean,
  price: string | null,
): Markup =>
  html`<section class="card"><div class="card-head"><h2>Order</h2></div><dl class="facts">
<div><dt>Package</dt><dd>${packageOf(order.paymentType).paymentLabel}</dd></div>
<div><dt>Ordered</dt><dd>${date(order.createdAt)}</dd></div>
${price && html`<div><dt>Price</dt><dd>${price}</dd></div>`}
${order.price && html`<div><dt>Paid</dt><dd>${order.price}${order.refunded && html`, ${order.refunded} given back`}</dd></div>`}
${order.tool && html`<div><dt>Listing</dt><dd><a href="/tools/${order.tool.slug}"><bdi>${order.tool.name}</bdi></a></dd></div>`}
${order.work?.reportUrl && html`<div><dt>Report</dt><dd><a href="${order.work.reportUrl}">Open the report</a></dd></div>`}
</dl>
${order.work?.reportUrl && html`<p class="small quiet">Anyone with the address of the report can read it.</p>`}
${hasInvoice && order.paidAt && html`<div class="row">${actionForm({ action: `${orderPath(order)}/receipt`, label: 'Invoice', kind: 'plain', slim: true, values })}</div>`}</section>`

const workPart = (
  { tool, submissionState, summary, submissions, plan }: NonNullable<OwnWork['work']>,
  questions?: string,
): Markup => {
  const planned = summary.isComplete ? [] : plan.chosen.filter(({ recorded }) => !recorded)
  return html`<section class="card"><div class="card-head"><h2>Work</h2>${summary.isComplete ? finishedBadge(summary.submittedCount, tool.targetDirectoriesCount) : partnerStateBadge(submissionState)}</div>
${workProgress(submissions, summary.submittedCount, tool.targetDirectoriesCount)}
${submissions.length === 0 && !summary.isComplete && html`<p>Paid. We enter it next; there is nothing to do for you now.</p>`}
${summary.notes && html`<h3>What we noted</h3><p class="text">${summary.notes}</p>`}</section>
${submissions.length > 0 && html`<section class="card"><div class="card-head"><h2>Directories</h2><span class="note">${number(submissions.length)} begun</span></div>${taskRows(workTasks(submissions, questions))}</section>`}
${planned.length > 0 && plannedPart(planned)}`
}

type Planned = NonNullable<OwnWork['work']>['plan']['chosen']
const SHOWN_PLANNED = 8

const plannedPart = (planned: Planned): Markup =>
  html`<section class="card calls"><div class="card-head"><h2>Planned next</h2><span class="note">${number(planned.length)} directories</span></div>
<p class="small quiet">The directories that fit your product best, in this order. The plan may change while we work.</p>
${plannedRows(planned.slice(0, SHOWN_PLANNED))}
${planned.length > SHOWN_PLANNED && html`<details><summary>${number(planned.length - SHOWN_PLANNED)} more</summary>${plannedRows(planned.slice(SHOWN_PLANNED))}</details>`}</section>`

const plannedRows = (planned: Planned): Markup =>
  html`<ul class="next-directories">${planned.map(
    ({ slug, name, domainRating, reasons: [reason = ''] }) =>
      html`<li class="mini">${tile(name, null)}<div><h3><a href="/directories/${slug}"><bdi>${name}</bdi></a></h3><p>${capitalised(reason)}.${domainRating !== null && ` Its Domain Rating is ${domainRating}.`}</p></div></li>\n`,
  )}</ul>`

const questionsPart = ({ id, questions, mayAsk }: OwnWork, values: Record<string, string>): Markup =>
  html`<section class="card" id="questions"><div class="card-head"><h2>Questions</h2>${questions && (questions.status === 'answered' ? badge('Answered', 'good') : badge('Waiting for an answer', 'notice'))}</div>
${questions && ownThread(questions, 'You')}
${
  mayAsk &&
  html`<form class="form broad" method="post" action="${orderPath({ id })}/questions">${hiddenFields(values)}
${textarea({ name: 'question', label: 'Your question', rows: 3, maxLength: MAX_QUESTION, required: true })}
<div class="row">${button('Ask', { kind: 'plain' })}</div></form>`
}</section>`

/** While payments are not set up, the page says that nothing is sold here, and what to do instead. */
export const unsoldPage = (site: SiteFields): PageBody & { path: string } => ({
  title: 'Packages',
  path: OWN_PRODUCTS,
  body: html`<div class="flow"><h1>Packages</h1>${nothingSold(site)}</div>`,
})

const nothingSold = (site: SiteFields): Markup =>
  html`<p class="lead">No package is sold here${site.sellers.length > 0 ? '; partners sell them' : ' at the moment'}. Your listing costs nothing and stays as it is.</p>
${sellerList(site)}
<section class="panel flow"><h2>Do it yourself</h2><p>The launch plan says which directories fit your product, best first and with reasons.</p>
${numberedSteps([
  ['Say what your product is', 'A few choices: what it is, for whom, what you can spend, what you care about most.'],
  ['Follow the checklist', 'Directories in the order that pays off, each with its reason.'],
  ['Tick off what is done', 'Your browser keeps the ticks, and the plan says what is next.'],
])}
<div class="row">${linkButton('/plan', 'Make my plan')}${linkButton('/directories', 'All directories', { kind: 'plain' })}${contactLink(site, 'Ask us')}</div></section>
<p>${linkButton(OWN_PRODUCTS, 'Back to your products', { kind: 'plain' })}</p>`
