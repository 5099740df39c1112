// Rows and columns. On phones a table scrolls sideways inside its frame, and the frame takes the focus for that.

import { brokenMark } from './badge.ts'
import { html, type Markup } from './markup.ts'

export interface Column<Row> {
  label: string
  cell(row: Row): Markup | string | number | null
  /** Numbers stand right, in figures of one width; actions stand right and have a label only for those who cannot see. */
  kind?: 'text' | 'number' | 'actions'
  /** The cell that names the row. */
  names?: boolean
}

export interface Table<Row> {
  /** What the table shows; read out, and the name of the frame that scrolls. */
  caption: string
  /** Whether the caption is seen too. */
  showCaption?: boolean
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** Instead of the table when there is no row. */
  empty?: Markup
}

export function table<Row>({ caption, showCaption = false, columns, rows, empty }: Table<Row>): Markup {
  if (rows.length === 0 && empty) return empty
  return html`<section class="table" aria-label="${caption}" tabindex="0"><table>
<caption${!showCaption && html` class="away"`}>${caption}</caption>
<thead><tr>${columns.map(
    ({ label, kind = 'text' }) =>
      html`<th scope="col"${className(kind)}>${kind === 'actions' ? html`<span class="away">${label}</span>` : label}</th>`,
  )}</tr></thead>
<tbody>
${rows.map(
  (row) =>
    html`<tr>${columns.map(({ cell, kind = 'text', names }) => {
      const value = cell(row)
      const shown = value === null || value === '' ? html`<span class="quiet">–</span>` : value
      return names
        ? html`<th scope="row"${className(kind)}>${shown}${brokenMark(row)}</th>`
        : html`<td${className(kind)}>${shown}</td>`
    })}</tr>\n`,
)}</tbody>
</table></section>`
}

const className = (kind: Column<never>['kind']): Markup | false => kind !== 'text' && html` class="${kind}"`
