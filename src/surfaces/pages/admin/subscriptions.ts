// Who pays, since when and until when, with a link to the customer's page at the payment service. Only while the paid plan is set up.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { compareSubscriptions, listSubscriptions } from '../../../features/billing/operations.ts'
import { hasEnded } from '../../../features/billing/rules.ts'
import type { subscriptionSchema } from '../../../features/billing/schema.ts'
import { capitalised } from '../../../kernel/text.ts'
import type { Service } from '../../http/service.ts'
import { badge } from '../kit/badge.ts'
import { actionForm } from '../kit/button.ts'
import { sectionHead } from '../kit/card.ts'
import { emptyState } from '../kit/empty-state.ts'
import { select } from '../kit/field.ts'
import { html, type Markup } from '../kit/markup.ts'
import { type ListPage, readListPage } from '../kit/paged-lists.ts'
import { param } from '../kit/parameters.ts'
import { actAndRedirect, addPrivatePages, performAs } from '../kit/private-pages.ts'
import { type TableColumn, table } from '../kit/table.ts'
import { time } from '../kit/values.ts'
import { filteredResults, filterForm, filtersOf } from './filtered-lists.ts'
import { ADMIN, sendAdmin } from './frame.ts'

const PATH = `${ADMIN}/subscriptions`
const USERS = `${ADMIN}/users`

export type AdminSubscription = Static<typeof subscriptionSchema>

export function addSubscriptionPages(server: FastifyInstance, service: Service): void {
  addPrivatePages(server, service, 'admin', {
    [PATH]: {
      GET: async (request, reply) => {
        const filters = filtersOf(request, ['paying'])
        const list = await readListPage(service, request, listSubscriptions, filters)
        return sendAdmin(service, request, reply, subscriptionsPage(list, filters))
      },
    },
    [`${USERS}/:id/compare-subscriptions`]: {
      POST: (request, reply) => {
        const id = param(request, 'id')
        const path = `${USERS}/${encodeURIComponent(id)}`
        return actAndRedirect(service, reply, { back: path, done: path, successText: 'Compared with Stripe.' }, () =>
          performAs(service, request, compareSubscriptions, { id }),
        )
      },
    },
  })
}

const subscriptionsPage = (list: ListPage<AdminSubscription>, filters: Record<'paying', string>) => ({
  title: 'Subscriptions',
  body: html`<div class="flow">
<h1>Subscriptions</h1>
<p class="lead">Who pays for Premium. Stripe tells of every change, and each customer is compared once a day.</p>
${filterForm(
  PATH,
  select({
    name: 'paying',
    label: 'Premium',
    none: 'Any',
    value: filters.paying,
    options: [
      { value: 'true', label: 'Give Premium now' },
      { value: 'false', label: 'Do not' },
    ],
  }),
  filters.paying !== '',
)}
${filteredResults(list, PATH, filters, subscriptionsTable(list.rows, [OWNER]))}
</div>`,
})

/** The subscriptions of one user, on the page of the user at `path`. */
export const ownSubscriptions = (
  rows: readonly AdminSubscription[],
  path: string,
  values: Record<string, string>,
): Markup => html`${sectionHead('Subscriptions')}
${subscriptionsTable(rows, [])}
${rows.length > 0 && html`<p class="note">A ban cancels a subscription for the end of the period that is paid, at the next comparison.</p>${actionForm({ action: `${path}/compare-subscriptions`, label: 'Compare with Stripe now', kind: 'plain', values })}`}`

const OWNER: TableColumn<AdminSubscription> = {
  label: 'User',
  rowHeader: true,
  cell: ({ userId, owner }) =>
    userId
      ? html`<a href="${USERS}/${userId}"><bdi>${owner}</bdi></a>`
      : html`<span class="quiet">Account deleted</span>`,
}

const subscriptionsTable = (
  rows: readonly AdminSubscription[],
  first: readonly TableColumn<AdminSubscription>[],
): Markup =>
  table<AdminSubscription>({
    caption: 'Subscriptions',
    rows,
    columns: [
      ...first,
      { label: 'State', cell: stateBadge },
      { label: 'Since', cell: ({ since }) => time(since) },
      { label: 'Paid until', cell: ({ paidUntil }) => time(paidUntil) },
      { label: 'Premium until', cell: ({ premiumUntil }) => time(premiumUntil) },
      { label: 'Compared', cell: ({ comparedAt }) => time(comparedAt) },
      {
        label: 'At Stripe',
        cell: ({ url, customerId }) =>
          url ? html`<a href="${url}" rel="noreferrer">${customerId}</a>` : html`<bdi>${customerId}</bdi>`,
      },
    ],
    empty: emptyState({ title: 'No subscriptions' }),
  })

function stateBadge(row: AdminSubscription): Markup {
  const tone = hasEnded(row) ? 'plain' : row.failing ? 'danger' : row.status === 'active' ? 'good' : 'notice'
  return html`${badge(capitalised(row.status.replaceAll('_', ' ')), tone)}${row.endsAt && !hasEnded(row) && html` <span class="note">ends ${time(row.endsAt)}</span>`}`
}
