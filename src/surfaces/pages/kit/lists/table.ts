// Tables. On phones each row becomes a card, in which every cell shows the label of its column, unless the column has `onPhones`. A table
// whose columns are compared (`keepsColumns`) stays a table and scrolls sideways in its frame. The frame can have the focus, so that it can
// be scrolled with a keyboard.
import { raw } from 'hono/html'
import { brokenRowBadge } from '../components.ts'
import { html, type Markup } from '../markup.ts'
import { number } from '../values.ts'

export interface TableColumn<Row> {
  label: Markup | string
  /** A cell without a value (null or '') shows a dash; `false` leaves the cell empty, where a dash would say that something is missing. */
  cell(row: Row): Markup | string | number | null | false
  /** Numbers are right-aligned with digits of equal width. Actions are right-aligned, and only screen readers read their label. */
  kind?: 'text' | 'number' | 'actions'
  /** Whether this cell names the row. In a row with `broken`, it also shows a badge with the reason. */
  rowHeader?: boolean
  /** On phones, `hidden` leaves the column out, because the page of the row has it; `unlabelled` leaves its label out. */
  onPhones?: 'hidden' | 'unlabelled'
  /** For a table with a look of its own. */
  className?: string
}

export interface TableGroup<Row> {
  key(row: Row): string
  heading(first: Row, rows: readonly Row[]): Markup | string | null
}

interface TableOptions<Row> {
  /** What the table shows, for screen readers; also names the frame that scrolls. */
  caption: string
  columns: readonly TableColumn<Row>[]
  rows: readonly Row[]
  /** For a table with a look of its own. */
  className?: string
  /** Whether the table stays a table on phones, because its columns are compared. */
  keepsColumns?: boolean
  /** Shown instead of a table without rows. */
  empty?: Markup
  /** Rows with the same key stand together under a heading, in the order of the first of each. */
  group?: TableGroup<Row>
}

export function table<Row>({
  caption,
  className,
  columns,
  rows,
  keepsColumns,
  empty,
  group,
}: TableOptions<Row>): Markup {
  if (rows.length === 0 && empty) return empty
  const rowsOf = (some: readonly Row[]) =>
    some.map(
      (row) =>
        html`<tr>${columns.map(({ label, cell, kind = 'text', rowHeader, className, onPhones }) => {
          const value = cell(row)
          const shown =
            kind !== 'actions' && (value === null || value === '')
              ? html`<span class="quiet dash">–</span>`
              : typeof value === 'number'
                ? number(value)
                : value
          return rowHeader
            ? html`<th scope="row"${classOf(kind, className)}>${shown}${brokenRowBadge(row)}</th>`
            : html`<td${classOf(kind, className, onPhones)}${!keepsColumns && kind !== 'actions' && !onPhones && html` data-label="${textOf(label)}"`}>${shown}</td>`
        })}</tr>\n`,
    )
  return html`<section class="table${keepsColumns && ' compared'}${className && ` ${className}`}" aria-label="${caption}" tabindex="0"><table>
<caption class="visually-hidden">${caption}</caption>
<thead><tr>${columns.map(
    ({ label, kind = 'text', className, onPhones }) =>
      html`<th scope="col"${classOf(kind, className, onPhones)}>${kind === 'actions' ? html`<span class="visually-hidden">${label}</span>` : label}</th>`,
  )}</tr></thead>
${
  group
    ? [...Map.groupBy(rows, group.key).values()].map(
        (some) =>
          html`<tbody><tr class="group"><th scope="rowgroup" colspan="${columns.length}">${some.slice(0, 1).map((first) => group.heading(first, some))}</th></tr>
${rowsOf(some)}</tbody>\n`,
      )
    : html`<tbody>\n${rowsOf(rows)}</tbody>`
}
</table></section>`
}

/** The text of a label without tags, such as those of a link. Markup is escaped already, so its text is not escaped again. */
const textOf = (label: Markup | string): Markup | string =>
  typeof label === 'string'
    ? label
    : raw(
        String(label)
          .replace(/<[^>]*>/g, '')
          .trim(),
      )

function classOf(kind: string, className?: string, onPhones?: string): Markup | false {
  const names = [kind === 'text' ? '' : kind, className, onPhones === 'hidden' && 'extra'].filter(Boolean).join(' ')
  return names !== '' && html` class="${names}"`
}
