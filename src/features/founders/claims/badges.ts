// The tools whose websites show the badge, in memory, because the public pages of these tools say so.
import type { Database, Log } from '../../../kernel/context.ts'
import { createReads, type View } from '../../../kernel/views.ts'
import { CLAIMS_TOPIC } from './outcome.ts'
import { listToolsWithBadge } from './queries.ts'

export interface Badges extends View {
  isShown(toolId: string): boolean
  /** Raised when it may have changed which badges are shown. */
  revision(): number
}

/** Claims end with their account, too. */
const TOPICS: readonly string[] = [CLAIMS_TOPIC, 'users']

export function createBadges({ db, log }: { db: Database; log: Log }): Badges {
  let shown: ReadonlySet<string> = new Set()
  let revision = 0
  let isLoaded = false
  const reads = createReads(log, 'the badges of tools could not be read; trying again')

  async function read(): Promise<void> {
    const found = new Set(await listToolsWithBadge(db))
    if (found.symmetricDifference(shown).size > 0) revision++
    shown = found
    isLoaded = true
  }

  return {
    isShown: (toolId) => shown.has(toolId),
    revision: () => revision,
    apply: (change) => (change === null || TOPICS.includes(change.topic) ? reads.add(read) : Promise.resolve()),
    settled: reads.settled,
    isLoaded: () => isLoaded,
    close: reads.close,
  }
}

/** Used while founders are off. */
export const noBadges = { isShown: () => false, revision: () => 0 }
