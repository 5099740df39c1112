// Turns a session cookie into a caller, and refuses requests that other sites made the browser send.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Session, SessionUser } from '../../../features/accounts/sign-in.ts'
import {
  EXPORT_BUDGETS,
  FOUNDER_BUDGETS,
  KEY_MAKING_BUDGETS,
  PAGE_BUDGETS,
  PAYMENT_BUDGETS,
  WEBHOOK_BUDGETS,
} from '../../../features/keys/budgets.rules.ts'
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import type { Access, Caller, LimitDecision } from '../../../kernel/caller.ts'
import { forbidden, tooManyRequests } from '../../../kernel/errors.ts'
import { rateHeaders } from '../answers/rate-headers.ts'
import type { Service } from '../service.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The signed-in user; set by `readSession`. */
    user: SessionUser | null
    /** The session of the signed-in user. Form tokens are bound to it. */
    sessionId: string | null
  }
}

/** The user of a request that only signed-in users can make. */
export function signedInUser({ user }: FastifyRequest): SessionUser {
  if (!user) throw new Error('The request has reached a page for signed-in users without a session.')
  return user
}

/** Where a session is used. Only use at pages renews it. */
export type SessionSurface = 'pages' | 'api'

/** The session of a request. A banned user has none, from the moment of the ban. */
export async function findSession(
  service: Service,
  request: FastifyRequest,
  surface: SessionSurface,
): Promise<Session | null> {
  const { cookie } = request.headers
  const cookieValue = service.signIn.sessionCookie(cookie)
  if (cookie === undefined || cookieValue === null) return null
  service.spentSessions.check(cookieValue, surface)
  const session = await service.signIn.session(cookie, { renew: surface === 'pages' })
  return session && !session.user.banned ? session : null
}

/**
 * Sessions whose user has spent the budget. Every request looks its session up in the database, so that a ban takes effect at once. A user
 * who has to wait gets the 429 without that look-up.
 */
export interface SpentSessions {
  /** Throws the 429. Surfaces are separate: an administrator has a limit at pages, none at the operator API. */
  check(cookie: string, surface: SessionSurface): void
  add(cookie: string, surface: SessionSurface, decision: LimitDecision): void
}

const MOST_REMEMBERED = 10_000

export function createSpentSessions(now: () => number = Date.now): SpentSessions {
  const spent = new Map<string, { decision: LimitDecision; until: number }>()
  // The key leaves out the signature of the cookie, which has several valid spellings.
  const keyOf = (cookie: string, surface: SessionSurface) => `${surface} ${cookie.slice(0, cookie.lastIndexOf('.'))}`
  return {
    check(cookie, surface) {
      const known = spent.get(keyOf(cookie, surface))
      if (!known) return
      const leftSeconds = Math.ceil((known.until - now()) / 1000)
      // A clock that was set back must not lock a user out.
      if (leftSeconds > 0 && leftSeconds <= known.decision.retryAfter)
        throw tooManyRequests(leftSeconds, rateHeaders({ ...known.decision, retryAfter: leftSeconds }))
      spent.delete(keyOf(cookie, surface))
    },
    add(cookie, surface, decision) {
      if (spent.size >= MOST_REMEMBERED) spent.clear()
      spent.set(keyOf(cookie, surface), { decision, until: now() + decision.retryAfter * 1000 })
    },
  }
}

/** Sets `user`, `sessionId` and `caller` of the request if a user is signed in. */
export async function readSession(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const session = await findSession(service, request, 'pages')
  if (!session) return
  request.user = session.user
  request.sessionId = session.id
  request.caller = userCaller(service, session.user)
  setCookies(reply, session.cookies)
}

/** Each cookie needs a header of its own: browsers would read joined ones as one cookie. */
export function setCookies(reply: FastifyReply, cookies: readonly string[]): void {
  for (const cookie of cookies) reply.header('set-cookie', cookie)
}

const USER_ACCESS: ReadonlySet<Access> = new Set<Access>(['account'])
const ADMIN_ACCESS: ReadonlySet<Access> = new Set<Access>(['account', 'operator'])

/** The caller of a signed-in user. The label is the e-mail address, so that the audit log names the user. */
export function userCaller(service: Pick<Service, 'scale'>, user: SessionUser): Caller {
  return {
    kind: 'user',
    id: user.id,
    label: user.email,
    access: user.role === 'admin' ? ADMIN_ACCESS : USER_ACCESS,
    budgets: new Map([
      ['rest', service.scale(PAGE_BUDGETS)],
      ['keys', service.scale(KEY_MAKING_BUDGETS)],
      ['webhooks', service.scale(WEBHOOK_BUDGETS)],
      ['payments', service.scale(PAYMENT_BUDGETS)],
      ['export', service.scale(EXPORT_BUDGETS)],
      ['submit', service.scale(FOUNDER_BUDGETS)],
    ]),
    partnerId: user.partnerId,
  }
}

/** The caller of an administrator at the operator API: no limits, as for the operator. */
export const adminCaller = (user: SessionUser): Caller => ({
  kind: 'operator',
  id: user.id,
  label: user.email,
  access: ADMIN_ACCESS,
  budgets: new Map(),
  partnerId: null,
})

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses a write that another site made a browser send. Browsers name the site in Origin, and most say in Sec-Fetch-Site whether it is the
 * same site. No current browser sends a write without both headers.
 */
export function checkOrigin(service: Pick<Service, 'publicUrl' | 'hosts'>, request: FastifyRequest): void {
  if (READS.has(request.method)) return
  const { origin, 'sec-fetch-site': site } = request.headers
  const isOurs = (origin === undefined && site === 'same-origin') || (origin !== undefined && isOwnOrigin(origin))
  if (!isOurs || (site !== undefined && site !== 'same-origin' && site !== 'none'))
    throw forbidden(`This was sent from another site. Open ${service.publicUrl} and try again.`)

  // The origin may be PUBLIC_URL or the host of this request: users open 127.0.0.1 while PUBLIC_URL says localhost.
  function isOwnOrigin(given: string): boolean {
    if (given === service.publicUrl) return true
    const url = parseUrl(given)
    if (url?.protocol !== new URL(service.publicUrl).protocol) return false
    // Behind a trusted proxy `request.host` is the host that the proxy was asked for, which was not checked before.
    return url.host === request.host?.toLowerCase() && service.hosts.include(url.host)
  }
}
