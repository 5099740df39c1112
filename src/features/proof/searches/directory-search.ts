// Before the work on a product begins, asks the search pages of directories whether the product is listed there already. Only a page that
// links to the product counts, so nothing is guessed.
import { parseUrl } from '../../../kernel/addresses/web-address.ts'
import type { Context } from '../../../kernel/context.ts'
import type { FeatureParts } from '../../../kernel/feature.ts'
import { type BackgroundWorker, createDueWork } from '../../../kernel/work/due-work.ts'
import { TOPIC } from '../../catalog/schema.ts'
import { paceHost } from '../../submissions/bench/link.rules.ts'
import { linkChecker } from '../links/check-link.ts'
import { checkPage } from '../links/check-page.ts'
import { createPoliteness, HostBusy } from '../politeness/politeness.ts'
import { postponeHost } from '../queries.ts'
import { isThere } from '../rules.ts'
import * as queries from './directory-search.queries.ts'

/** Work begins hours after a submission, so this is soon enough. */
const INTERVAL_MS = 60_000
/**
 * The worker looks at least this often, because two causes of work announce no change of the catalog: a submission of a product that the
 * catalog lists already, and a package that is chosen later.
 */
const LONGEST_MS = 15 * 60_000
const AT_ONCE = 2
/** A search with the pages that it leads to may take this long. */
const SEARCH_MS = 60_000
const STOP_MS = 3_000

export function createSearchWorker({ contextOf, log }: FeatureParts): BackgroundWorker {
  const context = () => contextOf(linkChecker)
  const stopping = new AbortController()
  const searches = createDueWork({
    log,
    away: 'searches of directories cannot be asked at the moment',
    stopMs: STOP_MS,
    topics: [],
    frequentTopics: [TOPIC.tool, TOPIC.directory],
    shortestMs: INTERVAL_MS,
    longestMs: LONGEST_MS,
    async look() {
      while (searches.running() < AT_ONCE && !searches.isStopped()) {
        const busy = await queries.listBusyDirectories(context().db)
        const claimed = await queries.claimSearch(context().db, busy, context().now())
        if (!claimed) return busy.length > 0 ? INTERVAL_MS : null
        searches.run(() => askSearch(context(), claimed, stopping.signal))
      }
      return null
    },
  })
  return {
    start() {
      if (context().links.isOn) searches.start()
    },
    onChange: searches.onChange,
    async stop() {
      stopping.abort()
      await searches.stop()
    },
  }
}

async function askSearch(ctx: Context, claimed: queries.ClaimedSearch, signal: AbortSignal): Promise<void> {
  try {
    await queries.updateSearch(ctx.db, claimed, await findListing(ctx, claimed, signal))
  } catch (error) {
    if (!(error instanceof HostBusy) && !signal.aborted) throw error
    // The search is asked again later. The busy host may be another one, to which the address redirects; the host of the address is
    // postponed too, because otherwise this search would be claimed again at once.
    if (error instanceof HostBusy && parseUrl(claimed.searchLink))
      await postponeHost(ctx.db, paceHost(claimed.searchLink), INTERVAL_MS)
    await queries.deleteSearch(ctx.db, claimed)
  }
}

async function findListing(
  ctx: Context,
  { searchLink, name, productKeys, partnerId }: queries.ClaimedSearch,
  signal: AbortSignal,
) {
  const limits = { owner: partnerId, until: performance.now() + SEARCH_MS, signal }
  const politeness = createPoliteness(ctx, limits)
  // `named`: also returns the links of the page whose text has this name.
  const check = (listingUrl: string, named?: string) =>
    checkPage(ctx, { listingUrl, productKeys, name: named, ...limits }, politeness)
  const results = await check(
    searchLink.replace('{name}', () => encodeURIComponent(name)),
    name,
  )
  signal.throwIfAborted()
  if (isThere(results.state)) return { state: 'listed', listingUrl: results.finalUrl } as const
  for (const link of results.named ?? [])
    if (isThere((await check(link)).state)) return { state: 'listed', listingUrl: link } as const
  return { state: results.state === 'missing' ? 'absent' : 'unknown', listingUrl: null } as const
}
