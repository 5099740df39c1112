// How times and numbers are written on pages.
import { html, type Markup } from './markup.ts'

/** To the minute, in UTC like all times of the service. */
export function time(at: string | Date | null): Markup | null {
  if (at === null) return null
  const iso = new Date(at).toISOString()
  return html`<time datetime="${iso}" title="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)}</time>`
}

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
export const number = (value: number): string => numbers.format(value)
