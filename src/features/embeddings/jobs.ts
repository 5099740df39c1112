// Makes the vectors of listings in the background. One job finds the listings that need a vector and marks them; the other makes the
// vectors of marked listings, a batch at a time. Both may run twice or stop at any point.
import { backgroundCaller } from '../../kernel/caller.ts'
import type { Context } from '../../kernel/context.ts'
import { EmbeddingError } from '../../kernel/interfaces/embedding-model.ts'
import { type Attempt, type Job, LONG_RETRIES } from '../../kernel/job.ts'
import { listDirectoryIdsUsing, listToolIdsUsing } from '../catalog/queries.ts'
import type { ListedKind } from '../catalog/schema.ts'
import type { DimensionsWatch, EndpointState } from './create-embeddings.ts'
import {
  EMBEDDING_CHANGES,
  EMBEDDINGS,
  type ForModel,
  keyOf,
  type MakeVectorsData,
  type MarkStaleData,
  requestAgain,
  requestVectors,
} from './enqueue.ts'
import { LARGEST_BATCH, makeVectors } from './make-vectors.ts'
import * as queries from './queries.ts'
import { VECTOR_TOPIC } from './rules.ts'

/** The caller of the jobs. They change nothing that an administrator wrote, so they write no audit entries. */
export const embedder = backgroundCaller(EMBEDDINGS)

const MARK_SECONDS = 600
const MAKE_SECONDS = 60

export const embeddingJobs = (
  context: (attempt: Attempt) => Context,
  { model, state, dimensionsWatch }: { model: string; state: EndpointState; dimensionsWatch: DimensionsWatch },
): readonly [Job<MarkStaleData>, Job<MakeVectorsData>] => {
  const runAttempt = async (data: ForModel, attempt: Attempt, work: (ctx: Context) => Promise<void>): Promise<void> => {
    // Tried again until the last process with another model has ended.
    if (data.model !== model) throw new Error('The job is for another model than this process has.')
    const ctx = context(attempt)
    try {
      await work(ctx)
    } catch (error) {
      // Locked listings and the end of the process are expected.
      const isExpected = error instanceof ListingsLocked || attempt.signal.aborted
      if (!isExpected) ctx.log.warn({ err: error }, 'vectors of listings could not be made; trying again')
      throw error
    }
  }
  // Shared by all attempts: `makeVectors` halves and doubles the size.
  const batch = { size: LARGEST_BATCH }
  return [
    {
      name: EMBEDDING_CHANGES,
      ...LONG_RETRIES,
      timeoutSeconds: MARK_SECONDS,
      key: (data) => JSON.stringify(data),
      run: (data, attempt) => runAttempt(data, attempt, (ctx) => markListings(ctx, data, attempt)),
    },
    {
      name: EMBEDDINGS,
      ...LONG_RETRIES,
      timeoutSeconds: MAKE_SECONDS,
      key: keyOf,
      run: (data, attempt) =>
        runAttempt(data, attempt, async (ctx) => {
          try {
            await makeVectors(ctx, { model, state, dimensionsWatch, attempt, batch })
          } catch (error) {
            if (!(error instanceof EmbeddingError) || attempt.signal.aborted) throw error
            await ctx.transaction((ctx) => requestAgain(ctx, data))
          }
        }),
    },
  ]
}

const PAGE = 500
// More ids than this do not fit into an announcement.
const MAX_ANNOUNCED_IDS = 150

/** The job throws this to make the queue try again. */
class ListingsLocked extends Error {}

/** Marks the listings that need a vector, and removes the vectors of listings that are gone. */
async function markListings(ctx: Context, data: MarkStaleData, { signal }: Attempt): Promise<void> {
  const { kind, model, dimensions } = data
  const ids = await idsOf(ctx, data)
  await removeGone(ctx, kind, ids)
  let locked = 0
  let marked = 0
  for await (const page of ids ? pagesOf(ids) : publishedPages(ctx, kind)) {
    signal.throwIfAborted()
    const found = await queries.markDue(ctx.db, kind, page, { model, dimensions })
    locked += found.locked
    marked += found.marked
  }
  if (!ids && marked > 0)
    ctx.log.info({ kind, listings: marked }, 'listings need a vector; making them in the background')
  // Without ids this is the hourly check, after which listings that the endpoint refused are tried again.
  if (marked > 0 || !ids) await ctx.transaction((ctx) => requestVectors(ctx, model))
  if (locked > 0) throw new ListingsLocked(`${locked} listings are being changed; looking at them again.`)
}

/** The ids of the listings to check; undefined means all listings of the kind. */
async function idsOf(
  ctx: Context,
  { kind, ids, categories, tags }: MarkStaleData,
): Promise<readonly string[] | undefined> {
  if (ids) return ids
  if (!categories && !tags) return undefined
  return kind === 'tool'
    ? listToolIdsUsing(ctx.db, categories ?? [], tags ?? [])
    : listDirectoryIdsUsing(ctx.db, categories ?? [])
}

function removeGone(ctx: Context, kind: ListedKind, ids: readonly string[] | undefined): Promise<void> {
  return ctx.transaction(async (ctx) => {
    const hidden = await queries.deleteUnpublished(ctx.db, kind, ids)
    // The rows of deleted listings were deleted with them, but processes still have their vectors in memory.
    const gone = ids ? await queries.listUnpublished(ctx.db, kind, ids) : hidden
    if (gone.length === 0) return
    await ctx.announce({ topic: VECTOR_TOPIC[kind], ...(gone.length <= MAX_ANNOUNCED_IDS ? { ids: gone } : {}) })
  })
}

function* pagesOf(ids: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < ids.length; at += PAGE) yield ids.slice(at, at + PAGE)
}

async function* publishedPages(ctx: Context, kind: ListedKind): AsyncGenerator<readonly string[]> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: string[] = await queries.listPublishedIdsAfter(ctx.db, kind, after, PAGE)
    if (page.length > 0) yield page
    after = page.length === PAGE ? page.at(-1) : undefined
  }
}
