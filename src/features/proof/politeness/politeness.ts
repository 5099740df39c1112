// Limits the requests to foreign websites: one a second to each host, from all processes together, and only what its robots.txt allows.
// `politeRequest` sends one, for link checks and for looks at the websites of listings.
import { setTimeout as sleep } from 'node:timers/promises'
import { isOwnAddress } from '../../../kernel/addresses/own-addresses.ts'
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import type { Context } from '../../../kernel/context.ts'
import { NoSuchHost, type OutboundResponse, type Robot, userAgent } from '../../../kernel/interfaces/outbound.ts'
import { DAY_MS } from '../../../kernel/values/days.ts'
import { paceHost } from '../../submissions/bench/link.rules.ts'
import { findRobots, postponeHost, reserveTurn, upsertRobots } from '../queries.ts'
import { askedToWaitMs, MAX_ROBOTS_BYTES, robotsRules } from '../rules.ts'

type PoliteContext = Pick<Context, 'db' | 'now' | 'log' | 'outbound' | 'links'>

/** yes: it may be fetched; no: robots.txt forbids it; unreachable: the host does not say; no-such-host: its name does not exist. */
export type Permission = 'yes' | 'no' | 'unreachable' | 'no-such-host'

/** Call it when the response has arrived or the request has failed. A host that asks for a pause (Retry-After) gets no request until then. */
export type Answered = (response?: Pick<OutboundResponse, 'status' | 'headers'>) => Promise<void> | void

export interface Politeness {
  /** Waits until a request to the host may be sent; throws a HostBusy when that is too late. */
  takeTurn(url: string): Promise<Answered>
  askRobots(url: string): Promise<Permission>
}

/** Other requests to this host come first, for longer than this check can wait. The check is postponed and does not count. */
export class HostBusy extends Error {
  readonly waitMs: number
  constructor(waitMs: number) {
    super('The host has too many requests waiting.')
    this.waitMs = waitMs
  }
}

interface PolitenessOptions {
  /** Whose share of the threads is used. */
  owner: string
  /** When the check has to be over, by performance.now(). */
  until: number
  /** The host whose first turn was reserved when the check was taken from the queue. */
  reserved?: string
  signal?: AbortSignal
  /** The name that the requests are sent under; linkChecks when omitted. */
  robot?: Robot
}

const PACE_MS = 1_000
const MAX_WAIT_MS = 15_000
const ROBOTS_MS = 10_000
const ROBOTS_REDIRECTS = 5
const ROBOTS_AGE_MS = DAY_MS

export function createPoliteness(ctx: PoliteContext, options: PolitenessOptions): Politeness {
  const { owner, until, signal, robot = 'linkChecks' } = options
  let { reserved } = options

  async function takeTurn(url: string): Promise<Answered> {
    const host = paceHost(url)
    if (reserved === host) reserved = undefined
    else {
      const latest = Math.min(MAX_WAIT_MS, until - performance.now())
      const { waitMs, taken } = await reserveTurn(ctx.db, host, Math.max(0, latest))
      if (!taken) throw new HostBusy(waitMs)
      if (waitMs > 0) await sleep(waitMs, undefined, { signal })
    }
    const { lastAsked } = ctx.links
    await waitForPace(lastAsked, host, signal)
    lastAsked.set(host, performance.now())
    return async (response) => {
      lastAsked.set(host, performance.now())
      const waitMs = response ? askedToWaitMs(response, ctx.now()) : 0
      if (waitMs > 0) await postponeHost(ctx.db, host, waitMs)
    }
  }

  return {
    takeTurn,
    async askRobots(url) {
      const { origin } = new URL(url)
      let rules: string | null
      try {
        rules = await rulesOf(origin)
      } catch (error) {
        if (error instanceof NoSuchHost) return 'no-such-host'
        throw error
      }
      if (rules === null) return 'unreachable'
      if (rules === '') return 'yes'
      try {
        return (await ctx.links.robotsAllow({ origin, rules, url, robot }, { owner, signal })) ? 'yes' : 'no'
      } catch (error) {
        signal?.throwIfAborted()
        ctx.log.warn({ err: error, origin }, 'a robots.txt could not be read')
        return 'no'
      }
    },
  }

  /**
   * The rules of the robots.txt; empty: everything may be fetched; null: the host did not answer, and nothing may be fetched (RFC 9309).
   * Throws a NoSuchHost.
   */
  async function rulesOf(origin: string): Promise<string | null> {
    const stored = await findRobots(ctx.db, origin, new Date(ctx.now().getTime() - ROBOTS_AGE_MS))
    if (stored !== undefined) return stored
    let url = `${origin}/robots.txt`
    for (let followed = 0; followed <= ROBOTS_REDIRECTS; followed++) {
      const answered = await takeTurn(url)
      const timeoutMs = Math.min(ROBOTS_MS, until - performance.now())
      if (timeoutMs <= 0) return null
      const response = await fetchRobots(ctx, url, { timeoutMs, robot, signal }).catch((error) => {
        if (error instanceof NoSuchHost && followed === 0) throw error
        return null
      })
      await answered(response ?? undefined)
      signal?.throwIfAborted()
      if (!response || response.status >= 500 || response.status === 429) return null
      const next =
        response.status >= 300 && response.status < 400 ? parseUrl(response.headers.location ?? '', url) : null
      if (!next) {
        const rules = response.status < 300 ? robotsRules(response.body.toString('utf8')) : ''
        await upsertRobots(ctx.db, { origin, rules, fetchedAt: ctx.now() })
        return rules
      }
      url = next.href
    }
    // After too many redirects a site counts as one without robots.txt (RFC 9309).
    return ''
  }
}

const fetchRobots = (
  { outbound }: PoliteContext,
  url: string,
  { robot, ...limits }: { timeoutMs: number; robot: Robot; signal?: AbortSignal },
): Promise<OutboundResponse> =>
  outbound.fetch(url, {
    headers: { 'user-agent': userAgent(robot) },
    maxBytes: MAX_ROBOTS_BYTES,
    redirects: 0,
    ...limits,
  })

/** A busy process may send one request late and the next in time: this keeps the distance between the requests of this process. */
async function waitForPace(
  lastAsked: Context['links']['lastAsked'],
  host: string,
  signal?: AbortSignal,
): Promise<void> {
  const remainingMs = () => (lastAsked.get(host) ?? Number.NEGATIVE_INFINITY) + PACE_MS - performance.now()
  for (let waitMs = remainingMs(); waitMs > 0; waitMs = remainingMs()) await sleep(waitMs, undefined, { signal })
}

export interface RequestLimits {
  maxBytes: number
  timeoutMs: number
}

const MIB = 1024 * 1024
export const PAGE_LIMITS: RequestLimits = { maxBytes: 2 * MIB, timeoutMs: 15_000 }
// Only the headers of a redirect matter.
export const REDIRECT_LIMITS: RequestLimits = { maxBytes: 16 * 1024, timeoutMs: 10_000 }
// A request with less time than this would only fail.
const MIN_TIME_MS = 500

/** Why there is no response. own: it is an address of this service; forbidden: by robots.txt. */
export type NotAnswered = 'own' | 'forbidden' | 'unreachable' | 'no-such-host'

const NOT_PERMITTED: Record<Exclude<Permission, 'yes'>, NotAnswered> = {
  no: 'forbidden',
  unreachable: 'unreachable',
  'no-such-host': 'no-such-host',
}

interface Requester {
  robot: Robot
  /** When the check has to be over, by performance.now(). */
  until: number
  signal?: AbortSignal
}

/** Returns the response, or why there is none. A redirect is not followed here, because its target needs its own permission and turn. */
export async function politeRequest(
  ctx: Pick<Context, 'outbound' | 'publicUrl'>,
  { robot, until, signal }: Requester,
  politeness: Politeness,
  url: string,
  limits: RequestLimits,
): Promise<OutboundResponse | NotAnswered> {
  // The service does not request its own pages: it would count as a visitor of itself.
  if (isOwnAddress(ctx.publicUrl, url)) return 'own'
  const permission = await politeness.askRobots(url)
  if (permission !== 'yes') return NOT_PERMITTED[permission]
  const answered = await politeness.takeTurn(url)
  const timeoutMs = Math.min(limits.timeoutMs, until - performance.now())
  if (timeoutMs < MIN_TIME_MS) return 'unreachable'
  let response: OutboundResponse | undefined
  try {
    const headers = { 'user-agent': userAgent(robot), accept: 'text/html,application/xhtml+xml' }
    response = await ctx.outbound.fetch(url, { ...limits, timeoutMs, redirects: 0, headers, signal })
    return response
  } catch (error) {
    signal?.throwIfAborted()
    // A private address is refused without a request; it counts like a host that does not answer.
    return error instanceof NoSuchHost ? 'no-such-host' : 'unreachable'
  } finally {
    await answered(response)
  }
}

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308])

export const redirectOf = ({ status, headers, url }: OutboundResponse): URL | null => {
  const target = REDIRECT_STATUSES.has(status) && headers.location ? parseUrl(headers.location, url) : null
  return target && /^https?:$/.test(target.protocol) ? target : null
}
