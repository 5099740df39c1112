// Regular work beside the checks: links for addresses that an older version recorded.

import type { Context } from '../../kernel/context.ts'
import { DAY_MS } from '../../kernel/days.ts'
import { listAddressesWithoutLink, upsertLink } from '../submissions/link.queries.ts'
import { spreadOf } from './rules.ts'

// Old addresses are many, and are spread over a week instead of being due at once.
const ADOPTION_MS = 7 * DAY_MS
const BATCH = 1_000

/** `isStopped` ends it between two batches. */
export async function adoptLinks(ctx: Context, isStopped: () => boolean): Promise<void> {
  const now = ctx.now()
  let last = { submissionId: '', directoryId: '' }
  for (let found = BATCH; found === BATCH && !isStopped(); ) {
    const addresses = await listAddressesWithoutLink(ctx.db, last, BATCH)
    for (const address of addresses) {
      const spreadMs = spreadOf(address.submissionId, address.directoryId) * ADOPTION_MS
      // An address that is recorded at this moment must not be replaced with the one that was listed.
      await ctx.transaction((ctx) => upsertLink(ctx.db, address, new Date(now.getTime() + spreadMs)))
    }
    last = addresses.at(-1) ?? last
    found = addresses.length
  }
}
