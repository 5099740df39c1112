// Renders the operator's Markdown texts as HTML. The result is sanitised, because a text may come from an import or from another person.
// This file runs in a thread of its own, because a text of many marks can keep the renderer busy for minutes.
import { marked } from 'marked'
import sanitize from 'sanitize-html'
import { answerMessages } from '../../kernel/work/threads.ts'
import type { RenderedText } from './current-site.ts'

const ALLOWED_HTML: sanitize.IOptions = {
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

function renderText(text: string): RenderedText {
  const words = sanitize(htmlOf(text.slice(0, SUMMARY_CHARS)), NO_TAGS)
  return {
    html: sanitize(htmlOf(text), ALLOWED_HTML),
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

answerMessages(renderText)
