// A listing as it stands in a list. Its name is the only link, stretched over the whole entry.
import type { Directory, Tool } from '../../../features/catalog/schema.ts'
import { badge } from '../kit/badge.ts'
import { meter } from '../kit/chart.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { tile } from '../kit/tile.ts'
import { number } from '../kit/values.ts'
import { isFilled } from './listing.ts'

export const PRICING = { FREE: 'Free', FREEMIUM: 'Freemium', PAID: 'Paid' } as const

// Two lines on a wide screen; the page of the listing has the rest.
const TEXT_LENGTH = 160

/** `adult`: whoever sees the list has opted in already and is not asked again on the page of a listing. */
export const toolEntry = (tool: Tool, adult = false): Markup =>
  entry(`/tools/${tool.slug}${adult ? '?adult=true' : ''}`, tool.name, tool.icon, tool.tagline || tool.description, [
    tool.featured && badge('Featured', 'notice'),
    tool.category && html`<span class="quiet"><bdi>${oneLine(tool.category.name, 40)}</bdi></span>`,
    badge(PRICING[tool.pricing], tool.pricing === 'PAID' ? 'plain' : 'good'),
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

/** Names with counts, such as categories. */
export const chips = (items: readonly { href: string; label: string; icon?: string; count?: number }[]): Markup =>
  html`<ul class="chips">
${items.map(
  ({ href, label, icon, count }) =>
    html`<li><a href="${href}">${icon && html`<span aria-hidden="true">${icon}</span>`}<bdi>${label}</bdi>${count !== undefined && html`<span class="count">${number(count)}</span>`}</a></li>\n`,
)}</ul>`
