// Makes the vectors of listings in the background. One job finds the listings that need a vector and marks them; the other makes the
// vectors of marked listings, a batch at a time. Both may run twice or stop at any point.

import { backgroundCaller } from '../../kernel/caller.ts'
import type { Context } from '../../kernel/context.ts'
import { EmbeddingError } from '../../kernel/embedding-model.ts'
import type { Attempt, Job } from '../../kernel/job.ts'
import { listDirectoryIdsUsing, listToolIdsUsing } from '../catalog/queries.ts'
import { LISTED_KINDS, type ListedKind } from '../catalog/schema.ts'
import * as queries from './queries.ts'
import {
  type DimensionsWatch,
  EMBEDDING_CHANGES,
  EMBEDDINGS,
  type EndpointState,
  type ForModel,
  keyOf,
  type MakeVectors,
  type MarkStale,
  requestAgain,
  requestAllVectors,
  requestLeftOver,
  requestVectors,
} from './requests.ts'
import { PROBE, quantised, shorterTexts, VECTOR_TOPIC } from './rules.ts'

/** The caller of the jobs. They change nothing that an administrator wrote, so they write no audit entries. */
export const embedder = backgroundCaller(EMBEDDINGS)

interface Endpoint {
  model: string
  state: EndpointState
  dimensionsWatch: DimensionsWatch
}

// Enough retries for a database that is away, and until the last process with another model has ended. When a job fails for good, the check
// of all listings at each start and every hour does its work.
const RETRIES = { retries: 20, retryDelaySeconds: 2, longestRetryDelaySeconds: 60 }
const MARK_SECONDS = 600
const MAKE_SECONDS = 60

export const embeddingJobs = (
  context: (attempt: Attempt) => Context,
  { model, state, dimensionsWatch }: Endpoint,
): readonly [Job<MarkStale>, Job<MakeVectors>] => {
  const attemptAt = async (data: ForModel, attempt: Attempt, work: (ctx: Context) => Promise<void>): Promise<void> => {
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
  const batch = { size: LARGEST_BATCH }
  return [
    {
      name: EMBEDDING_CHANGES,
      ...RETRIES,
      timeoutSeconds: MARK_SECONDS,
      key: (data) => JSON.stringify(data),
      run: (data, attempt) => attemptAt(data, attempt, (ctx) => markListings(ctx, data, attempt)),
    },
    {
      name: EMBEDDINGS,
      ...RETRIES,
      timeoutSeconds: MAKE_SECONDS,
      key: keyOf,
      run: (data, attempt) =>
        attemptAt(data, attempt, async (ctx) => {
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
async function markListings(ctx: Context, data: MarkStale, { signal }: Attempt): Promise<void> {
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

/** The ids of the listings to check; undefined: all of the kind. */
async function idsOf(ctx: Context, { kind, ids, categories, tags }: MarkStale): Promise<readonly string[] | undefined> {
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

// Makes the vectors of marked listings, a batch at a time. When the endpoint refuses a batch, its listings are tried one by one, so that
// one text that it does not take cannot stop the others.

interface Work {
  model: string
  state: EndpointState
  dimensionsWatch: DimensionsWatch
  attempt: Attempt
  /** The number of listings in a batch: halved when a batch takes too long, doubled after each batch in time. */
  batch: { size: number }
}

export const LARGEST_BATCH = 32
// The most numbers in one answer: parsing so many takes about ten milliseconds, during which no request is answered.
const MAX_NUMBERS = 32_768
const BATCH_MS = 20_000
const PROBE_MS = 5_000
/** An attempt begins no batch when it has less time left than one takes in the worst case. */
const LEAST_TIME_MS = BATCH_MS + 2 * PROBE_MS
const LOGGED_REFUSALS = 3
const LOGGED_VECTORS = 100

interface Progress {
  made: number
  refused: number
  /** The dimensions of the stored vectors of this model; undefined while there is none. */
  dimensions: number | undefined
}

export async function makeVectors(ctx: Context, work: Work): Promise<void> {
  const { model, state, attempt } = work
  const progress: Progress = { made: 0, refused: 0, dimensions: await queries.findDimensions(ctx.db, model) }
  const hasTime = () => attempt.endsAt - Date.now() > LEAST_TIME_MS
  let isFinished = true
  try {
    for (const kind of LISTED_KINDS) isFinished = (await makeOneKind(ctx, work, progress, kind, hasTime)) && isFinished
    if (progress.made > 0) state.works('listings')
  } catch (error) {
    if (error instanceof EmbeddingError && !attempt.signal.aborted) state.failed('listings', error.message)
    throw error
  }
  const { waiting } = await queries.countOpen(ctx.db)
  logProgress(ctx, progress, waiting)
  if (waiting === 0) return
  await ctx.transaction((ctx) =>
    isFinished ? requestLeftOver(ctx, model, queries.VECTOR_LEASE_SECONDS) : requestVectors(ctx, model),
  )
}

/** Returns whether no listing of the kind is left; false when the time is up. */
async function makeOneKind(
  ctx: Context,
  work: Work,
  progress: Progress,
  kind: ListedKind,
  hasTime: () => boolean,
): Promise<boolean> {
  while (hasTime()) {
    const most = Math.max(1, Math.floor(MAX_NUMBERS / (progress.dimensions ?? 1)))
    const claims = await queries.claimDue(ctx.db, kind, Math.min(work.batch.size, most))
    if (claims.length === 0) return true
    const unfinished = new Set(claims)
    const store = async (made: readonly queries.MadeVector[]) => {
      await storeVectors(ctx, work, progress, kind, made)
      for (const { claim } of made) unfinished.delete(claim)
    }
    try {
      const texts = claims.map(({ text }) => text)
      const vectors = await embed(ctx, texts, BATCH_MS).catch((error) =>
        checkEndpointAfterFailure(ctx, work, error, claims.length),
      )
      if (vectors) {
        await store(claims.map((claim, i) => ({ claim, vector: quantised(vectors[i] ?? []) })))
        work.batch.size = Math.min(work.batch.size * 2, LARGEST_BATCH)
      } else
        for (const claim of claims) {
          if (!hasTime()) break
          await makeOne(ctx, work, progress, kind, claim, store)
          unfinished.delete(claim)
        }
    } finally {
      if (unfinished.size > 0) await queries.releaseVectorClaim(ctx.db, kind, [...unfinished])
    }
  }
  return false
}

const embed = (ctx: Context, texts: readonly string[], timeoutMs: number): Promise<number[][]> => {
  if (!ctx.embeddingModel) throw new Error('No embedding endpoint is configured.')
  return ctx.embeddingModel.embed({ texts, timeoutMs })
}

/** Returns null when one of the texts may be the reason. Throws when the endpoint itself fails; the job is then tried again later. */
async function checkEndpointAfterFailure(ctx: Context, { batch }: Work, error: unknown, texts: number): Promise<null> {
  const failure = error instanceof EmbeddingError ? error.failure : 'away'
  if (failure === 'late') batch.size = Math.max(1, Math.floor(batch.size / 2))
  if (failure === 'away' || (failure === 'late' && texts > 1)) throw error
  await embed(ctx, [PROBE], PROBE_MS)
  return null
}

/** Makes one vector, from a shorter text if need be, or stores that the endpoint refuses the listing. */
async function makeOne(
  ctx: Context,
  { model }: Work,
  progress: Progress,
  kind: ListedKind,
  claim: queries.VectorClaim,
  store: (made: readonly queries.MadeVector[]) => Promise<void>,
): Promise<void> {
  let refusal: EmbeddingError | undefined
  for (const text of [claim.text, ...shorterTexts(claim.text)]) {
    try {
      const [vector = []] = await embed(ctx, [text], PROBE_MS)
      return await store([{ claim, vector: quantised(vector) }])
    } catch (error) {
      if (!(error instanceof EmbeddingError) || error.failure === 'away') throw error
      refusal = error
    }
  }
  const problem = refusal?.message ?? ''
  await ctx.transaction(async (ctx) => {
    await queries.updateRefused(ctx.db, kind, model, claim, problem)
    await ctx.announce({ topic: VECTOR_TOPIC[kind], ids: [claim.id] })
  })
  if (++progress.refused <= LOGGED_REFUSALS)
    ctx.log.warn(
      { kind, id: claim.id, reason: problem },
      'the embedding endpoint refuses a listing, which stays without a vector',
    )
}

async function storeVectors(
  ctx: Context,
  { model, dimensionsWatch }: Work,
  progress: Progress,
  kind: ListedKind,
  made: readonly queries.MadeVector[],
): Promise<void> {
  const dimensions = made[0]?.vector.length
  if (dimensions === undefined) return
  const isOther = progress.dimensions !== undefined && progress.dimensions !== dimensions
  if (!isOther) dimensionsWatch.reset()
  else if (!dimensionsWatch.recordOther(dimensions))
    throw new EmbeddingError(`It gave vectors of ${dimensions} numbers in place of ${progress.dimensions}.`, 'away')
  await ctx.transaction(async (ctx) => {
    const ids = await queries.updateVectors(ctx.db, kind, model, made)
    if (isOther) await requestAllVectors(ctx, model, dimensions)
    await ctx.announce({ topic: VECTOR_TOPIC[kind], ids })
  })
  if (isOther)
    ctx.log.warn(
      { before: progress.dimensions, now: dimensions },
      'the embedding endpoint gives vectors of another length now; all are made anew',
    )
  progress.dimensions = dimensions
  progress.made += made.length
}

/** One line for each attempt with many vectors, and for one that leaves some. */
function logProgress(ctx: Context, { made, refused }: Progress, waiting: number): void {
  if (made === 0 || (made < LOGGED_VECTORS && waiting === 0)) return
  const message = waiting === 0 ? 'all listings have vectors' : 'vectors of listings are being made'
  ctx.log.info({ made, refused, waiting }, message)
}
