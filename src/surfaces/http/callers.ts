// From headers to a caller.
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { Access, Caller } from '../../kernel/caller.ts'
import { starting, unauthorized } from '../../kernel/errors.ts'
import { charge, peek } from '../../kernel/invoke.ts'
import { ADMIN_BASE, isHealth } from './addresses.ts'
import { isRepeated } from './raw-headers.ts'
import type { Service } from './service.ts'
import { adminCaller, checkOrigin, findSession, userCaller } from './sessions.ts'

const BEARER = /^bearer +(\S+) *$/i
const HOW = 'Send an API key as "Authorization: Bearer <API_KEY>" or "X-API-Key: <API_KEY>".'

/** The key or token of a request, whichever header carries it; null when there is none. A key in the query string is ignored. */
export function credentialOf(request: FastifyRequest): string | null {
  const { authorization, 'x-api-key': apiKey } = request.headers
  const bearer = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1]
  const header = typeof apiKey === 'string' ? apiKey.trim() || undefined : apiKey?.[0]
  if (bearer !== undefined && header !== undefined && bearer !== header)
    throw unauthorized('The two key headers differ. Send one key.')
  if (authorization !== undefined && isRepeated(request.raw.rawHeaders, 'authorization'))
    throw unauthorized('Send one Authorization header.')
  return bearer ?? header ?? null
}

/** The caller behind a key, or a 401. */
export function identifyKey(service: Service, request: FastifyRequest): Caller | Promise<Caller> {
  const credential = credentialOf(request)
  if (credential === null) throw unauthorized(`An API key is missing. ${HOW}`)
  const caller = callerOfKey(service, request, credential)
  return caller instanceof Promise ? caller.then(known) : known(caller)
}

/** A key that is not held here may have been made elsewhere a moment ago: it is looked up, unless that is only guessing. */
function callerOfKey(service: Service, request: FastifyRequest, key: string): Promise<Caller | null> | Caller | null {
  return (
    service.keys.findCached(key, request.socket) ??
    (service.keys.couldBeKey(key) ? lookedUp(service, visitorOf(service, request), key) : null)
  )
}

/**
 * Guessing must not cost a query each. An address that has spent its budget gets no look-up any more, and one that has not gets no more
 * of them than its budget, also when many guesses arrive before the first of them is answered and charged.
 */
async function lookedUp(service: Service, visitor: Caller, key: string): Promise<Caller | null> {
  // While keys are still being loaded none is known, and a right one must not be called wrong.
  if (!service.keys.isReady()) throw starting()
  if ((await peek(service.limiter, visitor, 'rest'))?.allowed === false) return null
  if ((await charge(service.limiter, visitor, 'look-up'))?.allowed === false) return null
  return service.keys.lookUp(key)
}

function known(caller: Caller | null): Caller {
  if (!caller) throw unauthorized('This API key is not valid: it is mistyped, revoked or unknown.')
  return caller
}

const OPERATOR_ACCESS: ReadonlySet<Access> = new Set<Access>(['operator'])
export const operator: Caller = {
  kind: 'operator',
  id: 'operator',
  label: 'operator',
  access: OPERATOR_ACCESS,
  budgets: new Map(),
  clientId: null,
}

/** The operator; an administrator who is signed in; a key holder or another user (who will get a 403); or a 401. */
export async function identifyOperator(service: Service, request: FastifyRequest): Promise<Caller> {
  const credential = credentialOf(request)
  if (credential === null) {
    const signedIn = await identifySession(service, request)
    if (signedIn) return signedIn
    throw unauthorized('The operator token is missing. Send it as "Authorization: Bearer <ADMIN_TOKEN>".')
  }
  // Always compared, in constant time and without a query: the guesses of others at the same address must not lock the operator out.
  if (service.isOperatorToken(credential)) return operator
  const caller = await callerOfKey(service, request, credential)
  if (!caller) throw unauthorized('This operator token is not valid.')
  return caller
}

/** Only without any key header: a wrong one must not be made good by a cookie. */
async function identifySession(service: Service, request: FastifyRequest): Promise<Caller | null> {
  if (request.headers.authorization !== undefined || request.headers['x-api-key'] !== undefined) return null
  const session = await findSession(service, request, 'api')
  if (!session) return null
  checkOrigin(service, request)
  return session.user.role === 'admin' ? adminCaller(session.user) : userCaller(service, session.user)
}

/**
 * The line that a request waits in: that of its key when it is a live one, or else of its address; null for the operator, who waits in none.
 * Whether the service is well is asked in a line of its own: a load balancer must not wait for what else comes through it.
 */
export function lineOf(service: Service, request: FastifyRequest): string | null {
  const { authorization, 'x-api-key': apiKey } = request.headers
  const credential = authorization === undefined ? apiKey : BEARER.exec(authorization)?.[1]
  if (typeof credential === 'string') {
    const caller = service.keys.findCached(credential, request.socket)
    if (caller) return caller.id
    if (request.url.startsWith(ADMIN_BASE) && service.isOperatorToken(credential)) return null
  }
  return isHealth(request) ? `health ${addressOf(request)}` : addressOf(request)
}

const addresses = new WeakMap<object, { ip: string; address: string }>()

/** Remembered for as long as there is the connection, because reading an address takes as long as counting a call. */
export function addressOf({ ip, socket }: FastifyRequest): string {
  const last = addresses.get(socket)
  if (last?.ip === ip) return last.address
  const address = visitorAddress(ip)
  addresses.set(socket, { ip, address })
  return address
}

const NOTHING: ReadonlySet<Access> = new Set()

/** Someone without a key, known by the network address. */
export function visitorOf(service: Service, request: Pick<FastifyRequest, 'ip'>): Caller {
  return {
    kind: 'visitor',
    id: visitorAddress(request.ip),
    label: 'visitor',
    access: NOTHING,
    budgets: new Map([['rest', service.visitorBudgets]]),
    clientId: null,
  }
}

/** IPv4 in one spelling; of IPv6 the /64 that one customer has, or every request could come from a new address. */
export function visitorAddress(ip: string): string {
  if (!ipaddr.isValid(ip)) return 'unknown'
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return address.toString()
  return `${(address as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}
