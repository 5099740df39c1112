// A box for each event that a partner may ask for, in the console and in the dashboard.
import { OPTIONAL_EVENT_NAMES, OPTIONAL_EVENTS, type OptionalEvent } from '../../features/partners/schema.ts'
import { choice, fieldGroup } from './kit/field.ts'
import { html, type Markup } from './kit/markup.ts'

/** The name is part of an identifier in the page, which may have no dot. */
const boxOf = (event: OptionalEvent): string => `wants-${event.replaceAll('.', '-')}`

export const eventBoxes = (chosen: readonly OptionalEvent[]): Markup =>
  fieldGroup(
    'Further events',
    OPTIONAL_EVENT_NAMES.map((name) =>
      choice({
        name: boxOf(name),
        label: html`<code>${name}</code>`,
        checked: chosen.includes(name),
        hint: `Sent ${OPTIONAL_EVENTS[name]}.`,
      }),
    ),
  )

/** The chosen events in one line. */
export const eventsText = (events: readonly string[]): string => events.join(', ')

/** The events whose boxes were checked in the form. */
export const chosenEvents = (form: Readonly<Record<string, string | undefined>>): OptionalEvent[] =>
  OPTIONAL_EVENT_NAMES.filter((name) => form[boxOf(name)] === 'true')
