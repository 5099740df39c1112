// One check of a claimed link: checks its page, then stores the outcome, the history and the event in one transaction. A process that stops
// before that stores nothing; when its claim ends, the link is due again and another process checks it.
import { randomUUID } from 'node:crypto'
import type { Static } from 'typebox'
import { backgroundCaller } from '../../../kernel/caller.ts'
import type { Context, TransactionContext } from '../../../kernel/context.ts'
import { orderedId } from '../../../kernel/database/ordered-id.ts'
import { oneOf, timestamp, titledObject } from '../../../kernel/schema.ts'
import { listFormerTexts } from '../../proposals/queries.ts'
import { lockRow, updateRowLoss } from '../../submissions/bench/link.queries.ts'
import { LINK_STATES } from '../../submissions/bench/link.rules.ts'
import { findSubmissionByToolId, listRows } from '../../submissions/queries.ts'
import { packageOf } from '../../submissions/rules.ts'
import { eventTool, linkSchema, waitingRowSchema } from '../../submissions/schema.ts'
import { declareEvent, storeWantedEvent } from '../../webhooks/events.ts'
import { createPoliteness, HostBusy, type Politeness } from '../politeness/politeness.ts'
import * as queries from '../queries.ts'
import { afterCheck, isThere, LISTING_LIVE, LISTING_LOST, type ListingEvent, nextCheckAt, spreadOf } from '../rules.ts'
import type { linkCheckSchema } from '../schema.ts'
import { checkPage, type PageCheck } from './check-page.ts'
import { remainingDrift, storedDrift } from './drift.rules.ts'

/** The caller of background checks. It has no access rights, because it calls no operation. */
export const linkChecker = backgroundCaller('link-checks')

/** A check with all its requests may take this long. */
const CHECK_MS = 60_000
// Longer than a check takes together with storing its outcome.
const CLAIM_MS = 5 * 60_000
// A check that was postponed waits at least this long.
const POSTPONE_MS = 5_000

export type LinkCheck = Static<typeof linkCheckSchema>

const newClaim = (ctx: Context) => {
  const now = ctx.now()
  return { claim: randomUUID(), now, until: new Date(now.getTime() + CLAIM_MS) }
}

/** Claims the next due link of a partner that has fewer than `maxPerPartner` checks running. */
export const claimDueLink = (ctx: Context, maxPerPartner: number): Promise<queries.ClaimedLink | undefined> =>
  ctx.transaction(async (ctx) => {
    await queries.lockClaims(ctx.db)
    return queries.claimNextDueLink(ctx.db, { ...newClaim(ctx), maxPerPartner })
  })

export const claimLink = (ctx: Context, submissionId: string, directoryId: string) =>
  queries.claimGivenLink(ctx.db, submissionId, directoryId, newClaim(ctx))

interface CheckOptions {
  /** When the check has to be over, by performance.now(); a minute from now when omitted. */
  until?: number
  signal?: AbortSignal
  /** Whether the claim already reserved the turn of the link's host. */
  isHostReserved?: boolean
  /** Only for tests. */
  politeness?: Politeness
}

/**
 * Checks the link and stores the outcome. Returns null when nothing is stored: the host is busy, the check was aborted, or another process
 * has taken over the link.
 */
export async function checkLink(
  ctx: Context,
  claimed: queries.ClaimedLink,
  { until = performance.now() + CHECK_MS, signal, isHostReserved = false, politeness }: CheckOptions = {},
): Promise<LinkCheck | null> {
  const { listingUrl, productKeys, product, partnerId, host } = claimed
  const limits = { owner: partnerId, until: Math.min(until, performance.now() + CHECK_MS), signal }
  let found: PageCheck
  try {
    const polite = politeness ?? createPoliteness(ctx, { ...limits, reserved: isHostReserved ? host : undefined })
    found = await checkPage(ctx, { listingUrl, productKeys, product, ...limits }, polite)
    signal?.throwIfAborted()
  } catch (error) {
    if (!(error instanceof HostBusy) && !signal?.aborted) throw error
    const waitMs = error instanceof HostBusy ? Math.max(POSTPONE_MS, error.waitMs) : 0
    await queries.updateLink(ctx.db, claimed, { nextAt: new Date(ctx.now().getTime() + waitMs) })
    return null
  }
  return storeCheck(ctx, claimed, found)
}

/** Stores the check, the state of the link and the event together, so that partners hear once of each loss and each first find. */
export const storeCheck = (ctx: Context, claimed: queries.ClaimedLink, found: PageCheck): Promise<LinkCheck | null> =>
  ctx.transaction(async (ctx) => {
    await lockRow(ctx.db, claimed.submissionId, claimed.directoryId)
    const before = await queries.findClaimedForUpdate(ctx.db, claimed)
    if (!before) return null
    const { submissionId, directoryId, listingUrl } = before
    const checkedAt = ctx.now()
    const { event, ...memory } = afterCheck(before, found.state, checkedAt)
    const spread = spreadOf(submissionId, directoryId)
    await queries.insertCheck(ctx.db, { id: orderedId(), submissionId, directoryId, listingUrl, checkedAt, ...found })
    const { state, firstLiveAt, missingSince, lostAt, wasEverLive } = memory
    await queries.updateLink(ctx.db, claimed, {
      ...{ state, firstLiveAt, missingSince, lostAt, wasEverLive, checkedAt },
      ...(await driftAfter(ctx, claimed, before, found)),
      nextAt: nextCheckAt(before.recordedAt, spread, checkedAt),
    })
    if (lostAt !== before.lostAt) await updateRowLoss(ctx.db, submissionId, directoryId, lostAt)
    const directory = await queries.findDirectorySlug(ctx.db, directoryId)
    if (event) await tellPartner(ctx, event, claimed, directory)
    return { directory, listingUrl, checkedAt, ...found }
  })

/**
 * What is stored of the comparison with the product. If the page could not be compared, the differences that were stored before stay, except
 * those that the product has no longer.
 */
async function driftAfter(
  { db }: TransactionContext,
  { toolId, product }: queries.ClaimedLink,
  before: queries.ListingLinkRow,
  { drift, state }: PageCheck,
): Promise<Partial<Pick<queries.ListingLinkRow, 'drift' | 'directoryTagline'>>> {
  if (!drift) return before.drift ? storedDrift(remainingDrift(before.drift, product), null) : {}
  const isFirst = before.directoryTagline === null && isThere(state)
  return storedDrift(drift, isFirst ? { product, former: await listFormerTexts(db, toolId, 'tagline') } : null)
}

const tellPartner = (
  ctx: TransactionContext,
  event: ListingEvent,
  { partnerId, toolId, submissionId }: queries.ClaimedLink,
  directory: string,
): Promise<void> =>
  storeWantedEvent(ctx, partnerId, event, async () => {
    const found = await findSubmissionByToolId(ctx.db, partnerId, toolId)
    const row = (await listRows(ctx.db, submissionId, 'founder', ctx.now())).find(({ slug }) => slug === directory)
    if (!found || !row?.link) return null
    const tool = { ...found.tool, ...packageOf(found.submission.paymentType) }
    const payload = { occurredAt: ctx.now(), tool, submission: row, link: row.link }
    return event === LISTING_LIVE ? liveEvent.write({ event, ...payload }) : lostEvent.write({ event, ...payload })
  })

// The webhook events about the link on a listing, for partners that subscribed to them.

/** The schema of a link with the description and example of a lost one. */
const lostLinkSchema = titledObject('LostLinkState', 'The link to the product, which is missing or gone.', {
  ...linkSchema.properties,
  state: oneOf(LINK_STATES, 'missing: no link on the page; gone: the page is no more.', 'missing'),
})

const listingEvent = <const N extends ListingEvent>(name: N, title: string, description: string) =>
  declareEvent(
    name,
    titledObject(title, description, {
      event: oneOf([name], 'The kind of the event.', name),
      occurredAt: timestamp('When the page was looked at.'),
      tool: eventTool,
      submission: waitingRowSchema,
      link: name === LISTING_LOST ? lostLinkSchema : linkSchema,
    }),
  )

export const liveEvent = listingEvent(
  LISTING_LIVE,
  'ListingLive',
  'The link to the product was found on a listing for the first time; link.state says of which kind it is.',
)
export const lostEvent = listingEvent(
  LISTING_LOST,
  'ListingLost',
  'A link that was there is gone: two looks at least a day apart did not find it.',
)
