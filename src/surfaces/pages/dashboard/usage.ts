// Calls by day: two charts, and the same numbers as a table for users who cannot see the charts or need the exact values.
import type { Static } from 'typebox'
import { USAGE_DAYS, type usageSchema } from '../../../features/keys/account.schema.ts'
import type { Surface } from '../../../features/keys/rules.ts'
import { DAY_MS, dayOf } from '../../../kernel/days.ts'
import { linkButton } from '../kit/button.ts'
import { summaryFigures } from '../kit/card.ts'
import { barChart } from '../kit/chart.ts'
import { emptyState } from '../kit/empty-state.ts'
import { html } from '../kit/markup.ts'
import { table } from '../kit/table.ts'
import { tabs } from '../kit/tabs.ts'
import { number, plainDay } from '../kit/values.ts'
import type { OwnKey } from './keys.ts'

export type DailyUsage = Static<typeof usageSchema>

type DayCalls = { day: string } & Record<Surface, number>

/** Every day of the period, including days without a call. */
export function byDay(usage: readonly DailyUsage[], now: Date): DayCalls[] {
  const days = Array.from({ length: USAGE_DAYS }, (_, i) => {
    const at = new Date(now.getTime() - (USAGE_DAYS - 1 - i) * DAY_MS)
    return { day: dayOf(at.getTime()), rest: 0, mcp: 0 }
  })
  const at = new Map(days.map((day) => [day.day, day]))
  for (const { day, surface, calls } of usage) {
    const found = at.get(day)
    if (found) found[surface] += calls
  }
  return days
}

export function usagePage(given: {
  usage: readonly DailyUsage[]
  keys: readonly OwnKey[]
  key: OwnKey | null
  now: Date
}) {
  const { usage, keys, key, now } = given
  const shown = key ? usage.filter(({ keyId }) => keyId === key.id) : usage
  const days = byDay(shown, now)
  const today = days.at(-1)
  const sum = (surface: Surface) => days.reduce((all, day) => all + day[surface], 0)
  const chart = (title: string, surface: Surface) =>
    html`<section class="card"><h2>${title}</h2>${barChart({
      title: `${title} a day`,
      bars: days.map((day) => ({ label: day.day.slice(5), value: day[surface] })),
    })}</section>`
  const used = new Set(usage.map(({ keyId }) => keyId))
  const named = keys.filter(({ id, revokedAt }) => revokedAt === null || used.has(id))
  return {
    title: 'Usage',
    body: html`<div class="flow">
<h1>Usage</h1>
<p class="lead">Calls of the last ${USAGE_DAYS} days, by day in UTC. A call is counted within a few seconds; one refused for its rate is not.</p>
${
  keys.length === 0
    ? emptyState({ title: 'Nothing to count yet', text: 'Make a key first.', action: linkButton('/dashboard', 'Keys') })
    : html`${tabs('Keys', [
        { href: '/dashboard/usage', label: 'All keys', isCurrent: key === null },
        ...named.map(({ id, name, last4 }) => ({
          href: `/dashboard/usage?key=${id}`,
          label: `${name || 'Without a name'} …${last4}`,
          isCurrent: id === key?.id,
        })),
      ])}
${summaryFigures([
  ['REST calls', number(sum('rest'))],
  ['MCP calls', number(sum('mcp'))],
  ['Calls today', number((today?.rest ?? 0) + (today?.mcp ?? 0))],
])}
${chart('REST calls', 'rest')}
${chart('MCP calls', 'mcp')}
<details><summary>The same as a table</summary>${table({
        caption: 'Calls by day',
        keepsColumns: true,
        rows: days.toReversed(),
        columns: [
          { label: 'Day', cell: ({ day }) => plainDay(day), rowHeader: true },
          { label: 'REST', cell: ({ rest }) => number(rest), kind: 'number' },
          { label: 'MCP', cell: ({ mcp }) => number(mcp), kind: 'number' },
        ],
      })}</details>`
}
</div>`,
  }
}
