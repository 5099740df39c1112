// Translates the fields that a partner or an owner changes into the fields of the listing.
import { withPictures } from '../../../kernel/addresses/own-addresses.ts'
import type { CorrectionBody } from '../schema.ts'
import type { SubmittedTag, SubmittedTerm } from './read-submission.ts'

/** The name that a field has in the listing. Only `faq` has another name there. */
export const listingName = (field: string): string => (field === 'faq' ? 'faqs' : field)

/** The values of the listing that the body gives, without the details that only administrators see of a submission. */
export function listingValues(
  publicUrl: string,
  body: CorrectionBody & { website?: string },
  category: SubmittedTerm | undefined,
  tags: readonly SubmittedTag[],
): Record<string, unknown> {
  const { foundingDate: _f, isCustomer: _c, isLaunched: _l, faq, affiliate, ...rest } = body
  return {
    ...withPictures(publicUrl, rest),
    ...(body.category === undefined ? {} : { category: category?.slug }),
    ...(body.tags === undefined ? {} : { tags: tags.map(({ slug }) => slug) }),
    ...(faq === undefined ? {} : { faqs: faq }),
    // In a body `affiliate` is a text, in a listing a flag.
    ...(affiliate === undefined ? {} : { affiliate: true }),
  }
}
