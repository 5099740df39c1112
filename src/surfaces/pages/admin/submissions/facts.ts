// What is pasted into the forms of directories all day: each with a button that copies it.
import { pictureAddress } from '../../addresses.ts'
import { copyableFact } from '../../kit/code.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { externalLink } from '../lists.ts'
import type { Work } from './work.ts'

export const facts = (tool: Work['tool']): Markup => html`<section class="copy-facts" aria-label="Facts to copy">
<h2>Facts to copy</h2>
<dl>
${[
  text('Name', tool.name),
  text('Tagline', tool.tagline, long(tool.tagline)),
  text('Description', tool.description, long(tool.description)),
  text('Website', tool.website, opens(tool.website)),
  text('Listing here', tool.url, opens(tool.url)),
  text('Category', tool.category?.name),
  text('Tags', tool.tags.map(({ name }) => name).join(', ')),
  text('Pricing', tool.pricing),
  text('Founder', tool.founderName),
  text('E-mail', tool.founderEmail),
  text('Location', tool.location),
  text('Founded', tool.foundingDate),
  text('Launched', tool.isLaunched === null ? null : tool.isLaunched ? 'Yes' : 'No'),
  picture('Logo', tool.icon),
  picture('Main picture', tool.frame),
  ...tool.screenshots.map((address, i) => picture(`Screenshot ${i + 1}`, address)),
  text('Video', tool.video, opens(tool.video)),
  ...Object.entries(tool.socials).map(([network, address]) => text(network, address, opens(address))),
  text('Features', lines(Object.entries(tool.features))),
  text(
    'Questions',
    lines(
      tool.faqs.map(({ question, answer }) => [question, answer]),
      '\n',
    ),
  ),
  text('Discount code', tool.discountCode),
  text('Affiliate program', tool.affiliateText),
  text('Affiliate link', tool.affiliateLink, opens(tool.affiliateLink)),
]}</dl>
</section>`

const text = (label: string, value: string | null | undefined, note?: Markup | string | null): Markup | null =>
  value ? copyableFact(label, value, { note }) : null

/** How long it is, because forms have limits. */
const long = (value: string): string => `${[...value].length} characters`

const opens = (address: string | null): Markup | null => externalLink(address, 'Open')

function picture(label: string, address: string | null): Markup | null {
  if (!address) return null
  const shown = pictureAddress(address)
  const image = html`<img src="${shown}" alt="${label}" loading="lazy" referrerpolicy="no-referrer">`
  return copyableFact(label, address, {
    note: opens(address),
    picture: shown ? html`<a href="${shown}" target="_blank" rel="noopener noreferrer">${image}</a>` : null,
  })
}

/** Names and what belongs to them, as one text to paste. */
const lines = (pairs: readonly (readonly [string, string])[], between = ': '): string =>
  pairs.map(([name, value]) => `${name}${between}${value}`).join(between === '\n' ? '\n\n' : '\n')
