// The first stages of a request, before its body is read: identify, admit, and the three headers on whatever is answered.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, Decision } from '../../kernel/caller.ts'
import { type Failure, tooManyRequests } from '../../kernel/errors.ts'
import { type Admission, admit, charge, peek } from '../../kernel/invoke.ts'
import type { Operation } from '../../kernel/operation.ts'
import { addressOf, credentialOf, identifyKey, identifyOperator, lineOf, visitorOf } from './callers.ts'
import type { Service } from './service.ts'
import type { Place } from './sessions.ts'
import { createTurns, type Turn } from './turns.ts'
import { hasBody, readAwayUnread } from './unread-bodies.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    turn: Turn | null
    /** Of a request with a body: takes the caller's next turn, when the body is there. */
    nextTurn: ((work: () => void) => unknown) | null
  }
}

/** Before everything else, also before it is known who may do what. */
export const turnGate = (service: Service) => {
  const turns = createTurns()
  return (request: FastifyRequest, reply: FastifyReply, start: () => void): void => {
    const line = lineOf(service, request)
    if (line === null) {
      start()
      return
    }
    // A client that hung up while its request waited is not worth the work.
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
      readAwayUnread(request, reply, (work) => {
        turns.take(line, (turn) => {
          work()
          turn.end()
        })
      })
      // Of a GET no body is read.
      if (request.method !== 'GET' && request.method !== 'HEAD') request.nextTurn = take
    }
    take(start)
  }
}

/** Nothing is done for a request while its body is on its way: its caller's next one is started meanwhile. */
export function awaitBody(request: FastifyRequest): void {
  if (request.nextTurn) request.turn!.end()
}

/** The body is there: read it, and go on with the request, in turn. */
export function inTurn(request: FastifyRequest, work: () => void): void {
  if (request.nextTurn) request.nextTurn(work)
  else work()
}

export function setRateHeaders(reply: FastifyReply, decision: Decision | null): void {
  if (!decision) return
  // One by one: on the hottest addresses an object of them would cost more than they do.
  reply.header('x-ratelimit-limit', String(decision.limit))
  reply.header('x-ratelimit-remaining', String(decision.remaining))
  reply.header('x-ratelimit-reset', String(decision.reset))
}

type Identify = (service: Service, request: FastifyRequest) => Promise<Caller> | Caller

/** Identifies by key or token; a 401 speaks of the visitor's budget and is charged to it. */
export async function identified(
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
      // Said once a window: by the call that spends the last of it.
      if (identify === identifyOperator && decision?.allowed && decision.remaining === 0)
        service.log.warn({ address: visitor.id }, 'an address spent its budget and sends wrong operator tokens')
    }
    throw error
  }
}

type Admitted = Pick<Operation, 'access' | 'bucket'>

/** identify → admit for an operation. */
export const gate =
  (service: Service, operation: Admitted, identify: Identify) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const caller = await identified(service, request, reply, identify)
    const { decision, refusal } = await admit(service.limiter, caller, operation)
    if (decision?.allowed) service.usage.count(caller, 'rest')
    setRateHeaders(reply, decision)
    if (decision && !decision.allowed && caller.kind === 'user') rememberSpent(service, request, 'api', decision)
    if (refusal) throw refusal
  }

/** Of a session: told without a look-up from now on, until the window ends. */
export function rememberSpent(service: Service, request: FastifyRequest, place: Place, decision: Decision): void {
  const cookie = service.signIn.sessionCookie(request.headers.cookie)
  if (cookie !== null) service.spentSessions.add(cookie, place, decision)
}

/**
 * The same for the hottest addresses: a key that is held and a budget counted in memory are passed without waiting for
 * anything, which would cost more than all the rest. Whatever has to wait, or fails, takes the way above.
 */
export const quickGate =
  (service: Service, operation: Admitted, identify: Identify) =>
  (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    const found = attempt(() => identify(service, request))
    if (!('value' in found) || found.value instanceof Promise) {
      gate(service, operation, () => outcomeOf(found))(request, reply).then(() => done(), done)
      return
    }
    request.caller = found.value
    const finish = ({ decision, refusal }: Admission) => {
      if (decision?.allowed) service.usage.count(found.value as Caller, 'rest')
      setRateHeaders(reply, decision)
      done(refusal)
    }
    const admission = admit(service.limiter, found.value, operation)
    if (admission instanceof Promise) admission.then(finish, done)
    else finish(admission)
  }

type Outcome<T> = { value: T } | { error: unknown }

function attempt<T>(work: () => T): Outcome<T> {
  try {
    return { value: work() }
  } catch (error) {
    return { error }
  }
}

function outcomeOf<T>(outcome: Outcome<T>): T {
  if ('value' in outcome) return outcome.value
  throw outcome.error
}

/** Keyless answers are charged to the visitor's address. */
export const visitorGate = (service: Service) => async (request: FastifyRequest, reply: FastifyReply) => {
  const visitor = visitorOf(service, request)
  request.caller = visitor
  const decision = await charge(service.limiter, visitor, 'rest')
  setRateHeaders(reply, decision)
  if (decision && !decision.allowed) throw tooManyRequests(decision.retryAfter)
}

const SAID_EVERY_MS = 60_000

/** A request for a host that is not ours is charged to the visitor, as every answer without a key is, and refused all the same. */
export const hostGate = (service: Service) => {
  let saidAt = Number.NEGATIVE_INFINITY
  return async (request: FastifyRequest, reply: FastifyReply, refusal: Failure): Promise<Failure> => {
    // For an operator whose ALLOWED_HOSTS is incomplete, and for one whose service is attacked.
    if (refusal.status === 421 && performance.now() - saidAt > SAID_EVERY_MS) {
      saidAt = performance.now()
      service.log.warn({ host: request.headers.host?.slice(0, 100) }, 'refused a host that is not in ALLOWED_HOSTS')
    }
    const visitor = visitorOf(service, request)
    request.caller = visitor
    setRateHeaders(reply, await charge(service.limiter, visitor, 'rest'))
    return refusal
  }
}

/** An address that answers with an error whoever asks: a key that came along is charged, as every authenticated call is. */
export const strayGate = (service: Service) => async (request: FastifyRequest, reply: FastifyReply) => {
  const caller = await presentedCaller(service, request)
  if (!caller) return visitorGate(service)(request, reply)
  request.caller = caller
  const decision = await charge(service.limiter, caller, 'rest')
  if (decision?.allowed) service.usage.count(caller, 'rest')
  setRateHeaders(reply, decision)
  if (decision && !decision.allowed) throw tooManyRequests(decision.retryAfter)
}

/** The same where it costs nothing of the budget that it shows, and counts as a free call of another. */
export const freeStrayGate =
  (service: Service, shown: string, free: string) => async (request: FastifyRequest, reply: FastifyReply) => {
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

/** The headers without a charge. */
export async function showBudget(
  service: Service,
  reply: FastifyReply,
  caller: Caller,
  bucket: string,
): Promise<Decision | null> {
  const decision = await peek(service.limiter, caller, bucket)
  setRateHeaders(reply, decision)
  return decision
}
