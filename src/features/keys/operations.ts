// Operator API: catalog keys, a partner with its first key, and further keys of a partner.
import { Type } from 'typebox'
import { notFound } from '../../kernel/errors.ts'
import { readBody } from '../../kernel/input.ts'
import { operationsFor } from '../../kernel/operation.ts'
import { listPage, objectType, offsetOf, timestamp } from '../../kernel/schema.ts'
import { PARTNER_EXAMPLE, webhookProblems } from '../partners/operations.ts'
import { newPartnerBody, partnerId } from '../partners/schema.ts'
import { issueKey, issuePartner, issuePartnerKey, noteShown, revokeIssued } from './issue.ts'
import * as queries from './queries.ts'
import { rotateKey } from './rotation.operations.ts'
import * as schema from './schema.ts'

const operation = operationsFor('operator', 'Keys')

const KEY_EXAMPLE = {
  plan: 'premium',
  userId: '0d8d4b0e-4d3c-4b43-9c38-3f3a2f7a9b10',
  partnerId: null,
  policyAgreedAt: null,
  revokedAt: null,
  endsAt: null,
}

type ListedKey = Awaited<ReturnType<typeof queries.selectKeys>>[number]
const shownKey = (row: ListedKey) => ({ ...row, kind: row.partnerId ? ('partner' as const) : ('catalog' as const) })

export const createKey = operation({
  name: 'create_key',
  summary: 'Issue a catalog key',
  description: `Makes a catalog key for a user, who is created when new. Issuing it records that the operator vouches for the owner's agreement to the acceptable-use policy (policyVouchedBy). At most 10 live keys a user.`,
  method: 'POST',
  path: '/keys',
  status: 201,
  location: '/keys/:id',
  body: schema.newKeyBody,
  data: schema.newKeySchema,
  exampleFields: { plan: 'premium' },
  run: async (ctx, _input, body) => {
    const key = await issueKey(ctx, body)
    return { data: key, sent: () => noteShown(ctx, key.id) }
  },
})

export const listKeys = operation({
  name: 'list_keys',
  summary: 'List keys',
  description:
    'All keys unless filtered, revoked ones too, newest first. The keys themselves are not stored and cannot be shown.',
  method: 'GET',
  path: '/keys',
  parameters: Type.Object({ ...schema.keyFilters, ...listPage }),
  data: Type.Array(schema.keySchema),
  exampleFields: KEY_EXAMPLE,
  run: async (ctx, input) => {
    return { data: (await queries.selectKeys(ctx.db, input, input.limit, offsetOf(input))).map(shownKey) }
  },
})

const getKey = operation({
  name: 'get_key',
  summary: 'One key',
  description: 'A key by identifier, as in the list of keys: everything but the key itself.',
  method: 'GET',
  path: '/keys/:id',
  parameters: Type.Object({ id: schema.keyId }),
  data: schema.keySchema,
  exampleFields: KEY_EXAMPLE,
  run: async (ctx, input) => {
    const [row] = await queries.selectKeys(ctx.db, input, 1, 0)
    if (!row) throw notFound('Key')
    return { data: shownKey(row) }
  },
})

export const revokeKey = operation({
  name: 'revoke_key',
  summary: 'Revoke a key',
  description:
    'The key fails on the next request here and within a second everywhere. Revoking it again changes nothing.',
  method: 'DELETE',
  path: '/keys/:id',
  parameters: Type.Object({ id: schema.keyId }),
  data: objectType('The revoked key.', { id: schema.keyId, revokedAt: timestamp('When the key was revoked.') }),
  run: async (ctx, input) => {
    const revokedAt = await ctx.transaction((ctx) => revokeIssued(ctx, input.id))
    return { data: { id: input.id, revokedAt } }
  },
})

export const keyOperations = [createKey, listKeys, getKey, revokeKey, rotateKey]

const partnerOperation = operationsFor('operator', 'Partners')

export const createPartner = partnerOperation({
  name: 'create_partner',
  summary: 'Issue a partner key',
  description: 'Creates a partner with a key and a signing secret. Both are shown only in this answer.',
  method: 'POST',
  path: '/partners',
  status: 201,
  location: '/partners/:id',
  body: newPartnerBody,
  data: schema.newPartnerSchema,
  exampleFields: { ...PARTNER_EXAMPLE, webhookSecret: 'whsec_…' },
  rawBody: true,
  run: async (ctx, _input, raw) => {
    const body = readBody(newPartnerBody, raw, webhookProblems(ctx))
    const { name, contactEmail = null, webhookUrl = null, support = 'off' } = body
    const partner = await issuePartner(ctx, { name, contactEmail, webhookUrl, support })
    return { data: partner, sent: () => noteShown(ctx, partner.keyId) }
  },
})

export const createPartnerKey = partnerOperation({
  name: 'create_partner_key',
  summary: 'Issue another key to a partner',
  description:
    'Makes one more key for the partner and shows it once, so that a key can be replaced without a gap: hand the new one over, then revoke the old. With test, a key to the sandbox: it takes the same calls, and what it writes touches nothing that is live.',
  method: 'POST',
  path: '/partners/:id/keys',
  status: 201,
  location: '/keys/:id',
  parameters: Type.Object({ id: partnerId }),
  body: schema.newPartnerKeyBody,
  data: schema.newPartnerKeySchema,
  run: async (ctx, input, { test = false }) => {
    const key = await issuePartnerKey(ctx, input.id, { test })
    return { data: key, sent: () => noteShown(ctx, key.id) }
  },
})

export const partnerKeyOperations = [createPartner, createPartnerKey]
