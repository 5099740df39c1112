import { html, type Markup } from './markup.ts'

export interface BoardColumn {
  title: string
  count?: number | string
  /** A link to the whole list of this column. */
  more?: Markup
  cards: readonly Markup[]
  /** For a script that moves cards between columns. */
  key?: string
}

/** Columns side by side, such as the states of work; on phones below each other. */
export const board = (label: string, columns: readonly BoardColumn[]): Markup =>
  html`<section class="board" aria-label="${label}" tabindex="0">${columns.map(
    ({ title, count, cards, more, key }) =>
      html`<section${key && html` data-column="${key}"`}><h2>${title} <span>${count ?? cards.length}</span></h2>${cards.length === 0 ? html`<p class="quiet small">Nothing here.</p>` : cards}${more}</section>`,
  )}</section>`
