// Texts about the customer and the product of a conversation, from what its partner sent: for the placeholders {customer} and {product} of
// saved replies, and to find the submissions that the conversation is about.

export const PLACEHOLDERS = ['customer', 'product'] as const
type Placeholder = (typeof PLACEHOLDERS)[number]

interface PlaceholderValues {
  customer: { name?: string; email?: string; id?: string } | null
  metadata: Record<string, unknown> | null
  client: { name: string }
}

// Partners may send long texts; a name in a reply is cut to this length.
const MAX_NAME_LENGTH = 100

/** The customer's name, and the product that the partner named in the metadata, otherwise the partner itself. */
export function placeholdersOf({ customer, metadata, client }: PlaceholderValues): Record<Placeholder, string> {
  const productName = metadata && Object.hasOwn(metadata, 'product') ? metadata.product : undefined
  return { customer: shortText(customer?.name) || 'there', product: shortText(productName) || shortText(client.name) }
}

const shortText = (value: unknown): string => (typeof value === 'string' ? value.trim().slice(0, MAX_NAME_LENGTH) : '')

/** At most this many texts of the metadata are read. */
const MOST_TEXTS = 20

/** The texts of the metadata, any of which may name a product, and the e-mail address of the customer; empty if it is not known. */
export function namedTexts({ customer, metadata }: Pick<PlaceholderValues, 'customer' | 'metadata'>): {
  texts: string[]
  email: string
} {
  const texts = Object.values(metadata ?? {}).flatMap((value) =>
    typeof value === 'string' && value.trim() !== '' && value.length <= 300 ? [value.trim()] : [],
  )
  return { texts: texts.slice(0, MOST_TEXTS), email: shortText(customer?.email).toLowerCase() }
}

/** Fills in the placeholders; other texts in braces stay as they are. */
export const filled = (text: string, values: Record<Placeholder, string>): string =>
  text.replace(/\{(customer|product)\}/g, (_, name: Placeholder) => values[name])
