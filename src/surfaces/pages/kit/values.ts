// How values are written on pages: times, numbers, the names of fields, and the difference of two values.
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

function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return ''
  if (Array.isArray(value)) return value.map(valueText).join('\n')
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([name, text]) => `${name}: ${valueText(text)}`)
      .join('\n')
  return String(value)
}

// In characters: of each marked text, and of the equal text before and after it.
const MOST_SHOWN = 600
const MOST_AROUND = 60

/**
 * Shows the difference between two values: the text that both begin or end with is shown once, and the text between is marked as removed or
 * added.
 */
export function difference(before: unknown, after: unknown): Markup {
  const [old, now] = [valueText(before), valueText(after)]
  const most = Math.min(old.length, now.length)
  let start = 0
  while (start < most && old[start] === now[start]) start++
  let end = 0
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end++
  // Go back to the ends of words, so that whole words are marked.
  while (start > 0 && /\S/.test(old[start - 1] ?? '')) start--
  while (end > 0 && /\S/.test(old.at(-end) ?? '')) end--
  const [removed, added] = [old.slice(start, old.length - end), now.slice(start, now.length - end)]
  const head = old.slice(0, start)
  const tail = end === 0 ? '' : old.slice(-end)
  return html`<span class="difference text" dir="auto">${head.length > MOST_AROUND ? `…${head.slice(-MOST_AROUND)}` : head}${removed && html`<del>${cut(removed)}</del>`}${removed && added && ' '}${added && html`<ins>${cut(added)}</ins>`}${tail.length > MOST_AROUND ? `${tail.slice(0, MOST_AROUND)}…` : tail}</span>`
}

const cut = (text: string): string => (text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text)
