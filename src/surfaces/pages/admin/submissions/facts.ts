// The facts about a product that administrators paste into the forms of directories, each with a button that copies it.
import { PRICING_LABELS } from '../../../../features/catalog/schema.ts'
import { detailFields } from '../../../../features/submissions/schema.ts'
import { pictureAddress } from '../../addresses.ts'
import { copyableFact } from '../../kit/components.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { fieldLabel } from '../../kit/values.ts'
import { externalLink } from '../kit/list-pages.ts'
import type { SubmissionWork } from './work.ts'

type Tool = SubmissionWork['tool']

export const factsToCopy = (tool: Tool): Markup => html`<details class="copy-facts"><summary>Facts to copy</summary>
<dl>
${[
  textFact('Name', tool.name),
  textFact('Tagline', tool.tagline, lengthNote(tool.tagline)),
  textFact('Description', tool.description, lengthNote(tool.description)),
  textFact('Website', tool.website, openLink(tool.website)),
  textFact('Listing here', tool.url, openLink(tool.url)),
  textFact('Category', tool.category?.name),
  textFact('Tags', tool.tags.map(({ name }) => name).join(', ')),
  textFact('Pricing', PRICING_LABELS[tool.pricing]),
  textFact('Founder', tool.founderName),
  textFact('E-mail', tool.founderEmail),
  textFact('Location', tool.location),
  textFact('Founded', tool.foundingDate),
  textFact('Launched', asText(tool.isLaunched)),
  pictureFact('Logo', tool.icon),
  pictureFact('Main picture', tool.frame),
  ...tool.screenshots.map((address, i) => pictureFact(`Screenshot ${i + 1}`, address)),
  textFact('Video', tool.video, openLink(tool.video)),
  ...Object.entries(tool.socials).map(([network, address]) => textFact(network, address, openLink(address))),
  textFact('Features', pairsAsText(Object.entries(tool.features))),
  textFact(
    'Questions',
    pairsAsText(
      tool.faqs.map(({ question, answer }) => [question, answer]),
      '\n',
    ),
  ),
  textFact('Discount code', tool.discountCode),
  ...otherDetails(tool),
  textFact('Affiliate program', tool.affiliateText),
  textFact('Affiliate link', tool.affiliateLink, openLink(tool.affiliateLink)),
]}</dl>
</details>`

/** Details that `otherDetails` leaves out: two are listed above, and no directory asks whether the founder is a customer. */
const NOT_ADDED: ReadonlySet<string> = new Set<keyof typeof detailFields>(['foundingDate', 'isLaunched', 'isCustomer'])

const otherDetails = (tool: Tool): (Markup | null)[] =>
  (Object.keys(detailFields) as (keyof typeof detailFields)[])
    .filter((name) => !NOT_ADDED.has(name))
    .map((name) => textFact(fieldLabel(name), asText(tool[name])))

function asText(value: string | number | boolean | null): string | null {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return value === null ? null : String(value)
}

const textFact = (label: string, value: string | null | undefined, note?: Markup | string | null): Markup | null =>
  value ? copyableFact(label, value, { note }) : null

/** The length of a text, which matters because forms of directories have limits. */
const lengthNote = (value: string): string => `${[...value].length} characters`

const openLink = (address: string | null): Markup | null => externalLink(address, 'Open')

function pictureFact(label: string, address: string | null): Markup | null {
  if (!address) return null
  const shown = pictureAddress(address)
  const image = html`<img src="${shown}" alt="${label}" loading="lazy">`
  return copyableFact(label, address, {
    note: openLink(address),
    picture: shown ? html`<a href="${shown}" target="_blank" rel="noopener noreferrer">${image}</a>` : null,
  })
}

/** Pairs of names and values as one text to paste, such as "Name: value" on each line. */
const pairsAsText = (pairs: readonly (readonly [string, string])[], between = ': '): string =>
  pairs.map(([name, value]) => `${name}${between}${value}`).join(between === '\n' ? '\n\n' : '\n')
