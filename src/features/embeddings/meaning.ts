// Compares questions with the vectors of published listings.
import type { Database, Log } from '../../kernel/context.ts'
import type { EmbeddingModel, Meaning } from '../../kernel/embedding-model.ts'
import type { View } from '../../kernel/views.ts'
import type { DimensionsWatch, EndpointState } from './endpoint-state.ts'
import { createQuestions } from './questions.ts'
import { createStoredVectors } from './stored-vectors.ts'

export type RunningMeaning = Meaning & View

interface Source {
  db: Database
  log: Log
  model: EmbeddingModel
  state: EndpointState
  dimensionsWatch: DimensionsWatch
  /** Called when the endpoint has given vectors with the same new dimensions for a while. */
  onNewDimensions(dimensions: number): void
}

export function createMeaning({ db, log, model, state, dimensionsWatch, onNewDimensions }: Source): RunningMeaning {
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
