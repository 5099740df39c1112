// Keeps what became of every question to the language model.
import type { Database, Log } from '../../kernel/context.ts'
import type { ModelCall } from '../../kernel/language-model.ts'
import { insertModelCall } from './queries.ts'

/** The question does not wait for this, and does not fail when it fails. */
export const storeModelCalls =
  (db: Database, log: Log) =>
  (call: ModelCall): void => {
    if (call.failure !== null)
      log.warn({ purpose: call.purpose, model: call.model, reason: call.failure }, 'the language model gave no answer')
    insertModelCall(db, { ...call, createdAt: new Date() }).catch((error: unknown) =>
      log.warn({ err: error }, 'a call of the language model could not be stored'),
    )
  }
