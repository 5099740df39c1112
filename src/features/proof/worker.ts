// Checks the links on recorded listings when they are due. All processes that do background work share it through the database.
import type { Context } from '../../kernel/context.ts'
import type { FeatureParts } from '../../kernel/feature.ts'
import { DAY_MS } from '../../kernel/values/days.ts'
import { type BackgroundWorker, createDueWork, longestWait } from '../../kernel/work/due-work.ts'
import { lookInShares } from '../../kernel/work/turns.ts'
import { listAddressesWithoutLink, syncLink } from '../submissions/bench/link.queries.ts'
import { LINKS_TOPIC } from '../submissions/bench/link.rules.ts'
import { checkLink, claimDueLink, linkChecker } from './links/check-link.ts'
import { findNextCheck } from './queries.ts'
import { spreadOf } from './rules.ts'

/** How partners share the checks. Many run at once, because a check mostly waits for a directory. */
const SHARES = { atOnce: 8, ofOwner: 5, keptFree: 2 }
// How often the worker tries again when links are due but their host or their partner has to wait.
const RETRY_MS = 2_000
const CREATION_INTERVAL_MS = 30 * 60_000
const STOP_MS = 3_000

/** A stop aborts the running checks; their links are due again at once. */
export function createLinkCheckWorker({ contextOf, log, isAlone }: FeatureParts): BackgroundWorker {
  const context = () => contextOf(linkChecker)
  const stopping = new AbortController()
  const shared = { log, away: 'link checks cannot be made at the moment', stopMs: STOP_MS }
  const checks = createDueWork({
    ...shared,
    look: () =>
      lookInShares(checks, SHARES, {
        claim: (most) => claimDueLink(context(), most),
        run: (claimed) => checkLink(context(), claimed, { isHostReserved: true, signal: stopping.signal }),
        next: () => findNextCheck(context().db, context().now()),
      }),
    topics: [LINKS_TOPIC],
    shortestMs: RETRY_MS,
    longestMs: longestWait(isAlone),
  })
  const creation = createDueWork({
    ...shared,
    look: () => createMissingLinks(context(), creation.isStopped).then(() => null),
    topics: [],
    shortestMs: CREATION_INTERVAL_MS,
    longestMs: CREATION_INTERVAL_MS,
  })

  return {
    start() {
      if (!context().links.isOn) return
      creation.start()
      checks.start()
    },
    onChange: checks.onChange,
    async stop() {
      stopping.abort()
      await Promise.all([checks.stop(), creation.stop()])
    },
  }
}

// An older version of the service recorded listing addresses without links. They may be many, so their first checks are spread over a week.
const SPREAD_MS = 7 * DAY_MS
const BATCH = 1_000

/** `isStopped` is asked before each batch. */
export async function createMissingLinks(ctx: Context, isStopped: () => boolean): Promise<void> {
  const now = ctx.now()
  let last = { submissionId: '', directoryId: '' }
  for (let found = BATCH; found === BATCH && !isStopped(); ) {
    const addresses = await listAddressesWithoutLink(ctx.db, last, BATCH)
    for (const address of addresses) {
      const spreadMs = spreadOf(address.submissionId, address.directoryId) * SPREAD_MS
      // `syncLink` does nothing if another address was recorded since the list was read; its lock needs a transaction.
      await ctx.transaction((ctx) => syncLink(ctx.db, address, new Date(now.getTime() + spreadMs)))
    }
    last = addresses.at(-1) ?? last
    found = addresses.length
  }
}
