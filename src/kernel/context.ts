// What an operation is handed. Features add the services they own by declaration merging, so that this file knows no noun.
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import type { Caller } from './caller.ts'
import type { LanguageModel } from './language-model.ts'
import type { Outbound } from './outbound.ts'

// biome-ignore lint/suspicious/noExplicitAny: the driver's result type differs between drivers and no query depends on it
export type Database = PgDatabase<PgQueryResultHKT, any, any>

declare const inTransaction: unique symbol
/** A database inside a transaction. What must be part of a transaction takes this type, so that nothing else can be handed to it. */
export type Transaction = Database & { readonly [inTransaction]: true }

export interface RequestLine {
  method: string
  path: string
  status: number
  ms: number
  caller: string
  /** What the answer's X-Request-Id says. */
  id: string
}

export interface Log {
  /** The one line a request; apart from the others because it is written more often than all of them. */
  request(line: RequestLine): void
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** Told to every process after the transaction that made it has been committed. `ids` omitted: anything may have changed. */
export interface Change {
  topic: string
  ids?: string[]
  /** Tells one announcement from every other, so that its writer need not take it in twice. */
  id?: string
}

/** Lines put aside until they are needed. JSON has no line breaks, so one value is one line. */
export interface Scratch {
  write(line: string): Promise<void>
  lines(): AsyncIterable<string>
  close(): void
}

export interface Context {
  /** Throws a 503 until the service has started. */
  db: Database
  /**
   * Inside, only the inner context may be used: the outer one would ask for a second connection, which on the embedded database
   * never comes. Asking for one inside a transaction is refused with an error.
   */
  transaction<T>(work: (ctx: TransactionContext) => Promise<T>): Promise<T>
  /** Whether readers of this process do not see yet what was written with this context. */
  isBehind: boolean
  caller: Caller
  now(): Date
  log: Log
  publicUrl: string
  scratch(): Scratch
  /** Private networks that outbound requests may reach all the same. */
  outboundAllowed: readonly string[]
  outbound: Outbound
  /** null: none is configured. */
  languageModel: LanguageModel | null
}

export interface TransactionContext extends Context {
  db: Transaction
  /** The announcement is part of the transaction. */
  announce(change: Change): Promise<void>
  /** The job is part of the transaction. `owner`: whose share of the workers it uses, a partner's id or OPERATOR. */
  enqueue(job: string, data: object, owner: string): Promise<void>
}
