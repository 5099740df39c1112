// Work that is done after the answer: kept by the database until it is done, also through a crash.
import type { Database } from './context.ts'

export interface Job<T extends object> {
  name: string
  /** How often it is tried again after a failure, and how many seconds lie between (growing). */
  retries: number
  retryDelaySeconds: number
  run(data: T): Promise<void>
}

export interface Queue {
  /** Part of the transaction that `db` is: no job without the change that caused it, and none lost with it. */
  send(db: Database, name: string, data: object): Promise<void>
}
