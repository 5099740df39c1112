// Charts as SVG, made on the server. The content security policy forbids style attributes, so sizes are SVG attributes.
import { html, type Markup } from '../markup.ts'
import { compactNumber, number } from '../values.ts'

interface Bar {
  label: string
  value: number
  /** The value of a second part, which is drawn on top of the first. */
  second?: number
  /** The tooltip of the bar; by default its label and sum. */
  text?: string
}

interface BarChart {
  /** What is counted, and over which time. */
  title: string
  bars: readonly Bar[]
  tone?: 'danger' | 'info' | 'notice'
  /** Whether the chart is drawn lower than usual, such as for errors, which are few. */
  low?: boolean
  /** Whether the labels of the bars are drawn; false if a chart below with the same days has them. */
  hasDays?: boolean
}

/**
 * Vertical bars, such as calls a day, with an axis of round values. The chart is drawn in two widths, of which the stylesheet shows one, so
 * that the text keeps its size on phones. For screen readers the label says the range and the peak. The exact numbers belong in a table.
 */
export const barChart = (given: BarChart): Markup =>
  html`<div class="chart-box">${svgOf(given, 616, given.low ? 94 : 214, 'chart wide', 5)}${svgOf(given, 326, given.low ? 94 : 184, 'chart narrow', 3)}</div>`

const sumOf = ({ value, second = 0 }: Bar): number => value + second

// The room around the bars in pixels: above for the number at the peak, on the left for the axis values, below for the labels.
const TOP = 18
const LEFT = 38
const LABEL_ROOM = 26

/** `base`: how far down the axis is, in pixels. `labelCount`: how many labels the width has room for. */
function svgOf(
  { title, bars, tone, hasDays = true }: BarChart,
  width: number,
  base: number,
  className: string,
  labelCount: number,
) {
  const peak = bars.reduce<Bar | null>((best, bar) => (best && sumOf(best) >= sumOf(bar) ? best : bar), null)
  const highest = peak ? sumOf(peak) : 0
  const values = axisValues(highest, base > 120 ? 4 : 2)
  const height = base + (hasDays ? LABEL_ROOM : 6)
  const y = (value: number) => round(base - (value / (values.at(-1) ?? 1)) * (base - TOP))
  const step = (width - LEFT) / Math.max(1, bars.length)
  const labelEvery = Math.max(1, Math.ceil((bars.length - 1) / labelCount))
  const range = bars.length > 0 ? `, ${bars[0]?.label} to ${bars.at(-1)?.label}` : ''
  const description = `${title}${range}. ${highest > 0 ? `Peak ${number(highest)}: ${peak?.label}.` : 'None.'}`
  return html`<svg class="${tone ? `${className} ${tone}` : className}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${description}">
${values.map((value) => html`<line${value === 0 && html` class="base"`} x1="${LEFT}" x2="${width}" y1="${y(value)}" y2="${y(value)}"></line><text x="${LEFT - 6}" y="${y(value) + 4}" text-anchor="end">${compactNumber(value)}</text>\n`)}
${bars.map((bar, i) => {
  const x = LEFT + i * step
  const text = bar.text ?? `${bar.label}: ${number(sumOf(bar))}`
  const first = barPart('first', x, step, y(bar.value), base)
  const second = bar.second ? barPart('second', x, step, y(sumOf(bar)), y(bar.value)) : ''
  return html`<g><rect class="hit" x="${round(x)}" y="${TOP}" width="${round(step)}" height="${base - TOP}"></rect>${bar.value > 0 && first}${second}<title>${text}</title></g>\n`
})}
${(hasDays ? bars : []).map((bar, i) => {
  const isLast = i === bars.length - 1
  // The last bar always has its label; a label too near to it is left out.
  if (!isLast && (i % labelEvery !== 0 || bars.length - 1 - i < labelEvery * 0.7)) return ''
  const [at, anchor] = isLast ? [width, 'end'] : i === 0 ? [LEFT, 'start'] : [LEFT + (i + 0.5) * step, 'middle']
  return html`<text x="${round(at)}" y="${height - 6}" text-anchor="${anchor}">${bar.label}</text>`
})}
${peak && highest > 0 && html`<text class="peak" x="${round(Math.min(LEFT + (bars.indexOf(peak) + 0.5) * step, width - 14))}" y="${y(highest) - 5}" text-anchor="middle">${compactNumber(highest)}</text>`}
</svg>`
}

const barPart = (className: string, x: number, step: number, top: number, bottom: number): Markup => {
  const gap = Math.min(2, step / 8)
  return html`<rect class="${className}" x="${round(x + gap)}" y="${top}" width="${round(step - 2 * gap)}" height="${round(Math.max(1, bottom - top))}" rx="2"></rect>`
}

/** To one decimal, which is enough for a drawing. */
const round = (value: number): number => Math.round(value * 10) / 10

/** The values at the lines of the axis: multiples of 1, 2 or 5 times a power of ten, from 0 up to the first that is not below `highest`. */
function axisValues(highest: number, lines: number): number[] {
  const leastStep = Math.max(1, highest / lines)
  const power = 10 ** Math.floor(Math.log10(leastStep))
  const step = Math.max(1, ([1, 2, 5, 10].find((times) => times * power >= leastStep) ?? 10) * power)
  return Array.from({ length: Math.max(1, Math.ceil(highest / step)) + 1 }, (_, i) => i * step)
}

/** A value between 0 and 100 as a small bar beside its number. */
export const meter = (value: number): Markup =>
  html`<svg class="meter" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width="${Math.min(100, Math.max(0, value))}" height="10"></rect></svg>`
