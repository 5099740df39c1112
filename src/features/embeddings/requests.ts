// Asks the queue to look whether listings need other vectors. The job is part of the transaction of the change that caused it.
import type { Change, TransactionContext } from '../../kernel/context.ts'
import { OPERATOR } from '../../kernel/job.ts'
import { LISTED_KINDS } from '../catalog/schema.ts'
import { type Concerned, textsConcernedBy } from './rules.ts'

/** Finds the listings that need a vector. */
export const EMBEDDING_CHANGES = 'embedding-changes'
/** Makes the vectors of the listings that need one. */
export const EMBEDDINGS = 'embeddings'

/** The model is part of both jobs, because processes with another one may be at work while the setting is changed. */
export interface ForModel {
  model: string
}

export interface LookAt extends Concerned, ForModel {
  /** Vectors of another length are made anew. */
  dimensions?: number
}

export interface MakeVectors extends ForModel {
  /** Why the job waits for a later time; undefined for one that is to run now. */
  waits?: 'claimed' | 'failed'
  /** How often in a row the endpoint has failed. */
  failures?: number
}

/** The job that a change of the catalog causes, if any. */
export function jobAfter(change: Change, model: string): { name: string; data: LookAt } | undefined {
  const concerned = textsConcernedBy(change)
  return concerned && { name: EMBEDDING_CHANGES, data: { ...concerned, model } }
}

/** Asks to look at all listings. */
export async function requestAllVectors(ctx: TransactionContext, model: string, dimensions?: number): Promise<void> {
  for (const kind of LISTED_KINDS) await enqueueLook(ctx, { kind, model, dimensions })
}

const enqueueLook = (ctx: TransactionContext, data: LookAt): Promise<void> =>
  ctx.enqueue(EMBEDDING_CHANGES, data, OPERATOR)

// Looks at several kinds of listings end one after the other, and one job makes the vectors for all of them. A second one would find the
// listings claimed by the first.
const GATHERED_SECONDS = 0.5

export const requestVectors = (ctx: TransactionContext, model: string): Promise<void> =>
  ctx.enqueue(EMBEDDINGS, { model } satisfies MakeVectors, OPERATOR, GATHERED_SECONDS)

/** For listings that another process has claimed: asks again when it should have made them. */
export const requestLeftOver = (ctx: TransactionContext, model: string, afterSeconds: number): Promise<void> =>
  ctx.enqueue(EMBEDDINGS, { model, waits: 'claimed' } satisfies MakeVectors, OPERATOR, afterSeconds)

const FIRST_PAUSE_SECONDS = 2
const LONGEST_PAUSE_SECONDS = 60

/** For an endpoint that fails: asks again after a pause, which grows with each failure. */
export const requestAgain = (ctx: TransactionContext, { model, failures = 0 }: MakeVectors): Promise<void> =>
  ctx.enqueue(
    EMBEDDINGS,
    { model, waits: 'failed', failures: failures + 1 } satisfies MakeVectors,
    OPERATOR,
    Math.min(FIRST_PAUSE_SECONDS * 2 ** Math.min(failures, 10), LONGEST_PAUSE_SECONDS),
  )

/** A job that waits for a later time does not stand for one that is to run earlier. */
export const keyOf = ({ model, waits }: MakeVectors): string => `${waits ?? 'now'} ${model}`
