// Creates everything that an embedding endpoint adds to the service. It is called only when the operator has set one up.
import type { Change, Database, Log } from '../../kernel/context.ts'
import type { FeatureParts } from '../../kernel/feature.ts'
import type { EmbeddingModel, MeaningSearch } from '../../kernel/interfaces/embedding-model.ts'
import { attemptContext } from '../../kernel/job.ts'
import { HOUR_MS } from '../../kernel/values/days.ts'
import type { View } from '../../kernel/views.ts'
import { jobAfter, requestAllVectors } from './enqueue.ts'
import { embedder, embeddingJobs } from './jobs.ts'
import { createQuestions } from './question-vectors.ts'
import { createStoredVectors } from './stored-vectors.ts'

/** How long the endpoint must give vectors with other dimensions until the vectors of all listings are made anew. */
const NEW_DIMENSIONS_MS = 60_000

export function createEmbeddings({ db, log, contextOf, times }: FeatureParts, model: EmbeddingModel) {
  const state = createEndpointState(log)
  const dimensionsWatch = createDimensionsWatch(times.newDimensionsMs ?? NEW_DIMENSIONS_MS)
  /** Requests a check of all listings for missing vectors. `dimensions`: how many numbers the new vectors have, if that has changed. */
  const requestAll = async (dimensions?: number): Promise<void> => {
    try {
      await contextOf(embedder).transaction((ctx) => requestAllVectors(ctx, model.name, dimensions))
    } catch (error) {
      log.warn({ err: error }, 'listings could not be looked at for missing vectors; they are in an hour')
    }
  }
  const meaning = createMeaning({
    db,
    log,
    model,
    state,
    dimensionsWatch,
    onNewDimensions: (dimensions) => void requestAll(dimensions),
  })
  let timer: NodeJS.Timeout | undefined
  return {
    meaning,
    jobs: embeddingJobs((attempt) => attemptContext(contextOf(embedder), attempt), {
      model: model.name,
      state,
      dimensionsWatch,
    }),
    jobAfter: (change: Change) => jobAfter(change, model.name),
    /** Checks all listings for missing vectors in the background: now, because the settings may have changed, and every hour. */
    startWork() {
      timer = setInterval(() => void requestAll(), HOUR_MS).unref()
      return requestAll()
    },
    close() {
      clearInterval(timer)
    },
  }
}

interface MeaningParts {
  db: Database
  log: Log
  model: EmbeddingModel
  state: EndpointState
  dimensionsWatch: DimensionsWatch
  /** Called when the endpoint has given vectors with the same new dimensions for a while. */
  onNewDimensions(dimensions: number): void
}

/** Compares questions with the vectors of published listings. */
function createMeaning({
  db,
  log,
  model,
  state,
  dimensionsWatch,
  onNewDimensions,
}: MeaningParts): MeaningSearch & View {
  const { current, version, ...view } = createStoredVectors(db, model.name, log)
  const questions = createQuestions({
    model,
    state,
    dimensions: () => current()?.dimensions ?? 0,
    onDimensions(given) {
      const dimensions = current()?.dimensions
      if (given === dimensions) dimensionsWatch.reset()
      else if (dimensions !== undefined && dimensionsWatch.recordOther(given)) onNewDimensions(given)
    },
  })
  const size = () => current()?.size() ?? 0
  return {
    async ask(question) {
      const vector = size() > 0 ? await questions.vectorOf(question) : null
      const vectors = current()
      // The vectors may have been replaced in the meantime.
      return vector && vectors?.dimensions === vector.length ? vectors.nearnessTo(vector) : null
    },
    version,
    size,
    ...view,
  }
}

type Use = 'questions' | 'listings'

/**
 * Knows whether the embedding endpoint works, for questions and for listings. Logs one line when it begins to fail, and one when it works
 * again for both.
 */
export interface EndpointState {
  failed(use: Use, reason: string): void
  works(use: Use): void
}

export function createEndpointState(log: Log): EndpointState {
  const failing = new Set<Use>()
  return {
    failed(use, reason) {
      if (failing.size === 0)
        log.warn(
          { reason },
          'the embedding endpoint cannot be used; questions are answered from words alone until it can',
        )
      failing.add(use)
    },
    works(use) {
      if (failing.delete(use) && failing.size === 0) log.info({}, 'the embedding endpoint can be used again')
    },
  }
}

/**
 * An endpoint that suddenly gives vectors with other dimensions may have another model under the same name, or be broken for a moment. All
 * vectors are replaced only when it has given the same new dimensions for a while.
 */
export interface DimensionsWatch {
  /** Call this for every vector with the expected dimensions. */
  reset(): void
  /** Call this for every vector with other dimensions. Returns true once it gave the same ones for `confirmMs`. */
  recordOther(dimensions: number): boolean
}

export function createDimensionsWatch(confirmMs: number): DimensionsWatch {
  let other: { dimensions: number; since: number } | null = null
  return {
    reset() {
      other = null
    },
    recordOther(dimensions) {
      const now = performance.now()
      if (other?.dimensions !== dimensions) other = { dimensions, since: now }
      return now - other.since >= confirmMs
    },
  }
}
