// The page of a directory.
import { type Directory, directoryDetailSchema } from '../../../features/catalog/schema.ts'
import type { Health } from '../../../features/health/operations.ts'
import { DEFAULT_SITE } from '../../../features/site/schema.ts'
import { webAddress } from '../addresses.ts'
import { linkButton } from '../kit/button.ts'
import {
  badge,
  breadcrumbFacts,
  breadcrumbs,
  type Crumb,
  copyTextButton,
  sectionHead,
  summaryFigures,
} from '../kit/components.ts'
import type { Page } from '../kit/document.ts'
import { icon } from '../kit/icon.ts'
import { html, oneLine } from '../kit/markup.ts'
import { compactNumber, date, money, number } from '../kit/values.ts'
import { chips, costBadge, directoryEntries, keepable } from './entries.ts'
import * as part from './listing.ts'
import { shareMenu } from './sharing.ts'

export function directoryPage(
  directory: Directory,
  similar: readonly Directory[] = [],
  /** What became of the products that were entered from here, in a sentence. */
  evidence: string | null = null,
  currency: string = DEFAULT_SITE.currency,
  health: Health | null = null,
  /** The address of its own form, where the operator shows it. */
  submissionForm: string | null = null,
): Page {
  const website = webAddress(directory.website)
  const form = webAddress(submissionForm)
  const crumbs: Crumb[] = [{ label: 'Directories', href: '/directories' }, { label: oneLine(directory.name, 60) }]
  return {
    title: directory.name,
    description:
      [directory.smallDescription, directory.fullDescription].find(part.isFilled) ??
      `${directory.name}, a submission directory.`,
    url: directory.url,
    path: `/directories/${directory.slug}`,
    facts: [websiteFacts(directory), breadcrumbFacts(new URL(directory.url).origin, crumbs)],
    body: html`${breadcrumbs(crumbs)}
<article class="flow">
${part.heading(
  `/directories/${directory.slug}`,
  directory,
  directory.smallDescription,
  [costBadge(directory), directory.featured && badge('Featured', 'marker')],
  html`<span ${keepable('directories', directory)}></span>${shareMenu(directory.url, directory.name)}${website && linkButton(website, html`Visit website${icon('external')}`, { rel: 'nofollow noopener', kind: form ? 'plain' : 'main' })}${form && linkButton(form, html`Open its form${icon('external')}`, { rel: 'nofollow noopener' })}`,
)}
<div class="beside">
<div class="flow">
${part.healthNotice('directory', directory.name, health)}
${summaryFigures([
  ['Domain Rating', directory.domainRating === null ? '–' : number(directory.domainRating)],
  ['Visits a month', directory.monthlyVisits === null ? '–' : compactNumber(directory.monthlyVisits)],
  ['Lowest price', lowestPrice(directory, currency)],
])}
${evidence && html`<p>${evidence}</p>`}
<div class="row">${linkButton('/plan', html`Make a launch plan${icon('arrow')}`, { kind: 'plain' })}${copyTextButton('Copy its facts', factsText(directory, currency))}</div>
${part.deal('Deal', directory.deal?.text ?? '', directory.deal?.code ?? '')}
${part.gallery(directory.name, directory.frame, [])}
<div class="flow prose">${part.paragraphs(directory.fullDescription)}</div>
${part.bulletList('Good for', directory.useCases)}
${part.bulletList('Features', directory.features)}
${part.questions(directory.faq)}
</div>
<aside class="side" aria-label="About this directory">
${part.facts([...factRows(directory, currency), part.healthFact(health)])}
${directory.categories.length > 0 && html`<section class="panel"><h2>Categories</h2>${chips(directory.categories.map(({ slug, name }) => ({ href: `/directories?category=${slug}`, label: name })))}</section>`}
${part.externalLinks('Elsewhere', Object.entries(directory.socials))}
${part.reportLink('directory', directory.slug)}
</aside>
</div>
${similar.length > 0 && html`<section class="flow">${sectionHead('Similar directories')}${directoryEntries(similar)}</section>`}
</article>`,
  }
}

const lowestPrice = ({ minimumPrice, cost }: Directory, currency: string): string =>
  minimumPrice > 0 ? money(minimumPrice, currency) : cost === 'Paid' ? '–' : 'Free'

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

const factRows = (directory: Directory, currency: string): part.Fact[] => [
  ['Cost', directory.cost],
  ['Minimum price', directory.minimumPrice > 0 ? money(directory.minimumPrice, currency) : null],
  ['Link type', directory.type],
  ['Monthly visits', directory.monthlyVisits === null ? null : number(directory.monthlyVisits)],
  ['Badge', directory.requiresBadge ? 'Required: a link back to the directory' : 'Not required'],
  ['Submitting', directory.submissionExperience],
  ...part.otherFacts(directoryDetailSchema, directory, PLACED),
  ['Listed', date(directory.createdAt)],
  ['Updated', date(directory.updatedAt)],
]

/** What is known about it, for a note or a table. */
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

const websiteFacts = (directory: Directory): object => ({
  '@type': 'WebSite',
  name: directory.name,
  description: directory.smallDescription || directory.fullDescription || undefined,
  url: webAddress(directory.website) ?? undefined,
  image: part.completePicture(directory),
  mainEntityOfPage: directory.url,
  sameAs: part.profiles(directory.socials),
})
