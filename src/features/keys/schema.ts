import { Type } from 'typebox'
import { nullable, oneOf, timestamp } from '../../kernel/schema.ts'
import { email, plan } from '../accounts/schema.ts'
import { version } from '../audit/schema.ts'
import { KEY_KINDS } from './rules.ts'

export const SUPPORT_MODES = ['off', 'hybrid', 'human'] as const

const id = (of: string) =>
  Type.String({ description: `Identifier of the ${of}.`, examples: ['3e1f0a52-91c7-4f0b-8a57-1c9f5d0f6f11'] })
const last4 = Type.String({ description: 'Last four characters of the key, to tell keys apart.', examples: ['x7Qa'] })
const wholeKey = (example: string) =>
  Type.String({ description: 'The key. It is shown only here; it cannot be shown again.', examples: [example] })
const support = oneOf(SUPPORT_MODES, {
  description: 'Who answers customer questions. off: they are refused; hybrid: an AI, then people; human: people only.',
  examples: ['hybrid'],
})
const webhookUrl = nullable(
  Type.String({
    maxLength: 2000,
    description: 'Where events are sent.',
    examples: ['https://partner.example.com/hooks/catalog'],
  }),
)
const webhookSecret = Type.String({
  description: 'Secret that events are signed with. It is shown only here.',
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
})
const name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description: 'Name.',
  examples: ['Example Launch Platform'],
})

export const newKeyBody = Type.Object({
  email,
  name: Type.Optional(Type.String({ maxLength: 200, description: 'What the key is for.', examples: ['Production'] })),
  plan: Type.Optional(plan),
})

export const newKeySchema = Type.Object(
  {
    id: id('key'),
    key: wholeKey('aid_…'),
    last4,
    name: Type.String({ description: 'What the key is for.', examples: ['Production'] }),
    plan,
    owner: Type.String({ description: "The owner's e-mail address.", examples: ['ada@example.com'] }),
    createdAt: timestamp('When the key was made.'),
  },
  { title: 'NewKey', description: 'A new key.' },
)

export const keySchema = Type.Object(
  {
    id: id('key'),
    last4,
    name: Type.String({ description: 'What the key is for.', examples: ['Production'] }),
    kind: oneOf(KEY_KINDS, {
      description: 'Whether it is a catalog key or a partner key.',
      examples: ['catalog'],
    }),
    plan,
    owner: Type.String({
      description: "The user's e-mail address or the partner's name.",
      examples: ['ada@example.com'],
    }),
    userId: nullable(id('user who owns it')),
    partnerId: nullable(id('partner that owns it')),
    policyVersion: Type.String({
      description: 'The acceptable-use policy that was agreed to.',
      examples: ['2026-11-01'],
    }),
    policyAgreedAt: nullable(timestamp('When the owner agreed to it; null: an operator vouched for that.')),
    policyVouchedBy: nullable(
      Type.String({
        description: 'The operator who issued the key and vouched for the agreement; null: the owner agreed.',
        examples: ['operator'],
      }),
    ),
    createdAt: timestamp('When the key was made.'),
    shownAt: nullable(
      timestamp(
        'When the answer that held the key was sent. null: it was cut off, and unless the key was used no one has it.',
      ),
    ),
    lastUsedAt: nullable(timestamp('When the key was last used; a few seconds late.')),
    revokedAt: nullable(timestamp('When the key was revoked.')),
  },
  { title: 'Key', description: 'A key, without the key itself.' },
)

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
  banned: Type.Optional(Type.Boolean({ description: "A banned partner's key no longer works.", examples: [false] })),
})

const partnerFields = {
  id: id('partner'),
  name,
  contactEmail: nullable(email),
  webhookUrl,
  support,
  banned: Type.Boolean({ description: "A banned partner's key no longer works.", examples: [false] }),
  version,
  createdAt: timestamp('When the partner was created.'),
  updatedAt: timestamp('When the partner was last changed.'),
}

export const partnerSchema = Type.Object(
  { ...partnerFields, last4: nullable(last4) },
  { title: 'Partner', description: 'A partner.' },
)
export const changedPartnerSchema = Type.Object(partnerFields, { title: 'ChangedPartner', description: 'A partner.' })
export const newPartnerSchema = Type.Object(
  { ...partnerFields, key: wholeKey('aid_p_…'), last4, webhookSecret },
  { title: 'NewPartner', description: 'A new partner.' },
)
export const newPartnerKeySchema = Type.Object(
  { id: id('key'), key: wholeKey('aid_p_…'), last4 },
  { title: 'NewPartnerKey', description: 'A new key of a partner.' },
)
export const newSecretSchema = Type.Object(
  { webhookSecret },
  { description: 'The new signing secret; the old one no longer signs.' },
)

export const keyFilters = {
  user: Type.Optional(
    Type.String({ description: 'Only keys of this user.', examples: ['0d8d4b0e-4d3c-4b43-9c38-3f3a2f7a9b10'] }),
  ),
  partner: Type.Optional(
    Type.String({ description: 'Only keys of this partner.', examples: ['8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10'] }),
  ),
  live: Type.Optional(
    Type.Boolean({ description: 'Only keys that are not revoked, or with false only revoked ones.', examples: [true] }),
  ),
  unheld: Type.Optional(
    Type.Boolean({
      description:
        'Only live keys that no one has: their answer was cut off and they were never used; or with false only others.',
      examples: [true],
    }),
  ),
}

export const partnerFilters = {
  q: Type.Optional(
    Type.String({
      maxLength: 200,
      description: "Part of the name or of the contact's e-mail address.",
      examples: ['launch'],
    }),
  ),
  banned: Type.Optional(
    Type.Boolean({ description: 'Only banned ones, or with false only others.', examples: [true] }),
  ),
}
