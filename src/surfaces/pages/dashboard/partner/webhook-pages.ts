// The pages on which users of a partner see and change its webhooks: address, events, deliveries, signing secret.
import type { Static } from 'typebox'
import type { OptionalEvent } from '../../../../features/partners/schema.ts'
import { DEFAULT_SECRET_OVERLAP_HOURS } from '../../../../features/partners/schema.ts'
import type { getOwnDelivery } from '../../../../features/webhooks/partner.operations.ts'
import { type deliverySchema, EVENTS } from '../../../../features/webhooks/schema.ts'
import { capitalised } from '../../../../kernel/values/text.ts'
import { testBadge } from '../../admin/kit/states.ts'
import { actionForm, button, linkButton, saveBar } from '../../kit/button.ts'
import {
  badge,
  breadcrumbs,
  codeBlock,
  copyableValue,
  emptyState,
  sectionHead,
  type Tone,
  tabs,
} from '../../kit/components.ts'
import { field, select } from '../../kit/forms/field.ts'
import { type Refusal, refusalFlash, storedValuesSection, versionField } from '../../kit/forms/forms.ts'
import { type ListPage, listPageLinks } from '../../kit/lists/paged-lists.ts'
import { table } from '../../kit/lists/table.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { ago, brokenAtDots, time } from '../../kit/values.ts'
import { deliveryFacts, eventBoxes, eventLabel, eventsText, msText, resendForm } from '../../webhook-parts.ts'
import type { OwnPartner } from './partner.ts'

export const WEBHOOKS = '/dashboard/partner/webhooks'
export const SECRET = '/dashboard/partner/secret'

type OwnDelivery = Omit<Static<typeof deliverySchema>, 'clientId'>
type DeliveryDetail = Static<(typeof getOwnDelivery)['data']>

const DELIVERY_TONES: Record<OwnDelivery['state'], Tone> = {
  pending: 'plain',
  delivered: 'good',
  failed: 'danger',
  unknown: 'notice',
}
const deliveryBadge = (state: OwnDelivery['state']): Markup => badge(capitalised(state), DELIVERY_TONES[state])

export const webhooksPage = (
  partner: OwnPartner,
  list: ListPage<OwnDelivery>,
  values: Record<string, string>,
  isTest: boolean,
) => ({
  title: 'Webhooks',
  body: html`<div class="flow">
<h1>Webhooks</h1>
<dl class="facts panel">
<div><dt>Address</dt><dd>${partner.webhookUrl ? html`<code>${brokenAtDots(partner.webhookUrl)}</code>` : 'None is set, so nothing is sent.'} <a href="${WEBHOOKS}/settings">Change address and events</a></dd></div>
<div><dt>Further events</dt><dd>${partner.events.length > 0 ? partner.events.map((name) => html`<code>${name}</code> `) : 'None'}</dd></div>
<div><dt>Signing secret</dt><dd>Known to you and to us. It cannot be shown again. <a href="${SECRET}">Replace it</a></dd></div>
<div><dt>Reference</dt><dd><a href="/developers/webhooks">Bodies, headers, and how to check the signature</a></dd></div>
</dl>
${
  partner.webhookUrl &&
  html`<div class="row">${actionForm({ action: `${WEBHOOKS}/test`, label: 'Send a test event', kind: 'plain', values })}<span class="note">A signed <code>test.ping</code>. The page waits for the outcome, at most twelve seconds.</span></div>`
}
${sectionHead('Deliveries')}
${tabs('Deliveries', [
  { href: WEBHOOKS, label: 'Live', isCurrent: !isTest },
  { href: `${WEBHOOKS}?test=true`, label: 'Test', isCurrent: isTest },
])}
${table({
  caption: isTest ? 'Deliveries of your test keys' : 'Deliveries',
  rows: list.rows,
  columns: [
    {
      label: 'Event',
      rowHeader: true,
      cell: ({ id, event }) =>
        html`<a href="${WEBHOOKS}/${id}">${eventLabel(event)}</a><br><span class="note"><code>${event}</code></span>`,
    },
    { label: 'State', onPhones: 'unlabelled', cell: ({ state }) => deliveryBadge(state) },
    { label: 'Answer', kind: 'number', cell: ({ status }) => status },
    { label: 'Took', onPhones: 'hidden', kind: 'number', cell: ({ durationMs }) => msText(durationMs) },
    {
      label: 'What went wrong',
      onPhones: 'unlabelled',
      className: 'third',
      cell: ({ error }) => error && html`<bdi>${error}</bdi>`,
    },
    { label: 'When', onPhones: 'unlabelled', className: 'quiet', cell: ({ createdAt }) => ago(createdAt) },
  ],
  empty: emptyState({
    title: 'Nothing sent yet',
    text: isTest
      ? 'Events of what your test keys submit and ask are listed here. They go to the same address.'
      : `Each event is sent once: ${EVENTS['directory_submissions.completed']}, ${EVENTS['support.replied']}, and the further events that you choose.`,
  }),
})}
${listPageLinks(list, WEBHOOKS, isTest ? { test: 'true' } : {})}
</div>`,
})

/** The values in the settings form. */
interface TypedWebhook {
  webhookUrl: string
  events: readonly OptionalEvent[]
}

export const SETTINGS_LABELS = { webhookUrl: 'Address', events: 'Further events' }

export const typedWebhook = ({ webhookUrl, events }: OwnPartner): TypedWebhook => ({
  webhookUrl: webhookUrl ?? '',
  events,
})

/** The stored values that differ from what the user typed; shown after a conflict. */
export const storedWebhook = (typed: TypedWebhook, partner: OwnPartner): Markup => {
  const stored = typedWebhook(partner)
  return storedValuesSection([
    [SETTINGS_LABELS.webhookUrl, typed.webhookUrl, stored.webhookUrl],
    [SETTINGS_LABELS.events, eventsText(typed.events), eventsText(stored.events)],
  ])
}

export const settingsPage = (
  typed: TypedWebhook,
  basedOn: { version: number },
  token: Markup,
  refusal?: Refusal,
  stored?: Markup,
) => ({
  title: 'Webhook address and events',
  flash: refusalFlash(refusal),
  body: html`<div class="flow">
${breadcrumbs([{ label: 'Webhooks', href: WEBHOOKS }, { label: 'Address and events' }])}
<h1>Webhook address and events</h1>
${stored}
<form class="form" method="post" action="${WEBHOOKS}/settings">
${token}${versionField(basedOn)}
${field({ name: 'webhookUrl', label: SETTINGS_LABELS.webhookUrl, error: refusal?.marked.webhookUrl, value: typed.webhookUrl, inputMode: 'url', maxLength: 2000, spellcheck: false, placeholder: 'https://', hint: 'A public https address; if empty, nothing is sent. What waits to be sent goes to the new address.' })}
${eventBoxes(typed.events)}
<p class="hint">Two events are always sent: ${EVENTS['directory_submissions.completed']}, and ${EVENTS['support.replied']}.</p>
${saveBar(button('Save'), linkButton(WEBHOOKS, 'Cancel', { kind: 'plain' }))}
</form>
</div>`,
})

export const deliveryPage = (delivery: DeliveryDetail, webhookUrl: string | null, values: Record<string, string>) => ({
  title: `Delivery: ${eventLabel(delivery.event)}`,
  body: html`<div class="flow">
${breadcrumbs([{ label: 'Webhooks', href: delivery.test ? `${WEBHOOKS}?test=true` : WEBHOOKS }, { label: eventLabel(delivery.event) }])}
<div class="row"><h1>Delivery</h1>${deliveryBadge(delivery.state)}${testBadge(delivery)}</div>
${deliveryFacts(delivery)}
${resendPart(delivery, webhookUrl, values)}
${delivery.answer !== null && codeBlock('First bytes of the answer', delivery.answer || '(empty)')}
${sectionHead('What was sent')}
${codeBlock('Body, byte for byte', delivery.body)}
</div>`,
})

function resendPart(
  { id, state, sentAgain, test }: DeliveryDetail,
  webhookUrl: string | null,
  values: Record<string, string>,
) {
  if (state !== 'failed' && state !== 'unknown') return null
  if (test)
    return html`<p>Events of tests are not sent again. Submit the tool under another website to repeat the test.</p>`
  if (sentAgain) return html`<p>It was sent again since, as a newer delivery in the list.</p>`
  if (webhookUrl === null)
    return html`<p>There is no webhook address, so it cannot be sent again. <a href="${WEBHOOKS}/settings">Set one</a></p>`
  const target = html`It goes to <code>${webhookUrl}</code>, with the same event id, so that your receiver can tell.`
  return resendForm(`${WEBHOOKS}/${id}/resend`, state, target, values)
}

const OVERLAPS: readonly (readonly [hours: number, label: string])[] = [
  [0, 'At once: only the new secret signs'],
  [1, 'One hour'],
  [DEFAULT_SECRET_OVERLAP_HOURS, 'One day'],
  [72, 'Three days'],
  [168, 'A week'],
]

/** For how long the previous secret signs too. */
const overlapField = (): Markup =>
  select({
    name: 'overlapHours',
    label: 'The previous secret signs too for',
    value: String(DEFAULT_SECRET_OVERLAP_HOURS),
    options: OVERLAPS.map(([hours, label]) => ({ value: String(hours), label })),
    hint: 'So long webhook-signature has a signature with each of the two secrets. X-Catalog-Signature is made with the new one at once.',
  })

export const replaceSecretPage = (partner: OwnPartner, token: Markup) => ({
  title: 'Replace the signing secret',
  body: html`<div class="flow prose">
<h1>Replace the signing secret?</h1>
<p class="lead">Events to <bdi>${partner.name}</bdi> are signed with the new one from that moment on. It is shown once.</p>
<form class="form" method="post" action="${SECRET}">${token}${overlapField()}<div class="row">${button('Replace it', { kind: 'danger' })}${linkButton(WEBHOOKS, 'Keep it', { kind: 'plain' })}</div></form>
</div>`,
})

export const newSecretPage = (secret: string, previousValidUntil: Date | null) => ({
  title: 'The new signing secret',
  flash: [{ kind: 'notice' as const, text: 'This is the only time it is shown. Copy it now.', isPermanent: true }],
  body: html`<div class="flow prose">
<h1>The new signing secret</h1>
<p>${copyableValue(secret, 'Copy the secret')}</p>
<p>Put it where your receiver checks the signature. ${previousValidUntil ? html`The previous one signs <code>webhook-signature</code> too until ${time(previousValidUntil)}.` : 'The previous one signs nothing any more.'}</p>
<div class="row">${linkButton(WEBHOOKS, 'I have copied it')}</div>
</div>`,
})
