// Bars of the usage page: how much of a limit is used, and how calls are spread over operations.
import type { Surface } from '../../../features/keys/rules.ts'
import { html, type Markup } from '../kit/markup.ts'
import { number } from '../kit/values.ts'
import type { Outcome } from './usage.ts'

export const SURFACE_LABELS: Record<Surface, string> = { rest: 'REST', mcp: 'MCP' }

const bar = (share: number, className = ''): Markup =>
  html`<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect${className && html` class="${className}"`} width="${Math.round(Math.min(1, share) * 1000) / 10}" height="10"></rect></svg>`

interface Limit {
  label: string
  used: number
  limit: number
  note?: string
}

export function limitBar({ label, used, limit, note }: Limit): Markup {
  const share = used / Math.max(1, limit)
  const className = share >= 1 ? 'full' : share >= 0.75 ? 'near' : ''
  return html`<div class="limit"><div><span>${label}</span><span class="figure">${number(used)} of ${number(limit)}</span></div>${bar(share, className)}${note && html`<p class="note">${note}</p>`}</div>`
}

/** The name of a called operation; an unknown address or tool has none. */
export const operationName = ({ surface, operation }: Pick<Outcome, 'surface' | 'operation'>): Markup =>
  operation
    ? html`<code>${operation}</code>`
    : html`<span class="quiet">${surface === 'rest' ? 'Unknown address' : 'Unknown tool'}</span>`

/** How many operations are listed, those with most calls first. */
const MOST_LISTED = 12

export function operationBars(outcomes: readonly Outcome[]): Markup {
  const sums = new Map<string, { surface: Surface; operation: string; calls: number }>()
  for (const { surface, operation, calls } of outcomes) {
    const name = `${surface} ${operation}`
    const sum = sums.get(name)
    if (sum) sum.calls += calls
    else sums.set(name, { surface, operation, calls })
  }
  const sorted = [...sums.values()].toSorted((a, b) => b.calls - a.calls).slice(0, MOST_LISTED)
  const most = sorted[0]?.calls ?? 1
  return html`<section class="card">
<div class="card-head"><h2>By operation</h2></div>
${sorted.length === 0 && html`<p class="quiet">No call yet.</p>`}
${sorted.map(
  (one) =>
    html`<div class="limit"><div><span>${operationName(one)} <span class="note">${SURFACE_LABELS[one.surface]}</span></span><span class="figure">${number(one.calls)}</span></div>${bar(Math.max(0.01, one.calls / most))}</div>`,
)}
</section>`
}
