// Makes the vectors of marked listings, a batch at a time. When the endpoint refuses a batch, its listings are tried one by one, so that
// one text that it does not take cannot stop the others.
import type { Context } from '../../kernel/context.ts'
import { EmbeddingError } from '../../kernel/interfaces/embedding-model.ts'
import type { Attempt } from '../../kernel/job.ts'
import { LISTED_KINDS, type ListedKind } from '../catalog/schema.ts'
import type { DimensionsWatch, EndpointState } from './create-embeddings.ts'
import { requestAllVectors, requestLeftOver, requestVectors } from './enqueue.ts'
import * as queries from './queries.ts'
import { PROBE, quantised, shorterTexts, VECTOR_TOPIC } from './rules.ts'

interface Work {
  model: string
  state: EndpointState
  dimensionsWatch: DimensionsWatch
  attempt: Attempt
  /** The number of listings in a batch: halved when a batch takes too long, doubled after each batch in time. */
  batch: { size: number }
}

export const LARGEST_BATCH = 32
// The most numbers in one answer: parsing this many takes about ten milliseconds, during which no request is answered.
const MAX_NUMBERS = 32_768
const BATCH_MS = 20_000
/** For a single text: the probe, or a listing that is tried alone. */
const SINGLE_TEXT_MS = 5_000
/** An attempt begins no batch with less time left. A late batch and the probe after it take a little less. */
const LEAST_TIME_MS = BATCH_MS + 2 * SINGLE_TEXT_MS
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
    for (const kind of LISTED_KINDS) {
      const isKindFinished = await makeOneKind(ctx, work, progress, kind, hasTime)
      isFinished &&= isKindFinished
    }
    if (progress.made > 0) state.works('listings')
  } catch (error) {
    if (error instanceof EmbeddingError && !attempt.signal.aborted) state.failed('listings', error.message)
    throw error
  }
  // Listings that still wait were claimed by another process, or the time of this attempt is up.
  const { waiting } = await queries.countListingsWithoutVector(ctx.db)
  logProgress(ctx, progress, waiting)
  if (waiting === 0) return
  await ctx.transaction((ctx) =>
    isFinished ? requestLeftOver(ctx, model, queries.VECTOR_LEASE_SECONDS) : requestVectors(ctx, model),
  )
}

/** Makes the vectors of one kind of listings. Returns true when none is left to claim, and false when the time is up. */
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

/**
 * After a batch failed, finds out whether the endpoint still works. Returns null when it does: one of the texts may be the reason. Throws
 * when it does not, or when a batch of several texts was late. The job is then tried again later, after a late batch with half as many.
 */
async function checkEndpointAfterFailure(ctx: Context, { batch }: Work, error: unknown, texts: number): Promise<null> {
  const failure = error instanceof EmbeddingError ? error.failure : 'away'
  if (failure === 'late') batch.size = Math.max(1, Math.floor(batch.size / 2))
  if (failure === 'away' || (failure === 'late' && texts > 1)) throw error
  await embed(ctx, [PROBE], SINGLE_TEXT_MS)
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
      const [vector = []] = await embed(ctx, [text], SINGLE_TEXT_MS)
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
    throw new EmbeddingError(
      `The embedding endpoint gave vectors of ${dimensions} numbers in place of ${progress.dimensions}.`,
      'away',
    )
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

/** Logs a line for an attempt that made many vectors, and for one after which listings still wait. */
function logProgress(ctx: Context, { made, refused }: Progress, waiting: number): void {
  if (made === 0 || (made < LOGGED_VECTORS && waiting === 0)) return
  const message = waiting === 0 ? 'all listings have vectors' : 'vectors of listings are being made'
  ctx.log.info({ made, refused, waiting }, message)
}
