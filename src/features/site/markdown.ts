// The operator's texts as HTML: each is rendered once, in a thread with a time limit, and cached.
import { LRUCache } from 'lru-cache'
import type { Log } from '../../kernel/context.ts'
import type { CreateThreads } from '../../kernel/work/threads.ts'
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
  const render = createThreads<RenderedText>(new URL('./render-text.ts', import.meta.url), LIMITS)
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
