// Pure decisions about what owners change: which values empty a field, and which parts of a listing owners see.
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import { trimmed } from '../../../kernel/values/text.ts'
import type { tools } from '../../catalog/tables.ts'
import type { OwnerField, OwnerFields } from './schema.ts'

/** Changes of an owner that are kept for one listing; the oldest is deleted for a further one. */
export const MOST_CHANGES = 100

/** For each field that an owner may empty: the field of the listing with its empty value. */
export const EMPTY_VALUES: Partial<Record<OwnerField, Readonly<Record<string, unknown>>>> = {
  icon: { icon: null },
  frame: { frame: null },
  screenshots: { screenshots: [] },
  video: { video: null },
  features: { features: {} },
  faq: { faqs: [] },
  socials: { socials: {} },
  discountCode: { discountCode: '' },
  affiliateLink: { affiliateLink: null },
}

/** Sets `affiliate` with a change of the affiliate link: a listing has an affiliate program if it says where to sign up. */
export const withAffiliate = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  'affiliateLink' in values ? { ...values, affiliate: values.affiliateLink !== null } : { ...values }

/** The fields as the form of an owner has them; those without a value are left out. */
export function fieldsOfTool(tool: typeof tools.$inferSelect): OwnerFields {
  const { name, tagline, description, pricing, features, faqs, screenshots, socials } = tool
  return {
    ...{ name, tagline, description, pricing, features, faq: faqs, screenshots, socials },
    website: tool.website || undefined,
    category: tool.category ?? undefined,
    icon: tool.icon ?? undefined,
    frame: tool.frame ?? undefined,
    video: tool.video ?? undefined,
    discountCode: tool.discountCode || undefined,
    affiliateLink: tool.affiliateLink ?? undefined,
  }
}

/** The slug that an owner has typed, alone or as the address of a tool's page of this service; null for an empty text. */
export function slugIn(publicUrl: string, text: string): string | null {
  const typed = trimmed(text)
  if (typed === '') return null
  const isAddress = typed.startsWith(`${publicUrl}/tools/`)
  return isAddress ? (parseUrl(typed)?.pathname.split('/')[2] ?? '') : typed
}
