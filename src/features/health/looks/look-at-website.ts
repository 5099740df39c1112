// One look at a website: follows it to where it ends, at the pace of `proof/politeness/politeness.ts`, and decides what is there. The same
// look reads the pages of a directory that say how products are entered: its form and its terms.
import { registrableDomain } from '../../../kernel/addresses/registrable-domain.ts'
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import type { Context } from '../../../kernel/context.ts'
import type { OutboundResponse } from '../../../kernel/interfaces/outbound.ts'
import {
  HostBusy,
  type NotAnswered,
  PAGE_LIMITS,
  type Politeness,
  politeRequest,
  redirectOf,
} from '../../proof/politeness/politeness.ts'
import { type Finding, findingOfStatus } from '../rules.ts'
import { type DirectoryPage, type FoundFact, type KnownDirectory, robotsLine, type Stated } from './facts.rules.ts'
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

interface ReadPage {
  url: string
  page: DirectoryPage
}

const MOST_FORM_HOPS = 3
/** A proposal quotes at most this many characters of a page. */
const MAX_QUOTE = 900

interface FactsContext extends LookContext {
  /** The robots.txt of the origin, which is stored when a page of the origin is requested. */
  rulesOf(origin: string): Promise<string | undefined>
}

/** `home` is what the directory's first page says. Returns no facts when the host is busy; the next look tries again. */
export async function lookAtFacts(
  ctx: FactsContext,
  { submissionLink }: Pick<KnownDirectory, 'submissionLink'>,
  home: ReadPage,
  limits: LookLimits,
  politeness: Politeness,
): Promise<FoundFact[]> {
  try {
    const form = submissionLink ? await fetchPage(ctx, submissionLink, limits, politeness) : null
    const pages = form && typeof form !== 'string' ? [...(await readPage(ctx, form, limits)), home] : [home]
    const terms = pages.find(({ page }) => page.termsLink)?.page.termsLink
    const termsResponse = terms ? await fetchPage(ctx, terms, limits, politeness) : null
    const termsPages =
      termsResponse && typeof termsResponse !== 'string' ? await readPage(ctx, termsResponse, limits) : []
    return [
      ...(submissionLink ? linkFact(submissionLink, form, home) : []),
      ...firstStated(pages, 'cost'),
      ...firstStated(pages, 'minimumPrice'),
      ...firstStated(pages, 'requiresBadge'),
      ...(await automationFact(ctx, [...termsPages, ...pages], submissionLink)),
    ]
  } catch (error) {
    if (error instanceof HostBusy) return []
    throw error
  }
}

/** Follows the address. Returns the response, or a text that says why there is none; null for no address or too many redirects. */
async function fetchPage(ctx: FactsContext, address: string, limits: LookLimits, politeness: Politeness) {
  let url = address
  for (let hop = 0; hop <= MOST_FORM_HOPS && parseUrl(url); hop++) {
    const response = await politeRequest(ctx, { robot: 'health', ...limits }, politeness, url, PAGE_LIMITS)
    const next = typeof response === 'string' ? null : redirectOf(response)
    if (!next) return response
    url = next.href
  }
  return null
}

/** What the page says, as a list of one. The list is empty for an error page. */
async function readPage(ctx: FactsContext, response: OutboundResponse, limits: LookLimits): Promise<ReadPage[]> {
  if (findingOfStatus(response.status) !== null) return []
  const { directory } = await readWebsitePage(ctx, response.url, { ...limits, isDirectory: true }, response)
  return directory ? [{ url: response.url, page: directory }] : []
}

const quoteOf = (text: string): string => text.slice(0, MAX_QUOTE).toWellFormed()

const quoted = ({ quote }: Pick<Stated<unknown>, 'quote'>, url: string): string => quoteOf(`${quote} (${url})`)

/** The first page that states the field. The pages of the form come first in `pages`, because they speak about their own form. */
function firstStated<F extends 'cost' | 'minimumPrice' | 'requiresBadge'>(pages: readonly ReadPage[], field: F) {
  const found = pages.find(({ page }) => page[field] !== null)
  const stated = found?.page[field]
  return found && stated ? [{ field, value: stated.value, quote: quoted(stated, found.url) } as FoundFact] : []
}

/** The address of the form; null when it is gone and the first page links to no other. Empty when the answer does not say. */
function linkFact(link: string, form: Awaited<ReturnType<typeof fetchPage>>, home: ReadPage): FoundFact[] {
  if (form === null || typeof form === 'string') return []
  const finding = findingOfStatus(form.status)
  const isSame = home.page.formLink === null || home.page.formLink === link
  if (finding === 'gone')
    return [
      {
        field: 'submissionLink',
        value: isSame ? null : home.page.formLink,
        quote: quoteOf(`${form.status} at ${form.url}`),
      },
    ]
  // The form is there: this confirms the stored address, so that a waiting proposal to change it ends.
  return finding === null ? [{ field: 'submissionLink', value: link, quote: '' }] : []
}

/** Whether programs may enter products: what the terms say, then the other pages, then the robots.txt. A prohibition on any page wins. */
async function automationFact(
  ctx: FactsContext,
  pages: readonly ReadPage[],
  link: string | null,
): Promise<FoundFact[]> {
  const stated = pages.flatMap(({ url, page }) => (page.automation ? [{ url, ...page.automation }] : []))
  const said = stated.find(({ value }) => value === 'forbidden') ?? stated[0]
  if (said) return [{ field: 'automation', value: said.value, quote: quoted(said, said.url) }]
  const form = link ? parseUrl(link) : null
  const rules = form ? await ctx.rulesOf(form.origin) : undefined
  const line = form && rules ? robotsLine(rules, form.pathname) : null
  return form && line
    ? [{ field: 'automation', value: 'forbidden', quote: quoted({ quote: line }, `${form.origin}/robots.txt`) }]
    : []
}
