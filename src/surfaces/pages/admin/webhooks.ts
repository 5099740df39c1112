// The delivery log: what was sent to which partner, the answer, and sending it again.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { getWebhook, listWebhooks, resendWebhook } from '../../../features/webhooks/operations.ts'
import { DELIVERY_STATES, type deliveryDetailSchema, type deliverySchema } from '../../../features/webhooks/schema.ts'
import { capitalised } from '../../../kernel/text.ts'
import type { Service } from '../../http/service.ts'
import { breadcrumbs } from '../kit/breadcrumbs.ts'
import { actionForm, button, confirmedAction } from '../kit/button.ts'
import { sectionHead } from '../kit/card.ts'
import { codeBlock } from '../kit/code.ts'
import { emptyState } from '../kit/empty-state.ts'
import { select } from '../kit/field.ts'
import { csrfValues } from '../kit/forms.ts'
import { html, type Markup } from '../kit/markup.ts'
import { redirectWith } from '../kit/messages.ts'
import { pageNumberOf, previousNextLinks } from '../kit/paged-lists.ts'
import { param } from '../kit/parameters.ts'
import { addPrivatePages, performAs } from '../kit/private-pages.ts'
import { addressWith } from '../kit/site-addresses.ts'
import { table } from '../kit/table.ts'
import { number, time } from '../kit/values.ts'
import { filtersOf } from './filtered-lists.ts'
import { ADMIN, sendAdmin } from './frame.ts'
import { listAllPartners, partnerField } from './lists.ts'
import { redirectIfRefused } from './redirect-if-refused.ts'
import { stateBadge } from './states.ts'
import { testBadge, testField, testsHeading } from './tests-of-lists.ts'

export type Delivery = Static<typeof deliverySchema>
type DeliveryDetail = Static<typeof deliveryDetailSchema>

const PATH = `${ADMIN}/webhooks`
const LIMIT = 50
// A filter besides the states: deliveries that did not arrive and were not sent again.
const OPEN = 'open'

export function addWebhookPages(server: FastifyInstance, service: Service): void {
  addPrivatePages(server, service, 'admin', {
    [PATH]: { GET: (request, reply) => showList(service, request, reply) },
    [`${PATH}/:id`]: { GET: (request, reply) => showOne(service, request, reply) },
    [`${PATH}/:id/resend`]: {
      POST: async (request, reply) => {
        const id = param(request, 'id')
        const outcome = await redirectIfRefused(service, reply, `${PATH}/${encodeURIComponent(id)}`, () =>
          performAs(service, request, resendWebhook, { id }),
        )
        if ('refused' in outcome) return outcome.refused
        const text = 'It is being sent again, as this new delivery. Load the page again to see what came of it.'
        return redirectWith(service, reply, `${PATH}/${outcome.done.id}`, { kind: 'good', text })
      },
    },
  })
}

async function showList(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { state, client, test } = filtersOf(request, ['state', 'client', 'test'])
  const page = pageNumberOf(request)
  const filter = { client, test, limit: LIMIT, page, ...(state === OPEN ? { open: true } : { state }) }
  const rows = await performAs(service, request, listWebhooks, filter)
  const partners = await listAllPartners(service, request)
  const names = new Map(partners.map(({ id, name }) => [id, name]))
  return sendAdmin(service, request, reply, {
    title: 'Webhooks',
    body: html`<div class="flow">
${testsHeading('Webhooks', PATH, { state, client }, test)}
<form class="filters" method="get" action="${PATH}">
${testField(test)}
${select({
  name: 'state',
  label: 'State',
  none: 'All',
  value: state,
  options: [
    { value: OPEN, label: 'Did not arrive' },
    ...DELIVERY_STATES.map((value) => ({ value, label: capitalised(value) })),
  ],
})}
${partnerField(partners, client)}
${button('Apply', { kind: 'plain' })}
</form>
${table({
  caption: 'Deliveries',
  rows,
  columns: [
    {
      label: 'When',
      rowHeader: true,
      cell: ({ id, createdAt }) => html`<a href="${PATH}/${id}">${time(createdAt)}</a>`,
    },
    { label: 'State', cell: ({ state }) => stateBadge(state) },
    { label: 'Event', cell: ({ event }) => html`<code>${event}</code>` },
    { label: 'Partner', cell: ({ clientId }) => html`<bdi>${names.get(clientId) ?? clientId}</bdi>` },
    { label: 'Answer', kind: 'number', cell: ({ status }) => status },
    { label: 'Took', kind: 'number', cell: ({ durationMs }) => durationText(durationMs) },
    { label: 'What went wrong', cell: ({ error }) => error && html`<bdi>${error}</bdi>` },
  ],
  empty: emptyState({
    title: state || client || page > 1 ? 'No such deliveries' : 'Nothing was sent yet',
    text:
      state || client || page > 1
        ? undefined
        : 'Partners with a webhook URL are told when work is Done and when a question is answered.',
  }),
})}
${previousNextLinks(page, rows.length === LIMIT, (to) => addressWith(PATH, { state, client, test, page: to > 1 ? String(to) : '' }))}
</div>`,
  })
}

async function showOne(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const delivery = await performAs(service, request, getWebhook, { id: param(request, 'id') })
  return sendAdmin(service, request, reply, {
    title: `Delivery: ${delivery.event}`,
    body: html`<div class="flow">
${breadcrumbs([{ label: 'Webhooks', href: PATH }, { label: delivery.event }])}
<div class="row"><h1>Delivery</h1>${stateBadge(delivery.state)}${testBadge(delivery)}</div>
<dl class="facts">
<div><dt>Event</dt><dd><code>${delivery.event}</code></dd></div>
<div><dt>Partner</dt><dd><bdi>${delivery.client.name}</bdi></dd></div>
<div><dt>Happened</dt><dd>${time(delivery.createdAt)}</dd></div>
<div><dt>Sent</dt><dd>${time(delivery.attemptedAt) ?? 'Not yet'}</dd></div>
<div><dt>Status</dt><dd>${delivery.status ?? 'No answer'}</dd></div>
<div><dt>Took</dt><dd>${durationText(delivery.durationMs) ?? '–'}</dd></div>
${delivery.error && html`<div><dt>What went wrong</dt><dd><bdi>${delivery.error}</bdi></dd></div>`}
<div><dt>Event id</dt><dd><code>${delivery.eventId}</code></dd></div>
</dl>
${resend(delivery, csrfValues(request))}
${delivery.answer !== null && codeBlock('First bytes of the answer', delivery.answer || '(empty)')}
${sectionHead('What was sent')}
${codeBlock('Body', pretty(delivery.body))}
</div>`,
  })
}

function resend({ id, state, client }: DeliveryDetail, values: Record<string, string>): Markup {
  if (client.webhookUrl === null)
    return html`<p>The partner has no webhook URL any more, so it cannot be sent again.</p>`
  const to = html`It goes to <code>${client.webhookUrl}</code>, the address of now, with the same event id, so that the receiver can tell.`
  const action = `${PATH}/${id}/resend`
  // An event that arrived or may have arrived is sent again only after a confirmation.
  return state === 'failed'
    ? html`${actionForm({ action, label: 'Send it again', values })}<p class="hint">${to}</p>`
    : confirmedAction({
        action,
        label: 'Send it again',
        kind: 'plain',
        values,
        question: html`${state === 'delivered' ? 'It has arrived already. ' : 'It may have arrived. '}${to}`,
        confirmLabel: 'Send it again all the same',
      })
}

const durationText = (durationMs: number | null): string | null =>
  durationMs === null ? null : `${number(durationMs)} ms`

/** Indents the JSON; a body that is no JSON is shown as it is. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
