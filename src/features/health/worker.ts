// Looks at the websites of published listings when they are due. All processes that do background work share it through the database.
import { parseUrl } from '../../kernel/addresses/web-address.ts'
import type { Context } from '../../kernel/context.ts'
import type { FeatureParts } from '../../kernel/feature.ts'
import { type BackgroundWorker, createDueWork, longestWait } from '../../kernel/work/due-work.ts'
import { lookInShares } from '../../kernel/work/turns.ts'
import { LISTED_KINDS } from '../catalog/schema.ts'
import { claimDueWebsite, healthChecker, lookAtClaimed } from './looks/look-at-claimed.ts'
import { findNextLook, listUnknownWebsites, upsertWebsites } from './queries.ts'
import { firstLookAt, HEALTH_TOPIC } from './rules.ts'

/** All looks have one owner: `claimNextDue` shares them between tools and directories. Several run at once, because a look mostly waits. */
const SHARES = { atOnce: 6, ofOwner: 6, keptFree: 0 }
// How often the worker tries again when websites are due but their hosts have to wait.
const RETRY_MS = 2_000
const PLANNING_INTERVAL_MS = 15 * 60_000
const STOP_MS = 3_000

/** When the worker stops, running looks are aborted, and their websites are due again at once. */
export function createHealthWorker({ contextOf, log, isAlone }: FeatureParts): BackgroundWorker {
  const context = () => contextOf(healthChecker)
  const stopping = new AbortController()
  const shared = { log, away: 'the websites of listings cannot be looked at at the moment', stopMs: STOP_MS }
  const checks = createDueWork({
    ...shared,
    look: () =>
      lookInShares(checks, SHARES, {
        claim: () => claimDueWebsite(context()),
        run: (claimed) => lookAtClaimed(context(), claimed, { signal: stopping.signal }),
        next: () => findNextLook(context().db, context().now()),
      }),
    topics: [HEALTH_TOPIC],
    shortestMs: RETRY_MS,
    longestMs: longestWait(isAlone),
  })
  const planning = createDueWork({
    ...shared,
    look: () => planFirstLooks(context(), planning.isStopped).then(() => null),
    topics: [],
    shortestMs: PLANNING_INTERVAL_MS,
    longestMs: PLANNING_INTERVAL_MS,
  })

  return {
    start() {
      if (!context().health.isOn) return
      planning.start()
      checks.start()
    },
    onChange: checks.onChange,
    async stop() {
      stopping.abort()
      await Promise.all([checks.stop(), planning.stop()])
    },
  }
}

const BATCH = 500

/** Plans a first look at each listing that has none, and a look at once at each listing whose website has changed. */
export async function planFirstLooks(ctx: Context, isStopped: () => boolean): Promise<void> {
  for (const kind of LISTED_KINDS) {
    for (let after: string | undefined = ''; after !== undefined && !isStopped(); ) {
      const { unknown, last } = await listUnknownWebsites(ctx.db, kind, after, BATCH)
      const now = ctx.now()
      const planned = unknown.flatMap(({ id, website, isNew }) =>
        parseUrl(website) ? { id, website, nextAt: isNew ? firstLookAt(id, now) : now } : [],
      )
      if (planned.length > 0) await upsertWebsites(ctx.db, kind, planned)
      after = last
    }
  }
}
