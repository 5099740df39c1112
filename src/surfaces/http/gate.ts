// The first stages of a request, before its body is read: identify the caller, admit the call, and set the rate-limit headers of the answer.
// The sentences of refusals are in kernel/errors.ts.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Bucket, Budget, Caller, LimitDecision } from '../../kernel/caller.ts'
import { type Failure, tooManyRequests } from '../../kernel/errors.ts'
import { admit, bucketOf, charge, peek } from '../../kernel/invoke.ts'
import type { Operation } from '../../kernel/operation.ts'
import { rateHeaders } from './answers/rate-headers.ts'
import { addressOf, credentialOf, identifyKey, identifyOperator, visitorOf, waitingLineOf } from './requests/callers.ts'
import { discardUnreadBody, hasBody } from './requests/request-bodies.ts'
import type { SessionSurface } from './requests/sessions.ts'
import type { Service } from './service.ts'
import { createRequestTurns, type RequestTurn } from './turns.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    /** The operation that was called, for the latest calls of a key; empty for an unknown address, null if the calls are recorded elsewhere. */
    operation: string | null
    turn: RequestTurn | null
    /** For a request with a body: takes the caller's next turn after the body has arrived. */
    nextTurn: ((work: () => void) => unknown) | null
  }
}

/** The caller of a request that has passed a gate. */
export function identifiedCaller({ caller }: FastifyRequest): Caller {
  if (!caller) throw new Error('The request has reached a handler without a gate that identifies its caller.')
  return caller
}

/** Makes a caller's requests take turns, before the caller is identified. */
export const turnGate = (service: Service) => {
  const turns = createRequestTurns()
  return (request: FastifyRequest, reply: FastifyReply, start: () => void): void => {
    const line = waitingLineOf(service, request)
    if (line === null) {
      start()
      return
    }
    // If the client has disconnected while its request waited, the request is not run.
    const take = (work: () => void) =>
      turns.take(
        line,
        (turn) => {
          if (request.socket.destroyed) return turn.end()
          request.turn = turn
          work()
        },
        addressOf(request),
      )
    if (hasBody(request)) {
      discardUnreadBody(request, reply, (work) => {
        turns.take(line, (turn) => {
          work()
          turn.end()
        })
      })
      // The body of a GET is never read.
      if (request.method !== 'GET' && request.method !== 'HEAD') request.nextTurn = take
    }
    take(start)
  }
}

/** Ends the turn of a request while its body arrives, so that the caller's next request may start. */
export function releaseTurnForBody(request: FastifyRequest): void {
  if (request.nextTurn) request.turn?.end()
}

/** Runs the work on a body that has arrived in the caller's next turn. */
export function inTurn(request: FastifyRequest, work: () => void): void {
  if (request.nextTurn) request.nextTurn(work)
  else work()
}

export function setRateHeaders(reply: FastifyReply, decision: LimitDecision | null): void {
  if (decision) reply.headers(rateHeaders(decision))
}

type Identify = (service: Service, request: FastifyRequest) => Promise<Caller> | Caller

/** Identifies the caller by key or token. A 401 is charged to the visitor and has rate-limit headers. */
export async function identifyOrCharge(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  identify: Identify,
): Promise<Caller> {
  try {
    request.caller = await identify(service, request)
    return request.caller
  } catch (error) {
    if ((error as Failure).status === 401) {
      const visitor = visitorOf(service, request)
      const decision = await charge(service.limiter, visitor, 'rest')
      setRateHeaders(reply, decision)
      // Logged once in each window, by the call that spends the last of the budget.
      if (identify === identifyOperator && decision?.allowed && decision.remaining === 0)
        service.log.warn({ address: visitor.id }, 'an address spent its budget and sends wrong operator tokens')
    } else await showVisitorBudget(service, request, reply)
    throw error
  }
}

type Admitted = Pick<Operation, 'name' | 'access' | 'bucket'>

/** Identifies the caller and admits the call of an operation. */
export const gate =
  (service: Service, operation: Admitted, identify: Identify) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const caller = await identifyOrCharge(service, request, reply, identify)
    request.operation = operation.name
    const { decision, refusal } = await admit(service.limiter, caller, operation)
    if (decision?.allowed) service.usage.count(caller, 'rest')
    setRateHeaders(reply, decision)
    if (decision && !decision.allowed && caller.kind === 'user') rememberSpentSession(service, request, 'api', decision)
    if (refusal) throw refusal
  }

/** Until the window ends, requests of this session get their 429 without a look-up of the session. */
export function rememberSpentSession(
  service: Service,
  request: FastifyRequest,
  surface: SessionSurface,
  decision: LimitDecision,
): void {
  const cookie = service.signIn.sessionCookie(request.headers.cookie)
  if (cookie !== null) service.spentSessions.add(cookie, surface, decision)
}

/** Charges calls without a key to the visitor's network address: to the budget of pages, or to the given one. */
export const visitorGate =
  (service: Service, bucket: Bucket = 'rest', budgets: readonly Budget[] = service.visitorBudgets) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const visitor = visitorOf(service, request)
    request.caller = visitor
    const decision = await service.limiter.charge(bucketOf(visitor.id, bucket), budgets)
    setRateHeaders(reply, decision)
    if (!decision.allowed) throw tooManyRequests(decision.retryAfter)
  }

const LOG_EVERY_MS = 60_000

/** Charges a request for another host to the visitor, as every answer without a key is, and returns the refusal. */
export const hostGate = (service: Service) => {
  let loggedAt = Number.NEGATIVE_INFINITY
  return async (request: FastifyRequest, reply: FastifyReply, refusal: Failure): Promise<Failure> => {
    // Logged for an operator whose ALLOWED_HOSTS is incomplete or whose service is attacked.
    if (refusal.status === 421 && performance.now() - loggedAt > LOG_EVERY_MS) {
      loggedAt = performance.now()
      service.log.warn({ host: request.headers.host?.slice(0, 100) }, 'refused a host that is not in ALLOWED_HOSTS')
    }
    const visitor = visitorOf(service, request)
    request.caller = visitor
    setRateHeaders(reply, await charge(service.limiter, visitor, 'rest'))
    return refusal
  }
}

/** For an unknown address or a wrong method, which is an error for every caller. A valid key is charged, as for every call with a key. */
export const unmatchedRouteGate = (service: Service) => async (request: FastifyRequest, reply: FastifyReply) => {
  const caller = await presentedCaller(service, request)
  if (!caller) return visitorGate(service)(request, reply)
  request.caller = caller
  request.operation = ''
  const decision = await charge(service.limiter, caller, 'rest')
  if (decision?.allowed) service.usage.count(caller, 'rest')
  setRateHeaders(reply, decision)
  if (decision && !decision.allowed) throw tooManyRequests(decision.retryAfter)
}

/** Like `unmatchedRouteGate`, but shows the budget of one bucket without charging it, and charges the bucket of free calls. */
export const freeUnmatchedRouteGate =
  (service: Service, shown: Bucket, free: Bucket) => async (request: FastifyRequest, reply: FastifyReply) => {
    const caller = await presentedCaller(service, request)
    if (!caller) return visitorGate(service)(request, reply)
    request.caller = caller
    await showBudget(service, reply, caller, shown)
    const decision = await charge(service.limiter, caller, free)
    if (!decision || decision.allowed) return
    setRateHeaders(reply, decision)
    throw tooManyRequests(decision.retryAfter)
  }

async function presentedCaller(service: Service, request: FastifyRequest): Promise<Caller | null> {
  try {
    return credentialOf(request) === null ? null : await identifyKey(service, request)
  } catch {
    return null
  }
}

/** For an outage before the caller is known. Nothing is charged: after it a valid key must not find the budget of its address spent. */
export async function showVisitorBudget(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  await showBudget(service, reply, visitorOf(service, request), 'rest').catch(() => null)
}

/** Sets the rate-limit headers without a charge. */
export async function showBudget(
  service: Service,
  reply: FastifyReply,
  caller: Caller,
  bucket: Bucket,
): Promise<LimitDecision | null> {
  const decision = await peek(service.limiter, caller, bucket)
  setRateHeaders(reply, decision)
  return decision
}
