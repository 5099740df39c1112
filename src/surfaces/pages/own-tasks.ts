// What only the founder can do, in the report and in the dashboard of the partner.
import type { Waiting } from '../../features/submissions/waiting.rules.ts'
import { sectionHead } from './kit/components.ts'
import { html, type Markup } from './kit/markup.ts'

/** null when no directory waits for the founder. */
export function ownTasks(rows: readonly Waiting[]): Markup | null {
  const tasks = rows.filter(({ waitingFor }) => waitingFor === 'founder')
  if (tasks.length === 0) return null
  return html`<section class="flow" aria-label="What only you can do">${sectionHead('What only you can do')}
<ul class="listed">${tasks.map(({ action }) => html`<li><bdi>${action}</bdi></li>\n`)}</ul></section>`
}
