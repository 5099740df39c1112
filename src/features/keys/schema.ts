import { Type } from 'typebox'
import { nullable, OPTIONAL_NAME_PATTERN, oneOf, timestamp } from '../../kernel/schema.ts'
import { email, plan } from '../accounts/schema.ts'
import { last4, partnerFields, webhookSecret } from '../partners/schema.ts'
import { KEY_KINDS } from './rules.ts'

const id = (of: string) =>
  Type.String({ description: `Identifier of the ${of}.`, examples: ['3e1f0a52-91c7-4f0b-8a57-1c9f5d0f6f11'] })
const test = Type.Boolean({
  description: "Whether it is a test key, which works in the partner's sandbox alone.",
  examples: [false],
})
const wholeKey = (example: string) =>
  Type.String({ description: 'The key. It is shown only here; it cannot be shown again.', examples: [example] })
export const newKeyBody = Type.Object({
  email,
  name: Type.Optional(
    Type.String({
      maxLength: 200,
      pattern: OPTIONAL_NAME_PATTERN,
      description: 'What the key is for.',
      examples: ['Production'],
    }),
  ),
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
    test,
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
    revokedAt: nullable(timestamp('When the key was revoked, or ended because another one replaced it.')),
    endsAt: nullable(
      timestamp('When the key stops by itself, because another one replaced it. null: it works until it is revoked.'),
    ),
  },
  { title: 'Key', description: 'A key, without the key itself.' },
)

export const newPartnerSchema = Type.Object(
  { ...partnerFields, key: wholeKey('aid_p_…'), last4, webhookSecret },
  { title: 'NewPartner', description: 'A new partner.' },
)
export const newPartnerKeySchema = Type.Object(
  { id: id('key'), key: wholeKey('aid_p_…'), last4, test },
  { title: 'NewPartnerKey', description: 'A new key of a partner.' },
)
export const newPartnerKeyBody = Type.Object({
  test: Type.Optional(
    Type.Boolean({ description: "true: a test key (aid_test_…), for the partner's sandbox.", examples: [true] }),
  ),
})
export const MAX_OVERLAP_HOURS = 168
export const DEFAULT_OVERLAP_HOURS = 24
export const keyRotationBody = Type.Object({
  overlapHours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_OVERLAP_HOURS,
      description: `For how many hours the old key works on: 0 to ${MAX_OVERLAP_HOURS}, ${DEFAULT_OVERLAP_HOURS} by default.`,
      examples: [DEFAULT_OVERLAP_HOURS],
    }),
  ),
})
export const rotatedKeySchema = Type.Object(
  {
    id: id('new key'),
    key: wholeKey('aid_…'),
    last4,
    name: Type.String({ description: 'What the key is for.', examples: ['Production'] }),
    createdAt: timestamp('When the key was made.'),
    previousId: id('key that it replaces'),
    previousValidUntil: nullable(timestamp('Until when the old key works. null: it has ended.')),
  },
  { title: 'RotatedKey', description: 'A key that replaces another.' },
)
/** For operator lists that have both live rows and rows of partners' sandboxes. */
export const testFilter = Type.Optional(
  Type.Boolean({
    description: 'true: those of sandboxes, made with test keys, instead of the live ones.',
    examples: [true],
  }),
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
