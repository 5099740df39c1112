// Tables with aligned columns, cut to the width of the terminal.
import { styleText } from 'node:util'
import { cut, escaped, padded, width } from './terminal-text.ts'

/** Where the value of a cell comes from: the property of the row with this name, or a function of the row. */
type CellSource<R> = (keyof R & string) | ((row: R) => unknown)

/**
 * Columns by title. `cut`: free text that may be shortened; other columns are shown whole or not at all. `day`: a timestamp of which the
 * date is shown. `time`: a timestamp of which date and time are shown.
 */
export type Columns<R> = Readonly<
  Record<string, CellSource<R> | { cut: CellSource<R> } | { day: CellSource<R> } | { time: CellSource<R> }>
>

/** The columns in order, each with the function that reads its value from a row. */
export const layoutOf = <R>(columns: Columns<R>): PrintedColumn<R>[] =>
  Object.entries(columns).map(([title, column]) => {
    if (typeof column !== 'object') return { title, value: readerOf(column) }
    if ('cut' in column) return { title, value: readerOf(column.cut), cuttable: true }
    if ('day' in column) {
      const read = readerOf(column.day)
      return { title, value: (row) => dayText(read(row)) }
    }
    const read = readerOf(column.time)
    return { title, value: (row) => shortTime(read(row)) }
  })

const readerOf = <R>(source: CellSource<R>) => (typeof source === 'string' ? (row: R): unknown => row[source] : source)

interface PrintedColumn<R> {
  title: string
  value(row: R): unknown
  cuttable?: boolean
}

interface PrintedTable {
  text: string
  /** Titles of the columns that did not fit. */
  hidden: string[]
}

const GAP = '  '
// In columns of the terminal. A text that is cut further would say too little.
const LEAST_CUT_WIDTH = 10

/** `room`: the terminal's width; without it no line is cut. Columns that do not fit are left out, beginning with the last. */
export function formatTable<R>(
  rows: readonly R[],
  layout: readonly PrintedColumn<R>[],
  room = Number.POSITIVE_INFINITY,
): PrintedTable {
  const cells = [
    layout.map(({ title }) => title),
    ...rows.map((row) => layout.map(({ value }) => cellText(value(row)))),
  ]
  const shown = layout.map(({ cuttable }, i): ColumnWidth => {
    const natural = Math.max(...cells.map((line) => width(line[i] ?? '')))
    return { width: natural, least: cuttable ? Math.min(natural, LEAST_CUT_WIDTH) : natural }
  })
  while (shown.length > 1 && lineWidth(shown.map(({ least }) => least)) > room) shown.pop()
  shrink(shown, room)
  const [head = '', ...body] = cells.map((line) => {
    const parts = shown.map((column, i) => padded(cut(line[i] ?? '', column.width), column.width))
    return cut(parts.join(GAP).trimEnd(), room)
  })
  return {
    text: [styleText('bold', head), ...body].map((line) => `${line}\n`).join(''),
    hidden: layout.slice(shown.length).map(({ title }) => title),
  }
}

/** The width of a shown column, and the least width to which it may be cut. */
interface ColumnWidth {
  width: number
  least: number
}

const lineWidth = (widths: readonly number[]): number =>
  widths.reduce((sum, one) => sum + one, GAP.length * (widths.length - 1))

/** Shortens the widest column that may be cut until the line fits. */
function shrink(columns: readonly ColumnWidth[], room: number): void {
  for (let excess = lineWidth(columns.map((column) => column.width)) - room; excess > 0; excess--) {
    const [first, ...others] = columns.filter((column) => column.width > column.least)
    if (!first) return
    const widest = others.reduce((widest, column) => (column.width > widest.width ? column : widest), first)
    widest.width--
  }
}

function cellText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object') return escaped(JSON.stringify(value))
  return escaped(String(value))
}

const twoDigits = (number: number) => String(number).padStart(2, '0')

function timeOf(value: unknown): Date | null {
  const time = typeof value === 'string' ? new Date(value) : null
  return time && !Number.isNaN(time.getTime()) ? time : null
}

/** `2026-03-01`, in the time zone of this machine; '' for a value that is no timestamp, such as null. */
export function dayText(value: unknown): string {
  const time = timeOf(value)
  return time ? [time.getFullYear(), twoDigits(time.getMonth() + 1), twoDigits(time.getDate())].join('-') : ''
}

/** `2026-03-01 09:30`, in the time zone of this machine; '' for a value that is no timestamp. */
export function shortTime(value: unknown): string {
  const time = timeOf(value)
  return time ? `${dayText(value)} ${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}` : ''
}
