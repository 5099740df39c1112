// Work that is done after the answer. The database keeps each job until it is done, also through a crash. Each job belongs to an owner
// (a partner or the operator), and one owner's jobs cannot block another's.
import type { Context, Transaction } from './context.ts'
import { extend } from './values/objects.ts'

/** The owner of jobs that no partner caused. */
export const OPERATOR = 'operator'

export interface Job<T extends object> {
  name: string
  /** How often a failed job is tried again, and after how many seconds; the delay grows with each retry. */
  retries: number
  retryDelaySeconds: number
  /** The delay grows no further than this. */
  longestRetryDelaySeconds?: number
  /** Jobs with the same key do the same work, so at most one of them waits. A further one is not stored. */
  key?(data: T): string
  /** An attempt that takes longer is aborted, and results that it still produces are ignored. */
  timeoutSeconds: number
  run(data: T, attempt: Attempt): Promise<void>
}

/** The retries of jobs that wait until an unreachable database is back. If all retries fail, a regular check does the work of the job. */
export const LONG_RETRIES = { retries: 20, retryDelaySeconds: 2, longestRetryDelaySeconds: 60 }

/** The reason why an attempt was aborted. Its message is safe to show. */
export class TimeUp extends Error {}

export interface Attempt {
  /** Aborted when the time is over (the reason is a TimeUp), or when the service stops. */
  signal: AbortSignal
  /** When the time of the attempt is over, in milliseconds since 1970. */
  endsAt: number
  owner: string
}

export interface Queue {
  /** The job is part of the transaction, so it exists exactly when the change that caused it does. */
  send(db: Transaction, name: string, data: object, owner: string, afterSeconds?: number): Promise<void>
}

/**
 * The context of one attempt at a job: outbound requests, model calls, picture encoding and page reading are aborted with the attempt; the
 * last two are also queued under the job's owner. Jobs get only this context, so that none of them can forget to pass the signal on.
 */
export function attemptContext(ctx: Context, { signal, owner }: Pick<Attempt, 'signal' | 'owner'>): Context {
  const turn = { owner, signal }
  const { outbound, pictures, languageModel, embeddingModel } = ctx
  const bound: Pick<Context, 'outbound' | 'pictures' | 'languageModel' | 'embeddingModel' | 'readPage'> = {
    outbound: { fetch: (url, request) => outbound.fetch(url, { ...request, signal }) },
    pictures: { ...pictures, encode: (bytes, use) => pictures.encode(bytes, use, turn) },
    languageModel: languageModel && { ...languageModel, ask: (question) => languageModel.ask({ ...question, signal }) },
    embeddingModel: embeddingModel && {
      name: embeddingModel.name,
      embed: (request) => embeddingModel.embed({ ...request, signal }),
    },
    readPage: (page) => ctx.readPage(page, turn),
  }
  return extend(ctx, bound)
}
