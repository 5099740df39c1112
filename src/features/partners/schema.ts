// Schemas of partners: as the API shows them, the bodies that change them, and the limits of their launch plans.
import { Type } from 'typebox'
import {
  booleanType,
  integerType,
  NAME_PATTERN,
  nullable,
  numberType,
  objectType,
  oneOf,
  stringType,
  timestamp,
  titledObject,
} from '../../kernel/schema.ts'
import { email } from '../accounts/schema.ts'
import { version } from '../audit/schema.ts'

export const SUPPORT_MODES = ['off', 'hybrid', 'human'] as const
export type SupportMode = (typeof SUPPORT_MODES)[number]
/** The modes in which a partner may forward questions. */
export const ANSWERING_MODES = SUPPORT_MODES.filter((mode) => mode !== 'off')

/** Events that are sent only to partners that ask for them, and when each is sent. */
export const OPTIONAL_EVENTS = {
  'submission.progress': 'when the work on a tool has a new state, or a directory was recorded',
  'row.waiting': 'when a directory waits for something that only the founder can do',
  'listing.live': 'when the link on a listing is first found',
  'listing.lost': 'when a link that was there is lost',
} as const
export type OptionalEvent = keyof typeof OPTIONAL_EVENTS
export const OPTIONAL_EVENT_NAMES = Object.keys(OPTIONAL_EVENTS) as [OptionalEvent, ...OptionalEvent[]]

export const EXAMPLE_PARTNER_ID = '8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10'

export const partnerId = stringType('Identifier of the partner.', EXAMPLE_PARTNER_ID)
export const last4 = stringType('Last four characters of the key, to tell keys apart.', 'x7Qa')
const support = oneOf(
  SUPPORT_MODES,
  'Who answers customer questions. off: they are refused; hybrid: an AI, then people; human: people only.',
  'hybrid',
)
const webhookUrl = nullable(
  stringType('Where events are sent.', 'https://partner.example.com/hooks/catalog', { maxLength: 2000 }),
)
export const webhookSecret = stringType(
  'Secret that events are signed with. It is shown only here.',
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
)
const MOST_BUDGET = 1e9

const budget = (remark = '') =>
  numberType(`Plans propose no directory whose least price is above this; 0: free ones only.${remark}`, 0, {
    minimum: 0,
    maximum: MOST_BUDGET,
  })
const badges = (remark = '') => booleanType(`Whether directories that demand a badge are proposed.${remark}`, true)
const UNCHANGED_IF_OMITTED = ' Omitted: stays as it is.'
const planLimits = titledObject('PlanLimits', "Limits of the plans for the partner's products.", {
  budget: budget(),
  badges: badges(),
})
const planLimitsBody = objectType("Limits of the plans for the partner's products.", {
  budget: Type.Optional(budget(UNCHANGED_IF_OMITTED)),
  badges: Type.Optional(badges(UNCHANGED_IF_OMITTED)),
})
/** The limits of the launch plan of one submission. Where one is null, the limit of the partner applies. */
export const submissionPlanLimits = titledObject(
  'OwnPlanLimits',
  'Limits of its own; what is null is as for the partner.',
  { budget: nullable(budget()), badges: nullable(badges()) },
)
export const submissionPlanLimitsBody = objectType(
  'Limits of its own, which win over those of the partner; null removes one.',
  {
    budget: Type.Optional(nullable(budget(UNCHANGED_IF_OMITTED))),
    badges: Type.Optional(nullable(badges(UNCHANGED_IF_OMITTED))),
  },
)

const events = Type.Array(oneOf(OPTIONAL_EVENT_NAMES), {
  maxItems: OPTIONAL_EVENT_NAMES.length,
  description: 'Events that are sent beside those that every partner gets; none by default.',
  examples: [['submission.progress']],
})
const name = stringType('Name.', 'Example Launch Platform', { minLength: 1, maxLength: 200, pattern: NAME_PATTERN })

export const newPartnerBody = Type.Object({
  name,
  contactEmail: Type.Optional(nullable(email)),
  webhookUrl: Type.Optional(webhookUrl),
  support: Type.Optional(support),
})

export const partnerChangeBody = Type.Object({
  name: Type.Optional(name),
  contactEmail: Type.Optional(nullable(email)),
  webhookUrl: Type.Optional(webhookUrl),
  support: Type.Optional(support),
  plan: Type.Optional(planLimitsBody),
  events: Type.Optional(events),
  banned: Type.Optional(booleanType("A banned partner's key no longer works.", false)),
})

/** The webhook settings, which the users of a partner may change themselves. */
export const ownWebhookBody = Type.Object({ webhookUrl, events })

/** How long webhooks are signed with the previous secret too. */
export const DEFAULT_SECRET_OVERLAP_HOURS = 24
const MAX_SECRET_OVERLAP_HOURS = 168

export const rotationBody = Type.Object({
  overlapHours: Type.Optional(
    integerType(
      `For how many hours the previous secret signs too: 0 to ${MAX_SECRET_OVERLAP_HOURS}, ${DEFAULT_SECRET_OVERLAP_HOURS} by default.`,
      DEFAULT_SECRET_OVERLAP_HOURS,
      { minimum: 0, maximum: MAX_SECRET_OVERLAP_HOURS },
    ),
  ),
})

export const partnerFields = {
  id: partnerId,
  name,
  contactEmail: nullable(email),
  webhookUrl,
  support,
  plan: planLimits,
  events,
  banned: booleanType("A banned partner's key no longer works.", false),
  version,
  createdAt: timestamp('When the partner was created.'),
  updatedAt: timestamp('When the partner was last changed.'),
}

export const partnerSchema = titledObject('Partner', 'A partner.', { ...partnerFields, last4: nullable(last4) })
/** The answer to a change: without last4. */
export const changedPartnerSchema = Type.Object(partnerFields, { title: 'ChangedPartner', description: 'A partner.' })
export const newSecretSchema = titledObject('NewSecret', 'The new signing secret.', {
  webhookSecret,
  previousValidUntil: nullable(timestamp('Until when the previous secret signs too; null: it no longer signs.')),
})

export const partnerFilters = {
  q: Type.Optional(stringType("Part of the name or of the contact's e-mail address.", 'launch', { maxLength: 200 })),
  banned: Type.Optional(booleanType('Only banned ones, or with false only others.', true)),
  builtIn: Type.Optional(
    booleanType('true: also the built-in partner to which orders of founders belong; it has no key.', true),
  ),
}

export const partnerOfUserSchema = objectType('The partner that the user works for.', {
  id: partnerId,
  name: stringType('Name of the partner.', 'Example Launch Platform'),
  webhookUrl: nullable(stringType('Where events are sent.', 'https://partner.example.com/hooks/catalog')),
  support: oneOf(SUPPORT_MODES, 'Who answers customer questions.', 'hybrid'),
  events,
  version,
})
