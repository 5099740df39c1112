// The operator's texts as HTML: each is rendered once, in a thread with a time limit, and cached.

import { LRUCache } from 'lru-cache'
import { marked } from 'marked'
import sanitize from 'sanitize-html'
import type { Log } from '../../kernel/context.ts'
import type { CreateThreads } from '../../kernel/threads.ts'
import { MOST_COLLECTIONS } from './collections.schema.ts'
import { MAX_TEXT, TEXT_PAGES } from './schema.ts'

/** A text as HTML, and its first words alone, for search engines and cards. */
export interface RenderedText {
  html: string
  summary: string
}

// Rendering the longest ordinary text takes a twentieth of a second.
const LIMITS = { atOnce: 1, timeoutMs: 2_000 }
// Room for every text of the site, and for as many previews.
const MAX_CACHED = 2 * (MOST_COLLECTIONS + Object.keys(TEXT_PAGES).length)
// A failure is cached only this long: the thread may have lacked memory.
const FAILURE_MS = 60_000

/** The returned function never fails: a text that takes too long to render is shown with its Markdown marks. */
export function createMarkdown(createThreads: CreateThreads, log: Pick<Log, 'warn'>) {
  const render = createThreads<RenderedText>(new URL('./markdown-thread.ts', import.meta.url), LIMITS)
  const cache = new LRUCache<string, Promise<RenderedText>>({ max: MAX_CACHED })
  return (given: string): Promise<RenderedText> => {
    // A form that is shown again may hold a longer text than is stored.
    const text = given.slice(0, MAX_TEXT)
    const cached = cache.get(text)
    if (cached) return cached
    const rendered = render(text).catch((error) => {
      log.warn(
        { err: error, text: text.slice(0, 100) },
        'a text of the site could not be rendered and is shown as it is',
      )
      setTimeout(() => cache.delete(text), FAILURE_MS).unref()
      return plainText(text)
    })
    cache.set(text, rendered)
    return rendered
  }
}

/** A text that could not be rendered, in paragraphs and with its Markdown marks. */
export const plainText = (text: string): RenderedText => ({
  html: text
    .split(/\n\s*\n/)
    .map((paragraph) => `<p>${paragraph.replace(/[&<>]/g, (mark) => ESCAPES[mark] ?? '')}</p>`)
    .join('\n'),
  summary: text,
})

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

// Renders the operator's Markdown texts as HTML. The result is sanitised, because a text may come from an import or from another person.
// It runs in a thread (`markdown-thread.ts`), because a text of many marks can keep the renderer busy for minutes.

const OPTIONS: sanitize.IOptions = {
  allowedTags: [
    ...['h2', 'h3', 'p', 'ul', 'ol', 'li', 'strong', 'em', 'code', 'pre', 'blockquote', 'a', 'br', 'hr'],
    ...['table', 'thead', 'tbody', 'tr', 'th', 'td', 'del'],
  ],
  allowedAttributes: { a: ['href', 'rel'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  transformTags: {
    // The page has its own h1.
    h1: 'h2',
    h4: 'h3',
    h5: 'h3',
    h6: 'h3',
    // A link to an address that is not allowed becomes plain text.
    a: (_name, { href = '' }): sanitize.Tag =>
      /^(https?:\/\/|mailto:|\/(?!\/)|#)/i.test(href)
        ? { tagName: 'a', attribs: { href, rel: 'nofollow noopener' } }
        : { tagName: 'span', attribs: {} },
  },
}
// More than any place shows of a summary.
const SUMMARY_CHARS = 1000
const NO_TAGS: sanitize.IOptions = { allowedTags: [], allowedAttributes: {} }

export function renderText(text: string): RenderedText {
  const words = sanitize(htmlOf(text.slice(0, SUMMARY_CHARS)), NO_TAGS)
  return {
    html: sanitize(htmlOf(text), OPTIONS),
    summary: words.replace(/&(amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity),
  }
}

// Quotes and lists inside each other: the renderer calls itself for each level.
const DEEP_NESTING = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))){20,}/gm
// A long run of marks is no emphasis, and the renderer would try every pair of them.
const LONG_RUNS = /([*_~])\1{9,}/g

const htmlOf = (text: string): string =>
  marked.parse(text.replace(DEEP_NESTING, '').replace(LONG_RUNS, '$1$1$1'), { async: false, gfm: true })

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}
