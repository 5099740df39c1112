// Looks for the proofs of owners again at the times of `CHECK_DAYS`, and when the listing gets another website. A claim ends when the
// token is missing and is still missing `CHECK_DAYS.missing` days later.
import { backgroundCaller } from '../../../kernel/caller.ts'
import type { Context, TransactionContext } from '../../../kernel/context.ts'
import { lockText } from '../../../kernel/database/queries.ts'
import type { FeatureParts } from '../../../kernel/feature.ts'
import { daysText } from '../../../kernel/values/text.ts'
import { type BackgroundWorker, createDueWork, longestWait } from '../../../kernel/work/due-work.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import { TOPIC } from '../../catalog/schema.ts'
import { tellUser } from '../../mail/mail.ts'
import { CLAIMS_TOPIC, endClaim, findProof, type ProofResult, storeFoundProof, type ToolOfClaim } from './proof.ts'
import * as queries from './queries.ts'
import { CHECK_DAYS, countsAsGone, hasGraceEnded, hasMoved, nextCheck, wasPlaceReached } from './rules.ts'

const claimChecker = backgroundCaller('claim-check')

const SHORTEST_MS = 1_000
const STOP_MS = 3_000
/** A check whose process ends before it is done is made again after this time. */
const AGAIN_MS = 10 * 60_000

export function createClaimWorker({ contextOf, log, isAlone }: FeatureParts): BackgroundWorker {
  const context = () => contextOf(claimChecker)
  const work = createDueWork({
    log,
    away: 'the proofs of owners cannot be checked at the moment',
    // One check at a time: nothing waits for it, and each sends requests to a website of others.
    look: async () => {
      if (work.running() > 0) return null
      const ctx = context()
      const now = ctx.now()
      const [claim] = await queries.takeDueClaim(ctx.db, now, new Date(now.getTime() + AGAIN_MS))
      if (claim) {
        work.run(() => checkOwner(ctx, claim))
        return null
      }
      const next = await queries.findNextClaimCheck(ctx.db)
      return next && next.getTime() - now.getTime()
    },
    topics: [CLAIMS_TOPIC],
    // The listing may have another website.
    frequentTopics: [TOPIC.tool],
    shortestMs: SHORTEST_MS,
    longestMs: longestWait(isAlone),
    stopMs: STOP_MS,
  })
  return work
}

/** Looks for the proof of an owner on the website that the listing has now. */
async function checkOwner(ctx: Context, claim: queries.ClaimRow): Promise<void> {
  const tool = await queries.findToolOfClaim(ctx.db, claim.toolId)
  if (!tool) return
  const look = await findProof(ctx, tool, claim.token)
  await ctx.transaction(async (ctx) => {
    await lockText(ctx.db, `claims:${claim.toolId}`)
    const current = await queries.findClaimForUpdate(ctx.db, claim.id)
    if (!current?.provenAt) return
    // The website was changed meanwhile. The next check looks at the new one, soon.
    if ((await queries.findToolOfClaim(ctx.db, claim.toolId))?.website !== tool.website) return
    const now = ctx.now()
    if (look.method) return storeFoundProof(ctx, current, tool, look.method)
    const unaskedAt = wasPlaceReached(current.method, look.unreachable) ? null : (current.unaskedAt ?? now)
    if (!countsAsGone(unaskedAt, now)) {
      const change = { checkedAt: now, unaskedAt, nextAt: nextCheck(now, 'unreachable') }
      await queries.updateClaim(ctx.db, claim.id, change)
      return
    }
    if (hasGraceEnded(current.failedAt, now)) return endLostClaim(ctx, current, tool)
    const failedAt = current.failedAt ?? now
    const change = { checkedAt: now, failedAt, unaskedAt, nextAt: nextCheck(failedAt, 'missing') }
    await queries.updateClaim(ctx.db, claim.id, change)
    if (!current.failedAt) await tellOfFailure(ctx, current, tool, look)
  })
}

/** How long the owner has to show the token again, until the second look. */
const GRACE = daysText(CHECK_DAYS.missing)

const tellOfFailure = (ctx: TransactionContext, claim: queries.ClaimRow, tool: ToolOfClaim, { notes }: ProofResult) =>
  tellUser(ctx, {
    event: `${claim.id}:${ctx.now().toISOString()}`,
    kind: 'claim-failing',
    userId: claim.userId,
    details: {
      ...{ name: tool.name, slug: tool.slug, website: tool.website, why: notes[claim.method ?? 'dns'] },
      moved: hasMoved(claim.website, tool.website) ? 'yes' : '',
      grace: GRACE,
    },
  })

async function endLostClaim(ctx: TransactionContext, claim: queries.ClaimRow, tool: ToolOfClaim): Promise<void> {
  await endClaim(ctx, claim)
  await writeAudit(ctx, 'claim.end', `tool:${tool.slug}`, { reason: 'not found twice' })
  await tellUser(ctx, {
    event: claim.id,
    kind: 'claim-ended',
    userId: claim.userId,
    details: { name: tool.name, slug: tool.slug, grace: GRACE },
  })
}
