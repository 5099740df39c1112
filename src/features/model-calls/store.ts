// Keeps what became of every question to the language model.
import type { Database, Log } from '../../kernel/context.ts'
import { DAY_MS } from '../../kernel/days.ts'
import type { ModelCall } from '../../kernel/language-model.ts'
import { deleteModelCallsBefore, insertModelCall } from './queries.ts'

const KEPT_DAYS = 30

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

export const forgetOldModelCalls = (db: Database, now: Date) =>
  deleteModelCallsBefore(db, new Date(now.getTime() - KEPT_DAYS * DAY_MS))
