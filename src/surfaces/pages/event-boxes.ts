// Checkboxes for the optional webhook events of a partner, in the console and in the dashboard.
import { OPTIONAL_EVENT_NAMES, OPTIONAL_EVENTS, type OptionalEvent } from '../../features/partners/schema.ts'
import { choice, fieldGroup } from './kit/field.ts'
import { html, type Markup } from './kit/markup.ts'

/** The field name of an event's checkbox. It becomes part of an element id, which may have no dot. */
const fieldNameOf = (event: OptionalEvent): string => `wants-${event.replaceAll('.', '-')}`

export const eventBoxes = (chosen: readonly OptionalEvent[]): Markup =>
  fieldGroup(
    'Further events',
    OPTIONAL_EVENT_NAMES.map((name) =>
      choice({
        name: fieldNameOf(name),
        label: html`<code>${name}</code>`,
        checked: chosen.includes(name),
        hint: `Sent ${OPTIONAL_EVENTS[name]}.`,
      }),
    ),
  )

export const eventsText = (events: readonly string[]): string => events.join(', ')

/** The events whose boxes were checked in the form. */
export const chosenEvents = (form: Readonly<Record<string, string | undefined>>): OptionalEvent[] =>
  OPTIONAL_EVENT_NAMES.filter((name) => form[fieldNameOf(name)] === 'true')
