// The page of a tool.
import { PRICING_LABELS, type Tool, toolDetailSchema } from '../../../../features/catalog/schema.ts'
import type { Health } from '../../../../features/health/operations.ts'
import { webAddress } from '../../addresses.ts'
import { linkButton } from '../../kit/button.ts'
import { badge, breadcrumbJsonLd, breadcrumbs, type Crumb, sectionHead } from '../../kit/components.ts'
import { icon } from '../../kit/icon.ts'
import { meter } from '../../kit/lists/chart.ts'
import { html, isFilled, oneLine } from '../../kit/markup.ts'
import type { Page } from '../../kit/sending/document.ts'
import { amount, date, money, number } from '../../kit/values.ts'
import type { PublicTerm } from '../catalog-reads.ts'
import { compareAddress } from '../chosen/compare.ts'
import {
  categoryTiles,
  chips,
  havePictures,
  lineOf,
  opensMark,
  pricingBadge,
  ratingMark,
  shortlistAttributes,
  toolCards,
} from '../entries.ts'
import * as part from './listing.ts'

interface ToolPageOptions {
  adult: boolean
  similar?: readonly Tool[]
  /** The categories to show when no tool is similar. */
  categories?: readonly PublicTerm[]
  /** Whether the product can be claimed by its founder. */
  isClaimable?: boolean
  health?: Health | null
  /** The currency of prices, which is the same on the whole site. */
  currency: string
}

/** A description of this many characters is about as high as the facts beside it. */
const LONG_DESCRIPTION = 900

export function toolPage(tool: Tool, options: ToolPageOptions): Page {
  const { adult, similar = [], categories = [], isClaimable = false, health = null } = options
  const website = webAddress(tool.website)
  // A website that is gone is not linked.
  const isGone = part.goneBadge(health) !== false
  const pictures = part.gallery(tool.name, tool.frame, tool.screenshots)
  const isShort =
    !pictures &&
    !tool.video &&
    Object.keys(tool.features).length + tool.faqs.length === 0 &&
    tool.description.length < LONG_DESCRIPTION
  const alternatives =
    similar.length === 0
      ? categories.length > 0 &&
        html`<section class="flow">${sectionHead('Browse by job', { href: '/categories', label: 'All categories' })}${categoryTiles(categories)}</section>`
      : html`<section class="flow">${sectionHead('Similar tools', adult ? undefined : { href: `/tools/${tool.slug}/alternatives`, label: 'All alternatives' })}${toolCards(havePictures(similar) ? similar.slice(0, 4) : similar, { adult, why: new Set(similar.map((other) => likeness(tool, other))).size > 1 ? (other) => likeness(tool, other) : undefined })}</section>`
  const crumbs: Crumb[] = [
    { label: 'Tools', href: '/tools' },
    ...(tool.category ? [{ label: oneLine(tool.category.name, 40), href: `/categories/${tool.category.slug}` }] : []),
    { label: oneLine(tool.name, 60) },
  ]
  return {
    title: tool.name,
    description: [tool.tagline, tool.description].find(isFilled) ?? `${tool.name}, an AI tool.`,
    url: tool.url,
    path: `/tools/${tool.slug}`,
    adult,
    facts: [applicationJsonLd(tool, adult), breadcrumbJsonLd(new URL(tool.url).origin, crumbs)],
    body: html`${breadcrumbs(crumbs)}
<article class="flow">
${part.healthNotice('tool', tool.name, health, adult || similar.length === 0 ? undefined : { href: `/tools/${tool.slug}/alternatives`, label: 'See alternatives' })}
${part.heading(
  `/tools/${tool.slug}`,
  tool,
  oneLine(lineOf(tool), 200) || `This listing does not say yet what ${oneLine(tool.name, 60)} does.`,
  [
    part.goneBadge(health),
    pricingBadge(tool),
    tool.featured && badge('Featured', 'marker'),
    tool.isForSale && badge('For sale', 'accent'),
    adult && badge('Adults only', 'danger'),
    isClaimable && health?.showsBadge && badge('Badge shown', 'good'),
    ratingMark(tool),
    opensMark(tool),
  ],
  html`${!adult && html`<span ${shortlistAttributes('tools', tool)}></span>`}${!adult && similar.length > 0 && linkButton(compareAddress([tool, ...similar.slice(0, 2)].map(({ slug }) => slug)), html`${icon('columns')}Compare`, { kind: 'plain' })}${!adult && part.shareMenu(tool.url, tool.name)}${website && !isGone && linkButton(`/tools/${tool.slug}/visit`, html`Visit website${icon('external')}`, { rel: 'nofollow noopener' })}`,
  { isPlate: !pictures },
)}
<div class="${isShort ? 'stacked' : 'beside'}">
<div class="flow">
${pictures}
${isFilled(tool.description) && tool.description !== oneLine(lineOf(tool), 200) && html`<h2>What it does</h2><div class="flow prose">${part.paragraphs(tool.description)}</div>`}
${part.deal('Discount', '', tool.discountCode)}
${part.video(tool)}
${part.definitionList('Features', Object.entries(tool.features))}
${part.questions(tool.faqs)}
</div>
<aside class="side" aria-label="About this tool">
${part.facts([...factRows(tool, options.currency), part.healthFact(health), tagsFact(tool)])}
${part.externalLinks('Elsewhere', [...Object.entries(tool.socials), ['Affiliate program', tool.affiliateLink]])}
${part.reportLink('tool', tool.slug)}
${isClaimable && html`<p class="small">Is this your product? <a href="/tools/${tool.slug}/claim" rel="nofollow">Claim or manage it</a></p>`}
</aside>
</div>
${alternatives}
</article>`,
  }
}

/** What two tools have in common beside their category, in words. */
export function likeness(tool: Tool, other: Tool): string {
  const tags = sharedTags(tool, other)
  return tags && `Like this: ${tags}`
}

export function sharedTags(tool: Tool, other: Tool): string {
  const ownTags = new Set(tool.tags.map(({ slug }) => slug))
  const tags = other.tags.filter(({ slug }) => ownTags.has(slug))
  return tags.map(({ name }) => name).join(', ')
}

/** The fields that have a place of their own on the page; `otherFacts` lists the rest. */
const PLACED = new Set<keyof Tool>([
  'id',
  'slug',
  'name',
  'tagline',
  'description',
  'url',
  'website',
  'category',
  'tags',
  'pricing',
  'rating',
  'opens',
  'featured',
  'icon',
  'frame',
  'founderName',
  'location',
  'domainRating',
  'isForSale',
  'askingPrice',
  'discountCode',
  'affiliate',
  'createdAt',
  'updatedAt',
  'screenshots',
  'video',
  'socials',
  'faqs',
  'features',
  'affiliateLink',
])

const factRows = (tool: Tool, currency: string): part.Fact[] => [
  ['Category', tool.category && html`<a href="/categories/${tool.category.slug}"><bdi>${tool.category.name}</bdi></a>`],
  ['Website', part.shownHost(tool.website)],
  // The head shows it as a badge. The page as Markdown names it here.
  ['Pricing', html`<span class="restated">${PRICING_LABELS[tool.pricing]}</span>`],
  ['Rating', tool.rating > 0 ? `${number(tool.rating)} of 5` : 'Not rated yet'],
  ['Opened', tool.opens > 0 ? amount(tool.opens, 'time', 'times') : null],
  [
    'Domain Rating',
    tool.domainRating === null
      ? null
      : html`<span class="dr">${number(tool.domainRating)}${meter(tool.domainRating)}</span>`,
  ],
  ['Affiliate program', part.yesOrNull(tool.affiliate)],
  ['Founder', tool.founderName],
  ['Location', tool.location],
  ['For sale', forSale(tool, currency)],
  ...part.otherFacts(toolDetailSchema, tool, PLACED),
  ['Listed', date(tool.createdAt)],
  ['Updated', date(tool.updatedAt)],
]

const tagsFact = ({ tags }: Tool): part.Fact => [
  'Tags',
  tags.length === 0 ? null : chips(tags.map(({ slug, name }) => ({ href: `/tags/${slug}`, label: name }))),
]

function forSale({ isForSale, askingPrice }: Tool, currency: string): string | null {
  if (!isForSale) return null
  return askingPrice > 0 ? `Yes, asking price ${money(askingPrice, currency)}` : 'Yes'
}

const applicationJsonLd = (tool: Tool, adult: boolean): object => ({
  '@type': 'SoftwareApplication',
  name: tool.name,
  description: tool.tagline || tool.description || undefined,
  url: tool.url,
  image: part.completePicture(tool),
  applicationCategory: tool.category?.name,
  isAccessibleForFree: tool.pricing !== 'PAID',
  isFamilyFriendly: adult ? false : undefined,
  author: tool.founderName ? { '@type': 'Person', name: tool.founderName } : undefined,
  sameAs: [webAddress(tool.website), ...part.profiles(tool.socials)].filter((address) => address !== null),
})
