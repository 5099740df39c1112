// The operator's texts as HTML: each is rendered once, in a thread with a limit, and kept.
import { LRUCache } from 'lru-cache'
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
// Every text of the site, and as many that are only previewed.
const MOST_KEPT = 2 * (MOST_COLLECTIONS + Object.keys(TEXT_PAGES).length)
// A failure for lack of memory may not come again.
const FAILURE_MS = 60_000

/** The result never fails: a text that takes too long to render is shown with its marks. */
export function createMarkdown(createThreads: CreateThreads, log: Pick<Log, 'warn'>) {
  const render = createThreads<RenderedText>(new URL('./markdown-thread.ts', import.meta.url), LIMITS)
  const kept = new LRUCache<string, Promise<RenderedText>>({ max: MOST_KEPT })
  return (given: string): Promise<RenderedText> => {
    // A form that is shown again may hold a longer text than is stored.
    const text = given.slice(0, MAX_TEXT)
    const known = kept.get(text)
    if (known) return known
    const rendered = render(text).catch((error) => {
      log.warn(
        { err: error, text: text.slice(0, 100) },
        'a text of the site could not be rendered and is shown as it is',
      )
      setTimeout(() => kept.delete(text), FAILURE_MS).unref()
      return plainText(text)
    })
    kept.set(text, rendered)
    return rendered
  }
}

/** A text that could not be rendered, in its paragraphs and with its marks. */
export const plainText = (text: string): RenderedText => ({
  html: text
    .split(/\n\s*\n/)
    .map((paragraph) => `<p>${paragraph.replace(/[&<>]/g, (mark) => MARKS[mark] ?? '')}</p>`)
    .join('\n'),
  summary: text,
})

const MARKS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
