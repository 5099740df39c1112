// How times, numbers and the names of fields are written on pages.
import { html, type Markup } from './markup.ts'

/** A time to the minute, in UTC. The script rewrites it in the reader's time zone, which only the browser knows. */
export function time(at: string | Date | null): Markup | null {
  if (at === null) return null
  const iso = new Date(at).toISOString()
  return html`<time datetime="${iso}" title="${iso}" data-zoned>${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`
}

/** A time to the second, in UTC, for readers who compare it with a log. */
export function exactTime(at: string | Date): Markup {
  const iso = new Date(at).toISOString()
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`
}

/** Only the day of a time, such as 2026-03-01, for lists where the minute does not matter. */
export function day(at: string | Date): Markup {
  const iso = new Date(at).toISOString()
  return html`<time datetime="${iso}" title="${iso}">${iso.slice(0, 10)}</time>`
}

const UNITS = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const
const relativeTimes = {
  long: new Intl.RelativeTimeFormat('en', { numeric: 'auto' }),
  narrow: new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' }),
}
/** The distance from now: "3 days ago", "in 2 hours"; narrow: "3d ago". Not for pages that are cached, on which it would become wrong. */
export function ago(at: string | Date, style?: keyof typeof relativeTimes): Markup
export function ago(at: string | Date | null): Markup | null
export function ago(at: string | Date | null, style: keyof typeof relativeTimes = 'long'): Markup | null {
  if (at === null) return null
  const iso = new Date(at).toISOString()
  const seconds = (new Date(at).getTime() - Date.now()) / 1_000
  const [unit, length] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? UNITS[4]
  return html`<time datetime="${iso}" title="${iso}">${relativeTimes[style].format(Math.trunc(seconds / length), unit)}</time>`
}

/** A day that is stored as text, such as 2026-03-01. */
export const plainDay = (text: string): Markup => html`<time datetime="${text}">${text}</time>`

const dates = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
/** A day in words, such as 1 March 2026, for visitors of the site. */
export function date(at: string | Date | null): Markup | null {
  if (at === null) return null
  const value = new Date(at)
  return html`<time datetime="${value.toISOString()}">${dates.format(value)}</time>`
}

const shortDays = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
/** A day that is stored as text, without its year: 1 Mar. */
export const shortDay = (text: string): string => shortDays.format(new Date(text))

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
/** A number with separators: 1,234.5 */
export const number = (value: number): string => numbers.format(value)

/** A number with its noun: 1 tool, 12 tools. */
export const amount = (count: number, one: string, many: string): string =>
  `${number(count)} ${count === 1 ? one : many}`

export { money } from '../../../kernel/values/text.ts'

const compactNumbers = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
/** A large number in short, such as 250K. */
export const compactNumber = (value: number): string => compactNumbers.format(value)

/** A host that may be broken before its dots, and nowhere else while it fits. */
export const brokenAtDots = (host: string): Markup[] =>
  host.split('.').map((part, at) => html`${at > 0 && html`<wbr>.`}${part}`)

/** A label for a value of a closed list that has no labels of its own: `FREEMIUM` becomes Freemium, `open-source` becomes Open-source. */
export const valueLabel = (value: string): string => {
  const words = value === value.toUpperCase() ? value.toLowerCase() : value
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A label for a field that has none of its own: `launchYear` becomes Launch year. */
export const fieldLabel = (name: string): string => {
  if (name === 'q') return 'Search'
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
