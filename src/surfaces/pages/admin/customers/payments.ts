// What is paid through Stripe: the packages that founders ordered, and the subscriptions of users who pay for Premium.
import type { Static } from 'typebox'
import { compareSubscriptions, listSubscriptions } from '../../../../features/billing/operations.ts'
import { compareOrder, listOrders } from '../../../../features/billing/orders/operations.ts'
import type { orderSchema } from '../../../../features/billing/orders/schema.ts'
import { hasEnded } from '../../../../features/billing/rules.ts'
import type { subscriptionSchema } from '../../../../features/billing/schema.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { dayOf } from '../../../../kernel/values/days.ts'
import { capitalised } from '../../../../kernel/values/text.ts'
import { actionForm, rowAction } from '../../kit/button.ts'
import { badge, emptyState, sectionHead, type Tone } from '../../kit/components.ts'
import { action } from '../../kit/forms/actions.ts'
import { type TableColumn, table } from '../../kit/lists/table.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { namedListing } from '../../kit/named-listing.ts'
import type { VisitHandler, VisitPages } from '../../kit/sending/private-pages.ts'
import { ago } from '../../kit/values.ts'
import { ORDER_WORDS, orderBadge } from '../../states.ts'
import { ADMIN } from '../kit/frame.ts'
import { declareList } from '../kit/list-pages.ts'
import { packageName } from '../submissions/list.ts'

// Paid orders whose work has not begun come first. While founders may not send products, the page exists only as long as such an order waits.
const ORDERS = `${ADMIN}/orders`

/** Answers 404 while founders are off and no paid order waits. */
const whileNeeded =
  (show: VisitHandler): VisitHandler =>
  async (visit) => {
    const isOff = visit.service.founders === 'off'
    if (isOff && (await visit.perform(listOrders, { waiting: true, limit: 1 })).length === 0) throw notFound('Page')
    return show(visit)
  }

export const orderPages: VisitPages = {
  [ORDERS]: {
    GET: whileNeeded(
      declareList({
        path: ORDERS,
        operation: listOrders,
        title: 'Orders',
        lead: 'Packages that founders ordered. Their work belongs to the built-in partner Direct orders. Payments are given back at Stripe.',
        filters: {
          state: { words: Object.fromEntries(Object.entries(ORDER_WORDS).map(([state, [word]]) => [state, word])) },
          waiting: { label: 'Work', words: { true: 'Paid and not begun', false: 'Others' } },
        },
        columns: ({ visit }) => [
          {
            label: 'Product',
            rowHeader: true,
            cell: ({ tool, submissionId, paymentType }) =>
              html`${tool ? namedListing(visit, 'tools', tool, submissionId ? `${ADMIN}/submissions/${submissionId}` : undefined) : html`<span class="quiet">Deleted listing</span>`} <span class="note">${packageName(paymentType)}</span>`,
          },
          { label: 'State', onPhones: 'unlabelled', cell: (order) => stateOf(order) },
          {
            label: 'Founder',
            onPhones: 'unlabelled',
            cell: ({ user }) =>
              user
                ? html`<a href="${ADMIN}/users/${user.id}"><bdi>${user.email}</bdi></a>`
                : html`<span class="quiet">Account deleted</span>`,
          },
          {
            label: 'Price',
            onPhones: 'unlabelled',
            cell: ({ price, paidAt, createdAt }) =>
              price &&
              html`${price}${paidAt && dayOf(+new Date(paidAt)) !== dayOf(+new Date(createdAt)) && html`, paid ${ago(paidAt)}`}`,
          },
          { label: 'Ordered', onPhones: 'unlabelled', cell: ({ createdAt }) => ago(createdAt) },
          {
            label: 'At Stripe',
            onPhones: 'hidden',
            cell: ({ url, paymentId, customerId }) =>
              url
                ? html`<a href="${url}" title="${paymentId ?? customerId}" rel="noreferrer">Open<span class="visually-hidden"> ${paymentId ?? customerId}</span></a>`
                : html`<bdi>${paymentId}</bdi>`,
          },
          {
            label: 'Actions',
            kind: 'actions',
            cell: ({ id, tool }) =>
              rowAction(
                `${ORDERS}/${id}/compare`,
                html`Compare<span class="visually-hidden"> ${tool?.name} with Stripe</span>`,
                visit.values,
              ),
          },
        ],
        empty: { title: 'No orders yet', text: 'Founders order a package on the pricing page and in their dashboard.' },
      }),
    ),
  },
  [`${ORDERS}/:id/compare`]: { POST: action({ operation: compareOrder, back: ORDERS, text: 'Compared with Stripe.' }) },
}

const stateOf = (order: Static<typeof orderSchema>): Markup =>
  html`${orderBadge(order)} ${
    order.waiting &&
    (order.submissionId
      ? badge('Not begun', 'notice')
      : html`${badge('No work', 'danger')} <span class="note">The listing was deleted, or another order was paid too. Give the money back at Stripe.</span>`)
  }`

// Subscriptions link to their pages at Stripe. The page exists only while the paid plan is set up.
const SUBSCRIPTIONS = `${ADMIN}/subscriptions`
const USERS = `${ADMIN}/users`

type AdminSubscription = Static<typeof subscriptionSchema>

const EMPTY = { title: 'No subscriptions' }

export const subscriptionPages: VisitPages = {
  [SUBSCRIPTIONS]: {
    GET: declareList({
      path: SUBSCRIPTIONS,
      operation: listSubscriptions,
      title: 'Subscriptions',
      lead: 'Who pays for Premium. Stripe tells of every change, and each customer is compared once a day.',
      filters: { paying: { label: 'Premium', words: { true: 'Give Premium now', false: 'Do not' } } },
      columns: () => [OWNER, ...COLUMNS],
      empty: EMPTY,
      noneFound: EMPTY.title,
    }),
  },
  [`${USERS}/:id/compare-subscriptions`]: {
    POST: action({
      operation: compareSubscriptions,
      back: ({ param }) => `${USERS}/${encodeURIComponent(param('id'))}`,
      text: 'Compared with Stripe.',
    }),
  },
}

/** The subscriptions of one user, on the page of the user at `path`. */
export const ownSubscriptions = (
  rows: readonly AdminSubscription[],
  path: string,
  values: Record<string, string>,
): Markup => html`${sectionHead('Subscriptions')}
${table({ caption: 'Subscriptions', rows, columns: COLUMNS, empty: emptyState(EMPTY) })}
${rows.length > 0 && html`<p class="note">A ban cancels a subscription for the end of the period that is paid, at the next comparison.</p>${actionForm({ action: `${path}/compare-subscriptions`, label: 'Compare with Stripe now', kind: 'plain', values })}`}`

const OWNER: TableColumn<AdminSubscription> = {
  label: 'User',
  rowHeader: true,
  cell: ({ userId, owner }) =>
    userId
      ? html`<a href="${USERS}/${userId}"><bdi>${owner}</bdi></a>`
      : html`<span class="quiet">Account deleted</span>`,
}

const COLUMNS: readonly TableColumn<AdminSubscription>[] = [
  { label: 'State', cell: (row) => stateBadge(row) },
  { label: 'Since', cell: ({ since }) => ago(since) },
  { label: 'Paid until', cell: ({ paidUntil }) => ago(paidUntil) },
  { label: 'Premium until', cell: ({ premiumUntil }) => ago(premiumUntil) },
  { label: 'Compared', cell: ({ comparedAt }) => ago(comparedAt) },
  {
    label: 'At Stripe',
    cell: ({ url, customerId }) =>
      url ? html`<a href="${url}" rel="noreferrer">${customerId}</a>` : html`<bdi>${customerId}</bdi>`,
  },
]

function stateBadge(row: AdminSubscription): Markup {
  return html`${badge(capitalised(row.status.replaceAll('_', ' ')), toneOf(row))}${row.endsAt && !hasEnded(row) && html` <span class="note">ends ${ago(row.endsAt)}</span>`}`
}

function toneOf(row: AdminSubscription): Tone {
  if (hasEnded(row)) return 'plain'
  if (row.failing) return 'danger'
  return row.status === 'active' ? 'good' : 'notice'
}
