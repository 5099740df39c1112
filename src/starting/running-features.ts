// Creates the features of a process and combines what they add to the context, keep in memory and do in the background. Also starts them on
// the database: applies migrations, renews rows of older versions, and loads what is kept in memory.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { features, personalData, removals } from '../features.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Context, Log, SharedContext } from '../kernel/context.ts'
import { isOutage } from '../kernel/errors.ts'
import type { CreatedFeature, FeatureParts, FeatureTimes } from '../kernel/feature.ts'
import { createViews } from '../kernel/views.ts'
import { createContexts } from '../platform/database/contexts.ts'
import { applyMigrations } from '../platform/database/migrations.ts'
import { CATALOG_FILE } from '../platform/folder/data-folder.ts'
import { createKeptThreads } from '../platform/kept-threads.ts'
import { databaseMetrics } from '../platform/metrics.ts'
import { createQueue } from '../platform/queue.ts'
import { type Platform, StartError } from './platform.ts'

/** What a process does: it answers requests (server), does the background work (worker), or both. */
export type ProcessRole = 'both' | 'server' | 'worker'

interface FeatureOptions {
  config: Config
  platform: Platform
  role: ProcessRole
  isReady(): boolean
  checkStarted(): void
  times: FeatureTimes
}

export function createFeatures({ config, platform, role, isReady, checkStarted, times }: FeatureOptions) {
  const { store, payments, publicUrl, pepper } = platform
  const shared = platform.shared as SharedContext
  const { log } = shared
  const query = (statement: string) => store.query(statement)
  // A function, because `context` is created only after the features, which need it.
  const contextOf = (caller: Caller): Context => context(caller)
  const parts: FeatureParts = {
    ...{ settings: config, log, publicUrl, db: store.db, query, isAlone: store.isAlone, pepper, payments },
    ...{ removals, personalData },
    servesRequests: role !== 'worker',
    catalogPath: join(config.DATA_DIR, CATALOG_FILE),
    createThreads: createKeptThreads,
    ...{ shared, contextOf, isReady, times },
  }
  const created = features.map((feature): CreatedFeature => {
    const createdFeature = feature.create?.(parts) ?? {}
    Object.assign(shared, createdFeature.context)
    return createdFeature
  })
  const views = createViews(created.flatMap(({ views = [] }) => views))
  const jobs = created.flatMap(({ jobs = [] }) => jobs)
  const queue = createQueue(store, jobs, log)
  const context = createContexts(store, shared, queue, views, checkStarted, (change) =>
    created.flatMap(({ jobAfter }) => jobAfter?.(change) ?? []),
  )
  const workers = [queue, ...created.flatMap(({ workers = [] }) => workers)]
  return {
    shared,
    views,
    context,
    metrics: [...databaseMetrics(query), ...created.flatMap(({ metrics = [] }) => metrics)],
    /** Checks and prepares the database after the migrations. Returns what the operator must fix before the service can start. */
    async prepare(): Promise<string | undefined> {
      for (const { startProblem } of created) {
        const problem = await startProblem?.()
        if (problem) return problem
      }
      await queue.start()
    },
    renewRows: () => Promise.all(created.map(({ renewRows }) => renewRows?.())),
    onChange(change: Parameters<typeof queue.onChange>[0]) {
      for (const worker of workers) worker.onChange(change)
    },
    async start(doesBackgroundWork: boolean) {
      if (doesBackgroundWork) {
        queue.work()
        for (const { workers = [] } of created) for (const worker of workers) worker.start()
        for (const { startWork } of created) await startWork?.()
      }
      for (const { start } of created) start?.()
    },
    /** Resolves when the background work has ended, or after a time limit. */
    stopWork: () =>
      Promise.all([queue.close(), ...created.flatMap(({ workers = [] }) => workers.map((one) => one.stop()))]),
    async close() {
      views.close()
      for (const { close } of created) await close?.()
    },
  }
}

interface LoadOptions {
  log: Log
  store: Platform['store']
  running: ReturnType<typeof createFeatures>
  role: ProcessRole
  isClosed(): boolean
}

/** Waits until the database is reachable. A worker process serves no requests, so it keeps nothing of the database in memory. */
export async function loadAll({ log, store, running, role, isClosed }: LoadOptions): Promise<void> {
  const { views } = running
  await whenReachable(log, isClosed, () =>
    store.alone(async () => {
      const problem = (await applyMigrations(store)) ?? (await running.prepare())
      if (problem) throw new StartError(problem)
    }),
  )
  if (isClosed()) return
  // Runs while this thread reads the catalog file. Several processes may renew rows at once: each changes only those that are still old.
  const renewed = whenReachable(log, isClosed, running.renewRows)
  renewed.catch(() => {})
  if (role !== 'worker') views.start()
  await store.listen((change) => {
    if (role !== 'server') running.onChange(change)
    void views.apply(change)
  })
  // The database may go away during this load; then the start waits until the load has succeeded.
  while (role !== 'worker' && !isClosed() && !views.isLoaded()) await sleep(50)
  await renewed
}

/** Repeats `prepare` until the database is reachable; until then the service answers 503. */
async function whenReachable(log: Log, isClosed: () => boolean, prepare: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; !isClosed(); attempt++) {
    try {
      await prepare()
      return
    } catch (error) {
      if (isClosed()) return
      if (!isOutage(error)) throw error
      if (attempt % 20 === 0) log.warn({ err: error }, 'the database is not reachable yet; trying again')
      await sleep(500)
    }
  }
}
