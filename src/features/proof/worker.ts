// Looks at listings when they are due. Every process that does background work shares the work through the database.

import { type BackgroundWorker, createDueWork, longestWait } from '../../kernel/due-work.ts'
import type { FeatureParts } from '../../kernel/feature.ts'
import { lookInShares } from '../../kernel/turns.ts'
import { LINKS_TOPIC } from '../submissions/link.rules.ts'
import { adoptLinks } from './adopt-links.ts'
import { checkLink, claimDueLink, linkChecker } from './check.ts'
import { findNextLook } from './queries.ts'

/** Of partners. A look mostly waits for a directory. */
const SHARES = { atOnce: 8, ofOwner: 5, keptFree: 2 }
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
    look: () =>
      lookInShares(due, SHARES, {
        claim: (most) => claimDueLink(context(), most),
        run: (claimed) => checkLink(context(), claimed, { hasTurn: true, signal: stopping.signal }),
        next: () => findNextLook(context().db, context().now()),
      }),
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
