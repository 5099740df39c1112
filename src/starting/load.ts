// Starts a process on its database: applies migrations, renews rows of older versions, and loads what is kept in memory.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../kernel/context.ts'
import { isOutage } from '../kernel/errors.ts'
import { applyMigrations } from '../platform/database/migrations.ts'
import { type Platform, StartError } from './platform.ts'
import type { createFeatures, ProcessRole } from './running-features.ts'

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
