// One look at a website: follows it to where it ends, at the pace of `proof/politeness/politeness.ts`, and decides what is there.

import { registrableDomain } from '../../../kernel/addresses/registrable-domain.ts'
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import type { Context } from '../../../kernel/context.ts'
import type { OutboundResponse } from '../../../kernel/interfaces/outbound.ts'
import {
  type NotAnswered,
  PAGE_LIMITS,
  type Politeness,
  politeRequest,
  redirectOf,
} from '../../proof/politeness/politeness.ts'
import type { Finding } from '../rules.ts'
import type { DirectoryPage } from './facts.rules.ts'
import type { WebsiteVerdict } from './page.rules.ts'

export type LookContext = Pick<Context, 'log' | 'outbound' | 'health' | 'publicUrl'>

export interface LookLimits {
  /** Whose share of the threads is used. */
  owner: string
  /** When the look has to be over, by performance.now(). */
  until: number
  signal?: AbortSignal
  /** Whether pages are read for what they say about entering products. */
  isDirectory?: boolean
}

export interface Look {
  finding: Finding
  status: number | null
  /** The address at which the look ended; null when it is too long to be stored. */
  finalUrl: string | null
  /** What the page of a directory says about entering products. */
  directory?: DirectoryPage
  /** Addresses of pictures that may be badges of this service. */
  badges?: readonly string[]
}

const MAX_HOPS = 5
const MAX_URL = 2_000

const NOT_ANSWERED: Record<NotAnswered, Finding> = {
  // The website is this service, which answers.
  own: 'alive',
  forbidden: 'blocked',
  unreachable: 'unreachable',
  'no-such-host': 'gone',
}

/** Looks at a website. When a page below the root is gone, the root is looked at instead: the product may only have moved its page. */
export async function lookAt(
  ctx: LookContext,
  website: string,
  limits: LookLimits,
  politeness: Politeness,
): Promise<Look> {
  const look = await follow(ctx, website, limits, politeness)
  const root = new URL('/', website).href
  const isBelowRoot = new URL(website).pathname !== '/'
  return look.finding === 'gone' && look.status !== null && isBelowRoot ? follow(ctx, root, limits, politeness) : look
}

async function follow(ctx: LookContext, website: string, limits: LookLimits, politeness: Politeness): Promise<Look> {
  let url = website
  let status: number | null = null
  const ended = (finding: Finding): Look => {
    const finalUrl = url.length <= MAX_URL ? url.toWellFormed() : null
    return { finding: isElsewhere(website, url) ? findingElsewhere(finding, status) : finding, status, finalUrl }
  }
  for (let hop = 0; hop <= MAX_HOPS; hop++) {
    const response = await politeRequest(ctx, { robot: 'health', ...limits }, politeness, url, PAGE_LIMITS)
    if (typeof response === 'string') {
      status = null
      return ended(NOT_ANSWERED[response])
    }
    status = response.status
    const next = redirectOf(response)
    if (next) {
      url = next.href
      continue
    }
    const { finding, refresh, directory, badges } = await readWebsitePage(ctx, website, limits, response)
    const target = refresh === null ? null : parseUrl(refresh)
    if (!target || target.href === url) return { ...ended(finding), directory, badges }
    url = target.href
  }
  return ended('unreachable')
}

const isElsewhere = (website: string, url: string): boolean =>
  registrableDomain(new URL(website).hostname) !== registrableDomain(new URL(url).hostname)

/** A website that leads to another domain has moved if that domain answers. A missing page there says nothing about the product. */
function findingElsewhere(finding: Finding, status: number | null): Finding {
  if (finding === 'parked') return finding
  return finding === 'alive' || (finding === 'blocked' && status !== null) ? 'moved' : 'unreachable'
}

export async function readWebsitePage(
  ctx: LookContext,
  website: string,
  { owner, signal, isDirectory }: LookLimits,
  { url, status, headers, body, truncated }: OutboundResponse,
): Promise<WebsiteVerdict> {
  const page = { url, status, headers, bytes: body, truncated }
  try {
    return await ctx.health.read({ page, website, isDirectory }, { owner, signal })
  } catch (error) {
    signal?.throwIfAborted()
    ctx.log.warn({ err: error, host: parseUrl(url)?.host }, 'the page of a website could not be read')
    return { finding: 'unreachable', refresh: null }
  }
}
