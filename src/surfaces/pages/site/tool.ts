import { isAdult } from '../../../features/catalog/rules.ts'
import type { Tool } from '../../../features/catalog/schema.ts'
import type { Snapshot } from '../../../features/catalog/snapshot.ts'
import { pictureAddress, webAddress } from '../addresses.ts'
import type { Page } from '../document.ts'
import { html } from '../markup.ts'
import * as part from './listing.ts'

const PRICING = { FREE: 'Free', FREEMIUM: 'Freemium', PAID: 'Paid' } as const

export const isAdultTool = (tool: Tool, { taxonomy }: Snapshot): boolean =>
  isAdult({ category: tool.category?.slug ?? null, tags: tool.tags.map((tag) => tag.slug) }, taxonomy)

export function toolPage(tool: Tool, adult: boolean): Page {
  const website = webAddress(tool.website)
  return {
    title: tool.name,
    description: [tool.tagline, tool.description, `${tool.name}, an AI tool.`].find(part.isFilled)!,
    url: tool.url,
    adult,
    picture: pictureAddress(tool.frame),
    facts: application(tool, adult),
    body: html`<article>
${part.heading(tool.name, tool.tagline, tool.icon)}
${website && html`<p><a class="action" href="/tools/${tool.slug}/visit" rel="nofollow noopener">Visit website</a></p>`}
${part.text(tool.description)}
${part.picture(tool.frame, `${tool.name}, main picture`)}
${part.facts(glance(tool))}
${part.explained('Features', Object.entries(tool.features))}
${part.questions(tool.faqs)}
${pictures(tool)}
${part.links('Elsewhere', [
  ...Object.entries(tool.socials),
  ['Video', tool.video],
  ['Affiliate program', tool.affiliateLink],
])}
</article>`,
  }
}

const glance = (tool: Tool): part.Fact[] => [
  ['Category', tool.category?.name ?? null],
  ['Tags', part.named(tool.tags)],
  ['Pricing', PRICING[tool.pricing]],
  ['Rating', tool.rating > 0 ? `${part.number(tool.rating)} of 5` : 'Not rated yet'],
  ['Opened', `${part.number(tool.opens)} ${tool.opens === 1 ? 'time' : 'times'}`],
  ['Domain Rating', tool.domainRating === null ? null : part.number(tool.domainRating)],
  ['Discount code', part.code(tool.discountCode)],
  ['Featured', part.yes(tool.featured)],
  ['Affiliate program', part.yes(tool.affiliate)],
  ['Founder', tool.founderName],
  ['Location', tool.location],
  ['For sale', forSale(tool)],
  ['Listed', part.date(tool.createdAt)],
  ['Updated', part.date(tool.updatedAt)],
]

function forSale({ isForSale, askingPrice }: Tool): string | null {
  if (!isForSale) return null
  return askingPrice > 0 ? `Yes, asking price ${part.number(askingPrice)}` : 'Yes'
}

function pictures({ name, screenshots }: Tool) {
  const shown = screenshots.flatMap((address, i) => part.picture(address, `${name}, screenshot ${i + 1}`) ?? [])
  return shown.length === 0 ? null : html`<h2>Screenshots</h2>\n${shown}`
}

const application = (tool: Tool, adult: boolean): object => ({
  '@type': 'SoftwareApplication',
  name: tool.name,
  description: tool.tagline || tool.description || undefined,
  url: tool.url,
  image: pictureAddress(tool.icon) ?? undefined,
  applicationCategory: tool.category?.name,
  isAccessibleForFree: tool.pricing !== 'PAID',
  isFamilyFriendly: adult ? false : undefined,
  author: tool.founderName ? { '@type': 'Person', name: tool.founderName } : undefined,
  sameAs: [webAddress(tool.website), ...part.profiles(tool.socials)].filter((address) => address !== null),
})
