// Looks at the listings of one submission now, for an operator who waits for the answer.
import type { Context } from '../../kernel/context.ts'
import { checkLink, claimLink, type LinkCheck } from './check.ts'
import { listLinkIds, updateDue } from './queries.ts'

/** Few at a time: other partners' checks use the same threads. */
const AT_ONCE = 4
// Proxies usually wait a minute for an answer. Listings that were not looked at by then are due at once for the background checks.
const MOST_MS = 45_000

/** Why a listing was not looked at: another look is under way, its host has other requests waiting, or the time was up. */
type SkipReason = 'under-way' | 'host-busy' | 'no-time'

export async function checkSubmission(
  ctx: Context,
  submissionId: string,
): Promise<{ checks: LinkCheck[]; skipped: Map<SkipReason, number> }> {
  const waiting = await listLinkIds(ctx.db, submissionId)
  const until = performance.now() + MOST_MS
  const checks: LinkCheck[] = []
  const skipped = new Map<SkipReason, number>()
  const skip = (reason: SkipReason, count = 1) => void skipped.set(reason, (skipped.get(reason) ?? 0) + count)
  async function work(): Promise<void> {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      if (performance.now() >= until) {
        waiting.unshift(id)
        return
      }
      const claimed = await claimLink(ctx, submissionId, id)
      const check = claimed && (await checkLink(ctx, claimed, { until }))
      if (check) checks.push(check)
      else skip(claimed ? 'host-busy' : 'under-way')
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  if (waiting.length > 0) {
    await updateDue(ctx.db, submissionId, waiting, ctx.now())
    skip('no-time', waiting.length)
  }
  return { checks, skipped }
}
