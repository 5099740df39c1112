// The questions that a partner's customers asked, for users of the partner. Read-only, because the operator and the AI reply.
import type { Static } from 'typebox'
import type { ownThreadSchema } from '../../../../features/support/inbox/inbox.schema.ts'
import { linkButton } from '../../kit/button.ts'
import { badge, breadcrumbs, emptyState, thread } from '../../kit/components.ts'
import { type ListPage, listCount, listPageLinks } from '../../kit/lists/paged-lists.ts'
import { table } from '../../kit/lists/table.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import { ago, time } from '../../kit/values.ts'
import type { OwnPartner } from './partner.ts'

type OwnConversation = Static<typeof ownThreadSchema>
export const PARTNER_SUPPORT = '/dashboard/partner/support'

const statusBadge = (status: OwnConversation['status']) =>
  status === 'answered' ? badge('Answered', 'good') : badge('Waiting', 'notice')

const customerName = (customer: OwnConversation['customer']): string =>
  oneLine(String(customer?.name ?? customer?.email ?? customer?.id ?? ''), 60)

export const supportPage = (partner: OwnPartner, list: ListPage<Omit<OwnConversation, 'messages'>>) => ({
  title: 'Support',
  body: html`<div class="flow">
<h1>Support${listCount(list)}</h1>
<p class="lead">What customers of <bdi>${partner.name}</bdi> asked, newest first.</p>
${table({
  caption: 'Conversations',
  rows: list.rows,
  columns: [
    {
      label: 'Last question',
      rowHeader: true,
      cell: ({ id, question }) => html`<a href="${PARTNER_SUPPORT}/${id}"><bdi>${oneLine(question, 100)}</bdi></a>`,
    },
    { label: 'Status', onPhones: 'unlabelled', cell: ({ status }) => statusBadge(status) },
    {
      label: 'Customer',
      onPhones: 'unlabelled',
      className: 'no-break',
      cell: ({ customer }) => customerName(customer) && html`<bdi>${customerName(customer)}</bdi>`,
    },
    ...(list.rows.some(({ externalId }) => externalId)
      ? [
          {
            label: 'Your thread id',
            cell: ({ externalId }: (typeof list.rows)[number]) => externalId && html`<bdi>${externalId}</bdi>`,
          },
        ]
      : []),
    { label: 'Messages', onPhones: 'hidden', kind: 'number', cell: ({ messageCount }) => messageCount },
    { label: 'Last', onPhones: 'unlabelled', cell: ({ updatedAt }) => ago(updatedAt) },
  ],
  empty: emptyState({
    title: 'No questions yet',
    text: html`They are forwarded from your server, with <code>POST /support/ask</code> and the partner key.`,
    action: linkButton('/docs', 'API reference', { kind: 'plain' }),
  }),
})}
${listPageLinks(list, PARTNER_SUPPORT)}
</div>`,
})

export const conversationPage = (found: OwnConversation) => ({
  title: oneLine(found.question, 60),
  body: html`<div class="flow">
${breadcrumbs([{ label: 'Support', href: PARTNER_SUPPORT }, { label: oneLine(found.question, 60) }])}
<div class="row"><h1>Conversation</h1>${statusBadge(found.status)}</div>
<dl class="facts">
<div><dt>Customer</dt><dd><bdi>${customerName(found.customer) || 'Not named'}</bdi></dd></div>
${found.externalId && html`<div><dt>Your thread id</dt><dd><bdi>${found.externalId}</bdi></dd></div>`}
<div><dt>Began</dt><dd>${time(found.createdAt)}</dd></div>
</dl>
${ownThread(found, 'Customer')}
</div>`,
})

/** The messages of a conversation; `asker` names the person who asked. */
export const ownThread = ({ messages }: Pick<OwnConversation, 'messages'>, asker: string): Markup =>
  thread(
    messages.map(({ id, role, source, content, sources, createdAt }) => ({
      id,
      isCustomer: role === 'customer',
      who: role === 'customer' ? asker : source === 'ai' ? 'AI' : 'Support',
      when: time(createdAt),
      content,
      more: sources.length > 0 ? html`<p class="small quiet">From <bdi>${sources.join(', ')}</bdi></p>` : null,
    })),
  )
