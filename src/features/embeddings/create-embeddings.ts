// Everything that an embedding endpoint adds to the service. Without one, none of it exists.
import type { Caller } from '../../kernel/caller.ts'
import type { Change, Context, Database, Log } from '../../kernel/context.ts'
import type { EmbeddingModel } from '../../kernel/embedding-model.ts'
import type { Attempt, Job } from '../../kernel/job.ts'
import { attemptContext } from '../../kernel/job-context.ts'
import { createEndpointState, createLengthWatch } from './endpoint-state.ts'
import { embedder, embeddingJobs } from './jobs.ts'
import { createMeaning, type RunningMeaning } from './meaning.ts'
import { jobAfter, type LookAt, type MakeVectors, requestAllVectors } from './requests.ts'

interface Source {
  db: Database
  log: Log
  model: EmbeddingModel
  contextOf(caller: Caller): Context
}

export interface Embeddings {
  meaning: RunningMeaning
  jobs: readonly [Job<LookAt>, Job<MakeVectors>]
  /** The job that a change of the catalog causes, if any. */
  jobAfter(change: Change): { name: string; data: object } | undefined
  /** Looks at all listings in the background: now, because the settings may have changed, and every hour. */
  start(): Promise<void>
  close(): void
}

/** How long the endpoint must give vectors of another length until all are made anew. */
const NEW_LENGTH_MS = 60_000
const HOUR_MS = 3_600_000

export function createEmbeddings({ db, log, model, contextOf }: Source, newLengthMs = NEW_LENGTH_MS): Embeddings {
  const state = createEndpointState(log)
  const lengths = createLengthWatch(newLengthMs)
  const lookAtAll = async (dimensions?: number): Promise<void> => {
    try {
      await contextOf(embedder).transaction((ctx) => requestAllVectors(ctx, model.name, dimensions))
    } catch (error) {
      log.warn({ err: error }, 'listings could not be looked at for missing vectors; they are in an hour')
    }
  }
  const meaning = createMeaning({ db, log, model, state, lengths, onNewLength: (length) => void lookAtAll(length) })
  let timer: NodeJS.Timeout | undefined
  return {
    meaning,
    jobs: embeddingJobs((attempt: Attempt) => attemptContext(contextOf(embedder), attempt), {
      model: model.name,
      state,
      lengths,
    }),
    jobAfter: (change) => jobAfter(change, model.name),
    start() {
      timer = setInterval(() => void lookAtAll(), HOUR_MS).unref()
      return lookAtAll()
    },
    close() {
      clearInterval(timer)
    },
  }
}
