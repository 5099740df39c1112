// Schemas of the operations that a signed-in user performs on their own account and keys.
import { Type } from 'typebox'
import {
  booleanType,
  integerType,
  nullableObject,
  numberType,
  OPTIONAL_NAME_PATTERN,
  objectType,
  oneOf,
  stringType,
  timestamp,
} from '../../../kernel/schema.ts'
import { DAY_MS, dayOf } from '../../../kernel/values/days.ts'
import { email, plan, role } from '../../accounts/schema.ts'
import { partnerOfUserSchema } from '../../partners/schema.ts'
import { SURFACES } from '../rules.ts'
import { keySchema } from '../schema.ts'

const KEY_ID = '3e1f0a52-91c7-4f0b-8a57-1c9f5d0f6f11'
export const USAGE_DAYS = 30
/** How many of the latest calls are shown. At least as many are stored for each key. */
export const LATEST_CALLS = 50

/** The first day of the usage that is shown. */
export const usageSince = (now: Date): string => dayOf(now.getTime() - (USAGE_DAYS - 1) * DAY_MS)

export const keyId = stringType('Identifier of the key.', KEY_ID)

const { id, last4, name, policyVersion, policyAgreedAt, createdAt, shownAt, revokedAt, endsAt, lastUsedAt } =
  keySchema.properties

export const ownKeySchema = objectType('A key of the user, without the key itself.', {
  id,
  last4,
  name,
  plan,
  policyVersion,
  policyAgreedAt,
  createdAt,
  shownAt,
  revokedAt,
  endsAt,
  lastUsedAt,
})

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
