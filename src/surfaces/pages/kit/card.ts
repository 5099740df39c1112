import { html, type Markup } from './markup.ts'

export const card = (
  title: Markup | string,
  content: unknown,
  options: { accent?: boolean; level?: 2 | 3 } = {},
): Markup =>
  html`<section class="${options.accent ? 'card accent' : 'card'}">${options.level === 2 ? html`<h2>${title}</h2>` : html`<h3>${title}</h3>`}${content}</section>`

/** The heading of a section, with an optional link to the whole list. */
export const sectionHead = (title: string, more?: { href: string; label: Markup | string }): Markup =>
  html`<div class="section-head"><h2>${title}</h2>${more && html`<a href="${more.href}">${more.label}</a>`}</div>`

/** A few labelled values that summarise a page. */
export const summaryFigures = (items: readonly (readonly [label: string, value: Markup | string | number])[]): Markup =>
  html`<dl class="figures">${items.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`
