// The subscriptions of users who pay for Premium, with links to their pages at Stripe. The page exists only while the paid plan is set up.
import type { Static } from 'typebox'
import { compareSubscriptions, listSubscriptions } from '../../../../features/billing/operations.ts'
import { hasEnded } from '../../../../features/billing/rules.ts'
import type { subscriptionSchema } from '../../../../features/billing/schema.ts'
import { capitalised } from '../../../../kernel/values/text.ts'
import { actionForm } from '../../kit/button.ts'
import { badge, emptyState, sectionHead, type Tone } from '../../kit/components.ts'
import { type TableColumn, table } from '../../kit/lists/table.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { ago } from '../../kit/values.ts'
import { action } from '../kit/actions.ts'
import { ADMIN } from '../kit/frame.ts'
import { declareList } from '../kit/list-pages.ts'
import type { ConsolePages } from '../kit/visit.ts'

const PATH = `${ADMIN}/subscriptions`
const USERS = `${ADMIN}/users`

type AdminSubscription = Static<typeof subscriptionSchema>

const EMPTY = { title: 'No subscriptions' }

export const subscriptionPages: ConsolePages = {
  [PATH]: {
    GET: declareList({
      path: PATH,
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
