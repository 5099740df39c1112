// Directories as a dense table with links that sort it. On narrow screens each row is a card with the same cells.
import type { Directory } from '../../../../features/catalog/schema.ts'
import { webAddress } from '../../addresses.ts'
import { badge, tile } from '../../kit/components.ts'
import { icon } from '../../kit/icon.ts'
import { addressWith } from '../../kit/lists/address-query.ts'
import { meter } from '../../kit/lists/chart.ts'
import { html, isFilled, type Markup, oneLine } from '../../kit/markup.ts'
import { compactNumber, money, number } from '../../kit/values.ts'
import { costBadge, shortlistAttributes } from '../entries.ts'
import type { ShownEntries } from '../search/found-entries.ts'
import { type MatchReason, marked, reasonLine } from '../search/reasons.ts'

interface Column {
  label: string
  /** The order that the heading leads to. */
  sort?: string
  /** Whether that order begins with the lowest value. */
  ascends?: boolean
  className?: string
  /** Whether the value needs its label on a card. */
  needsLabel?: boolean
  /** Null is shown as a dash, and not at all on a card. */
  cell: (directory: Directory, currency: string) => Markup | string | null
}

const COLUMNS: readonly Column[] = [
  {
    label: 'DR',
    sort: 'rating',
    needsLabel: true,
    cell: ({ domainRating }) =>
      domainRating === null ? null : html`<span class="dr">${number(domainRating)}${meter(domainRating)}</span>`,
  },
  {
    label: 'Visits a month',
    sort: 'visits',
    className: 'number',
    cell: ({ monthlyVisits }) =>
      monthlyVisits === null ? null : html`${compactNumber(monthlyVisits)}<span class="lab"> visits</span>`,
  },
  {
    label: 'Cost',
    sort: 'price',
    ascends: true,
    cell: (directory, currency) =>
      html`${costBadge(directory)}${directory.minimumPrice > 0 && html` <span class="quiet">from ${money(directory.minimumPrice, currency)}</span>`}`,
  },
  {
    label: 'Link',
    cell: ({ type }) =>
      isFilled(type)
        ? html`<span class="row tight">${icon(/^dofollow$/i.test(type) ? 'link' : 'unlink', 'small')}<bdi>${oneLine(type, 20)}</bdi></span>`
        : null,
  },
  { label: 'Badge', needsLabel: true, cell: ({ requiresBadge }) => (requiresBadge ? badge('Required') : null) },
  {
    label: 'Deal',
    cell: ({ deal }) => {
      const offer = [deal?.text, deal?.code].find((text) => text && isFilled(text))
      return offer ? html`<span class="deal-code"><bdi>${oneLine(offer, 28)}</bdi></span>` : null
    },
  },
  {
    label: 'Submitting',
    needsLabel: true,
    cell: ({ submissionExperience }) =>
      isFilled(submissionExperience)
        ? html`<span class="exp ${experienceClass(submissionExperience)}"><bdi>${oneLine(submissionExperience, 24)}</bdi></span>`
        : null,
  },
]

/** The class that colours and shapes the dot. It is guessed from the words, because operators write any text into the field. */
function experienceClass(text: string): string {
  if (/\b(bad|hard|poor|difficult|unreliable)\b/i.test(text)) return 'bad'
  if (/\b(slow|wait|long|average|medium|ok)\b/i.test(text)) return 'slow'
  return /\b(good|easy|fast|smooth|simple|quick|great|excellent)\b/i.test(text) ? 'good' : 'none'
}

/** A column that is empty for every directory is left out, unless its heading sorts the table. */
export function directoryTable(
  directories: readonly Directory[],
  currency: string,
  options: Partial<ShownEntries> & { filters?: Readonly<Record<string, string>> } = {},
): Markup {
  const { why, isPartial, filters } = options
  const columns = COLUMNS.filter(({ sort, cell }) => sort || directories.some((one) => cell(one, currency) !== null))
  return html`<div class="dirs"><table>
<caption class="visually-hidden">Directories</caption>
<thead><tr><th scope="col"><span>Directory</span></th>${columns.map((column) => heading(column, filters))}<th scope="col"><span class="visually-hidden">Website</span></th></tr></thead>
<tbody>
${directories.map((directory, at) => row(directory, columns, currency, why?.[at], isPartial))}</tbody>
</table></div>`
}

/** Without `filters` the table is not a search result, so its headings are not links. */
function heading(
  { label, sort, ascends = false, className }: Column,
  filters: Readonly<Record<string, string>> | undefined,
): Markup {
  const classAttribute = className && html` class="${className}"`
  if (!sort || !filters) return html`<th scope="col"${classAttribute}><span>${label}</span></th>`
  // Without a question the usual order is by Domain Rating.
  const isChosen = (filters.sort ?? (filters.q ? 'match' : 'rating')) === sort
  return html`<th scope="col"${classAttribute}${isChosen && html` aria-sort="${ascends ? 'ascending' : 'descending'}"`}><a href="${addressWith('/directories', { ...filters, sort: isChosen ? '' : sort })}">${label}${icon(isChosen ? (ascends ? 'up' : 'down') : 'sort', 'small')}</a></th>`
}

function row(
  directory: Directory,
  columns: readonly Column[],
  currency: string,
  why: MatchReason | undefined,
  isPartial: boolean | undefined,
): Markup {
  const { slug, name, categories } = directory
  const website = webAddress(directory.website)
  const within = oneLine(categories.map((category) => category.name).join(', '), 60)
  const note = reasonLine(why, isPartial) ?? (within && html`<p>${within}</p>`)
  return html`<tr><td><div class="who" ${shortlistAttributes('directories', directory)}>${tile(name, directory.icon)}<div><h3><a href="/directories/${slug}"><bdi>${marked(oneLine(name, 60), why?.terms)}</bdi></a></h3>${note}</div></div></td>${columns.map(
    ({ label, className, needsLabel, cell }) => {
      const value = cell(directory, currency)
      const classes = [className, value === null && 'none'].filter(Boolean).join(' ')
      return html`<td${classes && html` class="${classes}"`}>${value === null ? html`<span class="dash">–</span>` : html`<span class="${needsLabel ? 'lab' : 'lab bare'}">${label} </span>${value}`}</td>`
    },
  )}<td>${website && html`<a class="button plain slim" href="${website}" rel="nofollow noopener">Open<span class="visually-hidden"> ${oneLine(name, 60)}</span>${icon('external', 'small')}</a>`}</td></tr>\n`
}
