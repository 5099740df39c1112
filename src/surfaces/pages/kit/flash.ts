// Messages about what just happened. Good news is announced politely, bad news at once.
import { html, type Markup } from './markup.ts'

export interface Flash {
  kind?: 'info' | 'good' | 'notice' | 'danger'
  text: Markup | string
  /** Whether it may be put away; it may unless told otherwise. */
  stays?: boolean
}

export const flash = ({ kind = 'info', text, stays = false }: Flash): Markup =>
  html`<div class="flash ${kind}" role="${kind === 'danger' ? 'alert' : 'status'}"><div>${text}</div>${
    !stays && html`<button type="button" class="dismiss" data-dismiss aria-label="Dismiss" hidden>×</button>`
  }</div>`

export const flashes = (messages: readonly Flash[]): Markup | null =>
  messages.length === 0 ? null : html`<div class="flashes">${messages.map(flash)}</div>`
