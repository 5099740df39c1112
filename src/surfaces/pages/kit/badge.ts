import { PLAN_LABELS } from '../../../features/accounts/schema.ts'
import { capitalised } from '../../../kernel/text.ts'
import { html, type Markup } from './markup.ts'

export type Tone = 'plain' | 'accent' | 'good' | 'notice' | 'danger' | 'marker'

/** A state or a property in one word. The colour adds nothing that the word does not say, for visitors who cannot tell colours apart. */
export const badge = (text: string, tone: Tone = 'plain'): Markup =>
  html`<span class="${tone === 'plain' ? 'badge' : `badge ${tone}`}">${text}</span>`

/** The plan of a user or a key, in the same words everywhere. */
export const planBadge = (plan: string): Markup =>
  badge(LABELS[plan] ?? capitalised(plan), plan === 'premium' ? 'accent' : 'plain')
const LABELS: Readonly<Record<string, string>> = PLAN_LABELS

/** A badge and the reason for a row whose stored values break a rule; null for all other rows. */
export function brokenRowBadge(row: unknown): Markup | null {
  const { broken } = (row ?? {}) as { broken?: string }
  return broken ? html`<br>${badge('Broken', 'danger')} <span class="note">${broken}</span>` : null
}
