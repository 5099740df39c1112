// Messages above the content of a page, such as whether the last action succeeded. Screen readers announce a failure at once; other
// messages wait until the reader has finished its sentence.
import { html, type Markup } from './markup.ts'

export interface Flash {
  kind?: 'info' | 'good' | 'notice' | 'danger'
  text: Markup | string
  /** A permanent message has no button to dismiss it. */
  isPermanent?: boolean
}

export const flash = ({ kind = 'info', text, isPermanent = false }: Flash): Markup =>
  html`<div class="flash ${kind}" role="${kind === 'danger' ? 'alert' : 'status'}"><div>${text}</div>${
    !isPermanent && html`<button type="button" class="dismiss" data-dismiss aria-label="Dismiss" hidden>×</button>`
  }</div>`

export const flashes = (messages: readonly Flash[]): Markup | null =>
  messages.length === 0 ? null : html`<div class="flashes">${messages.map(flash)}</div>`
