import type { Directory } from '../../../features/catalog/schema.ts'
import { pictureAddress, webAddress } from '../addresses.ts'
import type { Page } from '../document.ts'
import { html, type Markup } from '../markup.ts'
import * as part from './listing.ts'

export function directoryPage(directory: Directory): Page {
  const website = webAddress(directory.website)
  return {
    title: directory.name,
    description: [
      directory.smallDescription,
      directory.fullDescription,
      `${directory.name}, a submission directory.`,
    ].find(part.isFilled)!,
    url: directory.url,
    picture: pictureAddress(directory.frame),
    facts: site(directory),
    body: html`<article>
${part.heading(directory.name, directory.smallDescription, directory.icon)}
${website && html`<p><a class="action" href="${website}" rel="nofollow noopener">Visit website</a></p>`}
${part.text(directory.fullDescription)}
${part.picture(directory.frame, `${directory.name}, main picture`)}
${part.facts(glance(directory))}
${part.listed('Features', directory.features)}
${part.listed('Good for', directory.useCases)}
${part.questions(directory.faq)}
${part.links('Elsewhere', Object.entries(directory.socials))}
</article>`,
  }
}

const glance = (directory: Directory): part.Fact[] => [
  ['Categories', part.named(directory.categories)],
  ['Cost', directory.cost],
  ['Minimum price', directory.minimumPrice > 0 ? part.number(directory.minimumPrice) : null],
  ['Deal', deal(directory)],
  ['Link type', directory.type],
  ['Domain Rating', directory.domainRating === null ? null : part.number(directory.domainRating)],
  ['Monthly visits', directory.monthlyVisits === null ? null : part.number(directory.monthlyVisits)],
  ['Badge', directory.requiresBadge ? 'Required: a link back to the directory' : 'Not required'],
  ['Submitting', directory.submissionExperience],
  ['Featured', part.yes(directory.featured)],
  ['Listed', part.date(directory.createdAt)],
  ['Updated', part.date(directory.updatedAt)],
]

function deal({ deal }: Directory): Markup | null {
  if (!deal || !(part.isFilled(deal.text) || part.isFilled(deal.code))) return null
  return html`<bdi>${deal.text}</bdi>${part.isFilled(deal.code) && html`${part.isFilled(deal.text) && html`<br>`}Code: ${part.code(deal.code)}`}`
}

const site = (directory: Directory): object => ({
  '@type': 'WebSite',
  name: directory.name,
  description: directory.smallDescription || directory.fullDescription || undefined,
  url: webAddress(directory.website) ?? undefined,
  image: pictureAddress(directory.icon) ?? undefined,
  mainEntityOfPage: directory.url,
  sameAs: part.profiles(directory.socials),
})
