// API keys as the operator API and their users show them, the bodies with which they are made and replaced, and the account of a user.
import { Type } from 'typebox'
import {
  booleanType,
  integerType,
  nullable,
  nullableObject,
  numberType,
  OPTIONAL_NAME_PATTERN,
  objectType,
  oneOf,
  stringType,
  timestamp,
  titledObject,
} from '../../kernel/schema.ts'
import { DAY_MS, dayOf } from '../../kernel/values/days.ts'
import { email, plan, role } from '../accounts/schema.ts'
import { last4, partnerFields, partnerOfUserSchema, webhookSecret } from '../partners/schema.ts'
import { DEFAULT_OVERLAP_HOURS, KEY_KINDS, MAX_OVERLAP_HOURS, SURFACES } from './rules.ts'

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

export const USAGE_DAYS = 30
/** How many of the latest calls are shown. At least as many are stored for each key. */
export const LATEST_CALLS = 50

/** The first day of the usage that is shown. */
export const usageSince = (now: Date): string => dayOf(now.getTime() - (USAGE_DAYS - 1) * DAY_MS)

export const keyId = id('key')

export const ownKeySchema = objectType(
  'A key of the user, without the key itself.',
  // Named one by one, so that a field of operators that is added to `keySchema` does not reach users.
  Type.Pick(keySchema, [
    'id',
    'last4',
    'name',
    'plan',
    'policyVersion',
    'policyAgreedAt',
    'createdAt',
    'shownAt',
    'revokedAt',
    'endsAt',
    'lastUsedAt',
  ]).properties,
)

export const ownNewKeyBody = Type.Object({
  name: stringType('What the key is for.', 'Production', {
    maxLength: 200,
    pattern: OPTIONAL_NAME_PATTERN,
    default: '',
  }),
  agree: booleanType('Whether the user agrees to the acceptable-use policy; without that there is no key.', true, {
    default: false,
  }),
})

export const usageSchema = objectType('Calls of a key on a day.', {
  keyId,
  day: stringType('The day, in UTC.', '2026-03-01'),
  surface: oneOf(SURFACES, 'Where the calls came in.', 'rest'),
  calls: integerType('Charged calls.', 120, { minimum: 0 }),
})

const { day, surface, calls } = usageSchema.properties
const operation = stringType('The operation that was called; empty for an unknown address or tool.', 'search_tools')
const status = integerType('The status of the answer.', 200)

export const callSchema = objectType('A call of a key.', {
  keyId,
  at: timestamp('When it was answered.'),
  surface,
  operation,
  status,
  ms: numberType('How long it took, in milliseconds.', 1.4),
  requestId: stringType("The answer's X-Request-Id.", '0c1f5d0f6f11'),
})

export const outcomeSchema = objectType('Calls of a day by operation and status.', {
  day,
  surface,
  operation,
  status,
  calls: { ...calls, description: 'Calls that ended so.' },
})

const limit = (of: string) => integerType(`${of} calls a minute and key.`, 10)

export const accountSchema = objectType('The account of the signed-in user.', {
  id: stringType('Identifier of the user.', '0d8d4b0e-4d3c-4b43-9c38-3f3a2f7a9b10'),
  email,
  plan,
  role,
  limits: Type.Object({ rest: limit('REST'), mcp: limit('MCP') }, { description: 'What the plan allows.' }),
  signIn: Type.Array(oneOf(['password', 'github'], 'A way of signing in.', 'password'), {
    description: 'How the user can sign in.',
    examples: [['password']],
  }),
  partner: nullableObject(partnerOfUserSchema, 'The partner that the user works for, or null.'),
  createdAt: timestamp('When the account was made.'),
})
