// Operations of a signed-in user who works for a partner.
import { Type } from 'typebox'
import type { Context } from '../../kernel/context.ts'
import { forbidden } from '../../kernel/errors.ts'
import { pageOperation } from '../../kernel/operation.ts'
import { insertAudit } from '../audit/queries.ts'
import { auditEntry } from '../audit/rules.ts'
import * as queries from './queries.ts'
import { generateSecret } from './rules.ts'
import { newSecretSchema } from './schema.ts'

export const rotateOwnSecret = pageOperation({
  name: 'rotate_own_secret',
  summary: "Replace the signing secret of the user's partner",
  access: 'account',
  parameters: Type.Object({}),
  data: newSecretSchema,
  run: async (ctx) => {
    const webhookSecret = generateSecret()
    await ctx.transaction(async (ctx) => {
      const { id } = await partnerOfCaller(ctx)
      await queries.updatePartner(ctx.db, id, { webhookSecret, updatedAt: ctx.now() })
      await insertAudit(ctx.db, auditEntry(ctx, 'partner.rotate-secret', `partner:${id}`))
      await ctx.announce({ topic: 'partners', ids: [id] })
    })
    return { data: { webhookSecret } }
  },
})

/** The partner that the signed-in user works for; throws a 403 when there is none. */
export async function partnerOfCaller(ctx: Context): Promise<queries.PartnerRow> {
  const partner = ctx.caller.clientId ? await queries.findPartner(ctx.db, ctx.caller.clientId) : undefined
  if (!partner || partner.banned) throw forbidden('This is for the people of a partner.')
  return partner
}

export const ownPartnerOperations = [rotateOwnSecret]
