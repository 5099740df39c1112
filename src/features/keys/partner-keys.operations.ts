// Operator API: a partner with its first key, and further keys of a partner.
import { Type } from 'typebox'
import { readBody } from '../../kernel/input.ts'
import { operationsFor } from '../../kernel/operation.ts'
import { PARTNER_EXAMPLE, webhookProblems } from '../partners/operations.ts'
import { newPartnerBody, partnerId } from '../partners/schema.ts'
import { issuePartner, issuePartnerKey, noteShown } from './issue.ts'
import * as schema from './schema.ts'

const operation = operationsFor('operator', 'Partners')

export const createPartner = operation({
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

export const createPartnerKey = operation({
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
