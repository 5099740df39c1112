// Keys of a partner, for the signed-in users who work for it. They see all of them; only test keys are made and revoked here, because
// a live key is handed over by the operator.
import { Type } from 'typebox'
import { notFound } from '../../kernel/errors.ts'
import { pageOperation } from '../../kernel/operation.ts'
import { partnerOfCaller } from '../partners/account.operations.ts'
import { keyId } from './account.schema.ts'
import { MAX_PARTNER_KEYS } from './budgets.rules.ts'
import { issuePartnerKey, noteShown, revokeIssued } from './issue.ts'
import { selectKeys } from './queries.ts'
import { keySchema, newPartnerKeySchema } from './schema.ts'

const { id, last4, test, createdAt, shownAt, revokedAt, endsAt, lastUsedAt } = keySchema.properties

const partnerKeySchema = Type.Object(
  { id, last4, test, createdAt, shownAt, revokedAt, endsAt, lastUsedAt },
  { description: 'A key of the partner, without the key itself.' },
)

// While a key is replaced, both it and the new one are live.
const MOST_LIVE = 4 * MAX_PARTNER_KEYS

export const listOwnPartnerKeys = pageOperation({
  name: 'list_own_partner_keys',
  summary: "The live keys of the user's partner",
  access: 'account',
  data: Type.Array(partnerKeySchema),
  run: async (ctx) => {
    const partner = await partnerOfCaller(ctx)
    return { data: await selectKeys(ctx.db, { partner: partner.id, live: true }, MOST_LIVE, 0) }
  },
})

export const createOwnTestKey = pageOperation({
  name: 'create_own_test_key',
  summary: "Make a test key of the user's partner",
  access: 'account',
  bucket: 'keys',
  data: newPartnerKeySchema,
  run: async (ctx) => {
    const key = await issuePartnerKey(ctx, (await partnerOfCaller(ctx)).id, true)
    return { data: key, sent: () => noteShown(ctx, key.id) }
  },
})

export const revokeOwnTestKey = pageOperation({
  name: 'revoke_own_test_key',
  summary: "Revoke a test key of the user's partner",
  access: 'account',
  parameters: Type.Object({ id: keyId }),
  data: Type.Object({ id }),
  run: (ctx, input) =>
    ctx.transaction(async (ctx) => {
      const partner = await partnerOfCaller(ctx)
      const [key] = await selectKeys(ctx.db, { id: input.id, partner: partner.id }, 1, 0)
      if (!key?.test) throw notFound('Test key')
      await revokeIssued(ctx, key.id)
      return { data: { id: key.id } }
    }),
})

export const ownPartnerKeyOperations = [listOwnPartnerKeys, createOwnTestKey, revokeOwnTestKey]
