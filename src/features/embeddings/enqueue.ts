// Enqueues the jobs that find the listings that need a new vector, and that make the vectors, in the transaction of what caused them.
import type { Change, TransactionContext } from '../../kernel/context.ts'
import { OPERATOR } from '../../kernel/job.ts'
import { LISTED_KINDS } from '../catalog/schema.ts'
import { type AffectedListings, listingsAffectedBy } from './rules.ts'

/** The job that finds and marks the listings that need a vector. */
export const EMBEDDING_CHANGES = 'embedding-changes'
/** The job that makes the vectors of marked listings. */
export const EMBEDDINGS = 'embeddings'

/** Both jobs name the model, because processes with another model may still run while the setting is changed. */
export interface ForModel {
  model: string
}

export interface MarkStaleData extends AffectedListings, ForModel {
  /** Listings whose vectors have other dimensions are marked too. */
  dimensions?: number
}

export interface MakeVectorsData extends ForModel {
  /** Why the job waits for a later time; undefined for one that is to run now. */
  waits?: 'claimed' | 'failed'
  /** How often in a row the endpoint has failed. */
  failures?: number
}

/** The job that a change of the catalog causes, if any. */
export function jobAfter(change: Change, model: string): { name: string; data: MarkStaleData } | undefined {
  const affected = listingsAffectedBy(change)
  return affected && { name: EMBEDDING_CHANGES, data: { ...affected, model } }
}

/** Enqueues a check of all listings. */
export async function requestAllVectors(ctx: TransactionContext, model: string, dimensions?: number): Promise<void> {
  for (const kind of LISTED_KINDS)
    await ctx.enqueue(EMBEDDING_CHANGES, { kind, model, dimensions } satisfies MarkStaleData, OPERATOR)
}

// The jobs that mark tools and directories end one after the other. After this delay one job makes the vectors of both; a second job would
// find the listings claimed by the first.
const DELAY_SECONDS = 0.5

export const requestVectors = (ctx: TransactionContext, model: string): Promise<void> =>
  ctx.enqueue(EMBEDDINGS, { model } satisfies MakeVectorsData, OPERATOR, DELAY_SECONDS)

/** For listings that another process has claimed: runs again when that process should have made their vectors. */
export const requestLeftOver = (ctx: TransactionContext, model: string, afterSeconds: number): Promise<void> =>
  ctx.enqueue(EMBEDDINGS, { model, waits: 'claimed' } satisfies MakeVectorsData, OPERATOR, afterSeconds)

const FIRST_PAUSE_SECONDS = 2
const LONGEST_PAUSE_SECONDS = 60

/** For an endpoint that fails: runs again after a pause, which grows with each failure. */
export const requestAgain = (ctx: TransactionContext, { model, failures = 0 }: MakeVectorsData): Promise<void> =>
  ctx.enqueue(
    EMBEDDINGS,
    { model, waits: 'failed', failures: failures + 1 } satisfies MakeVectorsData,
    OPERATOR,
    Math.min(FIRST_PAUSE_SECONDS * 2 ** Math.min(failures, 10), LONGEST_PAUSE_SECONDS),
  )

/**
 * The key of a job: the queue keeps only one job for each key. A job that waits (`waits`) has a key of its own, so that it does not take the
 * place of a job that is to run now.
 */
export const keyOf = ({ model, waits }: MakeVectorsData): string => `${waits ?? 'now'} ${model}`
