// The list of support conversations. At first it shows those that wait for a person. Also the routes of one conversation, and the page that
// shows whether the language model works.
import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import {
  getModelHealth,
  type modelCallSchema,
  type modelHealthSchema,
} from '../../../../features/model-calls/operations.ts'
import { listInbox } from '../../../../features/support/inbox/inbox.operations.ts'
import type { inboxItemSchema } from '../../../../features/support/inbox/inbox.schema.ts'
import type { ModelPurpose } from '../../../../kernel/interfaces/language-model.ts'
import { badge, breadcrumbs, emptyState, sectionHead } from '../../kit/components.ts'
import { addressWith } from '../../kit/lists/address-query.ts'
import { pageNumberOf, previousNextLinks } from '../../kit/lists/paged-lists.ts'
import { table } from '../../kit/lists/table.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import type { Visit, VisitPages } from '../../kit/sending/private-pages.ts'
import { ago, number } from '../../kit/values.ts'
import { allPartners, declareList, PARTNER_FILTER } from '../kit/list-pages.ts'
import { conversationBadge } from '../kit/states.ts'
import { makeArticle, postDesk, postReply, SUPPORT, showThread } from './thread.ts'

export type InboxItem = Static<typeof inboxItemSchema>

const MODEL_HEALTH = `${SUPPORT}/model`

export const supportPages: VisitPages = {
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

const LIMIT = 50
const PURPOSES: Record<ModelPurpose, string> = {
  support: 'Support',
  enrichment: 'Enrichment',
  'search-words': 'Search words',
}
type Health = Static<typeof modelHealthSchema>
/** The page that shows whether the language model works: figures of the last day, and the last calls with their failures. */
export const modelPages: VisitPages = { [MODEL_HEALTH]: { GET: (visit) => show(visit) } }

async function show(visit: Visit): Promise<FastifyReply> {
  const page = pageNumberOf(visit)
  const health = await visit.perform(getModelHealth, { limit: LIMIT, page })
  const pageAddress = (to: number) => addressWith(MODEL_HEALTH, { page: to > 1 ? String(to) : '' })
  return visit.send({
    title: 'Language model',
    body: html`<div class="flow">
${breadcrumbs([{ label: 'Support', href: SUPPORT }, { label: 'Language model' }])}
<h1>Language model</h1>
${lead(health)}
${dayFacts(health.day)}
${sectionHead('Last questions')}
${table<Static<typeof modelCallSchema>>({
  caption: 'Questions to the language model',
  rows: health.calls,
  columns: [
    { label: 'When', className: 'beside-name', onPhones: 'unlabelled', cell: ({ createdAt }) => ago(createdAt) },
    { label: 'For', onPhones: 'unlabelled', cell: ({ purpose }) => PURPOSES[purpose] },
    {
      label: 'Result',
      rowHeader: true,
      cell: ({ failure }) =>
        failure === null ? badge('Answered', 'good') : html`${badge('Failed', 'danger')} <bdi>${failure}</bdi>`,
    },
    {
      label: 'Took',
      kind: 'number',
      onPhones: 'unlabelled',
      cell: ({ milliseconds }) => `${inSeconds(milliseconds)} s`,
    },
    { label: 'Tokens', kind: 'number', cell: ({ inputTokens, outputTokens }) => tokens(inputTokens, outputTokens) },
    { label: 'Cost', kind: 'number', cell: ({ cost }) => (cost === null ? null : costs.format(cost)) },
    { label: 'Model', onPhones: 'hidden', cell: ({ model }) => html`<bdi>${model}</bdi>` },
  ],
  empty: emptyState({
    title: page > 1 ? 'Nothing on this page' : 'No question yet',
    text: 'Customer questions and texts of submitted tools appear here, without what was asked.',
  }),
})}
${previousNextLinks(page, health.calls.length === LIMIT, pageAddress)}
</div>`,
  })
}

const lead = ({ model }: Health): Markup =>
  model === null
    ? html`<p class="lead">None is set up: support answers come from the articles by the built-in search. <code>LLM_BASE_URL</code> and <code>LLM_MODEL</code> set one up.</p>`
    : html`<p class="lead"><bdi>${model}</bdi> is asked. When it fails, the built-in search tries, and then the question waits for a person.</p>`

// Amounts have four decimals; smaller ones have two digits, such as 0.000012.
const costs = new Intl.NumberFormat('en', {
  maximumFractionDigits: 4,
  maximumSignificantDigits: 2,
  roundingPriority: 'morePrecision',
})

const inSeconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1)

const tokens = (read: number | null, written: number | null): string | null =>
  read === null && written === null ? null : `${number(read ?? 0)} + ${number(written ?? 0)}`

const dayFacts = ({ answered, failed, median, slowest, inputTokens, outputTokens, cost }: Health['day']): Markup =>
  html`<dl class="facts">
<div><dt>Last 24 hours</dt><dd>${number(answered)} answered, ${number(failed)} failed</dd></div>
${median !== null && html`<div><dt>Seconds</dt><dd>${inSeconds(median)} (median), ${inSeconds(slowest ?? median)} (slowest)</dd></div>`}
<div><dt>Tokens</dt><dd>${number(inputTokens)} read, ${number(outputTokens)} written</dd></div>
${cost !== null && html`<div><dt>Cost</dt><dd>${costs.format(cost)}, as the endpoint says</dd></div>`}
</dl>`
