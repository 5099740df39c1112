// Claims a website that is due, looks at it, and stores the outcome in one transaction. A process that stops before that stores nothing;
// when its claim ends, the website is due again and another process looks at it.
import { randomUUID } from 'node:crypto'
import { badgeAddress } from '../../../kernel/addresses/own-addresses.ts'
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import { backgroundCaller } from '../../../kernel/caller.ts'
import type { Context, TransactionContext } from '../../../kernel/context.ts'
import { orderedId } from '../../../kernel/database/ordered-id.ts'
import { extend } from '../../../kernel/values/objects.ts'
import { TOPIC } from '../../catalog/schema.ts'
import { createPoliteness, HostBusy, type Politeness } from '../../proof/politeness/politeness.ts'
import { findRobots, lockClaims } from '../../proof/queries.ts'
import { deleteWaitingLookProposals, insertLookProposal, listLookProposals } from '../../proposals/queries.ts'
import * as queries from '../queries.ts'
import { afterLook, isEnded, NO_MEMORY, nextLookAt, PERIOD_MS, showsBadgeAfter } from '../rules.ts'
import { type DirectoryPage, type FoundFact, proposalsAfter } from './facts.rules.ts'
import { type Look, type LookLimits, lookAt, lookAtFacts } from './look-at-website.ts'

/** The caller of looks. It has no access rights, because it calls no operation. */
export const healthChecker = backgroundCaller('health-checks')

/** A look with all its requests may take this long. */
const LOOK_MS = 60_000
// Longer than a look takes together with storing its outcome.
const CLAIM_MS = 5 * 60_000
// A look that was postponed because the host is busy waits at least this long.
const POSTPONE_MS = 5_000
const ANY_AGE = new Date(0)

export const claimDueWebsite = (ctx: Context): Promise<queries.ClaimedWebsite | undefined> =>
  ctx.transaction(async (ctx) => {
    await lockClaims(ctx.db)
    const now = ctx.now()
    return queries.claimNextDue(ctx.db, { claim: randomUUID(), now, until: new Date(now.getTime() + CLAIM_MS) })
  })

interface LookOptions {
  signal?: AbortSignal
  /** Passed only by tests. */
  politeness?: Politeness
}

/** Looks at the website and stores the outcome, unless the host is busy, the look was aborted, or another process has the claim. */
export async function lookAtClaimed(
  ctx: Context,
  claimed: queries.ClaimedWebsite,
  { signal, politeness }: LookOptions = {},
): Promise<void> {
  const { website, host } = claimed
  const now = () => ctx.now().getTime()
  // The listing was hidden or deleted.
  if (website === null || !parseUrl(website)) return queries.releaseClaim(ctx.db, claimed, new Date(now() + PERIOD_MS))
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
  const rulesOf = (origin: string) => findRobots(ctx.db, origin, ANY_AGE)
  return lookAtFacts(extend(ctx, { rulesOf }), known, { url, page }, limits, politeness)
}

/**
 * Stores proposals for an administrator where the pages differ from the catalog. A transaction that also locks the directory must lock it
 * before this call.
 */
async function storeFacts(ctx: TransactionContext, directoryId: string, facts: readonly FoundFact[]): Promise<void> {
  const known = await queries.findKnownDirectory(ctx.db, directoryId)
  if (!known || facts.length === 0) return
  const author = healthChecker.label
  const { added, ended } = proposalsAfter(known, facts, await listLookProposals(ctx.db, directoryId, author))
  if (ended.length > 0) await deleteWaitingLookProposals(ctx.db, directoryId, author, ended)
  for (const { field, value, quote } of added) {
    const change = { field, oldValue: known[field], newValue: value, quote, createdAt: ctx.now() }
    await insertLookProposal(ctx.db, { id: orderedId(), directoryId, authorId: author, ...change })
  }
}

/** Stores the outcome. Readers see a change only when the product has ended or is back, or when its badge was added or removed. */
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
    const { listingId, kind, toolSlug } = claimed
    const at = ctx.now()
    const memory = afterLook(before.website === website ? before : NO_MEMORY, look.finding, at)
    const { state, since, suspected, suspectedAt, suspectedLooks } = memory
    const { status, finalUrl } = look
    const showsBadge = toolSlug !== null && showsBadgeAfter(before, look, badgeAddress(ctx.publicUrl, toolSlug))
    await queries.updateLooked(ctx.db, claimed, website, {
      ...{ state, since, suspected, suspectedAt, suspectedLooks, status, finalUrl, showsBadge },
      checkedAt: at,
      nextAt: nextLookAt(memory, at),
    })
    const hasChanged = await queries.updateEnded(ctx.db, kind, listingId, isEnded(state) ? state : null)
    if (hasChanged || showsBadge !== before.showsBadge) await ctx.announce({ topic: TOPIC[kind], ids: [listingId] })
    await storeFacts(ctx, listingId, facts)
  })
