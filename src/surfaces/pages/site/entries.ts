// Shows a listing as an entry of a list, a card or a line. Only its name is a link; the stylesheet stretches the link over the whole entry.
import { isNew } from '../../../features/catalog/rules.ts'
import { type Directory, PRICING_LABELS, type Tool } from '../../../features/catalog/schema.ts'
import { pictureAddress } from '../addresses.ts'
import { linkButton } from '../kit/button.ts'
import { badge, tile } from '../kit/components.ts'
import { icon } from '../kit/icon.ts'
import { meter } from '../kit/lists/chart.ts'
import { html, isFilled, type Markup, oneLine } from '../kit/markup.ts'
import { compactNumber, number } from '../kit/values.ts'
import { categoryMark, cover } from './lists/category-looks.ts'
import { type MatchReason, marked, quoteBeside, quoteLine, reasonLine } from './search/reasons.ts'

// Characters; they fill two lines on a wide screen. The page of the listing shows the whole text.
const TEXT_LENGTH = 160
const ROW_LENGTH = 72

/** The line that says what a tool is: its tagline, or the description if it begins with a tagline that an import has cut inside a word. */
export function lineOf({ tagline, description }: Tool): string {
  const isCut =
    /[\p{L}\p{N}]$/u.test(tagline) &&
    description.startsWith(tagline) &&
    /^[\p{L}\p{N}]/u.test(description.slice(tagline.length, tagline.length + 2))
  return isCut ? description : tagline || description
}

/** The description without its beginning, if that is the line of the tool or a sentence with it. */
function furtherText(tool: Tool): string {
  const line = lineOf(tool)
  const text = tool.description.startsWith(line) ? tool.description.slice(line.length) : tool.description
  const [first = ''] = /^[^.!?]*[.!?](?=\s|$)/.exec(text.slice(0, 2 * TEXT_LENGTH)) ?? []
  return first.toLowerCase().includes(line.toLowerCase()) || first.length === 1 ? text.slice(first.length) : text
}

/** Attributes of an element to which the script adds the button that puts the listing on the shortlist. */
export const shortlistAttributes = (
  kind: 'tools' | 'directories',
  { slug, name }: { slug: string; name: string },
): Markup => html`data-keep="${kind}/${slug}" data-name="${oneLine(name, 60)}"`

/** Whether one of the tools has a picture. Otherwise covers would all be drawn, and show nothing about the tools. */
export const havePictures = (tools: readonly Tool[]): boolean =>
  tools.some(({ frame }) => pictureAddress(frame) !== null)

export const toolCover = (tool: Tool): Markup =>
  cover(pictureAddress(tool.frame), { name: tool.name, category: tool.category?.slug ?? '' })

export const pricingBadge = ({ pricing }: Tool): Markup =>
  badge(PRICING_LABELS[pricing], pricing === 'PAID' ? 'notice' : pricing === 'FREE' ? 'good' : 'accent')

export const costBadge = ({ cost }: Directory): Markup =>
  badge(cost, cost === 'Paid' ? 'notice' : cost === 'Free' ? 'good' : 'accent')

export const opensMark = ({ opens }: Tool): Markup | false =>
  opens > 0 && html`${icon('opens', 'small')}${number(opens)} ${opens === 1 ? 'open' : 'opens'}`

export const ratingMark = ({ rating }: Tool): Markup | false =>
  rating > 0 &&
  html`<span class="stars">${icon('star', 'small')}</span>${number(rating)}<span class="visually-hidden"> of 5</span>`

export const ratingBar = (rating: number): Markup =>
  html`<span class="dr"><span><abbr title="Domain Rating">DR</abbr> ${number(rating)}</span>${meter(rating)}</span>`

/** `adult`: the visitor has opted in to see this list, so the page of the listing need not ask again. */
const toolAddress = ({ slug }: Tool, adult: boolean): string => `/tools/${slug}${adult ? '?adult=true' : ''}`

const marksList = (marks: readonly unknown[]): Markup =>
  html`<ul class="marks">${marks.filter(Boolean).map((mark) => html`<li>${mark}</li>`)}</ul>`

interface RowOptions {
  now: Date
  adult?: boolean
  /** For each listing: why a search found it. */
  why?: readonly MatchReason[]
  isPartial?: boolean
  /** Why a tool is in the list, where the list is not the result of a search. */
  note?: (tool: Tool) => string
  /** Whether no filters are beside the rows: there is room for the beginning of the description. */
  isAlone?: boolean
  /** Whether each row has a checkbox that chooses the tool for a comparison. */
  picks?: boolean
}

/** Tools in rows that are easy to compare. When all of them are new, none has the mark. */
export function toolRows(tools: readonly Tool[], { now, ...options }: RowOptions): Markup {
  const isAnyOld = tools.some((tool) => !isNew(tool, now))
  const isAnyRated = tools.some(({ rating }) => rating > 0)
  // When all tools have the same category, the page names it.
  const hasCategory = tools.length === 1 || new Set(tools.map(({ category }) => category?.slug)).size > 1
  return html`<ul class="entries rows${options.isPartial && ' partial'}">
${tools.map((tool, at) => toolRow(tool, { ...options, isAnyRated, hasCategory, isNew: isAnyOld && isNew(tool, now), reason: options.why?.[at] }))}</ul>`
}

interface ShownRow extends Omit<RowOptions, 'now' | 'why'> {
  isNew: boolean
  isAnyRated: boolean
  hasCategory: boolean
  reason: MatchReason | undefined
}

const toolRow = (
  tool: Tool,
  { adult = false, picks, isPartial, isAlone, reason, note, ...shown }: ShownRow,
): Markup => {
  const [name, text] = [oneLine(tool.name, 60), oneLine(lineOf(tool), TEXT_LENGTH)]
  // Beside the filters a line is filled, otherwise two.
  const more = isAlone ? TEXT_LENGTH : ROW_LENGTH - text.length
  return html`<li class="entry">${tile(tool.name, tool.icon)}<div class="what"><h3><a href="${toolAddress(tool, adult)}"><bdi>${marked(name, reason?.terms)}</bdi></a></h3>
${isFilled(text) && html`<p dir="auto">${marked(text, reason?.terms)}${more > 24 && isFilled(furtherText(tool)) && ` · ${oneLine(furtherText(tool), more)}`}</p>`}
${reason && quoteLine(quoteBeside(`${name} ${text}`, reason), reason)}${reasonLine(reason, isPartial)}${note && isFilled(note(tool)) && html`<p class="reason">${icon('check', 'small')}<span dir="auto">${oneLine(note(tool), 100)}</span></p>`}</div>
${marksList([html`${pricingBadge(tool)}${tool.featured && badge('Featured', 'marker')}`, ratingMark(tool) || (shown.isAnyRated && html`<span class="lacks">Not rated</span>`)])}
${marksList([opensMark(tool) || (shown.isNew && badge('New', 'marker')), shown.hasCategory && tool.category && html`<bdi>${oneLine(tool.category.name, 40)}</bdi>`])}
${!adult && html`<div class="picks"><span ${shortlistAttributes('tools', tool)}></span>${picks && html`<label class="pick"><input type="checkbox" name="tools[]" value="${tool.slug}">Compare<span class="visually-hidden"> ${name}</span></label>`}</div>`}</li>\n`
}

export const directoryEntries = (directories: readonly Directory[]): Markup =>
  html`<ul class="entries columns">
${directories.map(directoryEntry)}</ul>`

const directoryEntry = (directory: Directory): Markup => {
  const { slug, name, smallDescription: text, type, domainRating } = directory
  const marks = [
    costBadge(directory),
    directory.featured && badge('Featured', 'marker'),
    domainRating !== null && ratingBar(domainRating),
    isFilled(type) && html`<bdi>${oneLine(type, 20)}</bdi>`,
    directory.requiresBadge && badge('Badge required'),
  ]
  return html`<li class="entry" ${shortlistAttributes('directories', directory)}>${tile(name, directory.icon)}<h3><a href="/directories/${slug}"><bdi>${name}</bdi></a></h3>
${isFilled(text) && html`<p dir="auto">${oneLine(text, TEXT_LENGTH)}</p>`}
${marksList(marks)}</li>\n`
}

/**
 * Tools as cards. Cards have covers when they are ranked or one of the tools has a picture. `ranked`: each card shows its place, and the
 * first is larger. `why`: why a tool is in the list. `isPriceUnknown`: the founder has not said yet what the tool costs.
 */
export function toolCards(
  tools: readonly Tool[],
  options: { adult?: boolean; ranked?: boolean; why?: (tool: Tool) => string; isPriceUnknown?: boolean } = {},
): Markup {
  const hasCovers = options.ranked || havePictures(tools)
  const { why } = options
  return html`<ol class="${options.ranked ? 'cards ranked' : 'cards few'}">
${tools.map(
  (tool, at) =>
    html`<li class="${options.ranked && at === 0 ? 'tool-card first' : 'tool-card'}">${hasCovers && toolCover(tool)}${options.ranked && html`<span class="rank"><span class="visually-hidden">Place </span>${at + 1}</span>`}<div class="body">${tile(tool.name, tool.icon)}<h3><a href="${toolAddress(tool, options.adult ?? false)}"><bdi>${oneLine(tool.name, 60)}</bdi></a></h3>
${isFilled(lineOf(tool)) && html`<p dir="auto">${oneLine(lineOf(tool), 120)}</p>`}${options.ranked && at === 0 && isFilled(furtherText(tool)) && html`<p class="more" dir="auto">${oneLine(furtherText(tool), 280)}</p>`}
${marksList([options.isPriceUnknown ? html`<span class="badge missing">Price not known yet</span>` : pricingBadge(tool), tool.category && html`<bdi>${oneLine(tool.category.name, 40)}</bdi>`, opensMark(tool)])}${why && isFilled(why(tool)) && html`<p class="small quiet" dir="auto">${oneLine(why(tool), 100)}</p>`}</div></li>\n`,
)}</ol>`
}

const miniRow = (href: string, name: string, logo: Markup, text: string, end: unknown): Markup =>
  html`<li class="mini">${logo}<div><h3><a href="${href}"><bdi>${oneLine(name, 60)}</bdi></a></h3>${isFilled(text) && html`<p dir="auto">${oneLine(text, 90)}</p>`}</div><div class="end">${end}</div></li>\n`

export const toolLines = (tools: readonly Tool[]): Markup =>
  html`<ul class="panel minis listings">
${tools.map((tool) => miniRow(`/tools/${tool.slug}`, tool.name, tile(tool.name, tool.icon), lineOf(tool), opensMark(tool) || pricingBadge(tool)))}</ul>`

/** Tools that the visitor can add to a comparison; `address` is that of the comparison with the tool. */
export const addToolLines = (tools: readonly Tool[], address: (tool: Tool) => string): Markup =>
  html`<ul class="panel minis listings">
${tools.map((tool) => miniRow(address(tool), tool.name, tile(tool.name, tool.icon), lineOf(tool), html`<span class="row tight add">${icon('plus', 'small')}Add</span>`))}</ul>`

export const directoryLines = (directories: readonly Directory[]): Markup =>
  html`<ul class="panel minis listings">
${directories.map((directory) =>
  miniRow(
    `/directories/${directory.slug}`,
    directory.name,
    tile(directory.name, directory.icon),
    [
      directory.cost,
      directory.type ?? '',
      directory.monthlyVisits === null ? '' : `${compactNumber(directory.monthlyVisits)} visits`,
    ]
      .filter(isFilled)
      .join(' · '),
    directory.domainRating !== null && ratingBar(directory.domainRating),
  ),
)}</ul>`

/** The heading of a list whose new entries can be followed with a feed reader. */
export const listHeading = (title: string, feed: string | undefined): Markup =>
  html`<div class="row apart"><h1 dir="auto">${title}</h1>${feed && linkButton(feed, html`${icon('rss', 'small')}Subscribe<span class="visually-hidden"> to what is new</span>`, { kind: 'plain', slim: true })}</div>`

/** Links with counts, such as tags. */
export const chips = (items: readonly { href: string; label: string; count?: number }[]): Markup =>
  html`<ul class="chips">
${items.map(
  ({ href, label, count }) =>
    html`<li><a href="${href}"><bdi>${label}</bdi>${count !== undefined && html`<span class="count">${number(count)}</span>`}</a></li>\n`,
)}</ul>`

export const categoryTiles = (terms: readonly { slug: string; name: string; toolsCount: number }[]): Markup =>
  html`<ul class="cats">
${terms.map(({ slug, name, toolsCount }) => html`<li><a href="/categories/${slug}">${categoryMark(slug)}<bdi>${oneLine(name, 60)}</bdi><span class="count">${number(toolsCount)}</span></a></li>\n`)}</ul>`
