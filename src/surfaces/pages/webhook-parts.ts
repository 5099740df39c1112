// The names of webhook events on pages, checkboxes for the optional ones, and what pages of deliveries have in common, in the console and
// in the dashboard.
import type { Static } from 'typebox'
import { OPTIONAL_EVENT_NAMES, OPTIONAL_EVENTS, type OptionalEvent } from '../../features/partners/schema.ts'
import type { deliverySchema } from '../../features/webhooks/schema.ts'
import { EVENT_LABELS } from '../../features/webhooks/schema.ts'
import { actionForm, confirmedAction } from './kit/button.ts'
import { choice, fieldGroup } from './kit/forms/field.ts'
import { html, type Markup } from './kit/markup.ts'
import { number, time } from './kit/values.ts'

const LABELS: Readonly<Record<string, string>> = EVENT_LABELS

/** The event in words; a stored one that is not sent any more has only its name. */
export const eventLabel = (event: string): string => LABELS[event] ?? event

/** The field name of an event's checkbox. It becomes part of an element id, which may have no dot. */
const fieldNameOf = (event: OptionalEvent): string => `wants-${event.replaceAll('.', '-')}`

export const eventBoxes = (chosen: readonly OptionalEvent[]): Markup =>
  fieldGroup(
    'Further events',
    OPTIONAL_EVENT_NAMES.map((name) =>
      choice({
        name: fieldNameOf(name),
        label: eventLabel(name),
        checked: chosen.includes(name),
        hint: html`<code>${name}</code>, sent ${OPTIONAL_EVENTS[name]}.`,
      }),
    ),
  )

export const eventsText = (events: readonly string[]): string => events.map(eventLabel).join(', ')

export const chosenEvents = (form: Readonly<Record<string, string | undefined>>): OptionalEvent[] =>
  OPTIONAL_EVENT_NAMES.filter((name) => form[fieldNameOf(name)] === 'true')

export const msText = (durationMs: number | null): string | null =>
  durationMs === null ? null : `${number(durationMs)} ms`

/** What the page of a delivery says above its body; only the console names the partner. */
export const deliveryFacts = (
  delivery: Omit<Static<typeof deliverySchema>, 'clientId'> & { eventId: string },
  partner?: string,
): Markup =>
  html`<dl class="facts">
<div><dt>Event</dt><dd>${eventLabel(delivery.event)} <code>${delivery.event}</code></dd></div>
${partner !== undefined && html`<div><dt>Partner</dt><dd><bdi>${partner}</bdi></dd></div>\n`}<div><dt>Happened</dt><dd>${time(delivery.createdAt)}</dd></div>
<div><dt>Sent</dt><dd>${time(delivery.attemptedAt) ?? 'Not yet'}</dd></div>
<div><dt>Status</dt><dd>${delivery.status ?? 'No answer'}</dd></div>
<div><dt>Took</dt><dd>${msText(delivery.durationMs) ?? '–'}</dd></div>
${delivery.error && html`<div><dt>What went wrong</dt><dd><bdi>${delivery.error}</bdi></dd></div>`}
<div><dt>Event id</dt><dd><code>${delivery.eventId}</code></dd></div>
</dl>`

/** The form that sends an event again; one that has arrived, or may have, only after a question. `target`: where it goes. */
export const resendForm = (action: string, state: string, target: Markup, values: Record<string, string>): Markup => {
  const form = { action, label: 'Send it again', values }
  const question = html`${state === 'delivered' ? 'It has arrived already. ' : 'It may have arrived. '}${target}`
  return state === 'failed'
    ? html`${actionForm(form)}<p class="hint">${target}</p>`
    : confirmedAction({ ...form, kind: 'plain', question, confirmLabel: 'Send it again all the same' })
}
