// What an operation gets as its context. Features add their own services by declaration merging, so this file imports no feature.
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import type { Caller, Limiter } from './caller.ts'
import type { EmbeddingModel, MeaningSearch } from './interfaces/embedding-model.ts'
import type { LanguageModel } from './interfaces/language-model.ts'
import type { HostNames, Outbound } from './interfaces/outbound.ts'

// biome-ignore lint/suspicious/noExplicitAny: the driver's result type differs between drivers and no query depends on it
export type Database = PgDatabase<PgQueryResultHKT, any, any>

declare const inTransaction: unique symbol
/** A database inside a transaction. A function that must run in a transaction takes this type, so that no other database compiles. */
export type Transaction = Database & { readonly [inTransaction]: true }

interface RequestLine {
  method: string
  path: string
  status: number
  ms: number
  caller: string
  /** The value of the answer's X-Request-Id header. */
  id: string
}

export interface Log {
  /** Writes the line of a request. It has a method of its own because it is written far more often than any other line. */
  request(line: RequestLine): void
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** Announced to every process after the transaction of the change is committed. Without `ids`, any row of the topic may have changed. */
export interface Change {
  topic: string
  ids?: string[]
  /** Unique for each announcement, so that the process that made the change does not apply it twice. */
  id?: string
  /** The job that made the change and therefore need not react to it. Not part of the announcement. */
  by?: string
  /**
   * The rows with these ids as the transaction has stored them, undefined for a row that readers do not see, so that this process need not
   * read them again. Not part of the announcement.
   */
  rows?: ReadonlyMap<string, object | undefined>
}

/** A temporary file of lines. JSON has no line breaks, so one value is one line. */
export interface Scratch {
  write(line: string): Promise<void>
  /** The lines that were written, many at a time. */
  pages(): AsyncIterable<string[]>
  close(): void
}

export interface Context {
  /** Throws a 503 until the service has started. */
  db: Database
  /**
   * Inside `work`, only the context that it gets may be used. The outer one would need a second connection, which the embedded database
   * does not have, so using it there throws.
   */
  transaction<T>(work: (ctx: TransactionContext) => Promise<T>): Promise<T>
  /** Whether this process's readers may not yet see the changes that were written with this context. */
  isBehind: boolean
  caller: Caller
  now(): Date
  log: Log
  publicUrl: string
  scratch(): Scratch
  /** Private networks that outbound requests may reach. */
  outboundAllowed: readonly string[]
  outbound: Outbound
  hostNames: HostNames
  /** Says how much is left of the rate limits. Calls are charged before an operation is run. */
  limiter: Pick<Limiter, 'peek'>
  /** null: no language model is configured. */
  languageModel: LanguageModel | null
  /** Makes vectors of texts; null: no embedding endpoint is configured. */
  embeddingModel: EmbeddingModel | null
  /** Compares questions and listings by their vectors; null: no embedding endpoint is configured. */
  meaning: MeaningSearch | null
}

/** The parts of the context that depend neither on the caller nor on a transaction. */
export type SharedContext = Omit<Context, 'db' | 'transaction' | 'caller' | 'isBehind'>

export interface TransactionContext extends Context {
  db: Transaction
  /** The announcement is part of the transaction. */
  announce(change: Change): Promise<void>
  /**
   * Runs `work` as the last part of the transaction, in the order of `name`. For rows that many transactions change: their locks are then
   * held only until the commit, and no transaction waits for another lock meanwhile.
   */
  beforeCommit(name: string, work: () => Promise<void>): void
  /** The job is part of the transaction. `owner`: whose share of the workers it uses, a partner's id or OPERATOR. */
  enqueue(job: string, data: object, owner: string, afterSeconds?: number): Promise<void>
}
