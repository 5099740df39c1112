// API keys as the operator API shows them, and the bodies with which they are made and replaced.
import { Type } from 'typebox'
import {
  booleanType,
  integerType,
  nullable,
  OPTIONAL_NAME_PATTERN,
  oneOf,
  stringType,
  timestamp,
  titledObject,
} from '../../kernel/schema.ts'
import { email, plan } from '../accounts/schema.ts'
import { last4, partnerFields, webhookSecret } from '../partners/schema.ts'
import { DEFAULT_OVERLAP_HOURS, KEY_KINDS, MAX_OVERLAP_HOURS } from './rules.ts'

const id = (of: string) => stringType(`Identifier of the ${of}.`, '3e1f0a52-91c7-4f0b-8a57-1c9f5d0f6f11')
const test = booleanType("Whether it is a test key, which works in the partner's sandbox alone.", false)
const wholeKey = (example: string) => stringType('The key. It is shown only here; it cannot be shown again.', example)
export const newKeyBody = Type.Object({
  email,
  name: Type.Optional(
    stringType('What the key is for.', 'Production', { maxLength: 200, pattern: OPTIONAL_NAME_PATTERN }),
  ),
  plan: Type.Optional(plan),
})

export const newKeySchema = titledObject('NewKey', 'A new key.', {
  id: id('key'),
  key: wholeKey('aid_…'),
  last4,
  name: stringType('What the key is for.', 'Production'),
  plan,
  owner: stringType("The owner's e-mail address.", 'ada@example.com'),
  createdAt: timestamp('When the key was made.'),
})

export const keySchema = titledObject('Key', 'A key, without the key itself.', {
  id: id('key'),
  last4,
  name: stringType('What the key is for.', 'Production'),
  kind: oneOf(KEY_KINDS, 'Whether it is a catalog key or a partner key.', 'catalog'),
  plan,
  owner: stringType("The user's e-mail address or the partner's name.", 'ada@example.com'),
  userId: nullable(id('user who owns it')),
  partnerId: nullable(id('partner that owns it')),
  test,
  policyVersion: stringType('The acceptable-use policy that was agreed to.', '2026-11-01'),
  policyAgreedAt: nullable(timestamp('When the owner agreed to it; null: an operator vouched for that.')),
  policyVouchedBy: nullable(
    stringType('The operator who issued the key and vouched for the agreement; null: the owner agreed.', 'operator'),
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
})

export const newPartnerSchema = titledObject('NewPartner', 'A new partner.', {
  ...partnerFields,
  key: wholeKey('aid_p_…'),
  last4,
  webhookSecret,
})
export const newPartnerKeySchema = titledObject('NewPartnerKey', 'A new key of a partner.', {
  id: id('key'),
  key: wholeKey('aid_p_…'),
  last4,
  test,
})
export const newPartnerKeyBody = Type.Object({
  test: Type.Optional(booleanType("true: a test key (aid_test_…), for the partner's sandbox.", true)),
})
export const keyRotationBody = Type.Object({
  overlapHours: Type.Optional(
    integerType(
      `For how many hours the old key works on: 0 to ${MAX_OVERLAP_HOURS}, ${DEFAULT_OVERLAP_HOURS} by default.`,
      DEFAULT_OVERLAP_HOURS,
      { minimum: 0, maximum: MAX_OVERLAP_HOURS },
    ),
  ),
})
export const rotatedKeySchema = titledObject('RotatedKey', 'A key that replaces another.', {
  id: id('new key'),
  key: wholeKey('aid_…'),
  last4,
  name: stringType('What the key is for.', 'Production'),
  createdAt: timestamp('When the key was made.'),
  previousId: id('key that it replaces'),
  previousValidUntil: nullable(timestamp('Until when the old key works. null: it has ended.')),
})
/** For operator lists that have both live rows and rows of partners' sandboxes. */
export const testFilter = Type.Optional(
  booleanType('true: those of sandboxes, made with test keys, instead of the live ones.', true),
)
export const keyFilters = {
  user: Type.Optional(stringType('Only keys of this user.', '0d8d4b0e-4d3c-4b43-9c38-3f3a2f7a9b10')),
  partner: Type.Optional(stringType('Only keys of this partner.', '8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10')),
  live: Type.Optional(booleanType('Only keys that are not revoked, or with false only revoked ones.', true)),
  unheld: Type.Optional(
    booleanType(
      'Only live keys that no one has: their answer was cut off and they were never used; or with false only others.',
      true,
    ),
  ),
}
