// One look at the website of a claimed listing, then its outcome in one transaction. A process that stops before that stores nothing; when its
// claim ends, the website is due again and another process looks at it.

import { randomUUID } from 'node:crypto'
import { backgroundCaller } from '../../kernel/caller.ts'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { extend } from '../../kernel/objects.ts'
import { orderedId } from '../../kernel/ordered-id.ts'
import type { OutboundResponse } from '../../kernel/outbound.ts'
import { TOPIC } from '../catalog/schema.ts'
import { PAGE, politeRequest, redirectOf } from '../proof/polite-request.ts'
import { createPoliteness, HostBusy, type Politeness } from '../proof/politeness.ts'
import { findRobots, lockClaims } from '../proof/queries.ts'
import { deleteWaitingOfDirectory, insertOfDirectory, listOfDirectory } from '../proposals/queries.ts'
import {
  type DirectoryPage,
  type FoundFact,
  type KnownDirectory,
  proposalsAfter,
  robotsLine,
  type Stated,
} from './facts.rules.ts'
import { type Look, type LookContext, type LookLimits, lookAt, readWebsitePage } from './look-at.ts'
import { findingOfStatus } from './page.rules.ts'
import * as queries from './queries.ts'
import { afterLook, isEnded, NO_MEMORY, nextLookAt, PERIOD_MS } from './rules.ts'

/** The caller of looks. It has no access rights, because it calls no operation. */
export const healthChecker = backgroundCaller('health-checks')

/** A look with all its requests may take this long. */
const LOOK_MS = 60_000
// Longer than a look takes together with storing its outcome.
const CLAIM_MS = 5 * 60_000
// A look that was postponed waits at least this long.
const POSTPONE_MS = 5_000

export const claimDueWebsite = (ctx: Context): Promise<queries.ClaimedWebsite | undefined> =>
  ctx.transaction(async (ctx) => {
    await lockClaims(ctx.db)
    const now = ctx.now()
    return queries.claimNextDue(ctx.db, { claim: randomUUID(), now, until: new Date(now.getTime() + CLAIM_MS) })
  })

export interface LookOptions {
  signal?: AbortSignal
  /** Only for tests. */
  politeness?: Politeness
}

/** Looks at the website and stores the outcome. Nothing is stored when the host is busy, the look was aborted, or another took over. */
export async function lookAtClaimed(
  ctx: Context,
  claimed: queries.ClaimedWebsite,
  { signal, politeness }: LookOptions = {},
): Promise<void> {
  const { website, host } = claimed
  const now = () => ctx.now().getTime()
  // The listing was hidden or deleted.
  if (website === null || !URL.canParse(website))
    return queries.releaseClaim(ctx.db, claimed, new Date(now() + PERIOD_MS))
  const isDirectory = claimed.kind === 'directory'
  const limits = { owner: 'health', until: performance.now() + LOOK_MS, signal, isDirectory }
  let look: Look
  let facts: FoundFact[] = []
  try {
    const polite = politeness ?? createPoliteness(ctx, { ...limits, robot: 'health', reserved: host })
    look = await lookAt(ctx, website, limits, polite)
    if (look.directory && look.finding === 'alive')
      facts = await factsOf(ctx, claimed.listingId, look.directory, website, limits, polite)
    signal?.throwIfAborted()
  } catch (error) {
    if (!(error instanceof HostBusy) && !signal?.aborted) throw error
    const waitMs = error instanceof HostBusy ? Math.max(POSTPONE_MS, error.waitMs) : 0
    return queries.releaseClaim(ctx.db, claimed, new Date(now() + waitMs))
  }
  await storeLook(ctx, claimed, website, look, facts)
}

async function factsOf(
  ctx: Context,
  directoryId: string,
  page: DirectoryPage,
  url: string,
  limits: LookLimits,
  politeness: Politeness,
): Promise<FoundFact[]> {
  const known = await queries.findKnownDirectory(ctx.db, directoryId)
  if (!known) return []
  const rulesOf = (origin: string) => findRobots(ctx.db, origin, new Date(0))
  return lookAtFacts(extend(ctx, { rulesOf }), known, { url, page }, limits, politeness)
}

/** What the pages say otherwise than the catalog is proposed; an administrator decides. Call it after the directory was locked or not at all. */
async function storeFacts(ctx: TransactionContext, directoryId: string, facts: readonly FoundFact[]): Promise<void> {
  const known = await queries.findKnownDirectory(ctx.db, directoryId)
  if (!known || facts.length === 0) return
  const author = healthChecker.label
  const { added, ended } = proposalsAfter(known, facts, await listOfDirectory(ctx.db, directoryId, author))
  if (ended.length > 0) await deleteWaitingOfDirectory(ctx.db, directoryId, author, ended)
  for (const { field, value, quote } of added) {
    const change = { field, oldValue: known[field], newValue: value, quote, createdAt: ctx.now() }
    await insertOfDirectory(ctx.db, { id: orderedId(), directoryId, authorId: author, ...change })
  }
}

/** The catalog changes only when the product has ended, or is back. */
const storeLook = (
  ctx: Context,
  claimed: queries.ClaimedWebsite,
  website: string,
  look: Look,
  facts: readonly FoundFact[],
): Promise<void> =>
  ctx.transaction(async (ctx) => {
    const before = await queries.findClaimedWebsiteForUpdate(ctx.db, claimed)
    if (!before) return
    const { listingId, kind } = claimed
    const at = ctx.now()
    const memory = afterLook(before.website === website ? before : NO_MEMORY, look.finding, at)
    const { state, since, suspected, suspectedAt, suspectedLooks } = memory
    const { status, finalUrl } = look
    await queries.updateLooked(ctx.db, claimed, website, {
      ...{ state, since, suspected, suspectedAt, suspectedLooks, status, finalUrl },
      checkedAt: at,
      nextAt: nextLookAt(memory, at),
    })
    if (await queries.updateEnded(ctx.db, kind, listingId, isEnded(state) ? state : null))
      await ctx.announce({ topic: TOPIC[kind], ids: [listingId] })
    await storeFacts(ctx, listingId, facts)
  })

// Looks at the pages of a directory that say how products are entered: its form and its terms, in the same look as its website.

interface SeenPage {
  url: string
  page: DirectoryPage
}

const MAX_HOPS = 3
const MAX_QUOTE = 900

export interface FactsContext extends LookContext {
  /** The rules of the origin's robots.txt, which the request before has stored. */
  rulesOf(origin: string): Promise<string | undefined>
}

/** `home`: what its first page says. Nothing is found when its host is busy; the next look tries again. */
export async function lookAtFacts(
  ctx: FactsContext,
  { submissionLink }: Pick<KnownDirectory, 'submissionLink'>,
  home: SeenPage,
  limits: LookLimits,
  politeness: Politeness,
): Promise<FoundFact[]> {
  try {
    const form = submissionLink ? await request(ctx, submissionLink, limits, politeness) : null
    const pages = form && typeof form !== 'string' ? [...(await seen(ctx, form, limits)), home] : [home]
    const terms = pages.find(({ page }) => page.termsLink)?.page.termsLink
    const read = terms ? await request(ctx, terms, limits, politeness) : null
    const rules = read && typeof read !== 'string' ? await seen(ctx, read, limits) : []
    return [
      ...(submissionLink ? linkFact(submissionLink, form, home) : []),
      ...firstStated(pages, 'cost'),
      ...firstStated(pages, 'minimumPrice'),
      ...firstStated(pages, 'requiresBadge'),
      ...(await automationFact(ctx, [...rules, ...pages], submissionLink)),
    ]
  } catch (error) {
    if (error instanceof HostBusy) return []
    throw error
  }
}

/** The page where the address leads, or why there is none. */
async function request(ctx: FactsContext, address: string, limits: LookLimits, politeness: Politeness) {
  let url = address
  for (let hop = 0; hop <= MAX_HOPS && URL.canParse(url); hop++) {
    const response = await politeRequest(ctx, { robot: 'health', ...limits }, politeness, url, PAGE)
    const next = typeof response === 'string' ? null : redirectOf(response)
    if (!next) return response
    url = next.href
  }
  return null
}

/** What the page says; an error page says nothing. */
async function seen(ctx: FactsContext, response: OutboundResponse, limits: LookLimits): Promise<SeenPage[]> {
  if (findingOfStatus(response.status) !== null) return []
  const { directory } = await readWebsitePage(ctx, response.url, { ...limits, isDirectory: true }, response)
  return directory ? [{ url: response.url, page: directory }] : []
}

const quoteOf = (text: string): string => text.slice(0, MAX_QUOTE).toWellFormed()

const quoted = ({ quote }: Pick<Stated<unknown>, 'quote'>, url: string): string => quoteOf(`${quote} (${url})`)

/** The form pages come first, because they say it of themselves. */
function firstStated<F extends 'cost' | 'minimumPrice' | 'requiresBadge'>(pages: readonly SeenPage[], field: F) {
  const found = pages.find(({ page }) => page[field] !== null)
  const stated = found?.page[field]
  return found && stated ? [{ field, value: stated.value, quote: quoted(stated, found.url) } as FoundFact] : []
}

/** A form that is gone: the one that the first page leads to now, or none. An answer that refuses programs says nothing. */
function linkFact(link: string, form: Awaited<ReturnType<typeof request>>, home: SeenPage): FoundFact[] {
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
  return finding === null ? [{ field: 'submissionLink', value: link, quote: '' }] : []
}

/** What the terms say, then the other pages, then the robots.txt about the form. A prohibition wins. */
async function automationFact(
  ctx: FactsContext,
  pages: readonly SeenPage[],
  link: string | null,
): Promise<FoundFact[]> {
  const stated = pages.flatMap(({ url, page }) => (page.automation ? [{ url, ...page.automation }] : []))
  const said = stated.find(({ value }) => value === 'forbidden') ?? stated[0]
  if (said) return [{ field: 'automation', value: said.value, quote: quoted(said, said.url) }]
  const form = link ? URL.parse(link) : null
  const rules = form ? await ctx.rulesOf(form.origin) : undefined
  const line = form && rules ? robotsLine(rules, form.pathname) : null
  return form && line
    ? [{ field: 'automation', value: 'forbidden', quote: quoted({ quote: line }, `${form.origin}/robots.txt`) }]
    : []
}
