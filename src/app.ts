// Composition root: builds the service of a process from a configuration. Only process/serve.ts and tests import it.
import type { FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import type { Caller } from './kernel/caller.ts'
import type { Context, Log } from './kernel/context.ts'
import { starting } from './kernel/errors.ts'
import type { FeatureTimes } from './kernel/feature.ts'
import type { HostNames } from './kernel/interfaces/outbound.ts'
import { withoutValues } from './platform/log.ts'
import { createMetrics } from './platform/metrics.ts'
import { shareCounts } from './process/multi-process.ts'
import { openPlatform } from './starting/platform.ts'
import { createFeatures, loadAll, type ProcessRole } from './starting/running-features.ts'
import { createService, createSurfaces } from './starting/surfaces.ts'
import { stopServer } from './surfaces/http/stop.ts'

const MINUTE_MS = 60_000

export interface App {
  server: FastifyInstance
  context(caller: Caller): Context
  /** Waits for the database, migrates it, loads the catalog and runs `seed`; only then the service is ready. */
  start(seed?: () => Promise<void>): Promise<void>
  /** Resolves when everything announced so far is visible to readers. */
  settled(): Promise<void>
  adminTokenFile: string | null
  close(): Promise<void>
}

/** Tests pass their own DNS and shorter times here, and the path of a second MCP address, for comparison (see `addMcp`). */
export interface OutsideReplacements extends FeatureTimes {
  mcpLibraryPath?: string
  hostNames?: Partial<HostNames>
}

export async function createApp(
  config: Config,
  givenLog: Log,
  role: ProcessRole = 'both',
  outside: OutsideReplacements = {},
): Promise<App> {
  // `isLoaded`: operations may use the database. `isReady`: the demo catalog is loaded too, and readers get answers.
  let [isLoaded, isReady, isClosed] = [false, false, false]
  const checkStarted = () => {
    if (!isLoaded) throw starting()
  }
  const log = withoutValues(givenLog)
  const platform = await openPlatform(config, log, checkStarted, outside.hostNames)
  const { store } = platform
  const running = createFeatures({ config, platform, role, isReady: () => isReady, checkStarted, times: outside })
  const { views, context, shared } = running
  const metrics = createMetrics(running.metrics)
  const counts = shareCounts(metrics)
  const service = createService({
    ...{ config, platform, shared, context, metrics },
    isStarted: () => isReady,
    isReady: () => !isClosed && isReady,
    isClosing: () => isClosed,
  })
  const server = createSurfaces(service, config.RATE_LIMIT_SCALE, outside.mcpLibraryPath)
  // Every process deletes at intervals what has expired: counters in its memory, and stored announcements that no process needs any more.
  const timers = [
    setInterval(platform.memory.sweep, MINUTE_MS).unref(),
    setInterval(() => store.forgetChanges().catch(() => {}), 60 * MINUTE_MS).unref(),
  ]
  await platform.opened

  return {
    server,
    context,
    adminTokenFile: platform.adminTokenFile,
    async start(seed) {
      await loadAll({ log, store, running, role, isClosed: () => isClosed })
      isLoaded = !isClosed
      if (isLoaded) await seed?.()
      if (isClosed) return
      isReady = true
      await running.start(role !== 'server')
    },
    settled: views.settled,
    async close() {
      isClosed = true
      for (const timer of timers) clearInterval(timer)
      await Promise.all([stopServer(server, config.DRAIN_SECONDS * 1000), running.stopWork()])
      counts.passOn()
      await running.close()
      platform.redis?.close()
      platform.hostNames.close()
      await platform.outbound.close()
      await store.close()
    },
  }
}
