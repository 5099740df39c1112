// From a session cookie to a caller, and the checks that keep other sites from using it.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Session, SessionUser } from '../../features/accounts/sign-in.ts'
import { KEY_MAKING_BUDGETS, PAGE_BUDGETS } from '../../features/keys/rules.ts'
import type { Access, Caller, Decision } from '../../kernel/caller.ts'
import { forbidden, tooManyRequests } from '../../kernel/errors.ts'
import { rateHeaders } from './rate-headers.ts'
import type { Service } from './service.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is signed in; set by `readSession`. */
    user: SessionUser | null
    /** Of whoever is signed in. Forms are bound to it. */
    sessionId: string | null
  }
}

/** Where a session is used: at pages it is renewed by use. */
export type Place = 'pages' | 'api'

/** The session of a request. A banned user has none, from the moment of the ban. */
export async function findSession(service: Service, request: FastifyRequest, place: Place): Promise<Session | null> {
  const { cookie } = request.headers
  const own = service.signIn.sessionCookie(cookie)
  if (own === null) return null
  service.spentSessions.check(own, place)
  const session = await service.signIn.session(cookie!, place === 'pages')
  return session && !session.user.banned ? session : null
}

/**
 * Sessions whose user has spent the budget. A session is looked up in the database at every request, so that a ban holds at once; a user
 * who is only to be told to wait is told so without that.
 */
export interface SpentSessions {
  /** Throws the 429. By place, because an administrator has a limit at pages and none at the operator API. */
  check(cookie: string, place: Place): void
  add(cookie: string, place: Place, decision: Decision): void
}

const MOST_REMEMBERED = 10_000

export function createSpentSessions(now: () => number = Date.now): SpentSessions {
  const spent = new Map<string, { decision: Decision; until: number }>()
  const nameOf = (cookie: string, place: Place) => `${place} ${cookie}`
  return {
    check(cookie, place) {
      const known = spent.get(nameOf(cookie, place))
      if (!known) return
      const left = Math.ceil((known.until - now()) / 1000)
      // A clock that was set back must not lock anybody out.
      if (left > 0 && left <= known.decision.retryAfter) throw tooManyRequests(left, rateHeaders(known.decision))
      spent.delete(nameOf(cookie, place))
    },
    add(cookie, place, decision) {
      if (spent.size >= MOST_REMEMBERED) spent.clear()
      spent.set(nameOf(cookie, place), { decision, until: now() + decision.retryAfter * 1000 })
    },
  }
}

/** Sets `user`, `sessionId` and `caller` of the request when somebody is signed in. */
export async function readSession(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const session = await findSession(service, request, 'pages')
  if (!session) return
  request.user = session.user
  request.sessionId = session.id
  request.caller = userCaller(service, session.user)
  setCookies(reply, session.cookies)
}

/** Each in a header of its own: joined, browsers would read one. */
export function setCookies(reply: FastifyReply, cookies: readonly string[]): void {
  for (const cookie of cookies) reply.header('set-cookie', cookie)
}

const USER_ACCESS: ReadonlySet<Access> = new Set<Access>(['account'])
const ADMIN_ACCESS: ReadonlySet<Access> = new Set<Access>(['account', 'operator'])

/** Somebody who is signed in. The label is the address, so that the audit log says who it was. */
export function userCaller(service: Pick<Service, 'scale'>, user: SessionUser): Caller {
  return {
    kind: 'user',
    id: user.id,
    label: user.email,
    access: user.role === 'admin' ? ADMIN_ACCESS : USER_ACCESS,
    budgets: new Map([
      ['rest', service.scale(PAGE_BUDGETS)],
      ['keys', service.scale(KEY_MAKING_BUDGETS)],
    ]),
    clientId: user.partnerId,
  }
}

/** An administrator at the operator API, who has no limits there, as the operator has none. */
export const adminCaller = (user: SessionUser): Caller => ({
  kind: 'operator',
  id: user.id,
  label: user.email,
  access: ADMIN_ACCESS,
  budgets: new Map(),
  clientId: null,
})

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses whatever another site made a browser send. Browsers name the site in Origin, and most say in Sec-Fetch-Site what it is
 * to us; a request that changes something and has neither is no browser's of today.
 */
export function checkOrigin(service: Pick<Service, 'publicUrl' | 'hosts'>, request: FastifyRequest): void {
  if (READS.has(request.method)) return
  const { origin, 'sec-fetch-site': site } = request.headers
  const isOurs = (origin === undefined && site === 'same-origin') || (origin !== undefined && isOwnOrigin(origin))
  if (!isOurs || (site !== undefined && site !== 'same-origin' && site !== 'none'))
    throw forbidden(`This was sent from another site. Open ${service.publicUrl} and try again.`)

  // By the name we are known by, or by the one this request came in under: people open 127.0.0.1 where PUBLIC_URL says localhost.
  function isOwnOrigin(given: string): boolean {
    if (given === service.publicUrl) return true
    const url = URL.parse(given)
    if (url?.protocol !== new URL(service.publicUrl).protocol) return false
    // Behind a trusted proxy `request.host` is what the proxy was asked for, which nothing has looked at yet.
    return url.host === request.host?.toLowerCase() && service.hosts.include(url.host)
  }
}
