// The log of all calls of the language model: for what, how long, and what failed.
import type { Database, Log } from '../../kernel/context.ts'
import type { Feature } from '../../kernel/feature.ts'
import type { ModelCall } from '../../kernel/interfaces/language-model.ts'
import { modelCallOperations } from './operations.ts'
import { insertModelCall, removeOldModelCalls } from './queries.ts'

export const modelCallsFeature = {
  operatorOperations: modelCallOperations,
  removals: { modelCalls: ({ since }) => removeOldModelCalls(since('modelCalls')) },
  personalData: {
    texts: { model_calls: ['failure'] },
    keptAtDeletion: [{ table: 'model_calls', columns: ['model'], reason: 'The name of a language model.' }],
  },
} satisfies Feature

/** Stores the result of every call of the language model. The call does not wait for this, and does not fail when this fails. */
export const storeModelCalls =
  (db: Database, log: Log) =>
  (call: ModelCall): void => {
    if (call.failure !== null)
      log.warn({ purpose: call.purpose, model: call.model, reason: call.failure }, 'the language model gave no answer')
    insertModelCall(db, { ...call, createdAt: new Date() }).catch((error: unknown) =>
      log.warn({ err: error }, 'a call of the language model could not be stored'),
    )
  }
