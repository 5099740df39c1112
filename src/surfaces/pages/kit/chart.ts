// Charts as SVG, made on the server. The content security policy forbids style attributes, so sizes are SVG attributes.
import { html, type Markup } from './markup.ts'

export interface Bar {
  label: string
  value: number
}

const HEIGHT = 120
const STEP = 24
const LABEL_ROOM = 18

/** Vertical bars, such as calls a day. The label repeats the numbers for screen readers. */
export function barChart({ title, bars }: { title: string; bars: readonly Bar[] }): Markup {
  const highest = Math.max(1, ...bars.map(({ value }) => value))
  const width = Math.max(1, bars.length) * STEP
  // At most eight labels, so that they do not overlap.
  const every = Math.ceil(bars.length / 8)
  return html`<svg class="chart" viewBox="0 0 ${width} ${HEIGHT + LABEL_ROOM}" role="img" aria-label="${title}: ${bars.map(({ label, value }) => `${label} ${value}`).join(', ')}">
<line x1="0" x2="${width}" y1="${HEIGHT}" y2="${HEIGHT}"></line>
${bars.map(({ label, value }, i) => {
  const height = Math.round((value / highest) * (HEIGHT - 8))
  return html`<rect x="${i * STEP + 3}" y="${HEIGHT - height}" width="${STEP - 6}" height="${height}"><title>${label}: ${value}</title></rect>${i % every === 0 && html`<text x="${i * STEP + 3}" y="${HEIGHT + 13}">${label}</text>`}\n`
})}</svg>`
}

/** A value between 0 and 100 as a small bar beside its number. */
export const meter = (value: number): Markup =>
  html`<svg class="meter" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect width="${Math.min(100, Math.max(0, value))}" height="10"></rect></svg>`
