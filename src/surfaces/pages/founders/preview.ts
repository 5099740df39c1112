// What a founder has sent: as the listing will look, and field by field.
import type { Snapshot } from '../../../features/catalog/memory/snapshot.ts'
import { PRICING_LABELS, type Tool } from '../../../features/catalog/schema.ts'
import type { ProductFields } from '../../../features/founders/products/schema.ts'
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { toolCards } from '../site/entries.ts'
import { PRODUCT_LABELS } from './fields.ts'

/** The listing as readers will see it. */
export function previewOf(
  fields: ProductFields,
  { website, snapshot, publicUrl }: { website: string; snapshot: Snapshot; publicUrl: string },
): Tool {
  const { categories, tags } = snapshot.taxonomy
  const category = categories.get(fields.category ?? '')
  return {
    id: '',
    slug: 'preview',
    name: fields.name ?? parseUrl(website)?.hostname ?? website,
    tagline: fields.tagline ?? '',
    description: fields.description ?? '',
    url: `${publicUrl}/tools/preview`,
    website,
    category: category ? { slug: category.slug, name: category.name } : null,
    tags: (fields.tags ?? []).map((text) => ({
      slug: tags.get(text)?.slug ?? text,
      name: tags.get(text)?.name ?? text,
    })),
    // A tool has a price; the card of a product without one says that it is not known.
    pricing: fields.pricing ?? 'FREE',
    rating: 0,
    opens: 0,
    featured: false,
    icon: fields.icon ?? null,
    frame: fields.frame ?? null,
    founderName: fields.founderName ?? null,
    location: fields.location ?? null,
    domainRating: null,
    isForSale: false,
    askingPrice: 0,
    discountCode: fields.discountCode ?? '',
    affiliate: fields.affiliateLink !== undefined,
    affiliateLink: fields.affiliateLink ?? null,
    screenshots: fields.screenshots ?? [],
    video: fields.video ?? null,
    socials: fields.socials ?? {},
    faqs: fields.faq ?? [],
    features: fields.features ?? {},
    createdAt: null,
    updatedAt: null,
  }
}

/** The listing as it will look in lists. Its link leads nowhere yet, so it cannot be used. */
export const previewCard = (tool: Tool, { pricing }: Pick<ProductFields, 'pricing'>): Markup =>
  html`<div class="one-card" inert>${toolCards([tool], { isPriceUnknown: pricing === undefined })}</div>`

/** What a founder has sent, field by field, as text. */
export const sentFacts = (fields: ProductFields, snapshot: Snapshot): Markup => {
  const { categories, tags } = snapshot.taxonomy
  const facts: readonly (readonly [keyof ProductFields, string | undefined])[] = [
    ['description', fields.description],
    ['category', categories.get(fields.category ?? '')?.name],
    ['pricing', fields.pricing && PRICING_LABELS[fields.pricing]],
    ['tags', fields.tags?.map((tag) => tags.get(tag)?.name ?? tag).join(', ')],
    ['features', Object.keys(fields.features ?? {}).join(', ')],
    ['faq', fields.faq?.map(({ question }) => question).join(' ')],
    ['founderName', fields.founderName],
  ]
  return html`<dl class="facts broad">${facts.map(([name, text]) => text && html`<div><dt>${PRODUCT_LABELS[name]}</dt><dd dir="auto">${oneLine(text, 400)}</dd></div>\n`)}</dl>`
}
