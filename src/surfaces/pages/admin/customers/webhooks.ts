// The log of webhook deliveries: what was sent to which partner and what it answered, with a button that sends it again.
import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import { getWebhook, listWebhooks, resendWebhook } from '../../../../features/webhooks/operations.ts'
import {
  DELIVERY_STATES,
  type deliveryDetailSchema,
  type deliverySchema,
} from '../../../../features/webhooks/schema.ts'
import { capitalised, parsedJson } from '../../../../kernel/values/text.ts'
import { rowAction } from '../../kit/button.ts'
import { breadcrumbs, codeBlock, sectionHead } from '../../kit/components.ts'
import { action } from '../../kit/forms/actions.ts'
import { html, type Markup } from '../../kit/markup.ts'
import type { Visit, VisitPages } from '../../kit/sending/private-pages.ts'
import { ago } from '../../kit/values.ts'
import { deliveryFacts, eventLabel, resendForm } from '../../webhook-parts.ts'
import { ADMIN } from '../kit/frame.ts'
import { allPartners, declareList, PARTNER_FILTER } from '../kit/list-pages.ts'
import { stateBadge, testBadge } from '../kit/states.ts'

export type Delivery = Static<typeof deliverySchema>
const PATH = `${ADMIN}/webhooks`

export const webhookPages: VisitPages = {
  [PATH]: {
    GET: declareList({
      path: PATH,
      operation: listWebhooks,
      title: 'Webhooks',
      hasTests: true,
      load: async (visit) => ({ partners: await allPartners(visit) }),
      filters: {
        state: {
          none: 'All',
          options: [
            // `open`: deliveries that did not arrive and were not sent again.
            { value: 'open', label: 'Did not arrive', parameters: { open: true } },
            ...DELIVERY_STATES.map((value) => ({ value, label: capitalised(value) })),
          ],
        },
        client: PARTNER_FILTER,
      },
      caption: 'Deliveries',
      columns: ({ visit, loaded: { partners } }) => {
        const names = new Map(partners.map(({ id, name }) => [id, name]))
        return [
          {
            label: 'Event',
            rowHeader: true,
            cell: ({ id, event }) => html`<a href="${PATH}/${id}">${eventLabel(event)}</a>`,
          },
          { label: 'State', onPhones: 'unlabelled', cell: ({ state }) => stateBadge(state) },
          {
            label: 'Partner',
            onPhones: 'unlabelled',
            cell: ({ clientId }) => html`<bdi>${names.get(clientId) ?? clientId}</bdi>`,
          },
          { label: 'Answer', kind: 'number', cell: ({ status }) => status },
          {
            label: 'What went wrong',
            className: 'third',
            onPhones: 'unlabelled',
            cell: ({ error }) => error && html`<bdi>${error}</bdi>`,
          },
          { label: 'When', onPhones: 'unlabelled', className: 'quiet', cell: ({ createdAt }) => ago(createdAt) },
          {
            label: 'Actions',
            kind: 'actions',
            cell: ({ id, event, state }) =>
              state === 'failed'
                ? rowAction(
                    `${PATH}/${id}/resend`,
                    html`Send again<span class="visually-hidden">: ${eventLabel(event)}</span>`,
                    visit.values,
                  )
                : null,
          },
        ]
      },
      empty: {
        title: 'Nothing was sent yet',
        text: 'Partners with a webhook URL are told when work is Done and when a question is answered.',
      },
      noneFound: 'No such deliveries',
    }),
  },
  [`${PATH}/:id`]: { GET: (visit) => showOne(visit) },
  [`${PATH}/:id/resend`]: {
    POST: action({
      operation: resendWebhook,
      back: ({ param }) => `${PATH}/${encodeURIComponent(param('id'))}`,
      done: (_, { id }) => `${PATH}/${id}`,
      text: 'It is being sent again, as this new delivery. Load the page again to see what came of it.',
    }),
  },
}

async function showOne(visit: Visit): Promise<FastifyReply> {
  const delivery = await visit.perform(getWebhook, { id: visit.param('id') })
  return visit.send({
    title: `Delivery: ${eventLabel(delivery.event)}`,
    body: html`<div class="flow">
${breadcrumbs([{ label: 'Webhooks', href: PATH }, { label: eventLabel(delivery.event) }])}
<div class="row"><h1>Delivery</h1>${stateBadge(delivery.state)}${testBadge(delivery)}</div>
${deliveryFacts(delivery, delivery.client.name)}
${resend(delivery, visit.values)}
${delivery.answer !== null && codeBlock('First bytes of the answer', delivery.answer || '(empty)')}
${sectionHead('What was sent')}
${codeBlock('Body', pretty(delivery.body))}
</div>`,
  })
}

function resend({ id, state, client }: Static<typeof deliveryDetailSchema>, values: Record<string, string>): Markup {
  if (client.webhookUrl === null)
    return html`<p>The partner has no webhook URL any more, so it cannot be sent again.</p>`
  const destination = html`It goes to <code>${client.webhookUrl}</code>, the address of now, with the same event id, so that the receiver can tell.`
  return resendForm(`${PATH}/${id}/resend`, state, destination, values)
}

/** Indents the JSON; a body that is no JSON is shown as it is. */
function pretty(body: string): string {
  const value = parsedJson(body)
  return value === undefined ? body : JSON.stringify(value, null, 2)
}
