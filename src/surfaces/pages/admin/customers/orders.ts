// The packages that founders ordered; paid ones whose work has not begun come first. While founders may not send products, the page exists
// only as long as such an order waits.
import type { Static } from 'typebox'
import { compareOrder, listOrders } from '../../../../features/billing/orders/operations.ts'
import type { orderSchema } from '../../../../features/billing/orders/schema.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { dayOf } from '../../../../kernel/values/days.ts'
import { actionForm } from '../../kit/button.ts'
import { badge } from '../../kit/components.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { namedListing } from '../../kit/named-listing.ts'
import { ago } from '../../kit/values.ts'
import { ORDER_WORDS, orderBadge } from '../../order-states.ts'
import { action } from '../kit/actions.ts'
import { ADMIN } from '../kit/frame.ts'
import { declareList } from '../kit/list-pages.ts'
import type { ConsolePages, VisitHandler } from '../kit/visit.ts'
import { packageName } from '../submissions/list.ts'

const PATH = `${ADMIN}/orders`

type AdminOrder = Static<typeof orderSchema>

/** Answers 404 while founders are off and no paid order waits. */
const whileNeeded =
  (show: VisitHandler): VisitHandler =>
  async (visit) => {
    const isOff = visit.service.founders === 'off'
    if (isOff && (await visit.perform(listOrders, { waiting: true, limit: 1 })).length === 0) throw notFound('Page')
    return show(visit)
  }

export const orderPages: ConsolePages = {
  [PATH]: {
    GET: whileNeeded(
      declareList({
        path: PATH,
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
              actionForm({
                action: `${PATH}/${id}/compare`,
                label: html`Compare<span class="visually-hidden"> ${tool?.name} with Stripe</span>`,
                kind: 'plain',
                slim: true,
                values: visit.values,
              }),
          },
        ],
        empty: { title: 'No orders yet', text: 'Founders order a package on the pricing page and in their dashboard.' },
      }),
    ),
  },
  [`${PATH}/:id/compare`]: { POST: action({ operation: compareOrder, back: PATH, text: 'Compared with Stripe.' }) },
}

const stateOf = (order: AdminOrder): Markup =>
  html`${orderBadge(order)} ${
    order.waiting &&
    (order.submissionId
      ? badge('Not begun', 'notice')
      : html`${badge('No work', 'danger')} <span class="note">The listing was deleted, or another order was paid too. Give the money back at Stripe.</span>`)
  }`
