// Operator API: partners. A partner is created with its first key, in ../keys/operations.ts.
import { Type } from 'typebox'
import { addressProblem } from '../../kernel/addresses/web-address.ts'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { orNotFound } from '../../kernel/errors.ts'
import { readBody } from '../../kernel/input.ts'
import { operationsFor } from '../../kernel/operation.ts'
import { type Problem, problem } from '../../kernel/problem.ts'
import { listPage, offsetOf } from '../../kernel/schema.ts'
import { isObject } from '../../kernel/values/objects.ts'
import { versionGuard } from '../audit/schema.ts'
import { checkVersion } from '../audit/version-guard.ts'
import { changesAnything, changesIn, writeAudit } from '../audit/write-audit.ts'
import * as queries from './queries.ts'
import { eventsInOrder, planColumns, planLimitsOf, rotatedSecrets } from './rules.ts'
import * as schema from './schema.ts'

const operation = operationsFor('operator', 'Partners')

export const PARTNER_EXAMPLE = { contactEmail: 'team@partner.example.com' }
const id = schema.partnerId

export const listPartners = operation({
  name: 'list_partners',
  summary: 'List partners',
  description: 'Partners, newest first; all unless filtered, but the built-in one only if asked for.',
  method: 'GET',
  path: '/partners',
  parameters: Type.Object({ ...schema.partnerFilters, ...listPage }),
  data: Type.Array(schema.partnerSchema),
  exampleFields: PARTNER_EXAMPLE,
  run: async (ctx, input) => ({ data: await queries.selectPartners(ctx.db, input, input.limit, offsetOf(input)) }),
})

export const getPartner = operation({
  name: 'get_partner',
  summary: 'One partner',
  description: 'A partner by identifier, as in the list of partners.',
  method: 'GET',
  path: '/partners/:id',
  parameters: Type.Object({ id }),
  data: schema.partnerSchema,
  exampleFields: PARTNER_EXAMPLE,
  run: async (ctx, input) => ({ data: orNotFound(await queries.findShownPartner(ctx.db, input.id), 'Partner') }),
})

export const changePartner = operation({
  name: 'change_partner',
  summary: 'Change a partner',
  description: 'Changes the given fields; what is omitted stays. A ban stops the key at once.',
  method: 'PATCH',
  path: '/partners/:id',
  parameters: Type.Object({ id, ...versionGuard.parameters }),
  body: schema.partnerChangeBody,
  data: schema.changedPartnerSchema,
  failures: [400, 404, ...versionGuard.failures],
  exampleFields: PARTNER_EXAMPLE,
  rawBody: true,
  run: async (ctx, input, raw) => {
    const { plan, ...fields } = readBody(schema.partnerChangeBody, raw, webhookProblems(ctx))
    const { events } = fields
    const values = { ...fields, ...(events ? { events: eventsInOrder(events) } : {}), ...planColumns(plan) }
    const partner = await ctx.transaction((ctx) => changeStored(ctx, input, () => values, 'partner.change', values))
    return { data: { ...partner, plan: planLimitsOf(partner) } }
  },
})

export const rotateSecret = operation({
  name: 'rotate_secret',
  summary: "Replace a partner's signing secret",
  description:
    'Makes a new signing secret and shows it once. Events are signed with it from now on; for overlapHours webhook-signature has a signature with the previous secret too.',
  method: 'POST',
  path: '/partners/:id/rotate-secret',
  parameters: Type.Object({ id, ...versionGuard.parameters }),
  body: schema.rotationBody,
  data: schema.newSecretSchema,
  failures: [400, 404, ...versionGuard.failures],
  exampleFields: { webhookSecret: 'whsec_…' },
  run: async (ctx, input, { overlapHours = schema.DEFAULT_SECRET_OVERLAP_HOURS }) => {
    const { webhookSecret, previousValidUntil } = await ctx.transaction((ctx) =>
      rotateSigningSecret(ctx, input, overlapHours),
    )
    return { data: { webhookSecret, previousValidUntil } }
  },
})

export const partnerOperations = [listPartners, getPartner, changePartner, rotateSecret]

export const rotateSigningSecret = (ctx: TransactionContext, partner: GuardedPartner, overlapHours: number) =>
  changeStored(
    ctx,
    partner,
    ({ webhookSecret }) => rotatedSecrets(webhookSecret, overlapHours, ctx.now()),
    'partner.rotate-secret',
    { overlapHours },
  )

interface GuardedPartner {
  id: string
  ifVersion?: number
  /** The caller is a user of the partner, who must not see the names of administrators. */
  isOwn?: true
}

/**
 * Changes the stored partner to the values that `valuesFor` returns. The audit log gets the changed fields of `details`, which must not
 * contain a secret.
 */
export async function changeStored(
  ctx: TransactionContext,
  { id, ifVersion, isOwn }: GuardedPartner,
  valuesFor: (before: queries.PartnerRow) => Partial<queries.PartnerRow>,
  action: string,
  details: object,
): Promise<queries.PartnerRow> {
  const before = orNotFound(await queries.findPartnerForUpdate(ctx.db, id), 'Partner')
  await checkVersion(ctx, ifVersion, {
    name: `partner ${before.name}`,
    version: before.version,
    subject: `partner:${id}`,
    actions: ['partner.create', 'partner.change', 'partner.rotate-secret'],
    ...(isOwn ? { lastChange: { actor: 'another person', at: before.updatedAt } } : {}),
  })
  const values = valuesFor(before)
  if (!changesAnything(before, values)) return before
  const partner = await queries.updatePartner(ctx.db, id, { ...values, updatedAt: ctx.now() })
  await writeAudit(ctx, action, `partner:${id}`, changesIn(before, details))
  await ctx.announce({ topic: 'partners', ids: [id] })
  return partner
}

/** A check for `readBody`: what is wrong with the webhook address in this field of the body. */
export const webhookProblems =
  (ctx: Context, field = 'webhookUrl') =>
  (body: unknown): Problem[] => {
    const url = isObject(body) ? body[field] : undefined
    const wrong =
      typeof url === 'string' ? addressProblem(url, { allowed: ctx.outboundAllowed, httpsOnly: true }) : undefined
    return wrong ? [problem(field, wrong)] : []
  }
