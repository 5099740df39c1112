// Tables with aligned columns, cut to the width of the terminal.
import { styleText } from 'node:util'
import { cut, escaped, padded, width } from './terminal-text.ts'

/** The name of a property, or what is made of the row. */
type Cell<R> = (keyof R & string) | ((row: R) => unknown)

/** Columns by title. `cut` is free text that may be shortened; other columns are shown whole or not at all. */
export type Columns<R> = Readonly<Record<string, Cell<R> | { cut: Cell<R> } | { day: Cell<R> } | { time: Cell<R> }>>

export const layoutOf = <R>(columns: Columns<R>): PrintedColumn<R>[] =>
  Object.entries(columns).map(([title, column]) => {
    if (typeof column !== 'object') return { title, value: cellOf(column) }
    if ('cut' in column) return { title, value: cellOf(column.cut), cuttable: true }
    const value = cellOf('day' in column ? column.day : column.time)
    return { title, value: (row) => ('day' in column ? dayText(value(row)) : shortTime(value(row))) }
  })

const cellOf = <R>(cell: Cell<R>) => (typeof cell === 'string' ? (row: R): unknown => row[cell] : cell)

export interface PrintedColumn<R> {
  title: string
  value(row: R): unknown
  /** Free text that may be shortened. Other columns are shown whole or not at all. */
  cuttable?: boolean
}

export interface PrintedTable {
  text: string
  /** Titles of the columns that did not fit. */
  hidden: string[]
}

const GAP = '  '
// A shorter text would say too little.
const NARROWEST = 10

/** `room` is the terminal's width; without it no line is cut. The last columns are left out first. */
export function formatTable<R>(
  rows: readonly R[],
  layout: readonly PrintedColumn<R>[],
  room = Number.POSITIVE_INFINITY,
): PrintedTable {
  const cells = [layout.map(({ title }) => title), ...rows.map((row) => layout.map(({ value }) => cell(value(row))))]
  const fits = layout.map(({ cuttable }, i): Fit => {
    const natural = Math.max(...cells.map((line) => width(line[i] ?? '')))
    return { width: natural, least: cuttable ? Math.min(natural, NARROWEST) : natural }
  })
  while (fits.length > 1 && lineWidth(fits.map(({ least }) => least)) > room) fits.pop()
  shrink(fits, room)
  const [head = '', ...body] = cells.map((line) => {
    const parts = fits.map((fit, i) => padded(cut(line[i] ?? '', fit.width), fit.width))
    return cut(parts.join(GAP).trimEnd(), room)
  })
  return {
    text: [styleText('bold', head), ...body].map((line) => `${line}\n`).join(''),
    hidden: layout.slice(fits.length).map(({ title }) => title),
  }
}

/** The width of a shown column, and the width to which it may be cut. */
interface Fit {
  width: number
  least: number
}

const lineWidth = (widths: readonly number[]): number =>
  widths.reduce((sum, one) => sum + one, GAP.length * (widths.length - 1))

/** Shortens the widest column that may be cut until the line fits. */
function shrink(fits: readonly Fit[], room: number): void {
  for (let excess = lineWidth(fits.map((fit) => fit.width)) - room; excess > 0; excess--) {
    const [first, ...others] = fits.filter((fit) => fit.width > fit.least)
    if (!first) return
    const widest = others.reduce((widest, fit) => (fit.width > widest.width ? fit : widest), first)
    widest.width--
  }
}

function cell(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object') return escaped(JSON.stringify(value))
  return escaped(String(value))
}

const two = (number: number) => String(number).padStart(2, '0')

function timeOf(value: unknown): Date | null {
  const time = typeof value === 'string' ? new Date(value) : null
  return time && !Number.isNaN(time.getTime()) ? time : null
}

/** `2026-03-01`, in the time zone of this machine. */
export function dayText(value: unknown): string {
  const time = timeOf(value)
  return time ? [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-') : ''
}

/** `2026-03-01 09:30` */
export function shortTime(value: unknown): string {
  const time = timeOf(value)
  return time ? `${dayText(value)} ${two(time.getHours())}:${two(time.getMinutes())}` : ''
}
