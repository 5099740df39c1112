// Sends one request to a foreign website, for link checks and for looks at the websites of listings: it first asks robots.txt and waits for
// the turn of the host.

import { isOwnAddress } from '../../../kernel/addresses/own-addresses.ts'
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import type { Context } from '../../../kernel/context.ts'
import { NoSuchHost, type OutboundResponse, type Robot, userAgent } from '../../../kernel/interfaces/outbound.ts'
import type { Permission, Politeness } from './politeness.ts'

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
