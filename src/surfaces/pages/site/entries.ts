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

/**
 * `adult`: the visitor has opted in to see this list, so the page of the listing need not ask again. `matched`: the words of the
 * question that a partial match has.
 */
export const toolEntry = (tool: Tool, adult = false, matched?: readonly string[]): Markup =>
  entry(`/tools/${tool.slug}${adult ? '?adult=true' : ''}`, tool.name, tool.icon, tool.tagline || tool.description, [
    tool.featured && badge('Featured', 'notice'),
    tool.category && html`<span class="quiet"><bdi>${oneLine(tool.category.name, 40)}</bdi></span>`,
    badge(PRICING_LABELS[tool.pricing], tool.pricing === 'PAID' ? 'plain' : 'good'),
    matchedWords(matched),
  ])

export const directoryEntry = (directory: Directory, matched?: readonly string[]): Markup =>
  entry(`/directories/${directory.slug}`, directory.name, directory.icon, directory.smallDescription ?? '', [
    directory.featured && badge('Featured', 'notice'),
    directory.domainRating !== null &&
      html`<span class="figure"><abbr title="Domain Rating">DR</abbr> ${number(directory.domainRating)}</span> ${meter(directory.domainRating)}`,
    badge(directory.cost, directory.cost === 'Paid' ? 'plain' : 'good'),
    isFilled(directory.type) &&
      badge(oneLine(directory.type, 20), directory.type.toLowerCase() === 'dofollow' ? 'accent' : 'plain'),
    directory.requiresBadge && badge('Badge required'),
    matchedWords(matched),
  ])

const matchedWords = (words: readonly string[] = []): Markup | false =>
  words.length > 0 && html`<span class="quiet">matches: <bdi>${oneLine(words.join(', '), 80)}</bdi></span>`

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

interface EntryOptions {
  adult?: boolean
  columns?: boolean
  /** For each listing. */
  matched?: readonly (readonly string[])[]
}

export const toolEntries = (tools: readonly Tool[], { adult, columns, matched }: EntryOptions = {}): Markup =>
  entryList(
    tools.map((tool, at) => toolEntry(tool, adult, matched?.[at])),
    columns,
  )

export const directoryEntries = (
  directories: readonly Directory[],
  { columns, matched }: Omit<EntryOptions, 'adult'> = {},
): Markup =>
  entryList(
    directories.map((directory, at) => directoryEntry(directory, matched?.[at])),
    columns,
  )

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
