import { html, type Markup } from './markup.ts'

export type Tone = 'plain' | 'accent' | 'good' | 'notice' | 'danger'

/** A state or a property in a word. The word says it all; the colour only helps. */
export const badge = (text: string, tone: Tone = 'plain'): Markup =>
  html`<span class="${tone === 'plain' ? 'badge' : `badge ${tone}`}">${text}</span>`

/** Of a row that is not stored as it must be: that, and why; nothing of any other. */
export function brokenMark(row: unknown): Markup | null {
  const { broken } = (row ?? {}) as { broken?: string }
  return broken ? html`<br>${badge('Broken', 'danger')} <span class="note">${broken}</span>` : null
}
