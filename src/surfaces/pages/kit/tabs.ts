import { html, type Markup } from './markup.ts'
import { number } from './values.ts'

export interface Tab {
  href: string
  label: string
  count?: number
  isCurrent?: boolean
}

/** Views of the same data, each with its own address. */
export const tabs = (label: string, items: readonly Tab[]): Markup =>
  html`<nav class="tabs" aria-label="${label}"><ul>${items.map(
    ({ href, label, count, isCurrent }) =>
      html`<li><a href="${href}"${isCurrent && html` aria-current="page"`}>${label}${count !== undefined && html` <span class="badge">${number(count)}</span>`}</a></li>`,
  )}</ul></nav>`
