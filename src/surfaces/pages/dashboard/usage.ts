// Usage: calls by day, refused and failed calls, limits, operations, and the latest calls. Every chart has its numbers as a table.
import type { Static } from 'typebox'
import { MAX_LIVE_KEYS } from '../../../features/keys/budgets.rules.ts'
import { SURFACES, type Surface } from '../../../features/keys/rules.ts'
import {
  type callSchema,
  LATEST_CALLS,
  type outcomeSchema,
  USAGE_DAYS,
  type usageSchema,
} from '../../../features/keys/schema.ts'
import { DAY_MS, dayOf } from '../../../kernel/values/days.ts'
import { linkButton } from '../kit/button.ts'
import { badge, emptyState, summaryFigures, type Tone, tabs } from '../kit/components.ts'
import { barChart } from '../kit/lists/chart.ts'
import { type TableColumn, table } from '../kit/lists/table.ts'
import { html, type Markup } from '../kit/markup.ts'
import { exactTime, number, plainDay, shortDay } from '../kit/values.ts'
import type { OwnKey } from './keys.ts'

type DailyUsage = Static<typeof usageSchema>
export type Call = Static<typeof callSchema>
export type Outcome = Static<typeof outcomeSchema>

/** Calls in the current minute and their limit, of the key that has used the largest share of its limit. */
export type MinuteUse = Record<Surface, { used: number; limit: number }>

interface DayCalls extends Record<Surface, number> {
  day: string
  refused: number
  failed: number
}

/** Every day of the period, including days without a call. */
function byDay(usage: readonly DailyUsage[], outcomes: readonly Outcome[], now: Date): DayCalls[] {
  const days = Array.from({ length: USAGE_DAYS }, (_, i) => {
    const at = new Date(now.getTime() - (USAGE_DAYS - 1 - i) * DAY_MS)
    return { day: dayOf(at.getTime()), rest: 0, mcp: 0, refused: 0, failed: 0 }
  })
  const rowOf = new Map(days.map((row) => [row.day, row]))
  for (const { day, surface, calls } of usage) {
    const row = rowOf.get(day)
    if (row) row[surface] += calls
  }
  for (const { day, status, calls } of outcomes) {
    const row = rowOf.get(day)
    if (row && status >= 400) row[status === TOO_MANY_REQUESTS ? 'refused' : 'failed'] += calls
  }
  return days
}

const TOO_MANY_REQUESTS = 429
/** The most common statuses in words. */
const STATUS_WORDS: Readonly<Record<number, string>> = {
  400: 'not valid',
  403: 'not allowed',
  404: 'not found',
  405: 'wrong method',
  429: 'too fast',
  500: 'our fault',
  503: 'starting',
}

interface UsagePage {
  usage: readonly DailyUsage[]
  outcomes: readonly Outcome[]
  calls: readonly Call[]
  keys: readonly OwnKey[]
  key: OwnKey | null
  minute: MinuteUse
  /** Whether the user could have a plan with higher limits. */
  mayUpgrade: boolean
  now: Date
}

export const usagePage = (given: UsagePage) => ({
  title: 'Usage',
  body: html`<div class="flow">
<h1>Usage</h1>
<p class="lead">The last ${USAGE_DAYS} days, by day in UTC, a few seconds late. A call that is refused for its rate is not charged and not among the calls.</p>
${
  given.keys.length === 0
    ? emptyState({ title: 'Nothing to count yet', text: 'Make a key first.', action: linkButton('/dashboard', 'Keys') })
    : usageContent(given)
}
</div>`,
})

function usageContent(given: UsagePage): Markup {
  const { usage, outcomes, keys, key, now } = given
  const days = byDay(key ? usage.filter(({ keyId }) => keyId === key.id) : usage, outcomes, now)
  const sum = (of: keyof Omit<DayCalls, 'day'>) => days.reduce((all, day) => all + day[of], 0)
  const all = sum('rest') + sum('mcp')
  return html`${keyTabs(usage, keys, key)}
${summaryFigures([
  ['Calls', number(all)],
  ['REST', number(sum('rest'))],
  ['MCP', number(sum('mcp'))],
  ['Refused or failed', number(sum('refused') + sum('failed'))],
])}
<div class="usage">
<div>
${callChart(days)}
${errorChart(days, outcomes)}
${latestCalls(given.calls, keys, key)}
</div>
<div>
${limitsSection(given, sum('refused'))}
${operationBars(outcomes)}
</div>
</div>`
}

function keyTabs(usage: readonly DailyUsage[], keys: readonly OwnKey[], key: OwnKey | null): Markup {
  const used = new Set(usage.map(({ keyId }) => keyId))
  const shownKeys = keys.filter(({ id, revokedAt }) => revokedAt === null || used.has(id) || id === key?.id)
  return tabs('Keys', [
    { href: '/dashboard/usage', label: 'All keys', isCurrent: key === null },
    ...shownKeys.map(({ id, name, last4 }) => ({
      href: `/dashboard/usage?key=${id}`,
      label: `${name || 'Without a name'} …${last4}`,
      isCurrent: id === key?.id,
    })),
  ])
}

const labelOf = (days: readonly DayCalls[], i: number): string =>
  i === days.length - 1 ? 'Today' : shortDay(days[i]?.day ?? '')

const callChart = (days: readonly DayCalls[]): Markup => html`<section class="card">
<div class="card-head"><h2>Calls a day</h2><ul class="legend"><li class="first">REST</li><li class="second">MCP</li></ul></div>
${barChart({
  title: 'Calls a day, REST and MCP',
  bars: days.map(({ day, rest, mcp }, i) => ({
    label: labelOf(days, i),
    value: rest,
    second: mcp,
    text: `${shortDay(day)}: ${number(rest)} REST, ${number(mcp)} MCP`,
  })),
})}
<details><summary>The same as a table</summary>${table({
  caption: 'Calls by day',
  keepsColumns: true,
  rows: days.toReversed(),
  columns: [
    { label: 'Day', cell: ({ day }) => plainDay(day), rowHeader: true },
    { label: 'REST', cell: ({ rest }) => number(rest), kind: 'number' },
    { label: 'MCP', cell: ({ mcp }) => number(mcp), kind: 'number' },
    { label: 'Refused', cell: ({ refused }) => number(refused), kind: 'number' },
    { label: 'Failed', cell: ({ failed }) => number(failed), kind: 'number' },
  ],
})}</details>
</section>`

function errorChart(days: readonly DayCalls[], outcomes: readonly Outcome[]): Markup {
  const byStatus = new Map<number, number>()
  for (const { status, calls } of outcomes) if (status >= 400) byStatus.set(status, (byStatus.get(status) ?? 0) + calls)
  const statusCounts = [...byStatus].toSorted(([, a], [, b]) => b - a)
  if (statusCounts.length === 0)
    return html`<section class="card"><div class="card-head"><h2>Refused and failed</h2></div><p class="quiet">No call was refused and none failed.</p></section>`
  return html`<section class="card">
<div class="card-head"><h2>Refused and failed</h2><ul class="legend">${statusCounts.map(([status, calls]) => html`<li>${status} ${STATUS_WORDS[status]} <b>${number(calls)}</b></li>`)}</ul></div>
${barChart({
  title: 'Refused and failed calls a day',
  tone: 'danger',
  low: true,
  bars: days.map(({ day, refused, failed }, i) => ({
    label: labelOf(days, i),
    value: refused + failed,
    text: `${shortDay(day)}: ${number(refused)} refused, ${number(failed)} failed`,
  })),
})}
</section>`
}

function limitsSection({ minute, keys, outcomes, mayUpgrade }: UsagePage, refused: number): Markup {
  const live = keys.filter(({ revokedAt }) => revokedAt === null).length
  const lastRefused = (surface: Surface) =>
    outcomes.findLast((outcome) => outcome.status === TOO_MANY_REQUESTS && outcome.surface === surface)?.day
  const noteOf = (surface: Surface) => {
    const day = lastRefused(surface)
    return day ? `Last reached on ${shortDay(day)}` : `Not reached in ${USAGE_DAYS} days`
  }
  return html`<section class="card">
<div class="card-head"><h2>Limits</h2><span class="note">Per key, of the busiest one</span></div>
${SURFACES.map((surface) =>
  limitBar({
    label: `${SURFACE_LABELS[surface]} a minute`,
    used: minute[surface].used,
    limit: minute[surface].limit,
    note: noteOf(surface),
  }),
)}
${limitBar({ label: 'Keys', used: live, limit: MAX_LIVE_KEYS })}
${mayUpgrade && refused > 0 && html`<p class="note"><a href="/dashboard/plan">Premium</a> allows more calls a minute.</p>`}
</section>`
}

/** How many calls are shown without a click. */
const SHOWN_AT_ONCE = 10

function latestCalls(calls: readonly Call[], keys: readonly OwnKey[], key: OwnKey | null): Markup {
  const last4 = new Map(keys.map((one) => [one.id, one.last4]))
  const columns: TableColumn<Call>[] = [
    { label: 'Time', cell: ({ at }) => exactTime(at), rowHeader: true },
    { label: 'Status', cell: ({ status }) => badge(String(status), toneOf(status)) },
    {
      label: 'Call',
      cell: (call) => html`${operationName(call)} <span class="note">${SURFACE_LABELS[call.surface]}</span>`,
    },
    ...(key === null
      ? [{ label: 'Key', cell: ({ keyId }: Call) => html`<code>…${last4.get(keyId) ?? '?'}</code>` }]
      : []),
    {
      label: 'Took',
      kind: 'number',
      cell: ({ ms }) => `${number(ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms))} ms`,
    },
    { label: 'Request', cell: ({ requestId }) => html`<code>${requestId}</code>` },
  ]
  return html`<section class="card calls">
<div class="card-head"><h2>Latest calls</h2><span class="note">At most ${LATEST_CALLS}, kept for a day</span></div>
${
  calls.length === 0
    ? html`<p class="quiet">No call in the last day.</p>`
    : table({ caption: 'Latest calls', rows: calls.slice(0, SHOWN_AT_ONCE), columns })
}
${
  calls.length > SHOWN_AT_ONCE &&
  html`<details><summary>${calls.length - SHOWN_AT_ONCE} earlier ${calls.length - SHOWN_AT_ONCE === 1 ? 'call' : 'calls'}</summary>${table({ caption: 'Earlier calls', rows: calls.slice(SHOWN_AT_ONCE), columns })}</details>`
}
</section>`
}

const toneOf = (status: number): Tone => (status < 400 ? 'good' : status === 429 ? 'notice' : 'danger')

const SURFACE_LABELS: Record<Surface, string> = { rest: 'REST', mcp: 'MCP' }

const bar = (share: number, className = ''): Markup =>
  html`<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect${className && html` class="${className}"`} width="${Math.round(Math.min(1, share) * 1000) / 10}" height="10"></rect></svg>`

interface Limit {
  label: string
  used: number
  limit: number
  note?: string
}

function limitBar({ label, used, limit, note }: Limit): Markup {
  const share = used / Math.max(1, limit)
  const className = share >= 1 ? 'full' : share >= 0.75 ? 'near' : ''
  return html`<div class="limit"><div><span>${label}</span><span class="figure">${number(used)} of ${number(limit)}</span></div>${bar(share, className)}${note && html`<p class="note">${note}</p>`}</div>`
}

/** The name of a called operation; an unknown address or tool has none. */
const operationName = ({ surface, operation }: Pick<Outcome, 'surface' | 'operation'>): Markup =>
  operation
    ? html`<code>${operation}</code>`
    : html`<span class="quiet">${surface === 'rest' ? 'Unknown address' : 'Unknown tool'}</span>`

/** How many operations are listed, those with most calls first. */
const MOST_LISTED = 12

function operationBars(outcomes: readonly Outcome[]): Markup | null {
  const sums = new Map<string, { surface: Surface; operation: string; calls: number }>()
  for (const { surface, operation, calls } of outcomes) {
    const name = `${surface} ${operation}`
    const sum = sums.get(name)
    if (sum) sum.calls += calls
    else sums.set(name, { surface, operation, calls })
  }
  const sorted = [...sums.values()].toSorted((a, b) => b.calls - a.calls).slice(0, MOST_LISTED)
  const most = sorted[0]?.calls ?? 1
  if (sorted.length === 0) return null
  return html`<section class="card">
<div class="card-head"><h2>By operation</h2></div>
${sorted.map(
  (one) =>
    html`<div class="limit"><div><span>${operationName(one)} <span class="note">${SURFACE_LABELS[one.surface]}</span></span><span class="figure">${number(one.calls)}</span></div>${bar(Math.max(0.01, one.calls / most))}</div>`,
)}
</section>`
}
