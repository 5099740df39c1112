// Limits the requests to directories: one a second to each host, from all processes together, and only what its robots.txt allows.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../kernel/context.ts'
import { DAY_MS } from '../../kernel/days.ts'
import { userAgent } from '../../kernel/outbound.ts'
import { paceHost } from '../submissions/link.rules.ts'
import type { LinkAccess } from './link-access.ts'
import { findRobots, reserveTurn, upsertRobots } from './queries.ts'
import { MAX_ROBOTS_BYTES, robotsRules } from './rules.ts'

export type PoliteContext = Pick<Context, 'db' | 'now' | 'log' | 'outbound' | 'links'>

/** yes: it may be fetched; no: robots.txt forbids it; unreachable: the host does not say. */
export type Permission = 'yes' | 'no' | 'unreachable'

export interface Politeness {
  /** Waits until a request to the host may be sent; throws a HostBusy when that is too late. Call the result when the response is there. */
  takeTurn(url: string): Promise<() => void>
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

export interface PolitenessOptions {
  /** Whose share of the threads is used. */
  owner: string
  /** When the check has to be over, by performance.now(). */
  until: number
  /** The host whose first turn was reserved with the claim. */
  reserved?: string
  signal?: AbortSignal
}

const PACE_MS = 1_000
const MAX_WAIT_MS = 15_000
const ROBOTS_MS = 10_000
const ROBOTS_REDIRECTS = 5
const ROBOTS_AGE_MS = DAY_MS

export function createPoliteness(ctx: PoliteContext, options: PolitenessOptions): Politeness {
  const { owner, until, signal } = options
  let { reserved } = options

  async function takeTurn(url: string): Promise<() => void> {
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
    const rememberTime = () => void lastAsked.set(host, performance.now())
    rememberTime()
    return rememberTime
  }

  return {
    takeTurn,
    async askRobots(url) {
      const { origin } = new URL(url)
      const rules = await rulesOf(origin)
      if (rules === null) return 'unreachable'
      if (rules === '') return 'yes'
      try {
        return (await ctx.links.robotsAllow({ origin, rules, url }, { owner, signal })) ? 'yes' : 'no'
      } catch (error) {
        signal?.throwIfAborted()
        ctx.log.warn({ err: error, origin }, 'a robots.txt could not be read')
        return 'no'
      }
    },
  }

  /** null: the host did not answer. RFC 9309: without a robots.txt everything may be fetched; while it cannot be read, nothing. */
  async function rulesOf(origin: string): Promise<string | null> {
    const stored = await findRobots(ctx.db, origin, new Date(ctx.now().getTime() - ROBOTS_AGE_MS))
    if (stored !== undefined) return stored
    let url = `${origin}/robots.txt`
    for (let followed = 0; followed <= ROBOTS_REDIRECTS; followed++) {
      const answered = await takeTurn(url)
      const timeoutMs = Math.min(ROBOTS_MS, until - performance.now())
      if (timeoutMs <= 0) return null
      const response = await ctx.outbound
        .fetch(url, {
          headers: { 'user-agent': userAgent('linkChecks') },
          maxBytes: MAX_ROBOTS_BYTES,
          timeoutMs,
          redirects: 0,
          signal,
        })
        .catch(() => null)
        .finally(answered)
      signal?.throwIfAborted()
      if (!response || response.status >= 500 || response.status === 429) return null
      const next =
        response.status >= 300 && response.status < 400 ? URL.parse(response.headers.location ?? '', url) : null
      if (!next) {
        const rules = response.status < 300 ? robotsRules(response.body.toString('utf8')) : ''
        await upsertRobots(ctx.db, { origin, rules, fetchedAt: ctx.now() })
        return rules
      }
      url = next.href
    }
    return ''
  }
}

/** A busy process may send one request late and the next in time: this keeps the distance between the requests of this process. */
async function waitForPace(lastAsked: LinkAccess['lastAsked'], host: string, signal?: AbortSignal): Promise<void> {
  const left = () => (lastAsked.get(host) ?? Number.NEGATIVE_INFINITY) + PACE_MS - performance.now()
  for (let waitMs = left(); waitMs > 0; waitMs = left()) await sleep(waitMs, undefined, { signal })
}
