// Removes stored pictures that nothing names any more. A picture is kept while a row of any table names it, and for a week after it was
// stored: somebody may have uploaded it for a form that is not saved yet.
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { DAY_MS } from '../../kernel/days.ts'
import { type Attempt, type Job, OPERATOR } from '../../kernel/job.ts'
import { deleteCopies } from '../listings/pictures.queries.ts'
import { listNamedPictures, listTableNames } from './named.queries.ts'

const UNUSED_PICTURES = 'unused-pictures'
export const KEPT_DAYS = 7
const DAY_SECONDS = 24 * 3600
const REMOVE_SECONDS = 600
// After a start the first removal waits this long.
const FIRST_SECONDS = 3600

/** One waits at a time, of all processes. */
export const requestRemoval = (ctx: TransactionContext, afterSeconds = FIRST_SECONDS): Promise<void> =>
  ctx.enqueue(UNUSED_PICTURES, {}, OPERATOR, afterSeconds)

export const unusedPicturesJob = (context: (attempt: Attempt) => Context): Job<never> => ({
  name: UNUSED_PICTURES,
  retries: 3,
  retryDelaySeconds: 60,
  timeoutSeconds: REMOVE_SECONDS,
  key: () => '',
  run: async (_data, attempt) => {
    const ctx = context(attempt)
    const removed = await removeUnused(ctx, attempt.signal)
    if (removed > 0) ctx.log.info({ pictures: removed }, 'pictures that nothing names were removed')
    await ctx.transaction((ctx) => requestRemoval(ctx, DAY_SECONDS))
  },
})

/** Returns how many were removed. */
export async function removeUnused(ctx: Context, signal?: AbortSignal): Promise<number> {
  // The stored names come first: a picture that is named while the tables are read is then either new or found there.
  const unnamed = new Set<string>()
  for await (const names of ctx.pictureStore.names()) for (const name of names) unnamed.add(name)
  if (unnamed.size === 0) return 0
  for (const table of await listTableNames(ctx.db)) {
    signal?.throwIfAborted()
    for (const name of await listNamedPictures(ctx.db, table)) unnamed.delete(name)
  }
  const latest = ctx.now().getTime() - KEPT_DAYS * DAY_MS
  let removed = 0
  for (const name of unnamed) {
    signal?.throwIfAborted()
    const storedAt = await ctx.pictureStore.storedAt(name)
    if (!storedAt || storedAt.getTime() > latest) continue
    await deleteCopies(ctx.db, [name])
    await ctx.pictureStore.remove(name)
    removed++
  }
  return removed
}
