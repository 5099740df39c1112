// Operations of a signed-in user who works for a partner.

import { Type } from 'typebox'
import type { Context } from '../../kernel/context.ts'
import { forbidden } from '../../kernel/errors.ts'
import { readBody } from '../../kernel/input.ts'
import { pageOperation } from '../../kernel/operation.ts'
import { versionGuard } from '../audit/schema.ts'
import { changeStored, rotateSigningSecret, webhookProblems } from './operations.ts'
import * as queries from './queries.ts'
import { eventsInOrder } from './rules.ts'
import { newSecretSchema, ownWebhookBody, partnerOfUserSchema, rotationBody } from './schema.ts'
import { DEFAULT_SECRET_OVERLAP_HOURS } from './secrets.rules.ts'

export const rotateOwnSecret = pageOperation({
  name: 'rotate_own_secret',
  bucket: 'webhooks',
  body: rotationBody,
  data: newSecretSchema,
  run: async (ctx, _input, { overlapHours = DEFAULT_SECRET_OVERLAP_HOURS }) => {
    const { webhookSecret, previousValidUntil } = await ctx.transaction(async (ctx) =>
      rotateSigningSecret(ctx, { id: (await partnerOfCaller(ctx)).id }, overlapHours),
    )
    return { data: { webhookSecret, previousValidUntil } }
  },
})

export const changeOwnWebhook = pageOperation({
  name: 'change_own_webhook',
  bucket: 'webhooks',
  parameters: Type.Object(versionGuard.parameters),
  body: ownWebhookBody,
  data: partnerOfUserSchema,
  // `run` reads the body, because which webhook addresses are allowed depends on the settings.
  rawBody: true,
  run: async (ctx, { ifVersion }, raw) => {
    const { webhookUrl, events } = readBody(ownWebhookBody, raw, webhookProblems(ctx))
    const values = { webhookUrl, events: eventsInOrder(events) }
    const { id, name, support, version } = await ctx.transaction(async (ctx) => {
      const { id } = await partnerOfCaller(ctx)
      // The last argument is what the audit log gets.
      return changeStored(ctx, { id, ifVersion, isOwn: true }, () => values, 'partner.change', values)
    })
    return { data: { id, name, support, version, ...values } }
  },
})

/** The partner that the signed-in user works for; throws a 403 when there is none. */
export async function partnerOfCaller(ctx: Context): Promise<queries.PartnerRow> {
  const partner = ctx.caller.partnerId ? await queries.findPartner(ctx.db, ctx.caller.partnerId) : undefined
  if (!partner || partner.banned) throw forbidden('This is for the people of a partner.')
  return partner
}

export const ownPartnerOperations = [rotateOwnSecret, changeOwnWebhook]
