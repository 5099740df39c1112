// The shapes of products that founders send, as founders and operators see them.
import { type Static, Type } from 'typebox'
import {
  booleanType,
  integerType,
  NAME_PATTERN,
  nullable,
  nullableObject,
  objectType,
  oneOf,
  stringType,
  timestamp,
  titledObject,
} from '../../../kernel/schema.ts'
import { version } from '../../audit/schema.ts'
import { DECISIONS, REVIEW_STATES } from '../../proposals/schema.ts'
import { submitBody } from '../../submissions/schema.ts'
import { founder } from '../claims/schema.ts'
import { FIELD_SOURCES, PRODUCT_STATES, READING_STEPS } from './rules.ts'

/** The fields of a partner's submission that a founder fills in. A draft may lack any of them. */
const PRODUCT_FIELDS = [
  'name',
  'tagline',
  'description',
  'category',
  'pricing',
  'tags',
  'icon',
  'frame',
  'screenshots',
  'video',
  'features',
  'faq',
  'socials',
  'founderName',
  'location',
  'discountCode',
  'affiliateLink',
] as const satisfies readonly (keyof typeof submitBody.properties)[]

/** A text without line breaks. */
const line = (schema: object) => Type.Optional(Type.String({ ...schema, pattern: NAME_PATTERN }))

const fields = {
  ...Type.Partial(Type.Pick(submitBody, PRODUCT_FIELDS)).properties,
  name: line(submitBody.properties.name),
  tagline: line(submitBody.properties.tagline),
}

export const productFields = titledObject(
  'ProductFields',
  'What the founder says about the product; the same fields as in a submission of a partner.',
  fields,
)
export type ProductFields = Static<typeof productFields>

export const PRODUCT_ID = '01a2f0de-7a10-7c3e-9f51-2b1f0c6f2a11'
const id = stringType('Identifier of the product.', PRODUCT_ID)
const website = stringType("The product's own site.", 'https://acme-writer.example.com')
const reason = stringType('What the administrator wrote about the decision.', '')
const timesSent = integerType('How often it was sent; twice at most.', 1)
const listing = nullableObject(
  titledObject('ListingOfProduct', 'The listing.', {
    slug: stringType('Slug of the tool.', 'acme-writer'),
    name: stringType('Name of the tool.', 'Acme Writer'),
    published: booleanType('Whether readers see it.', true),
  }),
  'The listing that was made from it; null until it is accepted, and after the listing was deleted.',
)
const sentAt = nullable(timestamp('When it was last sent.'))
const decidedAt = nullable(timestamp('When it was accepted or refused.'))

export const ownProductSchema = objectType('A product of the signed-in founder.', {
  id,
  website,
  state: oneOf(PRODUCT_STATES, 'How far it is.', 'draft'),
  step: oneOf(READING_STEPS, 'What is done while the site is read.', 'page'),
  fields: productFields,
  sources: Type.Unsafe<Readonly<Record<string, (typeof FIELD_SOURCES)[number]>>>({
    type: 'object',
    additionalProperties: { type: 'string', enum: FIELD_SOURCES },
    description: 'Where the value of a field comes from.',
    examples: [{ name: 'site', category: 'guess' }],
  }),
  note: stringType('Why the site could not be read.', ''),
  reason,
  timesSent,
  mayChange: booleanType('Whether it may be changed and sent.', true),
  listing,
  isSentByOther: booleanType(
    'Whether another account has sent the same website, and it waits; false until this product is sent.',
    false,
  ),
  version,
  createdAt: timestamp('When it was begun.'),
  sentAt,
  decidedAt,
})
export type OwnProduct = Static<typeof ownProductSchema>

export const reviewSchema = titledObject('Review', 'A product that a founder has sent.', {
  id,
  state: oneOf(REVIEW_STATES, 'Whether it waits, and what was decided.', 'waiting'),
  website,
  user: founder,
  fields: productFields,
  suspicions: Type.Array(Type.String(), {
    description: 'What to look at before it is accepted, in sentences; empty when nothing is suspicious.',
    examples: [[]],
  }),
  reason,
  timesSent,
  listing,
  version,
  sentAt,
  decidedAt,
})

export const reviewExample = {
  id: PRODUCT_ID,
  state: 'waiting',
  website: 'https://acme-writer.example.com',
  user: { id: '0d8d4b0e-4d3c-4b43-9c38-3f3a2f7a9b10', email: 'ada@example.com' },
  fields: {
    name: 'Acme Writer',
    tagline: 'Drafts your mail in your own voice',
    description: 'Acme Writer learns from your sent mail and …',
    category: 'writing',
    pricing: 'FREEMIUM',
    tags: ['api'],
    founderName: 'Ada Example',
  },
  suspicions: [],
  reason: '',
  timesSent: 1,
  listing: null,
  version: 2,
  sentAt: '2026-03-01T09:30:00.000Z',
  decidedAt: null,
}

export const reviewBody = titledObject('ReviewDecision', 'The decision about a product.', {
  decision: oneOf(DECISIONS, 'Whether the product is listed.', 'accept'),
  reason: Type.Optional(
    stringType(
      'What the founder is told; a refusal needs one.',
      'The site does not answer, so the product cannot be looked at.',
      { maxLength: 1000 },
    ),
  ),
  /** Fields whose listed values differ from those that the founder sent; only when the product is accepted. */
  changes: Type.Optional(productFields),
  removed: Type.Optional(
    Type.Array(oneOf(PRODUCT_FIELDS), {
      maxItems: PRODUCT_FIELDS.length,
      description: 'Fields that the founder filled in and the listing does not get; only when it is accepted.',
      examples: [['discountCode']],
    }),
  ),
})
