// Identifies the caller of a request by its headers.
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { PAGE_BUDGETS } from '../../../features/keys/budgets.rules.ts'
import { isAccessToken, OPERATOR_SCOPE } from '../../../features/oauth/rules.ts'
import type { Access, Caller } from '../../../kernel/caller.ts'
import { Failure, forbidden, starting, unauthorized } from '../../../kernel/errors.ts'
import { charge, peek } from '../../../kernel/invoke.ts'
import { ADMIN_BASE, isHealth, MCP_PATH, metadataPathOf, OPERATOR_PATH, RESOURCE_METADATA } from '../addresses.ts'
import type { Service } from '../service.ts'
import { adminCaller, checkOrigin, findSession, userCaller } from './sessions.ts'

const BEARER = /^bearer +(\S+) *$/i
const HOW = 'Send an API key as "Authorization: Bearer <API_KEY>" or "X-API-Key: <API_KEY>".'

/** The key or token in either header of a request, or null. A key in the query string is ignored. */
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
  return caller instanceof Promise ? caller.then((found) => known(found, credential)) : known(caller, credential)
}

/** Like `identifyKey`, for MCP. Its 401 says where a program finds out how to sign in, unless sign-in for agents is switched off. */
export const identifyAgent = (service: Service, request: FastifyRequest): Promise<Caller> =>
  withSignInPointer(service, request, () => identifyKey(service, request))

/**
 * The operator, or a program that an administrator lets work as an operator, at /mcp/operator. Administrators may stop all agents, and then
 * no call is served. A session is not enough here: agents have no cookies, and web pages may not call this address.
 */
export const identifyOperatorAgent = (service: Service, request: FastifyRequest): Promise<Caller> =>
  withSignInPointer(service, request, async () => {
    const credential = credentialOf(request)
    if (credential === null)
      throw unauthorized('The operator token is missing. Send it as "Authorization: Bearer <ADMIN_TOKEN>".')
    const caller = service.isOperatorToken(credential)
      ? operator
      : operatorGrant(service, request, known(await callerOfKey(service, request, credential), credential))
    if (service.site.agentsStopped())
      throw forbidden('An administrator has stopped all agents. Stop working and tell the person you work for.')
    // The limits that administrators have at pages. Without one, an agent in a loop would write an audit entry for every call.
    return { ...caller, budgets: new Map([['rest', service.scale(PAGE_BUDGETS)]]) }
  })

/** The caller of a program that an administrator has signed in to, with the rights of the operator. Throws a 403 for any other caller. */
function operatorGrant(
  service: Service,
  request: FastifyRequest,
  { kind, id, owner, person, operatorLabel }: Caller,
): Caller {
  if (operatorLabel === undefined) {
    // A program that has signed in learns that it must ask for more (RFC 6750, 3.1).
    const headers: Record<string, string> =
      service.agentsSignIn && kind === 'grant'
        ? { 'www-authenticate': `${pointerOf(service, request)}, error="insufficient_scope"` }
        : {}
    throw new Failure(
      403,
      `This needs the operator token, or the sign-in of an administrator with the scope ${OPERATOR_SCOPE}.`,
      { headers },
    )
  }
  return { ...operator, kind, id, owner, person, label: operatorLabel }
}

async function withSignInPointer(
  service: Service,
  request: FastifyRequest,
  identify: () => Caller | Promise<Caller>,
): Promise<Caller> {
  try {
    return await identify()
  } catch (error) {
    if (!service.agentsSignIn || !(error instanceof Failure) || error.status !== 401) throw error
    const pointer = pointerOf(service, request)
    const { authorization, 'x-api-key': apiKey } = request.headers
    // `error` is sent only if there was a credential (RFC 6750, 3.1).
    const challenge = (authorization ?? apiKey) ? `${pointer}, error="invalid_token"` : pointer
    throw new Failure(401, error.message, { headers: { ...error.headers, 'www-authenticate': challenge } })
  }
}

function pointerOf({ publicUrl }: Service, { routeOptions: { url = MCP_PATH } }: FastifyRequest): string {
  const metadata = url === MCP_PATH ? RESOURCE_METADATA : metadataPathOf(url)
  const scope = url === OPERATOR_PATH ? `, scope="${OPERATOR_SCOPE}"` : ''
  return `Bearer resource_metadata="${publicUrl}${metadata}", realm="catalog"${scope}`
}

/** Another process may have created the key a moment ago, so a text that is not cached is looked up if it has the form of a key. */
function callerOfKey(service: Service, request: FastifyRequest, key: string): Promise<Caller | null> | Caller | null {
  return (
    service.keys.findCached(key, request.socket) ??
    (service.keys.couldBeKey(key) ? lookedUp(service, request, key) : null)
  )
}

/**
 * Limits the queries that guessed keys cause. An address that has spent its budget gets no look-up. Any other gets at most as many as its
 * budget, also when many guesses arrive before the first of them is answered and charged.
 */
async function lookedUp(service: Service, request: FastifyRequest, key: string): Promise<Caller | null> {
  const { keys } = service
  // Until the keys are loaded no key is known, and a valid key must not get a 401.
  if (!keys.isLoaded()) throw starting()
  if (await mayLookUp(service, visitorOf(service, request))) return keys.lookUp(key)
  // A known key is missing in the cache for a moment after something about it has changed.
  await keys.settled()
  return keys.findCached(key, request.socket)
}

const mayLookUp = async ({ limiter }: Service, visitor: Caller): Promise<boolean> =>
  (await peek(limiter, visitor, 'rest'))?.allowed !== false &&
  (await charge(limiter, visitor, 'look-up'))?.allowed !== false

function known(caller: Caller | null, credential: string): Caller {
  if (caller) return caller
  throw unauthorized(
    isAccessToken(credential)
      ? 'This access token is not valid: it has expired, or access was withdrawn. Sign in again.'
      : 'This API key is not valid: it is mistyped, revoked or unknown.',
  )
}

const OPERATOR_ACCESS: ReadonlySet<Access> = new Set<Access>(['operator'])
export const operator: Caller = {
  kind: 'operator',
  id: 'operator',
  label: 'operator',
  access: OPERATOR_ACCESS,
  budgets: new Map(),
  partnerId: null,
}

/** The operator, a signed-in administrator, or a key holder or another user (who will get a 403); otherwise it throws a 401. */
export async function identifyOperator(service: Service, request: FastifyRequest): Promise<Caller> {
  const credential = credentialOf(request)
  if (credential === null) {
    const signedIn = await identifySession(service, request)
    if (signedIn) return signedIn
    throw unauthorized('The operator token is missing. Send it as "Authorization: Bearer <ADMIN_TOKEN>".')
  }
  // Compared before any limit is checked, so that the guesses of others at the same address cannot lock the operator out.
  if (service.isOperatorToken(credential)) return operator
  const caller = await callerOfKey(service, request, credential)
  if (!caller) throw unauthorized('This operator token is not valid.')
  return caller
}

/** A cookie is only used without any key header, because it must not replace a wrong key. */
async function identifySession(service: Service, request: FastifyRequest): Promise<Caller | null> {
  if (request.headers.authorization !== undefined || request.headers['x-api-key'] !== undefined) return null
  const session = await findSession(service, request, 'api')
  if (!session) return null
  checkOrigin(service, request)
  return session.user.role === 'admin' ? adminCaller(session.user) : userCaller(service, session.user)
}

/**
 * The line that a request waits in: that of its key if the key is valid, otherwise that of its address; null for the operator, who never
 * waits. Health checks have a line of their own, so that a load balancer's checks do not wait for the requests that it forwards.
 */
export function waitingLineOf(service: Service, request: FastifyRequest): string | null {
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

/** Cached for each connection, because parsing an address takes as long as counting a call. */
export function addressOf({ ip, socket }: FastifyRequest): string {
  const last = addresses.get(socket)
  if (last?.ip === ip) return last.address
  const address = visitorAddress(ip)
  addresses.set(socket, { ip, address })
  return address
}

const NOTHING: ReadonlySet<Access> = new Set()

/** A caller without a key, identified by the network address. */
export function visitorOf(service: Service, request: Pick<FastifyRequest, 'ip'>): Caller {
  return {
    kind: 'visitor',
    id: visitorAddress(request.ip),
    label: 'visitor',
    access: NOTHING,
    budgets: new Map([['rest', service.visitorBudgets]]),
    partnerId: null,
  }
}

/**
 * An IPv4 address in one spelling. Of an IPv6 address, the /56 network that providers usually give to one customer (RIPE-690), who could
 * otherwise use a new address for every request.
 */
export function visitorAddress(ip: string): string {
  if (!ipaddr.isValid(ip)) return 'unknown'
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return address.toString()
  const [a = 0, b = 0, c = 0, d = 0] = (address as ipaddr.IPv6).parts
  return `${[a, b, c, d & 0xff00].map((part) => part.toString(16)).join(':')}::/56`
}

/** Node keeps the first of several Authorization or Host headers, but a proxy in front may have used another. `name` is in lower case. */
export function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let found = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i]
    if (header?.length === name.length && header.toLowerCase() === name) found++
  }
  return found > 1
}

/** undefined for a private address: behind a proxy that is not trusted, all visitors have the same one. */
export const publicAddress = (ip: string): string | undefined =>
  ipaddr.isValid(ip) && ipaddr.process(ip).range() === 'unicast' ? visitorAddress(ip) : undefined
