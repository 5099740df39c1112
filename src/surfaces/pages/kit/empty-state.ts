import { html, type Markup } from './markup.ts'

export interface EmptyState {
  title: string
  text?: Markup | string
  /** A link or button for what the user can do next. */
  action?: Markup
}

export const emptyState = ({ title, text, action }: EmptyState): Markup =>
  html`<div class="empty"><p><strong>${title}</strong></p>${text && html`<p class="quiet">${text}</p>`}${action}</div>`
