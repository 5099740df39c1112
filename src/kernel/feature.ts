// What a feature adds to the service. Each feature is declared in `features/<name>/feature.ts`; src/features.ts lists them in the order in
// which they are created. Code outside of a feature needs to know nothing else about it.
import type { TSchema } from 'typebox'
import type { Caller } from './caller.ts'
import type { BrokenKind } from './checks/broken-rows.ts'
import type { Change, Context, Database, Log, SharedContext } from './context.ts'
import type { RemoveBatch } from './database/queries.ts'
import type { MetricQuery, MetricSource } from './interfaces/metrics.ts'
import type { Payments } from './interfaces/payments.ts'
import type { Job } from './job.ts'
import type { Operation, RoutedOperation } from './operation.ts'
import type { View } from './views.ts'
import type { BackgroundWorker } from './work/due-work.ts'
import type { CreateThreads } from './work/threads.ts'

/** The settings that features read; each feature adds its own by declaration merging, and config.ts has all of them. */
// biome-ignore lint/suspicious/noEmptyInterface: features add to it
export interface FeatureSettings {}

/** The kinds of rows that are kept for a number of days, which is a setting; features/retention adds them. */
// biome-ignore lint/suspicious/noEmptyInterface: features/retention adds to it
export interface KeptKinds {}

export interface RemovalTimes {
  now: Date
  yesterday: Date
  /** Older rows of this kind are deleted. */
  since(kind: keyof KeptKinds): Date
  sinceDay(kind: keyof KeptKinds): string
}

/** How old rows are deleted, by name. Rows that refer to other rows must come before those. */
export type Removals = Readonly<Record<string, (times: RemovalTimes) => RemoveBatch>>

type ColumnsByTable = Readonly<Record<string, readonly string[]>>

/**
 * Which columns of its tables may contain a person, and what the deletion of a person does with them. tests/people compares this with every
 * column of every table.
 */
export interface PersonalData {
  /** The e-mail address of the administrator who did something. A deletion replaces it with a pseudonym. */
  labels: ColumnsByTable
  /** Texts that people wrote and that may mention anyone. A deletion replaces the address of the person in them. */
  texts: ColumnsByTable
  /** Those of `texts` that are unique, as `table.column`. A deletion adds the id of the row to the pseudonym. */
  uniqueTexts: readonly string[]
  /** What a deletion leaves as it is, and why. */
  keptAtDeletion: readonly {
    table: string
    /** Missing: all columns. */
    columns?: readonly string[]
    reason: string
    /** A deletion reports how many rows contain the address, because an operator may want to change them. */
    countedAtDeletion?: true
  }[]
  /** Tables whose rows belong to an account and are deleted with it. */
  ofAccount: readonly string[]
}

/** Rows that a feature loads into memory. `catalog doctor` reads them, to find those that are invalid and left out. */
export interface LoadedRows {
  kind: BrokenKind
  /** Must select a column `id`; the rows are read in its order. */
  select: string
  /** What is wrong with a row, in sentences. Its fields have the names of the columns in camel case. */
  problem(row: LoadedRow): string | undefined
}

export type LoadedRow = Record<string, unknown> & { id: string; slug: string }

export interface DeclaredEvent {
  name: string
  /** When it is sent, as the end of a sentence that begins with "sent". */
  when: string
  /** The body of the webhook request. Each field has a description and an example. */
  body: TSchema
}

export interface Feature {
  /** Served under /api/v1. Operations with a tool description are MCP tools too. */
  operations?: readonly RoutedOperation[]
  /** Served under the operator API. */
  operatorOperations?: readonly RoutedOperation[]
  /** What a signed-in user may do. Only the pages of the dashboard call these; they have no addresses of their own. */
  accountOperations?: readonly Operation[]
  /** Events that are sent to partners. */
  events?: readonly DeclaredEvent[]
  removals?: Removals
  personalData?: Partial<PersonalData>
  loadedRows?: readonly LoadedRows[]
  create?(parts: FeatureParts): CreatedFeature
}

export interface FeatureParts {
  settings: FeatureSettings
  log: Log
  publicUrl: string
  db: Database
  /** Reads the values of metrics. */
  query: MetricQuery
  /** No other process uses this database, so no announcement can be lost. */
  isAlone: boolean
  /** False in a process that only does background work: it keeps nothing in memory for readers. */
  servesRequests: boolean
  /** Server-side secret; other secrets are derived from it. */
  pepper: string
  /** Where the catalog is kept for the next start. */
  catalogPath: string
  createThreads: CreateThreads
  /** null: no payment service is set up. */
  payments: Payments | null
  removals: Removals
  personalData: PersonalData
  /** The shared part of the context. It has what the features before this one have added. */
  shared: SharedContext
  /** May be called once all features are created. */
  contextOf(caller: Caller): Context
  isReady(): boolean
  /** Shorter times, for tests. */
  times: FeatureTimes
}

export interface FeatureTimes {
  newDimensionsMs?: number
  catalogFileMs?: number
  billingMs?: number
}

export interface CreatedFeature {
  /** Added to the context of every operation. */
  context?: Partial<SharedContext>
  /** The data of the database that it keeps in memory. */
  views?: readonly View[]
  jobs?: readonly Job<never>[]
  /** The job that a change causes, if any. It is stored in the transaction of the change. */
  jobAfter?(change: Change): { name: string; data: object } | undefined
  /** Regular work. Only processes that do background work start it. */
  workers?: readonly BackgroundWorker[]
  metrics?: readonly MetricSource[]
  /** Called at every start, after the migrations. Returns what the operator has to fix before the service can start. */
  startProblem?(): Promise<string | undefined>
  /** Updates rows that older versions of the program have stored, while the rest of the start goes on. */
  renewRows?(): Promise<void>
  /** Called when the service is ready, in every process. */
  start?(): void
  /** Called when the service is ready, in processes that do background work. */
  startWork?(): Promise<void>
  close?(): Promise<void> | void
}
