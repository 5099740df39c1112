// Writes a page as Markdown, for programs: its content without the frame, forms and pictures that only decorate. It is made from the
// page's HTML, so both always say the same.
import { load } from 'cheerio/slim'
import type { Element, Node } from '../../../../features/enrichment/page/text.rules.ts'
import { parseUrl } from '../../../../kernel/addresses/web-address.ts'
import { qualitiesIn } from '../../../http/answers/compression.ts'
import type { Page } from './document.ts'

export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8'

/** Whether the client names text/markdown and ranks it at least as high as HTML. No browser names it. */
export function prefersMarkdown(accept: string | undefined): boolean {
  const qualities = qualitiesIn(accept ?? '')
  const quality = qualities.get('text/markdown') ?? 0
  return quality > 0 && quality >= (qualities.get('text/html') ?? 0)
}

/** The body of a page as Markdown. `origin`: the address of the site, with which links become complete. */
export const pageMarkdown = ({ body }: Pick<Page, 'body'>, origin: string): string =>
  `${blocksOf(load(String(body)).root().contents().toArray(), origin).join('\n\n')}\n`

// Elements and classes that are left out: controls, filters, drawings, and texts that the page hides or repeats, such as the labels in the
// cells of a table, which only narrow screens show. Menus are left out by `isLeftOut`, except the links to other pages of a list.
const LEFT_OUT = new Set(
  'button fieldset input label meter option progress script select style svg template textarea'.split(' '),
)
const LEFT_OUT_CLASS = /\b(?:facets|lab|listbar|rank|share|source|tray|viewer|words)\b/
const BLOCKS = new Set(
  'article aside blockquote caption details div dl figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p pre section summary table ul'.split(
    ' ',
  ),
)

const isElement = (node: Node): node is Element => 'attribs' in node

const isLeftOut = (node: Node): boolean =>
  isElement(node) &&
  (LEFT_OUT.has(node.name) ||
    (node.name === 'nav' && node.attribs.class !== 'pager') ||
    'hidden' in node.attribs ||
    node.attribs['aria-hidden'] === 'true' ||
    LEFT_OUT_CLASS.test(node.attribs.class ?? ''))

const shownIn = (nodes: readonly Node[]): Node[] => nodes.filter((node) => !isLeftOut(node))
const isBlock = (node: Node): boolean => isElement(node) && BLOCKS.has(node.name)
const elementsIn = ({ children }: Element): Element[] => shownIn(children).filter(isElement)

/** The nodes as blocks of Markdown: paragraphs, lists, tables. Inline nodes between two blocks become one paragraph. */
function blocksOf(nodes: readonly Node[], origin: string): string[] {
  const blocks: string[] = []
  let line: Node[] = []
  const endLine = () => {
    blocks.push(paragraph(inline(line, origin)))
    line = []
  }
  for (const node of shownIn(nodes)) {
    if (isElement(node) && isBlock(node)) {
      endLine()
      blocks.push(...block(node, origin))
    } else line.push(node)
  }
  endLine()
  return blocks.filter(Boolean)
}

function block(element: Element, origin: string): string[] {
  const { name, children } = element
  if (/^h[1-6]$/.test(name)) {
    const title = inline(children, origin)
    return title ? [`${'#'.repeat(Number(name[1]))} ${title}`] : []
  }
  if (name === 'hr') return ['---']
  if (name === 'pre') return [fenced(textOf(children))]
  if (name === 'summary') return [`**${inline(children, origin)}**`]
  if (name === 'ul' || name === 'ol') return [list(element, origin)]
  if (name === 'dl') return [definitions(element, origin)]
  if (name === 'table') return [table(element, origin)]
  const blocks = blocksOf(children, origin)
  return name === 'blockquote' ? blocks.map((text) => text.replace(/^/gm, '> ')) : blocks
}

function list(element: Element, origin: string): string {
  const mark = element.name === 'ol' ? (at: number) => `${at + 1}. ` : () => '- '
  const items = elementsIn(element).map(({ children }) => paragraph(inOneLine(children, origin)))
  return items
    .filter(Boolean)
    .map((item, at) => mark(at) + item)
    .join('\n')
}

const definitions = (element: Element, origin: string): string =>
  elementsIn(element)
    .flatMap((child) => (child.name === 'div' ? elementsIn(child) : [child]))
    .map(({ name, children }) =>
      name === 'dt' ? `\n- **${inline(children, origin)}**:` : ` ${inOneLine(children, origin)}`,
    )
    .join('')
    .trim()

function table(element: Element, origin: string): string {
  const rows = elementsIn(element)
    .flatMap((child) => (child.name === 'tr' ? [child] : elementsIn(child).filter(({ name }) => name === 'tr')))
    .map((row) => elementsIn(row).map(({ children }) => inOneLine(children, origin)))
  const [head = []] = rows
  // A | in a cell must be escaped. In texts `escaped` has done that already; in code it has not.
  const written = rows.map((cells) => `| ${cells.map((cell) => cell.replace(/(?<!\\)\|/g, '\\|')).join(' | ')} |`)
  return [written[0], `|${head.map(() => '---|').join('')}`, ...written.slice(1)].join('\n')
}

/** The content of a list item or a table cell in one line. Its blocks, and the items of a list in it, have dots between them. */
function inOneLine(nodes: readonly Node[], origin: string): string {
  const parts: string[] = []
  let line: Node[] = []
  const endLine = () => {
    parts.push(inline(line, origin))
    line = []
  }
  for (const node of shownIn(nodes)) {
    const isPart = isElement(node) && (isBlock(node) || node.name === 'li' || node.name === 'dt' || node.name === 'dd')
    if (!isPart) {
      line.push(node)
      continue
    }
    endLine()
    parts.push(inOneLine(node.children, origin))
  }
  endLine()
  return parts.filter(Boolean).join(' · ')
}

/** Inline nodes as one line. Two elements side by side have a gap on the page, so they get a blank between them. */
const inline = (nodes: readonly Node[], origin: string): string =>
  shownIn(nodes)
    .map((node, at, all) => {
      const before = all[at - 1]
      return (before && isElement(before) && isElement(node) ? ' ' : '') + inlineOne(node, origin)
    })
    .join('')
    .replace(/\s+/g, ' ')
    .trim()

function inlineOne(node: Node, origin: string): string {
  if (node.type === 'text') return escaped(node.data)
  if (!isElement(node)) return ''
  const { name, attribs, children } = node
  if (name === 'br') return ' '
  if (name === 'code') return codeSpan(textOf(children))
  if (name === 'img') {
    const source = completeAddress(attribs.src, origin)
    return attribs.alt && source ? `![${escaped(attribs.alt)}](${source})` : ''
  }
  const text = inline(children, origin)
  if (text === '') return ''
  if (name === 'strong' || name === 'b') return `**${text}**`
  if (name === 'a' && attribs.href?.startsWith('#')) return ''
  const target = name === 'a' ? completeAddress(attribs.href, origin) : null
  if (target) return `[${attribs['aria-label'] ? escaped(attribs['aria-label']) : text}](${target})`
  // Blanks at the ends of an element separate words: "<span>from </span>5".
  const [first, last] = [children[0], children.at(-1)]
  const blank = (at: Node | undefined, pattern: RegExp) => (at?.type === 'text' && pattern.test(at.data) ? ' ' : '')
  return blank(first, /^\s/) + text + blank(last, /\s$/)
}

/** The complete address of a link; null if programs must not follow it, such as `javascript:`. Characters that end a link are encoded. */
function completeAddress(address: string | undefined, origin: string): string | null {
  const url = address ? parseUrl(address, `${origin}/`) : null
  if (!url || !['http:', 'https:', 'mailto:'].includes(url.protocol)) return null
  return url.href.replace(/[()<>\\]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}

const textOf = (nodes: readonly Node[]): string =>
  nodes
    .map((node) =>
      node.type === 'text' ? node.data : isElement(node) && !isLeftOut(node) ? textOf(node.children) : '',
    )
    .join('')

/** Escapes the characters that mean something in Markdown, so that a listing's text cannot become a link, a heading, HTML or code. */
const escaped = (text: string): string => text.replace(/[\\`*_[\]<>#|~&!]/g, '\\$&')

/** Escapes the beginning of a paragraph that would make it a list item or a heading: "- one", "1. one", "===". */
const paragraph = (text: string): string => text.replace(/^(?=[-+=])|^(\d{1,9})(?=[.)](?:\s|$))/, '$1\\')

/** The length of the longest run of backquotes in a text; the marks around code must be longer. */
const longestRun = (text: string): number => Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length))

function codeSpan(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const marks = '`'.repeat(longestRun(line) + 1)
  const blank = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return line && marks + blank + line + blank + marks
}

function fenced(text: string): string {
  const marks = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${marks}\n${text.replace(/\n$/, '')}\n${marks}`
}
