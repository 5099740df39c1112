// Compares questions with the vectors of published listings.
import type { Database, Log } from '../../kernel/context.ts'
import type { EmbeddingModel } from '../../kernel/embedding-model.ts'
import type { Meaning } from '../../kernel/meaning.ts'
import type { View } from '../../kernel/views.ts'
import type { EndpointState, LengthWatch } from './endpoint-state.ts'
import { createQuestions } from './questions.ts'
import { createStoredVectors } from './stored-vectors.ts'

export type RunningMeaning = Meaning & View

interface Source {
  db: Database
  log: Log
  model: EmbeddingModel
  state: EndpointState
  lengths: LengthWatch
  /** Called when the endpoint has another length of vectors for good. */
  onNewLength(length: number): void
}

export function createMeaning({ db, log, model, state, lengths, onNewLength }: Source): RunningMeaning {
  const { current, version, ...view } = createStoredVectors(db, model.name, log)
  const questions = createQuestions({
    model,
    state,
    dimensions: () => current()?.dimensions ?? 0,
    onLength(length) {
      const dimensions = current()?.dimensions
      if (length === dimensions) lengths.isRight()
      else if (dimensions !== undefined && lengths.isConfirmed(length)) onNewLength(length)
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
