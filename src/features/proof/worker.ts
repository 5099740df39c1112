// Looks at listings when they are due. Every process that does background work shares the work through the database.

import { type BackgroundWorker, createDueWork, longestWait } from '../../kernel/due-work.ts'
import type { FeatureParts } from '../../kernel/feature.ts'
import { LINKS_TOPIC } from '../submissions/link.rules.ts'
import { adoptLinks } from './adopt-links.ts'
import { checkLink, claimDueLink, linkChecker } from './check.ts'
import { findNextLook } from './queries.ts'

/** How many looks run at once. A look mostly waits for a directory. */
const AT_ONCE = 8
/**
 * One partner uses at most this many lanes. The last free lanes go only to partners without a look under way, so that directories that hang
 * do not fill all lanes with one partner's listings.
 */
const OF_PARTNER = 5
const KEPT_FREE = 2
// Links that are due while their host or their partner has to wait are looked for this often.
const LOOK_MS = 2_000
const ADOPT_EVERY_MS = 30 * 60_000
const STOP_MS = 3_000

/** A stop aborts the looks under way, and they are due again at once. */
export function createLinkCheckWorker({ contextOf, log, isAlone }: FeatureParts): BackgroundWorker {
  const context = () => contextOf(linkChecker)
  const stopping = new AbortController()
  const shared = {
    log,
    away: 'link checks cannot be made at the moment',
    stopMs: STOP_MS,
  }
  const due = createDueWork({
    ...shared,
    look,
    topics: [LINKS_TOPIC],
    shortestMs: LOOK_MS,
    longestMs: longestWait(isAlone),
  })
  const adoption = createDueWork({
    ...shared,
    look: () => adoptLinks(context(), adoption.isStopped).then(() => null),
    topics: [],
    shortestMs: ADOPT_EVERY_MS,
    longestMs: ADOPT_EVERY_MS,
  })

  async function look(): Promise<number | null> {
    while (due.running() < AT_ONCE && !due.isStopped()) {
      const claimed = await claimDueLink(context(), AT_ONCE - due.running() > KEPT_FREE ? OF_PARTNER : 1)
      if (!claimed) return findNextLook(context().db, context().now())
      due.run(() => checkLink(context(), claimed, { hasTurn: true, signal: stopping.signal }))
    }
    return null
  }

  return {
    start() {
      if (!context().links.isOn) return
      adoption.start()
      due.start()
    },
    onChange: due.onChange,
    async stop() {
      stopping.abort()
      await Promise.all([due.stop(), adoption.stop()])
    },
  }
}
