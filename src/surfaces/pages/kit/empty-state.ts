import { html, type Markup } from './markup.ts'

export interface EmptyState {
  title: string
  text?: Markup | string
  /** What to do about it. */
  action?: Markup
}

export const emptyState = ({ title, text, action }: EmptyState): Markup =>
  html`<div class="empty"><p><strong>${title}</strong></p>${text && html`<p class="quiet">${text}</p>`}${action}</div>`
