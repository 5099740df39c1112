// Search queries as people type them, made from the same words as the listings.
import { categorySlugs, pick, type Random, randomFrom, tagSlug, zipfWord } from './catalog.ts'

/** The most frequent query: two words that many listings contain. */
export const HOT = 'email assistant'
/** The same search over REST and as an MCP message. */
export const HOT_PATH = `/api/v1/tools?${new URLSearchParams({ q: HOT, limit: '20' })}`
export const HOT_CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'search_tools', arguments: { q: HOT, limit: 20 } },
}
export const LIST_MESSAGE = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
export const MCP_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** Queries that all compared search engines understand: whole words, spelled correctly, from very common to rare. */
export const PLAIN_QUERIES: readonly string[] = [
  ...['ai', 'data', 'video', 'design', 'email', 'meeting notes', 'free image', 'team data', 'customer support chat'],
  ...[
    'marketing automation',
    'easy video editor',
    'social media content',
    'code developer api',
    'write email',
    'podcast',
  ],
  ...['summary transcript', 'invoice finance', 'legal contract review', 'travel hotel', 'novel story character'],
  ...['resume job interview', 'landing page builder', 'newsletter campaign', 'crm pipeline', 'voice avatar'],
  ...['spreadsheet chart', 'privacy security', 'fitness recipe', 'prompt training dataset', 'animation'],
]

/** Query strings, each different: one to three words, some cut short, some misspelt, with filters and pages. */
export function* variedSearches(seed: number): Generator<string> {
  const random = randomFrom(seed)
  const sent = new Set<string>()
  for (;;) {
    const search = variedSearch(random)
    if (sent.has(search)) continue
    sent.add(search)
    yield search
  }
}

function variedSearch(random: Random): string {
  const words = Array.from({ length: 1 + Math.floor(random() * 3) }, () => zipfWord(random))
  const last = words.length - 1
  if (random() < 0.3) words[last] = words[last]!.slice(0, Math.max(2, Math.ceil(words[last]!.length * 0.6)))
  if (random() < 0.1) words[last] = misspelt(random, words[last]!)
  const parameters = new URLSearchParams({ q: words.join(' ') })
  if (random() < 0.2) parameters.set('category', pick(random, categorySlugs()))
  if (random() < 0.15) parameters.set('tag', tagSlug(Math.floor(random() * 50)))
  if (random() < 0.2) parameters.set('pricing', pick(random, ['free', 'freemium', 'paid']))
  if (random() < 0.05) parameters.set('featured', 'true')
  if (random() < 0.3) parameters.set('page', String(2 + Math.floor(random() * 8)))
  parameters.set('limit', String(10 + Math.floor(random() * 41)))
  return parameters.toString()
}

function misspelt(random: Random, word: string): string {
  const at = 1 + Math.floor(random() * Math.max(1, word.length - 2))
  const way = random()
  if (way < 0.35) return word.slice(0, at) + word.slice(at + 1)
  if (way < 0.7) return `${word.slice(0, at)}${word.charAt(at + 1)}${word.charAt(at)}${word.slice(at + 2)}`
  return `${word.slice(0, at)}q${word.slice(at)}`
}
