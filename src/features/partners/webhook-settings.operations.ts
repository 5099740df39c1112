// The webhook settings of a partner, for its own programs and for the signed-in users who work for it. They are those of its live events,
// so a test key may only read them.
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import type { Caller } from '../../kernel/caller.ts'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { conflict, forbidden, orNotFound } from '../../kernel/errors.ts'
import { readBody } from '../../kernel/input.ts'
import { callingPartner } from '../../kernel/invoke.ts'
import { operationsFor, pageOperation } from '../../kernel/operation.ts'
import { versionGuard } from '../audit/schema.ts'
import { findKeyedAnswer, idempotencyHeaders, keyedRequest, storeKeyedAnswer } from './idempotency.ts'
import { changeStored, rotateSigningSecret, webhookProblems } from './operations.ts'
import { findPartner, type PartnerRow } from './queries.ts'
import { eventsInOrder } from './rules.ts'
import * as schema from './schema.ts'

const { webhookUrl: url, events } = schema.ownWebhookBody.properties
const webhookBody = Type.Object({ url, events }, { title: 'WebhookSettings', description: 'Where events are sent.' })
const operation = operationsFor('partner', 'Webhooks')

const getWebhookSettings = operation({
  name: 'get_webhook_settings',
  summary: 'The webhook',
  description: 'Where events are sent, and which ones beside those that every partner gets.',
  method: 'GET',
  path: '/webhook',
  data: webhookBody,
  failures: [403],
  run: async (ctx) => {
    const partner = orNotFound(await findPartner(ctx.db, callingPartner(ctx.caller)), 'Partner')
    return { data: { url: partner.webhookUrl, events: partner.events } }
  },
})

const putWebhookSettings = operation({
  name: 'put_webhook_settings',
  summary: 'Set the webhook',
  description:
    'Sets the address (null: events are not sent, and can still be read) and the further events. A test key gets a 403, because these are the settings of live events too.',
  method: 'PUT',
  path: '/webhook',
  body: webhookBody,
  data: webhookBody,
  failures: [400, 403],
  rawBody: true,
  run: async (ctx, _input, raw) => {
    const body = readBody(webhookBody, raw, webhookProblems(ctx, 'url'))
    const id = livePartner(ctx.caller)
    const values = { webhookUrl: body.url, events: eventsInOrder(body.events) }
    await ctx.transaction((ctx) => changeStored(ctx, { id }, () => values, 'partner.change', values))
    return { data: { url: values.webhookUrl, events: values.events } }
  },
})

const rotateWebhookSecret = operation({
  name: 'rotate_webhook_secret',
  summary: 'Replace the signing secret',
  description:
    'Makes a new signing secret and shows it once. For overlapHours webhook-signature has a signature with the previous secret too. With an Idempotency-Key a repeated request gets the same secret, or a 409 when it was replaced since. A test key gets a 403.',
  method: 'POST',
  path: '/webhook/rotate-secret',
  headers: idempotencyHeaders,
  body: schema.rotationBody,
  data: schema.newSecretSchema,
  failures: [400, 403, 409],
  exampleFields: { webhookSecret: 'whsec_…' },
  run: (ctx, _input, body, headers) =>
    ctx.transaction(async (ctx) => {
      const id = livePartner(ctx.caller)
      // Without the key, a retry after a lost answer would replace the only secret that the receiver knows.
      const request = keyedRequest({ partnerId: id, test: false }, headers, body, 'rotate_webhook_secret')
      const before = request && (await findKeyedAnswer(ctx, request))
      if (before) return { data: await repeatedRotation(ctx, id, JSON.parse(before.answer)), isReplayed: true }
      const { overlapHours = schema.DEFAULT_SECRET_OVERLAP_HOURS } = body
      const { webhookSecret, previousValidUntil } = await rotateSigningSecret(ctx, { id }, overlapHours)
      if (request) await storeKeyedAnswer(ctx, request, 200, { digest: digestOf(webhookSecret), previousValidUntil })
      return { data: { webhookSecret, previousValidUntil } }
    }),
})

const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/**
 * The answer to a repeated request. Only the row of the partner has the secret, so it is read there. Throws a 409 when the secret is no
 * longer the one that the request made.
 */
async function repeatedRotation(
  ctx: TransactionContext,
  id: string,
  { digest, previousValidUntil }: { digest: string; previousValidUntil: Date | null },
) {
  const partner = await findPartner(ctx.db, id)
  if (!partner || digestOf(partner.webhookSecret) !== digest)
    throw conflict(
      'The secret that this request made was replaced since. Send the request with a new Idempotency-Key to make another.',
    )
  return { webhookSecret: partner.webhookSecret, previousValidUntil }
}

/** The id of the calling partner. Throws a 403 for a test key. */
function livePartner(caller: Caller): string {
  if (caller.isTest) throw forbidden('A test key cannot change this: it holds for live events too. Use the live key.')
  return callingPartner(caller)
}

export const webhookSettingOperations = [getWebhookSettings, putWebhookSettings, rotateWebhookSecret]

export const rotateOwnSecret = pageOperation({
  name: 'rotate_own_secret',
  bucket: 'webhooks',
  body: schema.rotationBody,
  data: schema.newSecretSchema,
  run: async (ctx, _input, { overlapHours = schema.DEFAULT_SECRET_OVERLAP_HOURS }) => {
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
  body: schema.ownWebhookBody,
  data: schema.partnerOfUserSchema,
  // `run` reads the body, because which webhook addresses are allowed depends on the settings.
  rawBody: true,
  run: async (ctx, { ifVersion }, raw) => {
    const { webhookUrl, events } = readBody(schema.ownWebhookBody, raw, webhookProblems(ctx))
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
export async function partnerOfCaller(ctx: Context): Promise<PartnerRow> {
  const partner = ctx.caller.partnerId ? await findPartner(ctx.db, ctx.caller.partnerId) : undefined
  if (!partner || partner.banned) throw forbidden('This is for the people of a partner.')
  return partner
}

export const ownPartnerOperations = [rotateOwnSecret, changeOwnWebhook]
