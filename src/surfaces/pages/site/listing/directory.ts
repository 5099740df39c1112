// The page of a directory.
import { type Directory, directoryDetailSchema } from '../../../../features/catalog/schema.ts'
import type { RatingRank } from '../../../../features/catalog/site/browse.ts'
import type { Health } from '../../../../features/health/operations.ts'
import { DEFAULT_SITE } from '../../../../features/site/schema.ts'
import { webAddress } from '../../addresses.ts'
import { linkButton } from '../../kit/button.ts'
import {
  badge,
  breadcrumbJsonLd,
  breadcrumbs,
  type Crumb,
  copyTextButton,
  sectionHead,
  summaryFigures,
} from '../../kit/components.ts'
import { icon } from '../../kit/icon.ts'
import { html, isFilled, type Markup, oneLine } from '../../kit/markup.ts'
import type { Page } from '../../kit/sending/document.ts'
import { compactNumber, date, money, number } from '../../kit/values.ts'
import { chips, costBadge, directoryEntries, directoryLines, shortlistAttributes } from '../entries.ts'
import * as part from './listing.ts'

interface DirectoryPageOptions {
  similar?: readonly Directory[]
  /** The directories to show when none is similar. */
  strongest?: readonly Directory[]
  /** A sentence on what became of the products that operators of this service entered into the directory. */
  evidence?: string | null
  rank?: RatingRank | null
  currency?: string
  health?: Health | null
  /** The address of the directory's own form for submissions, where the operator shows it. */
  submissionForm?: string | null
}

export function directoryPage(directory: Directory, options: DirectoryPageOptions = {}): Page {
  const {
    similar = [],
    strongest = [],
    evidence,
    rank = null,
    currency = DEFAULT_SITE.currency,
    health = null,
  } = options
  const website = webAddress(directory.website)
  const isGone = part.goneBadge(health) !== false
  const form = isGone ? null : webAddress(options.submissionForm ?? null)
  const crumbs: Crumb[] = [{ label: 'Directories', href: '/directories' }, { label: oneLine(directory.name, 60) }]
  const [category] = directory.categories
  const lead = directory.smallDescription || leadOf(directory)
  const isShort =
    !isFilled(directory.fullDescription) &&
    [directory.useCases, directory.features, directory.faq].every((items) => items.length === 0)
  const lists = [
    part.bulletList('Good for', directory.useCases),
    part.bulletList('Features', directory.features),
  ].filter((list) => list !== null)
  const others = similar.length > 0 ? similar : strongest
  const alike =
    others.length > 0 &&
    html`<section class="flow">${sectionHead(others === similar ? 'Similar directories' : 'Strongest directories', category && { href: `/directories?category=${category.slug}`, label: `All for ${oneLine(category.name, 40)}` })}${isShort ? directoryLines(others) : directoryEntries(others)}</section>`
  return {
    title: directory.name,
    description: [directory.smallDescription, directory.fullDescription].find(isFilled) ?? `${directory.name}: ${lead}`,
    url: directory.url,
    path: `/directories/${directory.slug}`,
    facts: [websiteJsonLd(directory), breadcrumbJsonLd(new URL(directory.url).origin, crumbs)],
    body: html`${breadcrumbs(crumbs)}
<article class="flow">
${part.healthNotice('directory', directory.name, health)}
${part.heading(
  `/directories/${directory.slug}`,
  directory,
  lead,
  [part.goneBadge(health), isGone && costBadge(directory), directory.featured && badge('Featured', 'marker')],
  html`<span ${shortlistAttributes('directories', directory)}></span>${part.shareMenu(directory.url, directory.name)}${website && !isGone && linkButton(website, html`Visit website${icon('external')}`, { rel: 'nofollow noopener', kind: form ? 'plain' : 'main' })}${form && linkButton(form, html`Open its form${icon('external')}`, { rel: 'nofollow noopener' })}`,
)}
<div class="${isShort ? 'beside brief' : 'beside'}">
<div class="flow">
${!isGone && html`<div class="worth">${summaryFigures(worthFigures(directory, rank, currency))}</div>`}
${!isGone && unknownFacts(directory)}
${evidence && html`<p>${evidence}</p>`}
${part.deal('Deal', directory.deal?.text ?? '', directory.deal?.code ?? '')}
${part.gallery(directory.name, directory.frame, [])}
${isFilled(directory.fullDescription) && html`<h2>What it is</h2><div class="flow prose">${part.paragraphs(directory.fullDescription)}</div>`}
${lists.length > 0 && html`<div class="halves">${lists.map((list) => html`<section class="flow">${list}</section>`)}</div>`}
${part.questions(directory.faq)}
${!isGone && html`<section class="promo"><div><h2>Is it right for your product?</h2><p>Say what you have built. The launch plan says which directories fit it, when to enter each, and why.</p></div><div class="row">${linkButton('/plan', html`Make my plan${icon('arrow')}`)}${copyTextButton('Copy its facts', factsText(directory, currency))}</div></section>`}
</div>
<aside class="side" aria-label="About this directory">
${part.facts([...factRows(directory), part.healthFact(health)])}
${directory.categories.length > (directory.smallDescription ? 0 : 1) && html`<section class="panel"><h2>Categories</h2>${chips(directory.categories.map(({ slug, name }) => ({ href: `/directories?category=${slug}`, label: name })))}</section>`}
${part.externalLinks('Elsewhere', Object.entries(directory.socials))}
${part.reportLink('directory', directory.slug)}
</aside>
${isShort && alike}
</div>
${!isShort && alike}
</article>`,
  }
}

/** The line under the name of a directory that has no description. */
const leadOf = ({ categories }: Directory): string =>
  categories.length === 0
    ? 'A directory that lists products.'
    : `A directory for ${inWords.format(categories.slice(0, 3).map(({ name }) => oneLine(name, 40)))}.`

const inWords = new Intl.ListFormat('en-GB', { type: 'conjunction' })

/** What a listing in the directory is worth and what it costs, each with a sentence on what that means. Unknown values are left out. */
function worthFigures(directory: Directory, rank: RatingRank | null, currency: string): Figure[] {
  const { domainRating, monthlyVisits, type, requiresBadge, submissionExperience } = directory
  const isAnyKnown = domainRating !== null || monthlyVisits !== null || isFigure(type)
  const known: (Figure | null)[] = [
    domainRating === null ? null : figure('Domain Rating', number(domainRating), rankInWords(rank)),
    monthlyVisits === null ? null : figure('Visits a month', compactNumber(monthlyVisits), 'On the whole site.'),
    priceFigure(directory, currency),
    isFigure(type) ? figure('Link', type, LINK_MEANINGS.get(type.toLowerCase()) ?? '') : null,
    requiresBadge
      ? figure('Badge', 'Required', 'Your site links back.')
      : isAnyKnown
        ? figure('Badge', 'None', 'Your site need not link back.')
        : null,
    isFigure(submissionExperience) ? figure('Submitting', submissionExperience, 'How entering a product goes.') : null,
  ]
  return known.filter((figure) => figure !== null)
}

/** A longer text does not fit a figure, so it is one of the facts beside the figures. */
const MAX_FIGURE_LENGTH = 24
const isFigure = (text: string | null): text is string => isFilled(text) && text.length <= MAX_FIGURE_LENGTH
const longText = (text: string | null): string | null =>
  isFilled(text) && text.length > MAX_FIGURE_LENGTH ? text : null

type Figure = readonly [label: Markup, value: Markup]

const figure = (label: string, value: string, meaning: string): Figure => [
  html`${label}${meaning && html` <span class="note">${meaning}</span>`}`,
  html`<bdi>${value}</bdi>`,
]

function rankInWords(rank: RatingRank | null): string {
  if (!rank) return ''
  const { step, count, total, isAmong } = rank
  if (isAmong && count === 1) return `The only one of ${number(total)} here with ${step} or more.`
  return `${isAmong ? 'One of ' : ''}${number(count)} of ${number(total)} here ${isAmong ? 'with' : 'have'} ${step} or more.`
}

/** The worth of a link, by its type in lower case. */
const LINK_MEANINGS: ReadonlyMap<string, string> = new Map([
  ['dofollow', 'Search engines count it.'],
  ['nofollow', 'Search engines may not count it.'],
])

function priceFigure({ cost, minimumPrice }: Directory, currency: string): Figure {
  if (minimumPrice === 0)
    return cost === 'Paid'
      ? figure('Price', 'Paid', 'Its site names the price.')
      : figure('Price', 'Free', cost === 'Free' ? 'Nothing to pay.' : 'It sells more than a plain listing.')
  const price = money(minimumPrice, currency)
  return cost === 'Paid'
    ? figure('Price', price, 'The lowest price.')
    : figure('Price', `Free or ${price}`, 'For more than a plain listing.')
}

/** A note on which facts are missing, with a link to the form on which visitors can report them. */
function unknownFacts({ slug, domainRating, monthlyVisits, type }: Directory): Markup | null {
  const unknown = [
    domainRating === null && 'its Domain Rating',
    monthlyVisits === null && 'its visits a month',
    !isFilled(type) && 'the kind of its links',
  ].filter((one) => one !== false)
  return unknown.length === 0
    ? null
    : html`<p class="note">Not known yet: ${inWords.format(unknown)}. <a href="/directories/${slug}/report" rel="nofollow">Tell us what you know</a></p>`
}

/** The fields that have a place of their own on the page; `otherFacts` lists the rest. */
const PLACED = new Set<keyof Directory>([
  'id',
  'slug',
  'name',
  'url',
  'website',
  'icon',
  'cost',
  'type',
  'domainRating',
  'monthlyVisits',
  'requiresBadge',
  'minimumPrice',
  'submissionExperience',
  'featured',
  'categories',
  'smallDescription',
  'createdAt',
  'updatedAt',
  'fullDescription',
  'features',
  'useCases',
  'faq',
  'deal',
  'frame',
  'socials',
])

const factRows = (directory: Directory): part.Fact[] => [
  ['Website', part.shownHost(directory.website)],
  ['Link', longText(directory.type)],
  ['Submitting', longText(directory.submissionExperience)],
  ...part.otherFacts(directoryDetailSchema, directory, PLACED),
  ['Listed', date(directory.createdAt)],
  ['Updated', date(directory.updatedAt)],
]

/** The facts as lines of text, which the visitor copies into a note or a table. */
const factsText = (directory: Directory, currency: string): string =>
  [
    directory.name,
    directory.website,
    directory.domainRating !== null && `Domain Rating ${number(directory.domainRating)}`,
    directory.monthlyVisits !== null && `${number(directory.monthlyVisits)} visits a month`,
    directory.minimumPrice > 0 ? `${directory.cost}, from ${money(directory.minimumPrice, currency)}` : directory.cost,
    directory.type,
    directory.requiresBadge ? 'Badge required' : 'No badge required',
    directory.url,
  ]
    .filter(Boolean)
    .join('\n')

const websiteJsonLd = (directory: Directory): object => ({
  '@type': 'WebSite',
  name: directory.name,
  description: directory.smallDescription || directory.fullDescription || undefined,
  url: webAddress(directory.website) ?? undefined,
  image: part.completePicture(directory),
  mainEntityOfPage: directory.url,
  sameAs: part.profiles(directory.socials),
})
