import { type Static, Type } from 'typebox'
import {
  booleanType,
  integerType,
  nullable,
  numberType,
  objectType,
  oneOf,
  stringType,
  timestamp,
  titledObject,
} from '../../../kernel/schema.ts'
import { version } from '../../audit/schema.ts'
import { PROPOSAL_STATES, proposalId, proposalSchema } from '../../proposals/schema.ts'
import { submitBody } from '../../submissions/schema.ts'
import { ownClaimSchema } from '../claims/schema.ts'
import { type ProductFields, productFields } from '../products/schema.ts'

/** Fields that a founder fills in before the product is listed, and that only administrators change afterwards. */
const FIXED = ['tags', 'founderName', 'location'] as const satisfies readonly (keyof ProductFields)[]

const fields = { ...Type.Omit(productFields, FIXED).properties, website: Type.Optional(submitBody.properties.website) }

/** What owners may change: at once, or once an administrator has accepted it. */
export const OWNER_FIELDS = {
  name: 'proposed',
  website: 'proposed',
  category: 'proposed',
  tagline: 'applied',
  description: 'applied',
  pricing: 'applied',
  features: 'applied',
  faq: 'applied',
  icon: 'applied',
  frame: 'applied',
  screenshots: 'applied',
  video: 'applied',
  socials: 'applied',
  discountCode: 'applied',
  affiliateLink: 'applied',
} as const satisfies Record<keyof typeof fields, 'applied' | 'proposed'>
export type OwnerField = keyof typeof OWNER_FIELDS

export const isOwnerField = (name: string): name is OwnerField => Object.hasOwn(OWNER_FIELDS, name)

export const ownerFields = titledObject(
  'OwnerFields',
  'What an owner may change. An omitted field stays, and null empties one that may be empty.',
  fields,
)
export type OwnerFields = Static<typeof ownerFields>

/** The fields whose text enrichment writes if the product's site does not have one. */
const MADE_FIELDS = ['faq', 'features'] as const satisfies readonly OwnerField[]

/** The longest address of a successor that an owner may type. */
export const MOST_SUCCESSOR = 500

const fieldNames = (description: string) => Type.Array(Type.String(), { description, examples: [['tagline']] })

/** What became of each field that an owner has changed. */
export const changeResult = Type.Object({
  applied: fieldNames('Fields that have the given value now.'),
  proposed: fieldNames('Fields that wait for an administrator.'),
})

export const ownListingSchema = objectType('A listing that the signed-in user owns.', {
  tool: ownClaimSchema.properties.tool,
  published: booleanType('Whether readers see it.', true),
  mustProve: booleanType(
    'Whether the listing has another domain than the one that was proven, so that the proof must be shown there.',
    false,
  ),
  fields: ownerFields,
  made: Type.Array(oneOf(MADE_FIELDS), {
    description: 'Fields whose text the service wrote itself and that no person has changed since.',
    examples: [['faq']],
  }),
  version,
  method: ownClaimSchema.properties.method,
  provenAt: timestamp('Since when the user owns it.'),
  failedAt: nullable(timestamp('When the proof was first not found.')),
})
export type OwnListing = Static<typeof ownListingSchema>

const count = (description: string, example: number) => integerType(description, example)

export const numbersSchema = titledObject('ToolNumbers', 'How often people found, viewed and opened a tool.', {
  days: Type.Array(
    Type.Object({
      day: stringType('The day (UTC).', '2026-03-01'),
      appearances: count('People to whom a search of the site showed it.', 67),
      views: count('People who viewed its page.', 14),
      opens: count('People who opened its website from here.', 3),
    }),
    { description: 'The last 30 days, the first one first. Every person counts once a day.' },
  ),
  before: objectType('The sums of the 30 days before these.', {
    appearances: count('Appearances in the 30 days before.', 1200),
    views: count('Views in the 30 days before.', 300),
    opens: count('Opens in the 30 days before.', 60),
  }),
  questions: Type.Array(
    Type.Object({
      words: stringType('The words of the question, sorted.', 'memos voice'),
      callers: numberType('How many callers opened it after the question; those of 30 days ago count half.', 7.5),
    }),
    { description: 'Questions after which at least five callers opened it, the most frequent first.' },
  ),
})
export type ToolNumbers = Static<typeof numbersSchema>

/** Of each listing of an owner. */
export const sumsSchema = Type.Array(
  Type.Object({
    slug: ownClaimSchema.properties.tool.properties.slug,
    appearances: count('Appearances in the last 30 days.', 1400),
    views: count('Views in the last 30 days.', 320),
    opens: count('Opens in the last 30 days.', 70),
  }),
)
export type ListingSums = Static<typeof sumsSchema>[number]

const { field, old, new: proposed, reason, createdAt, decidedAt } = proposalSchema.properties
/** The administrator who decided is left out: owners do not see the addresses of administrators. */
export const ownChangeSchema = objectType('A change that the signed-in owner has made or proposed.', {
  ...{ id: proposalId, field, old, new: proposed, reason, createdAt, decidedAt },
  state: oneOf(PROPOSAL_STATES, 'What became of it.', 'applied'),
})
export type OwnChange = Static<typeof ownChangeSchema>
