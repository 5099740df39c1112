// Idempotency-Key: a request that is sent again with the same key gets the response to the first one.
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { lockText } from '../../kernel/database/queries.ts'
import { badRequest } from '../../kernel/errors.ts'
import { stringType } from '../../kernel/schema.ts'
import { HOUR_MS } from '../../kernel/values/days.ts'
import * as queries from './queries.ts'

const HOURS_KEPT = 24

/** Responses that were stored before this time are no longer sent again. */
export const keptSince = (now: Date): Date => new Date(now.getTime() - HOURS_KEPT * HOUR_MS)

export const idempotencyHeaders = Type.Object({
  'Idempotency-Key': Type.Optional(
    stringType(
      `Honoured for ${HOURS_KEPT} hours: same key and body, same answer; same key and another body, 400.`,
      'order-4711',
      { maxLength: 255 },
    ),
  ),
})

export interface KeyedRequest {
  partnerId: string
  key: string
  requestHash: string
}

/**
 * Reads the Idempotency-Key of a request; undefined for a request without one. `operation` is part of the hash, so that a key that was used for another operation counts
 * as used with another body. Submitting a tool passes none, because older versions stored the hashes of its requests without one.
 */
export function keyedRequest(
  { partnerId, test }: { partnerId: string; test: boolean },
  headers: Readonly<Record<string, string | undefined>>,
  raw: unknown,
  operation = '',
): KeyedRequest | undefined {
  const given = headers['Idempotency-Key']
  if (given === undefined) return undefined
  // The sandbox has keys of its own, so the stored key begins with "test" and a line break there. No client can send such a key itself, because headers contain no line break.
  const key = test ? `test\n${given}` : given
  const requestHash = createHash('sha256')
    .update(operation + JSON.stringify(raw ?? null))
    .digest('hex')
  return { partnerId, key, requestHash }
}

/** The stored response to an earlier request with this key. Other requests with the key wait until the transaction ends. */
export async function findKeyedAnswer(
  ctx: TransactionContext,
  { partnerId, key, requestHash }: KeyedRequest,
): Promise<queries.IdempotentAnswer | undefined> {
  await lockText(ctx.db, `idempotency:${partnerId}:${key}`)
  const stored = await queries.findIdempotentAnswer(ctx.db, partnerId, key, keptSince(ctx.now()))
  if (stored && stored.requestHash !== requestHash)
    throw badRequest(
      'This Idempotency-Key was used with another body. Use a new key for a new request.',
      'idempotency_key_reused',
    )
  return stored
}

export const storeKeyedAnswer = (ctx: Context, request: KeyedRequest, status: number, answer: unknown) =>
  queries.upsertIdempotentAnswer(ctx.db, { ...request, status, answer: JSON.stringify(answer), createdAt: ctx.now() })
