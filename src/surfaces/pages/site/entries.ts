// A listing as an entry of a list. Its name is the only link, and the stylesheet stretches it over the whole entry.
import type { Directory, Tool } from '../../../features/catalog/schema.ts'
import { badge } from '../kit/badge.ts'
import { meter } from '../kit/chart.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { tile } from '../kit/tile.ts'
import { number } from '../kit/values.ts'
import { isFilled } from './listing.ts'

export const PRICING_LABELS = { FREE: 'Free', FREEMIUM: 'Freemium', PAID: 'Paid' } as const

// Two lines on a wide screen; the page of the listing shows the whole text.
const TEXT_LENGTH = 160

/** `adult`: the visitor has opted in to see this list, so the page of the listing need not ask again. */
export const toolEntry = (tool: Tool, adult = false): Markup =>
  entry(`/tools/${tool.slug}${adult ? '?adult=true' : ''}`, tool.name, tool.icon, tool.tagline || tool.description, [
    tool.featured && badge('Featured', 'notice'),
    tool.category && html`<span class="quiet"><bdi>${oneLine(tool.category.name, 40)}</bdi></span>`,
    badge(PRICING_LABELS[tool.pricing], tool.pricing === 'PAID' ? 'plain' : 'good'),
  ])

export const directoryEntry = (directory: Directory): Markup =>
  entry(`/directories/${directory.slug}`, directory.name, directory.icon, directory.smallDescription ?? '', [
    directory.featured && badge('Featured', 'notice'),
    directory.domainRating !== null &&
      html`<span class="figure"><abbr title="Domain Rating">DR</abbr> ${number(directory.domainRating)}</span> ${meter(directory.domainRating)}`,
    badge(directory.cost, directory.cost === 'Paid' ? 'plain' : 'good'),
    isFilled(directory.type) &&
      badge(oneLine(directory.type, 20), directory.type.toLowerCase() === 'dofollow' ? 'accent' : 'plain'),
    directory.requiresBadge && badge('Badge required'),
  ])

const entry = (
  href: string,
  name: string,
  icon: string | null,
  text: string,
  marks: (Markup | false | null)[],
): Markup =>
  html`<li class="entry">${tile(name, icon)}<h3><a href="${href}"><bdi>${name}</bdi></a></h3>
${isFilled(text) && html`<p dir="auto">${oneLine(text, TEXT_LENGTH)}</p>`}
<ul class="marks">${marks.filter(Boolean).map((mark) => html`<li>${mark}</li>`)}</ul></li>\n`

export const toolEntries = (tools: readonly Tool[], options: { adult?: boolean; columns?: boolean } = {}): Markup =>
  entryList(
    tools.map((tool) => toolEntry(tool, options.adult)),
    options.columns,
  )

export const directoryEntries = (directories: readonly Directory[], options: { columns?: boolean } = {}): Markup =>
  entryList(directories.map(directoryEntry), options.columns)

const entryList = (entries: readonly Markup[], columns = false): Markup =>
  html`<ul class="${columns ? 'entries columns' : 'entries'}">
${entries}</ul>`

/** Links with counts, such as categories. */
export const chips = (items: readonly { href: string; label: string; icon?: string; count?: number }[]): Markup =>
  html`<ul class="chips">
${items.map(
  ({ href, label, icon, count }) =>
    html`<li><a href="${href}">${icon && html`<span aria-hidden="true">${icon}</span>`}<bdi>${label}</bdi>${count !== undefined && html`<span class="count">${number(count)}</span>`}</a></li>\n`,
)}</ul>`
