// Placeholders in saved replies: {customer} and {product}.

export const PLACEHOLDERS = ['customer', 'product'] as const
type Placeholder = (typeof PLACEHOLDERS)[number]

interface Asked {
  customer: { name?: string; email?: string; id?: string } | null
  metadata: Record<string, unknown> | null
  client: { name: string }
}

// What partners send may be long; a name in a reply is not.
const LONGEST = 100

/** The customer's name, and the product that the partner named in the metadata, otherwise the partner itself. */
export function placeholdersOf({ customer, metadata, client }: Asked): Record<Placeholder, string> {
  const named = metadata && Object.hasOwn(metadata, 'product') ? metadata.product : undefined
  return {
    customer: shortText(customer?.name) || 'there',
    product: shortText(named) || shortText(client.name),
  }
}

const shortText = (value: unknown): string => (typeof value === 'string' ? value.trim().slice(0, LONGEST) : '')

/** Other texts in braces stay as they are. */
export const filled = (text: string, values: Record<Placeholder, string>): string =>
  text.replace(/\{(customer|product)\}/g, (_, name: Placeholder) => values[name])
