// One check of a claimed link: a look at its page, and its outcome in one transaction with the history and the event. A process that ends in
// between stores nothing; the link is then due again after its lease, and another process looks.
import { randomUUID } from 'node:crypto'
import type { Static } from 'typebox'
import { backgroundCaller } from '../../kernel/caller.ts'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { orderedId } from '../../kernel/ordered-id.ts'
import { lockRow, updateRowLoss } from '../submissions/link.queries.ts'
import { findSubmissionByToolId, listRows } from '../submissions/queries.ts'
import { packageOf } from '../submissions/rules.ts'
import { storeWantedEvent } from '../webhooks/events.ts'
import { liveEvent, lostEvent } from './events.ts'
import { type Look, look } from './look.ts'
import { createPoliteness, HostBusy, type Politeness } from './politeness.ts'
import * as queries from './queries.ts'
import { afterLook, LISTING_LIVE, type ListingEvent, nextLookAt, spreadOf } from './rules.ts'
import type { linkCheckSchema } from './schema.ts'

/** The caller of background checks. It has no access rights, because it calls no operation. */
export const linkChecker = backgroundCaller('link-checks')

/** A look has this long, with all its requests. */
const LOOK_MS = 60_000
// Longer than a look takes together with storing its outcome.
const LEASE_MS = 5 * 60_000
// A look that had to be put off waits at least this long.
const PUT_OFF_MS = 5_000

export type LinkCheck = Static<typeof linkCheckSchema>

const newClaim = (ctx: Context) => {
  const now = ctx.now()
  return { claim: randomUUID(), now, until: new Date(now.getTime() + LEASE_MS) }
}

/** The next link that is due, if a partner has fewer than `maxPerPartner` looks under way. */
export const claimDueLink = (ctx: Context, maxPerPartner: number): Promise<queries.ClaimedLink | undefined> =>
  ctx.transaction(async (ctx) => {
    await queries.lockLooks(ctx.db)
    return queries.updateClaimedLook(ctx.db, { ...newClaim(ctx), maxPerPartner })
  })

export const claimLink = (ctx: Context, submissionId: string, directoryId: string) =>
  queries.updateClaimedLink(ctx.db, submissionId, directoryId, newClaim(ctx))

export interface CheckOptions {
  /** When the check has to be over, by performance.now(); a minute from now when omitted. */
  until?: number
  signal?: AbortSignal
  /** The turn of the link's host was taken with the claim. */
  hasTurn?: boolean
  /** Tests replace the rules for asking directories. */
  politeness?: Politeness
}

/** Looks and stores the outcome. null: the host has to wait, or another look has taken over; nothing counts then. */
export async function checkLink(
  ctx: Context,
  claimed: queries.ClaimedLink,
  { until = performance.now() + LOOK_MS, signal, hasTurn = false, politeness }: CheckOptions = {},
): Promise<LinkCheck | null> {
  const { listingUrl, productKeys, partnerId: owner, host } = claimed
  const limits = { owner, until: Math.min(until, performance.now() + LOOK_MS), signal }
  let found: Look
  try {
    const polite = politeness ?? createPoliteness(ctx, { ...limits, reserved: hasTurn ? host : undefined })
    found = await look(ctx, { listingUrl, productKeys, ...limits }, polite)
    signal?.throwIfAborted()
  } catch (error) {
    if (!(error instanceof HostBusy) && !signal?.aborted) throw error
    const waitMs = error instanceof HostBusy ? Math.max(PUT_OFF_MS, error.waitMs) : 0
    await queries.updateLink(ctx.db, claimed, { nextAt: new Date(ctx.now().getTime() + waitMs) })
    return null
  }
  return storeLook(ctx, claimed, found)
}

/** Stores the look, the state of the link and the event together, so that each loss and each first find is said once. */
export const storeLook = (ctx: Context, claimed: queries.ClaimedLink, found: Look): Promise<LinkCheck | null> =>
  ctx.transaction(async (ctx) => {
    await lockRow(ctx.db, claimed.submissionId, claimed.directoryId)
    const before = await queries.findClaimedForUpdate(ctx.db, claimed)
    if (!before) return null
    const { submissionId, directoryId, listingUrl } = before
    const checkedAt = ctx.now()
    const { event, ...memory } = afterLook(before, found.state, checkedAt)
    const spread = spreadOf(submissionId, directoryId)
    await queries.insertCheck(ctx.db, { id: orderedId(), submissionId, directoryId, listingUrl, checkedAt, ...found })
    const { state, firstLiveAt, missingSince, lostAt, wasLive } = memory
    await queries.updateLink(ctx.db, claimed, {
      ...{ state, firstLiveAt, missingSince, lostAt, wasLive, checkedAt },
      nextAt: nextLookAt(before.recordedAt, spread, checkedAt),
    })
    if (lostAt !== before.lostAt) await updateRowLoss(ctx.db, submissionId, directoryId, lostAt)
    const directory = await queries.findDirectorySlug(ctx.db, directoryId)
    if (event) await tellPartner(ctx, event, claimed, directory)
    return { directory, listingUrl, checkedAt, ...found }
  })

const tellPartner = (
  ctx: TransactionContext,
  event: ListingEvent,
  { partnerId, toolId, submissionId }: queries.ClaimedLink,
  directory: string,
): Promise<void> =>
  storeWantedEvent(ctx, partnerId, event, async () => {
    const found = await findSubmissionByToolId(ctx.db, partnerId, toolId)
    const row = (await listRows(ctx.db, submissionId)).find(({ slug }) => slug === directory)
    if (!found || !row?.link) return null
    const tool = { ...found.tool, ...packageOf(found.submission.paymentType) }
    const told = { occurredAt: ctx.now(), tool, submission: row, link: row.link }
    return event === LISTING_LIVE ? liveEvent.write({ event, ...told }) : lostEvent.write({ event, ...told })
  })
