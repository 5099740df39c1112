// Shows the difference between two values: the text that both begin or end with is shown once, and the text between is marked as removed
// or added.
import { html, type Markup } from './markup.ts'

/** A value of a listing as text. */
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
