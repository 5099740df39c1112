// The names of webhook events on pages, and checkboxes for the optional ones, in the console and in the dashboard.
import { OPTIONAL_EVENT_NAMES, OPTIONAL_EVENTS, type OptionalEvent } from '../../features/partners/schema.ts'
import { EVENT_LABELS } from '../../features/webhooks/schema.ts'
import { choice, fieldGroup } from './kit/forms/field.ts'
import { html, type Markup } from './kit/markup.ts'

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
