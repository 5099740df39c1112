// Tables. On phones a table scrolls sideways inside its frame; the frame takes the focus so that a keyboard can scroll it.
import { brokenRowBadge } from './badge.ts'
import { html, type Markup } from './markup.ts'
import { number } from './values.ts'

export interface TableColumn<Row> {
  label: string
  cell(row: Row): Markup | string | number | null
  /** Numbers are right-aligned with digits of equal width. Actions are right-aligned, and only screen readers read their label. */
  kind?: 'text' | 'number' | 'actions'
  /** Whether this cell names the row. */
  rowHeader?: boolean
}

export interface TableOptions<Row> {
  /** What the table shows, for screen readers; also names the frame that scrolls. */
  caption: string
  /** Whether the caption is visible, too. */
  showCaption?: boolean
  columns: readonly TableColumn<Row>[]
  rows: readonly Row[]
  /** Shown instead of a table without rows. */
  empty?: Markup
}

export function table<Row>({ caption, showCaption = false, columns, rows, empty }: TableOptions<Row>): Markup {
  if (rows.length === 0 && empty) return empty
  return html`<section class="table" aria-label="${caption}" tabindex="0"><table>
<caption${!showCaption && html` class="visually-hidden"`}>${caption}</caption>
<thead><tr>${columns.map(
    ({ label, kind = 'text' }) =>
      html`<th scope="col"${className(kind)}>${kind === 'actions' ? html`<span class="visually-hidden">${label}</span>` : label}</th>`,
  )}</tr></thead>
<tbody>
${rows.map(
  (row) =>
    html`<tr>${columns.map(({ cell, kind = 'text', rowHeader }) => {
      const value = cell(row)
      const shown =
        value === null || value === ''
          ? html`<span class="quiet">–</span>`
          : typeof value === 'number'
            ? number(value)
            : value
      return rowHeader
        ? html`<th scope="row"${className(kind)}>${shown}${brokenRowBadge(row)}</th>`
        : html`<td${className(kind)}>${shown}</td>`
    })}</tr>\n`,
)}</tbody>
</table></section>`
}

const className = (kind: TableColumn<never>['kind']): Markup | false => kind !== 'text' && html` class="${kind}"`
