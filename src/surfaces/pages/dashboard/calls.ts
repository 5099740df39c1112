// The latest calls of the user's keys.
import { LATEST_CALLS } from '../../../features/keys/account.schema.ts'
import { badge, type Tone } from '../kit/components.ts'
import { html, type Markup } from '../kit/markup.ts'
import { type TableColumn, table } from '../kit/table.ts'
import { exactTime, number } from '../kit/values.ts'
import type { OwnKey } from './keys.ts'
import type { Call } from './usage.ts'
import { operationName, SURFACE_LABELS } from './usage-bars.ts'

/** How many calls are shown at once; the page shows the others after a click. */
const SHOWN_AT_ONCE = 10

export function latestCalls(calls: readonly Call[], keys: readonly OwnKey[], key: OwnKey | null): Markup {
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
    { label: 'Took', cell: ({ ms }) => `${number(ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms))} ms` },
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
