// What a key is, for the program that has it.
import { type Static, Type } from 'typebox'
import type { Bucket } from '../../kernel/caller.ts'
import type { Context } from '../../kernel/context.ts'
import { forbidden, notFound } from '../../kernel/errors.ts'
import { peek } from '../../kernel/invoke.ts'
import { operation } from '../../kernel/operation.ts'
import { integerType, nullableObject, oneOf, stringType, timestamp, titledObject } from '../../kernel/schema.ts'
import { plan } from '../accounts/schema.ts'
import { findPartner } from '../partners/queries.ts'
import { last4, partnerOfUserSchema } from '../partners/schema.ts'
import { selectKeys } from './queries.ts'
import { KEY_KINDS } from './rules.ts'
import { keySchema } from './schema.ts'

const { version: _, ...partnerFields } = partnerOfUserSchema.properties

const limit = titledObject('KeyLimit', 'A rate limit of the key.', {
  bucket: stringType('What is counted: rest, mcp, and for partners submit and support.', 'rest'),
  calls: integerType('Calls that a window allows.', 60, { minimum: 0 }),
  seconds: integerType('Length of a window.', 60, { minimum: 0 }),
  remaining: integerType('Calls that are left in the window of now.', 59, { minimum: 0 }),
})

export const getMe = operation({
  name: 'get_me',
  summary: 'The calling key',
  description: 'What the key is, until when it works, its rate limits and, for a key of a partner, the partner.',
  group: 'Keys',
  access: 'catalog',
  method: 'GET',
  path: '/me',
  data: titledObject('Me', 'The calling key.', {
    kind: oneOf([...KEY_KINDS, 'test'], 'test: a test key of a partner, which works in its sandbox.', 'partner'),
    plan,
    last4,
    createdAt: timestamp('When the key was made.'),
    endsAt: keySchema.properties.endsAt,
    limits: Type.Array(limit, { description: 'The rate limits.' }),
    partner: nullableObject(
      Type.Object(partnerFields, { title: 'KeyPartner', description: 'The partner.' }),
      'The partner that the key belongs to; null for a catalog key.',
    ),
  }),
  failures: [403],
  exampleFields: { plan: 'premium', endsAt: null },
  run: async (ctx) => {
    const { caller } = ctx
    if (caller.kind !== 'key') throw forbidden('An access token of a program is not a key. Call this with an API key.')
    const [key] = await selectKeys(ctx.db, { id: caller.id }, 1, 0)
    // It was deleted after the request was let in.
    if (!key) throw notFound('Key')
    const partner = caller.partnerId === null ? undefined : await findPartner(ctx.db, caller.partnerId)
    const kind = caller.partnerId === null ? ('catalog' as const) : ('partner' as const)
    return {
      data: {
        ...key,
        kind: caller.isTest ? ('test' as const) : kind,
        limits: await limitsOf(ctx),
        partner: partner ?? null,
      },
    }
  },
})

/** Free calls of MCP are left out: they have a limit only so that a program in a loop is stopped. */
async function limitsOf({ caller, limiter }: Context) {
  const limits: Static<typeof limit>[] = []
  for (const bucket of caller.budgets.keys().filter((one: Bucket) => one !== 'mcp-free')) {
    const decision = await peek(limiter, caller, bucket)
    if (decision)
      limits.push({ bucket, calls: decision.limit, seconds: decision.seconds, remaining: decision.remaining })
  }
  return limits
}
