// Turns the text of a page into plain text: one line, of limited length, without invisible characters.
import type { CheerioAPI } from 'cheerio'
import { withoutInvisible } from '../../../kernel/checks/invisible.ts'

export type Node = ReturnType<CheerioAPI['root']>[number]['children'][number]
export type Element = Extract<Node, { attribs: object }>

/** At most `length` characters (code points), on one line. */
export function plainLine(text: string, length: number): string {
  // Texts can be long, so most is cut off first. That may split a character, which `toWellFormed` replaces.
  const start = text
    .slice(0, length * 8)
    .toWellFormed()
    .replace(/\s+/gu, ' ')
    .replace(/\p{Cc}/gu, '')
  const line = withoutInvisible(start).replace(/ {2,}/g, ' ').trim()
  const characters = [...line]
  if (characters.length <= length) return line
  const cut = characters.slice(0, length - 1).join('')
  return `${cut.trimEnd()}…`
}

const ELEMENTS_WITHOUT_TEXT = new Set('script style template noscript svg iframe object select textarea'.split(' '))
/** Elements that do not separate the words around them. */
const INLINE_ELEMENTS = new Set(
  'a abbr b bdi bdo cite code data em font i kbd mark q s samp small span strong sub sup time u var wbr'.split(' '),
)

/** The visible text of the nodes. It uses no recursion and stops early, because pages can be deep and long. */
export function visibleText(
  nodes: readonly Node[],
  length: number,
  isSkipped: (node: Node) => boolean = () => false,
): string {
  let text = ''
  const unread: (Node | string)[] = [...nodes].reverse()
  // White space does not count towards `length`, so the text collected here may be longer, but it must have a limit.
  for (let node = unread.pop(); node !== undefined && text.length < length * 8; node = unread.pop()) {
    if (typeof node === 'string') text += node
    else if (node.type === 'text') text += node.data
    else if ('children' in node && 'name' in node && !ELEMENTS_WITHOUT_TEXT.has(node.name) && !isSkipped(node)) {
      const gap = INLINE_ELEMENTS.has(node.name) ? '' : ' '
      unread.push(gap)
      for (let child = node.lastChild; child; child = child.prev) unread.push(child as Node)
      unread.push(gap)
    }
  }
  return plainLine(text, length)
}

const TAG = /<\/?([a-z!][a-z0-9-]*)/iy
const MAX_TAG_LENGTH = 2_000

/**
 * Removes markup, which texts in JSON-LD and answers of language models may contain. It reads the text once from left to right: a search
 * for the end of each tag from the start would take quadratic time.
 */
export function withoutMarkup(text: string): string {
  const pieces: string[] = []
  const ends = { script: createSearch(text, /<\/script>/gi), style: createSearch(text, /<\/style>/gi) }
  const closing = createSearch(text, />/g)
  let at = 0
  for (let open = text.indexOf('<'); open !== -1; open = text.indexOf('<', Math.max(at, open + 1))) {
    TAG.lastIndex = open
    const name = TAG.exec(text)?.[1]?.toLowerCase()
    const close = name === undefined ? null : closing(open)
    if (name === undefined || close === null || close.index - open > MAX_TAG_LENGTH) continue
    pieces.push(text.slice(at, open), INLINE_ELEMENTS.has(name) ? '' : ' ')
    at = close.end
    // The content of these elements is code, so it is skipped.
    const isElement = (name === 'script' || name === 'style') && text[open + 1] !== '/'
    if (isElement) at = ends[name](at)?.end ?? at
  }
  return [...pieces, text.slice(at)]
    .join('')
    .replace(
      /&(amp|lt|gt|quot|apos|nbsp|#39|#x27);/gi,
      (written, name: string) => ENTITIES[name.toLowerCase()] ?? written,
    )
}

interface Place {
  index: number
  end: number
}

/** Finds the first match at or after a position. Calls with rising positions walk through the text only once. */
function createSearch(text: string, pattern: RegExp): (from: number) => Place | null {
  let found: Place | null = { index: -1, end: 0 }
  return (from) => {
    if (found === null || found.index >= from) return found
    pattern.lastIndex = from
    const match = pattern.exec(text)
    found = match && { index: match.index, end: match.index + match[0].length }
    return found
  }
}

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  '#39': "'",
  '#x27': "'",
}

const ADDRESS_PART = /[^\s@<>()[\]{},;:"']/u
const AFTER_SIGN = /[^\s@<>()[\]{},;:"']{1,320}/uy
const MAX_BEFORE_SIGN = 64
const MAX_AFTER_SIGN = 255

/** Removes e-mail addresses, which a language model does not need. It reads only around each @, so that it takes linear time. */
export function withoutEmails(text: string): string {
  const pieces: string[] = []
  let from = 0
  for (let sign = text.indexOf('@'); sign !== -1; sign = text.indexOf('@', sign + 1)) {
    let start = sign
    while (start > from && sign - start < MAX_BEFORE_SIGN && ADDRESS_PART.test(text.charAt(start - 1))) start--
    AFTER_SIGN.lastIndex = sign + 1
    const domain = domainIn(AFTER_SIGN.exec(text)?.[0] ?? '')
    if (start === sign || domain === '') continue
    pieces.push(text.slice(from, start), '[e-mail]')
    from = sign + 1 + domain.length
  }
  return [...pieces, text.slice(from)].join('')
}

/** The longest beginning of the text that ends in a top-level domain of two characters or more. */
function domainIn(text: string): string {
  const parts = text.split('.')
  for (let last = parts.length - 1; last > 0; last--) {
    const before = parts.slice(0, last).join('.')
    const top = parts[last] ?? ''
    if (before.length >= 1 && before.length <= MAX_AFTER_SIGN && top.length >= 2) return `${before}.${top.slice(0, 63)}`
  }
  return ''
}

/** Changes every text in a value, also the names in objects. To change the JSON of the value is wrong: a text may contain JSON syntax. */
export function mapTexts<T>(value: T, change: (text: string) => string): T {
  const mapped = (one: unknown): unknown => {
    if (typeof one === 'string') return change(one)
    if (Array.isArray(one)) return one.map(mapped)
    if (typeof one !== 'object' || one === null) return one
    return Object.fromEntries(Object.entries(one).map(([name, item]) => [change(name), mapped(item)]))
  }
  return mapped(value) as T
}

/** The founder's e-mail address is private even if the site itself shows it. */
export const withoutFounderEmail = (text: string, email: string | null): string =>
  email ? text.replace(new RegExp(RegExp.escape(email), 'gi'), '[e-mail]') : text

// The question marks of several scripts: Latin, full-width, Arabic, Greek and Armenian.
const QUESTION_MARK = /[?？؟;՞]\s*$/u
export const isQuestion = (text: string): boolean => QUESTION_MARK.test(text) && text.length > 5
