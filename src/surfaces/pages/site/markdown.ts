// The operator's texts as HTML. The renderer is told to write only what pages need, and the result is still cleaned: a text may come from
// an import or from another person than the one who reads it.
import { raw } from 'hono/html'
import { marked } from 'marked'
import sanitize from 'sanitize-html'
import { MAX_TEXT } from '../../../features/site/schema.ts'
import type { Markup } from '../kit/markup.ts'

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

// A form that is shown again may hold a longer text than is stored. Quotes and lists inside each other cost the renderer a call each.
const DEEP = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))){20,}/gm
// A long run of marks is no emphasis, and the renderer would try every pair of them.
const RUNS = /([*_~])\1{9,}/g

function rendered(text: string, options: sanitize.IOptions): string {
  const bounded = text.slice(0, MAX_TEXT).replace(DEEP, '').replace(RUNS, '$1$1$1')
  try {
    return sanitize(marked.parse(bounded, { async: false, gfm: true }), options)
  } catch {
    return sanitize(bounded, { allowedTags: [] })
  }
}

export const markdown = (text: string): Markup => raw(rendered(text, OPTIONS))

/** The words alone, for search engines. */
export function plainText(text: string): string {
  const words = rendered(text, { allowedTags: [], allowedAttributes: {} })
  return words.replace(/&(amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}
