// The support inbox. Conversations that wait for a person come first.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { listInbox } from '../../../../features/support/inbox.operations.ts'
import type { inboxItemSchema } from '../../../../features/support/inbox.schema.ts'
import type { Service } from '../../../http/service.ts'
import { badge } from '../../kit/badge.ts'
import { button } from '../../kit/button.ts'
import { emptyState } from '../../kit/empty-state.ts'
import { field, hiddenField } from '../../kit/field.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import { pageNumberOf, previousNextLinks } from '../../kit/paged-lists.ts'
import { addPrivatePages, performAs } from '../../kit/private-pages.ts'
import { addressWith } from '../../kit/site-addresses.ts'
import { table } from '../../kit/table.ts'
import { tabs } from '../../kit/tabs.ts'
import { time } from '../../kit/values.ts'
import { filtersOf } from '../filtered-lists.ts'
import { sendAdmin } from '../frame.ts'
import { listAllPartners, partnerField } from '../lists.ts'
import { stateBadge } from '../states.ts'
import { testField, testsHeading } from '../tests-of-lists.ts'
import { MODEL_HEALTH } from './model.ts'
import { makeArticle, postDesk, postReply, SUPPORT, showThread } from './thread.ts'

export type InboxItem = Static<typeof inboxItemSchema>

const LIMIT = 50
// In Waiting, the customer who has waited longest comes first; in the other tabs, the conversation with the newest message.
const WAITING = { status: '', label: 'Waiting', filter: { status: 'pending', sort: 'oldest' } }
const TABS = [
  WAITING,
  { status: 'answered', label: 'Answered', filter: { status: 'answered', sort: 'changed' } },
  { status: 'all', label: 'All', filter: { sort: 'changed' } },
]

export function addSupportPages(server: FastifyInstance, service: Service): void {
  addPrivatePages(server, service, 'admin', {
    [SUPPORT]: { GET: (request, reply) => show(service, request, reply) },
    [`${SUPPORT}/:id`]: { GET: (request, reply) => showThread(service, request, reply) },
    [`${SUPPORT}/:id/reply`]: { POST: (request, reply) => postReply(service, request, reply) },
    [`${SUPPORT}/:id/desk`]: { POST: (request, reply) => postDesk(service, request, reply) },
    [`${SUPPORT}/:id/article`]: { POST: (request, reply) => makeArticle(service, request, reply) },
  })
}

async function show(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { status, client, q, test } = filtersOf(request, ['status', 'client', 'q', 'test'])
  const page = pageNumberOf(request)
  const tab = TABS.find((one) => one.status === status) ?? WAITING
  const rows = await performAs(service, request, listInbox, {
    ...tab.filter,
    client,
    q,
    test,
    limit: LIMIT,
    page,
  })
  const partners = await listAllPartners(service, request)
  const here = (to: number) =>
    addressWith(SUPPORT, { status: tab.status, client, q, test, page: to > 1 ? String(to) : '' })
  const isFiltered = client !== '' || q !== '' || page > 1
  return sendAdmin(service, request, reply, {
    title: 'Support',
    body: html`<div class="flow">
${testsHeading('Support', SUPPORT, { status: tab.status, client, q }, test)}
<p class="small"><a href="${MODEL_HEALTH}">Language model</a></p>
${tabs(
  'Conversations by status',
  TABS.map(({ status, label }) => ({
    href: addressWith(SUPPORT, { status, client, q, test }),
    label,
    isCurrent: status === tab.status,
  })),
)}
<form class="filters" method="get" action="${SUPPORT}">
${tab.status && hiddenField('status', tab.status)}${testField(test)}
${field({ name: 'q', label: 'Search', type: 'search', value: q, placeholder: 'Words, customer or thread id', maxLength: 200 })}
${partnerField(partners, client)}
${button('Apply', { kind: 'plain' })}
</form>
${table({
  caption: 'Conversations',
  rows,
  columns: [
    {
      label: 'Question',
      rowHeader: true,
      cell: ({ id, question }) => html`<a href="${SUPPORT}/${id}"><bdi>${oneLine(question, 100)}</bdi></a>`,
    },
    { label: 'Status', cell: ({ status, unanswered }) => statusBadges(status, unanswered) },
    { label: 'Customer', cell: ({ customer }) => html`<bdi>${customerName(customer)}</bdi>` },
    { label: 'Partner', cell: ({ client }) => html`<bdi>${client.name}</bdi>` },
    { label: 'Messages', kind: 'number', cell: ({ messageCount }) => messageCount },
    { label: 'Last', cell: ({ updatedAt }) => time(updatedAt) },
  ],
  empty: isFiltered
    ? emptyState({ title: 'Nothing matches all of that' })
    : emptyState({
        title: tab.status === '' ? 'No question waits' : 'Nothing here yet',
        text: tab.status === '' ? 'Every question has its answer.' : 'Partners with support forward questions.',
      }),
})}
${previousNextLinks(page, rows.length === LIMIT, here)}
</div>`,
  })
}

const statusBadges = (status: string, unanswered: number): Markup =>
  html`${stateBadge(status)}${status === 'answered' && unanswered > 0 && html` ${badge(`${unanswered} open`, 'notice')}`}`

/** The name, address or id of the customer, depending on what the partner sent. */
export const customerName = (customer: Record<string, unknown> | null): string =>
  oneLine(String(customer?.name ?? customer?.email ?? customer?.id ?? 'Unknown'), 60)
