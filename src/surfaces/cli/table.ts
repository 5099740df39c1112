// Aligned columns, cut to the width of a terminal.
import { styleText } from 'node:util'
import { cut, escaped, padded, width } from './terminal-text.ts'

export type Row = Record<string, unknown>

export interface Column {
  title: string
  value(row: Row): unknown
  /** Never cut while another column can be: what is copied from it must be whole. */
  whole?: boolean
}

const GAP = '  '
// Below this a cut column says nothing anymore.
const NARROWEST = 6

/** `columns` is the terminal's width; undefined leaves every line as long as it is. */
export function table(rows: readonly Row[], layout: readonly Column[], columns?: number): string {
  const cells = [layout.map(({ title }) => title), ...rows.map((row) => layout.map(({ value }) => cell(value(row))))]
  const widths = layout.map((_, i) => Math.max(...cells.map((line) => width(line[i]!))))
  if (columns !== undefined) shrink(widths, layout, columns)
  const lines = cells.map((line) => {
    const text = line
      .map((part, i) => padded(cut(part, widths[i]!), widths[i]!))
      .join(GAP)
      .trimEnd()
    return columns === undefined ? text : cut(text, columns)
  })
  const [head, ...body] = lines
  return [styleText('bold', head!), ...body].map((line) => `${line}\n`).join('')
}

/** Takes from the widest column that may be cut until the line fits or nothing may be cut anymore. */
function shrink(widths: number[], layout: readonly Column[], columns: number): void {
  let excess = widths.reduce((sum, one) => sum + one, GAP.length * (widths.length - 1)) - columns
  while (excess > 0) {
    const shrinkable = widths.filter((one, i) => !layout[i]!.whole && one > NARROWEST)
    if (shrinkable.length === 0) return
    const widest = widths.findIndex((one, i) => !layout[i]!.whole && one === Math.max(...shrinkable))
    widths[widest]!--
    excess--
  }
}

function cell(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object') return escaped(JSON.stringify(value))
  return escaped(String(value))
}

/** `2026-03-01 09:30`, in the time zone of whoever reads it. */
export function shortTime(value: unknown): string {
  const time = new Date(String(value))
  if (value === null || value === undefined || Number.isNaN(time.getTime())) return ''
  const two = (number: number) => String(number).padStart(2, '0')
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-')
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`
}
