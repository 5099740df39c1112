// Text of a page as plain text: one line, bounded, nothing in it that a reader cannot see.
import type { CheerioAPI } from 'cheerio'

export type Node = ReturnType<CheerioAPI['root']>[number]['children'][number]
export type Element = Extract<Node, { attribs: object }>

// Control characters, and those that turn around or hide what stands next to them. Joiners stay: scripts and emoji need them.
const UNSEEN = /[\p{Cc}\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]/gu

/** At most `length` characters (code points), on one line. */
export function plain(text: string, length: number): string {
  // The rough cut first, because texts can be long; it may split a character, which `toWellFormed` mends.
  const line = text
    .slice(0, length * 8)
    .toWellFormed()
    .replace(/\s+/gu, ' ')
    .replace(UNSEEN, '')
    .replace(/ {2,}/g, ' ')
    .trim()
  const characters = [...line]
  if (characters.length <= length) return line
  const cut = characters.slice(0, length - 1).join('')
  return `${cut.trimEnd()}…`
}

const SILENT = new Set(['script', 'style', 'template', 'noscript', 'svg', 'iframe', 'object', 'select', 'textarea'])
const INLINE = new Set(
  'a abbr b bdi bdo cite code data em font i kbd mark q s samp small span strong sub sup time u var wbr'.split(' '),
)

/** What a reader would see of these nodes. Walks without recursion and stops early: pages can be deep and long. */
export function textOf(
  nodes: readonly Node[],
  length: number,
  isLeftOut: (node: Node) => boolean = () => false,
): string {
  let text = ''
  const waiting: (Node | string)[] = [...nodes].reverse()
  // White space does not count towards the length, but must not grow without bound either.
  while (waiting.length > 0 && text.length < length * 8) {
    const node = waiting.pop()!
    if (typeof node === 'string') text += node
    else if (node.type === 'text') text += node.data
    else if ('children' in node && 'name' in node && !SILENT.has(node.name) && !isLeftOut(node)) {
      const gap = INLINE.has(node.name) ? '' : ' '
      waiting.push(gap)
      for (let child = node.lastChild; child; child = child.prev) waiting.push(child as Node)
      waiting.push(gap)
    }
  }
  return plain(text, length)
}

/** Texts in JSON-LD may contain markup. */
export const withoutMarkup = (text: string): string =>
  text
    .replace(/<(script|style)\b[^>]{0,1000}>[\s\S]{0,100000}?<\/\1>/gi, ' ')
    .replace(/<\/?([a-z!][a-z0-9-]*)[^>]{0,2000}>/gi, (_, name: string) => (INLINE.has(name.toLowerCase()) ? '' : ' '))
    .replace(/&(amp|lt|gt|quot|apos|nbsp|#39|#x27);/gi, (_, name: string) => ENTITIES[name.toLowerCase()]!)

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

const EMAIL = /[^\s@<>()[\]{},;:"']{1,64}@[^\s@<>()[\]{},;:"']{1,255}\.[^\s@<>()[\]{},;:"'.]{2,63}/gu

/** For a language model: it has no use for anybody's address. */
export const withoutEmails = (text: string): string => text.replace(EMAIL, '[e-mail]')

/** The same value with every text in it changed, the names in objects too. Never do this to JSON: a text may look like a part of it. */
export function mapTexts<T>(value: T, change: (text: string) => string): T {
  const mapped = (one: unknown): unknown => {
    if (typeof one === 'string') return change(one)
    if (Array.isArray(one)) return one.map(mapped)
    if (typeof one !== 'object' || one === null) return one
    return Object.fromEntries(Object.entries(one).map(([name, item]) => [change(name), mapped(item)]))
  }
  return mapped(value) as T
}

/** The founder's address is private even where the site itself shows it. */
export const withoutAddress = (text: string, email: string | null): string =>
  email ? text.replace(new RegExp(RegExp.escape(email), 'gi'), '[e-mail]') : text

const QUESTION_MARK = /[?？؟;՞]\s*$/u
export const isQuestion = (text: string): boolean => QUESTION_MARK.test(text) && text.length > 5
