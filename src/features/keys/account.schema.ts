// Schemas of the operations that a signed-in user performs on the own account and keys.
import { Type } from 'typebox'
import { DAY_MS, dayOf } from '../../kernel/days.ts'
import { nullableObject, OPTIONAL_NAME_PATTERN, oneOf, timestamp } from '../../kernel/schema.ts'
import { email, plan, role } from '../accounts/schema.ts'
import { partnerOfUserSchema } from '../partners/schema.ts'
import { SURFACES } from './rules.ts'
import { keySchema, newKeySchema } from './schema.ts'

const KEY_ID = '3e1f0a52-91c7-4f0b-8a57-1c9f5d0f6f11'
export const USAGE_DAYS = 30
/** How many of the latest calls are shown. At least as many are stored for each key. */
export const LATEST_CALLS = 50

/** The first day of the usage that is shown. */
export const usageSince = (now: Date): string => dayOf(now.getTime() - (USAGE_DAYS - 1) * DAY_MS)

export const keyId = Type.String({ description: 'Identifier of the key.', examples: [KEY_ID] })

const { id, last4, name, policyVersion, policyAgreedAt, createdAt, shownAt, revokedAt, endsAt, lastUsedAt } =
  keySchema.properties

export const ownKeySchema = Type.Object(
  {
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
  },
  { description: 'A key of the user, without the key itself.' },
)

export const ownNewKeyBody = Type.Object({
  name: Type.String({
    maxLength: 200,
    pattern: OPTIONAL_NAME_PATTERN,
    default: '',
    description: 'What the key is for.',
    examples: ['Production'],
  }),
  agree: Type.Boolean({
    default: false,
    description: 'Whether the user agrees to the acceptable-use policy; without that there is no key.',
    examples: [true],
  }),
})

export const ownNewKeySchema = newKeySchema

export const usageSchema = Type.Object(
  {
    keyId,
    day: Type.String({ description: 'The day, in UTC.', examples: ['2026-03-01'] }),
    surface: oneOf(SURFACES, { description: 'Where the calls came in.', examples: ['rest'] }),
    calls: Type.Integer({ minimum: 0, description: 'Charged calls.', examples: [120] }),
  },
  { description: 'Calls of a key on a day.' },
)

const { day, surface, calls } = usageSchema.properties
const operation = Type.String({
  description: 'The operation that was called; empty for an unknown address or tool.',
  examples: ['search_tools'],
})
const status = Type.Integer({ description: 'The status of the answer.', examples: [200] })

export const callSchema = Type.Object(
  {
    keyId,
    at: timestamp('When it was answered.'),
    surface,
    operation,
    status,
    ms: Type.Number({ description: 'How long it took, in milliseconds.', examples: [1.4] }),
    requestId: Type.String({ description: "The answer's X-Request-Id.", examples: ['0c1f5d0f6f11'] }),
  },
  { description: 'A call of a key.' },
)

export const outcomeSchema = Type.Object(
  { day, surface, operation, status, calls: { ...calls, description: 'Calls that ended so.' } },
  { description: 'Calls of a day by operation and status.' },
)

const limit = (of: string) => Type.Integer({ description: `${of} calls a minute and key.`, examples: [10] })

export const accountSchema = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the user.', examples: ['0d8d4b0e-4d3c-4b43-9c38-3f3a2f7a9b10'] }),
    email,
    plan,
    role,
    limits: Type.Object({ rest: limit('REST'), mcp: limit('MCP') }, { description: 'What the plan allows.' }),
    signIn: Type.Array(oneOf(['password', 'github'], { description: 'A way of signing in.', examples: ['password'] }), {
      description: 'How the user can sign in.',
      examples: [['password']],
    }),
    partner: nullableObject(partnerOfUserSchema, 'The partner that the user works for, or null.'),
    createdAt: timestamp('When the account was made.'),
  },
  { description: 'The account of the signed-in user.' },
)
