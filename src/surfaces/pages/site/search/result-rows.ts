// The listings of a search over both catalogs, one below the other: why each was found, then what helps to choose. Nothing is said twice: a
// fact that is a reason is not among the marks, and a word that is marked in the shown texts is not among the reasons.
import { type Directory, PRICING_LABELS, type Tool } from '../../../../features/catalog/schema.ts'
import { markedWords } from '../../../../features/catalog/site/quote.rules.ts'
import { webAddress } from '../../addresses.ts'
import { badge, tile } from '../../kit/components.ts'
import { icon } from '../../kit/icon.ts'
import { html, isFilled, type Markup, oneLine } from '../../kit/markup.ts'
import { compactNumber, money, number } from '../../kit/values.ts'
import { costBadge, lineOf, opensMark, pricingBadge, ratingMark, shortlistAttributes } from '../entries.ts'
import type { ShownEntries } from './found-entries.ts'
import { type MatchReason, marked, quoteBeside, quoteLine, reasonLine } from './reasons.ts'

// Characters; they fill two lines on a wide screen.
const TEXT_LENGTH = 160

interface Row {
  href: string
  name: string
  logo: Markup
  /** Names of categories. */
  within: readonly string[]
  text: string
  /** What helps to choose. `fact`: the reason that says the same. */
  marks: readonly { fact?: string; mark: unknown }[]
  visit: { href: string; label: string } | false
  keep: Markup
}

export const toolResultRows = (tools: readonly Tool[], shown: ShownEntries): Markup => rows(tools.map(toolRow), shown)

export const directoryRows = (directories: readonly Directory[], currency: string, shown: ShownEntries): Markup =>
  rows(
    directories.map((directory) => directoryRow(directory, currency)),
    shown,
  )

const rows = (list: readonly Row[], { why, isPartial }: ShownEntries): Markup =>
  html`<ol class="${isPartial ? 'hits partial' : 'hits'}">
${list.map((one, at) => row(one, why[at], isPartial))}</ol>`

const toolRow = (tool: Tool): Row => ({
  href: `/tools/${tool.slug}`,
  name: tool.name,
  logo: tile(tool.name, tool.icon),
  within: tool.category ? [tool.category.name] : [],
  text: lineOf(tool),
  marks: [
    { fact: PRICING_LABELS[tool.pricing], mark: pricingBadge(tool) },
    { mark: tool.featured && badge('Featured', 'marker') },
    { mark: ratingMark(tool) },
    { mark: opensMark(tool) },
  ],
  visit: webAddress(tool.website) !== null && { href: `/tools/${tool.slug}/visit`, label: 'Visit' },
  keep: shortlistAttributes('tools', tool),
})

function directoryRow(directory: Directory, currency: string): Row {
  const { slug, name, cost, type, domainRating, monthlyVisits, minimumPrice } = directory
  const website = webAddress(directory.website)
  return {
    href: `/directories/${slug}`,
    name,
    logo: tile(name, directory.icon),
    within: directory.categories.map((category) => category.name),
    text: directory.smallDescription ?? '',
    marks: [
      { fact: cost, mark: costBadge(directory) },
      { mark: minimumPrice > 0 && `from ${money(minimumPrice, currency)}` },
      { mark: directory.featured && badge('Featured', 'marker') },
      {
        fact: `DR ${domainRating}`,
        mark: domainRating !== null && html`<abbr title="Domain Rating">DR</abbr> ${number(domainRating)}`,
      },
      { fact: type ?? undefined, mark: isFilled(type) && html`<bdi>${oneLine(type, 20)}</bdi>` },
      { mark: monthlyVisits !== null && `${compactNumber(monthlyVisits)} visits a month` },
      { fact: 'asks for a badge', mark: directory.requiresBadge && 'Badge required' },
    ],
    visit: website !== null && { href: website, label: 'Open site' },
    keep: shortlistAttributes('directories', directory),
  }
}

function row(
  { href, name, logo, within, text, marks, visit, keep }: Row,
  why: MatchReason | undefined,
  isPartial: boolean,
) {
  const line = oneLine(text, TEXT_LENGTH)
  const quote = why ? quoteBeside(`${name} ${line}`, why) : ''
  const shown = `${name} ${line} ${quote}`
  const facts = why?.facts ?? []
  const others = marks.filter(({ fact, mark }) => mark && !facts.includes(fact ?? ''))
  const names = oneLine(within.filter((one) => !facts.includes(`in ${one}`)).join(', '), 50)
  // The category is marked only where the row has no other mark, because most results have the same one.
  const isSeen = markedWords(shown, why?.terms ?? []).size > 0
  return html`<li class="hit" ${keep}>${logo}<div><h3><a href="${href}"><bdi>${marked(name, why?.terms)}</bdi></a>${names && html`<span class="note"><bdi>${isSeen ? names : marked(names, why?.terms)}</bdi></span>`}</h3>
${line && html`<p dir="auto">${marked(line, why?.terms)}</p>`}
${quoteLine(quote, why)}
<div class="facts-line">${reasonLine(isPartial ? why : unseen(why, `${shown} ${names} ${facts.join(' ')}`), isPartial)}${others.length > 0 && html`<ul class="marks">${others.map(({ mark }) => html`<li>${mark}</li>`)}</ul>`}</div></div>${visit && html`<a class="button plain slim" href="${visit.href}" rel="nofollow noopener">${visit.label}<span class="visually-hidden">: ${oneLine(name, 60)}</span>${icon('external', 'small')}</a>`}</li>\n`
}

/** The reason without the words that the visitor sees in the shown texts. */
function unseen(why: MatchReason | undefined, shown: string): MatchReason | undefined {
  if (!why) return
  const seen = markedWords(shown, why.terms)
  const isUnseen = (term: string) => !seen.has(term)
  return { ...why, named: why.named.filter(isUnseen), mentioned: why.mentioned.filter(isUnseen) }
}
