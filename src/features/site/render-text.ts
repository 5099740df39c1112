// The operator's texts as HTML. The renderer is told to write only what pages need, and the result is still cleaned: a text may come from
// an import or from another person than the one who reads it. It runs in a thread (`markdown-thread.ts`), because a text of many marks can
// keep the renderer busy for minutes.
import { marked } from 'marked'
import sanitize from 'sanitize-html'
import type { RenderedText } from './markdown.ts'

const OPTIONS: sanitize.IOptions = {
  allowedTags: [
    ...['h2', 'h3', 'p', 'ul', 'ol', 'li', 'strong', 'em', 'code', 'pre', 'blockquote', 'a', 'br', 'hr'],
    ...['table', 'thead', 'tbody', 'tr', 'th', 'td', 'del'],
  ],
  allowedAttributes: { a: ['href', 'rel'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  transformTags: {
    // The page has its heading already.
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
// More than any place shows of it.
const SUMMARISED = 1000
const WORDS: sanitize.IOptions = { allowedTags: [], allowedAttributes: {} }

export function renderText(text: string): RenderedText {
  const words = sanitize(htmlOf(text.slice(0, SUMMARISED)), WORDS)
  return {
    html: sanitize(htmlOf(text), OPTIONS),
    summary: words.replace(/&(amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity),
  }
}

// Quotes and lists inside each other cost the renderer a call each.
const DEEP = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))){20,}/gm
// A long run of marks is no emphasis, and the renderer would try every pair of them.
const RUNS = /([*_~])\1{9,}/g

const htmlOf = (text: string): string =>
  marked.parse(text.replace(DEEP, '').replace(RUNS, '$1$1$1'), { async: false, gfm: true })

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}
