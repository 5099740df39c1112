// Removes stored pictures whose name no row contains (`names-in-rows.queries.ts`). A picture is kept for a week after it was stored,
// because an administrator may have uploaded it for a form that is not saved yet. A copy is a row of `picture_copies`, which says under
// which name the picture of another site is stored, so that a listing with the same address uses it again.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { type Attempt, type Job, OPERATOR } from '../../kernel/job.ts'
import { DAY_MS } from '../../kernel/values/days.ts'
import { deleteCopies, tryToLockOutCopyUse } from '../listings/pictures/pictures.queries.ts'
import { listNamesAfter, PLACES } from './names-in-rows.queries.ts'

const UNUSED_PICTURES = 'unused-pictures'
/** A picture is kept for this long after it was stored. */
const KEPT_DAYS = 7
const INTERVAL_SECONDS = 24 * 3600
const TIMEOUT_SECONDS = 3600
// How long the first removal waits after a start.
const FIRST_DELAY_SECONDS = 3600
/** How many names of stored pictures are in memory at once. The tables are read once for each such batch. */
const NAMES_AT_ONCE = 50_000
const REMOVED_AT_ONCE = 1_000

/** At most one such job waits, for all processes together. */
export const requestRemoval = (ctx: TransactionContext, afterSeconds = FIRST_DELAY_SECONDS): Promise<void> =>
  ctx.enqueue(UNUSED_PICTURES, {}, OPERATOR, afterSeconds)

export const unusedPicturesJob = (context: (attempt: Attempt) => Context): Job<never> => ({
  name: UNUSED_PICTURES,
  retries: 3,
  retryDelaySeconds: 60,
  timeoutSeconds: TIMEOUT_SECONDS,
  key: () => '',
  run: async (_data, attempt) => {
    const ctx = context(attempt)
    const removed = await removeUnused(ctx, attempt.signal)
    if (removed > 0) ctx.log.info({ pictures: removed }, 'pictures that nothing names were removed')
    await ctx.transaction((ctx) => requestRemoval(ctx, INTERVAL_SECONDS))
  },
})

/** Returns how many were removed. */
export async function removeUnused(ctx: Context, signal?: AbortSignal): Promise<number> {
  let removed = 0
  for await (const names of batchesOf(ctx.pictureStore.names(), NAMES_AT_ONCE)) {
    const old = await keptLongEnough(ctx, await unnamedIn(ctx, names, signal), signal)
    for (let at = 0; at < old.length; at += REMOVED_AT_ONCE)
      removed += await removeAll(ctx, old.slice(at, at + REMOVED_AT_ONCE), signal)
  }
  return removed
}

/**
 * Removes pictures and returns how many. First `forgetCopies` deletes their rows of `picture_copies`, so that no listing begins to use them.
 * Then the tables are read again, because a listing may have begun to use one since the first reading.
 */
async function removeAll(ctx: Context, names: readonly string[], signal?: AbortSignal): Promise<number> {
  if (!(await forgetCopies(ctx, names, signal))) return 0
  let removed = 0
  for (const name of await keptLongEnough(ctx, await unnamedIn(ctx, names, signal), signal)) {
    await ctx.pictureStore.remove(name)
    removed++
  }
  return removed
}

const MAX_WAIT_MS = 60_000
const POLL_MS = 250

/** Polls for the lock, because an import may hold it longer than a statement may take. Returns false when the lock was not free in time. */
async function forgetCopies(ctx: Context, names: readonly string[], signal?: AbortSignal): Promise<boolean> {
  const end = performance.now() + MAX_WAIT_MS
  for (;;) {
    const isDone = await ctx.transaction(async ({ db }) => {
      if (!(await tryToLockOutCopyUse(db))) return false
      await deleteCopies(db, names)
      return true
    })
    if (isDone || performance.now() > end) return isDone
    await sleep(POLL_MS, undefined, { signal })
  }
}

/** The pictures that were stored at least KEPT_DAYS ago. */
async function keptLongEnough(ctx: Context, names: Iterable<string>, signal?: AbortSignal): Promise<string[]> {
  const latest = ctx.now().getTime() - KEPT_DAYS * DAY_MS
  const old: string[] = []
  for (const name of names) {
    signal?.throwIfAborted()
    const storedAt = await ctx.pictureStore.storedAt(name)
    if (storedAt && storedAt.getTime() <= latest) old.push(name)
  }
  return old
}

/** The names that no row contains. Sleeps after each statement for as long as it took, so that the database can serve others. */
async function unnamedIn(ctx: Context, names: readonly string[], signal?: AbortSignal): Promise<Set<string>> {
  const unnamed = new Set(names)
  for (const place of PLACES) {
    let after: string[] | null = null
    do {
      signal?.throwIfAborted()
      if (unnamed.size === 0) return unnamed
      const began = performance.now()
      const page = await listNamesAfter(ctx.db, place, after)
      for (const name of page.names) unnamed.delete(name)
      after = page.last
      if (after) await sleep(performance.now() - began, undefined, { signal })
    } while (after)
  }
  return unnamed
}

async function* batchesOf(pages: AsyncIterable<string[]>, size: number): AsyncGenerator<string[]> {
  let batch: string[] = []
  for await (const page of pages)
    for (let at = 0; at < page.length; at += size) {
      batch = batch.concat(page.slice(at, at + size))
      if (batch.length < size) continue
      yield batch
      batch = []
    }
  if (batch.length > 0) yield batch
}
