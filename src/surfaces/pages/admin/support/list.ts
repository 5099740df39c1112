// The list of support conversations. At first it shows those that wait for a person. Also the routes of one conversation.
import type { Static } from 'typebox'
import { listInbox } from '../../../../features/support/inbox/inbox.operations.ts'
import type { inboxItemSchema } from '../../../../features/support/inbox/inbox.schema.ts'
import { badge } from '../../kit/components.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import { ago } from '../../kit/values.ts'
import { allPartners, declareList, PARTNER_FILTER } from '../kit/list-pages.ts'
import { conversationBadge } from '../kit/states.ts'
import type { ConsolePages } from '../kit/visit.ts'
import { MODEL_HEALTH } from './model.ts'
import { makeArticle, postDesk, postReply, SUPPORT, showThread } from './thread.ts'

export type InboxItem = Static<typeof inboxItemSchema>

export const supportPages: ConsolePages = {
  [SUPPORT]: {
    GET: declareList({
      path: SUPPORT,
      operation: listInbox,
      title: 'Support',
      hasTests: true,
      load: async (visit) => ({ partners: await allPartners(visit) }),
      links: html`<a class="clear" href="${MODEL_HEALTH}">Language model</a>`,
      filters: {
        // The tab Waiting begins with the customer who has waited longest, the other tabs with the conversation that changed last.
        status: {
          tabs: 'Conversations by status',
          none: 'Waiting',
          noneParameters: { status: 'pending', sort: 'oldest' },
          options: [
            { value: 'answered', label: 'Answered', parameters: { status: 'answered', sort: 'changed' } },
            { value: 'all', label: 'All', parameters: { sort: 'changed' } },
          ],
        },
        q: { label: 'Search', placeholder: 'Words, customer or thread id' },
        client: PARTNER_FILTER,
      },
      caption: 'Conversations',
      columns: ({ filters: { status } }) => [
        {
          label: 'Question',
          rowHeader: true,
          className: 'broad',
          cell: ({ id, question }) => html`<a href="${SUPPORT}/${id}"><bdi>${oneLine(question, 100)}</bdi></a>`,
        },
        ...(status === ''
          ? []
          : [{ label: 'Status', onPhones: 'unlabelled' as const, cell: (item: InboxItem) => statusBadges(item) }]),
        {
          label: 'Customer',
          className: 'no-break',
          onPhones: 'unlabelled',
          cell: ({ customer }) => html`<bdi>${customerName(customer)}</bdi>`,
        },
        { label: 'Partner', onPhones: 'unlabelled', cell: ({ client }) => html`<bdi>${client.name}</bdi>` },
        { label: 'Messages', onPhones: 'hidden', kind: 'number', cell: ({ messageCount }) => messageCount },
        { label: 'Last', onPhones: 'unlabelled', cell: ({ updatedAt }) => ago(updatedAt) },
      ],
      empty: ({ filters: { status } }) =>
        status === ''
          ? { title: 'No question waits', text: 'Every question has its answer.' }
          : { title: 'Nothing here yet', text: 'Partners with support forward questions.' },
      noneFound: 'Nothing matches all of that',
    }),
  },
  [`${SUPPORT}/:id`]: { GET: (visit) => showThread(visit) },
  [`${SUPPORT}/:id/reply`]: { POST: (visit) => postReply(visit) },
  [`${SUPPORT}/:id/desk`]: { POST: (visit) => postDesk(visit) },
  [`${SUPPORT}/:id/article`]: { POST: (visit) => makeArticle(visit) },
}

const statusBadges = ({ status, unanswered }: InboxItem): Markup =>
  html`${conversationBadge(status)}${status === 'answered' && unanswered > 0 && html` ${badge(`${unanswered} open`, 'notice')}`}`

/** The name, address or id of the customer, depending on what the partner sent. */
const customerName = (customer: Record<string, unknown> | null): string =>
  oneLine(String(customer?.name ?? customer?.email ?? customer?.id ?? 'Unknown'), 60)
