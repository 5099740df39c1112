// Work that is done after the answer: kept by the database until it is done, also through a crash. Each piece of work belongs to an owner
// (a partner, or the operator), and no owner's work can keep another's from being done.
import type { Transaction } from './context.ts'

/** The owner of work that no partner caused. */
export const OPERATOR = 'operator'

export interface Job<T extends object> {
  name: string
  /** How often it is tried again after a failure, and how many seconds lie between (growing). */
  retries: number
  retryDelaySeconds: number
  /** An attempt that takes longer is ended, and whatever it still does counts no longer. */
  timeoutSeconds: number
  run(data: T, attempt: Attempt): Promise<void>
}

/** Why an attempt was ended; the message may be shown. */
export class TimeUp extends Error {}

/** One run of a job. Everything that the job waits for shares its end and its owner. */
export interface Attempt {
  /** Aborted at the end of its time (the reason is a TimeUp), or when the service stops. */
  signal: AbortSignal
  /** When its time is over, in milliseconds. */
  endsAt: number
  owner: string
}

export interface Queue {
  /** Part of the transaction: no job without the change that caused it, and none lost with it. */
  send(db: Transaction, name: string, data: object, owner: string): Promise<void>
}
