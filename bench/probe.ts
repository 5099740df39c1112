// Loaded into a measured process before its own code. It reports what only the process itself knows, and does nothing until it is asked.
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

export type ProbeRequest =
  | { ask: 'memory' }
  /** Microseconds of processor time so far, all threads together. /proc has only hundredths of a second. */
  | { ask: 'processor' }
  /** The same for the main thread alone. */
  | { ask: 'thread' }
  /** Memory after a garbage collection. */
  | { ask: 'live' }
  /** Starts to record how long the event loop is blocked. */
  | { ask: 'watch' }
  /** Stops recording; answers the longest block in milliseconds. */
  | { ask: 'stalls' }
  | { ask: 'profile' }
  | { ask: 'profiled'; file: string }
  /** Answers the statements that were sent to the database since the same request before; the first one starts to record them. */
  | { ask: 'statements' }

const delay = monitorEventLoopDelay({ resolution: 1 })
const session = new Session()
let statements: string[] | null = null

// Worker threads load this file too, but they have no channel to the benchmark.
if (isMainThread) {
  process.on('message', async (request: ProbeRequest) => {
    process.send!({ probe: await answer(request) })
  })
  // The channel must not keep a server alive that is shutting down.
  process.channel?.unref()
}

async function answer(request: ProbeRequest): Promise<unknown> {
  if (request.ask === 'memory') return process.memoryUsage()
  if (request.ask === 'processor' || request.ask === 'thread') {
    const { user, system } = request.ask === 'thread' ? process.threadCpuUsage() : process.cpuUsage()
    return user + system
  }
  if (request.ask === 'live') {
    setFlagsFromString('--expose-gc')
    ;(runInNewContext('gc') as () => void)()
    return process.memoryUsage()
  }
  if (request.ask === 'watch') {
    delay.reset()
    return delay.enable()
  }
  if (request.ask === 'stalls') {
    delay.disable()
    return delay.max / 1e6
  }
  if (request.ask === 'profile') {
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: 500 })
    await session.post('Profiler.start')
    return true
  }
  if (request.ask === 'statements') {
    const sent = statements ?? (await recordStatements())
    statements = []
    return sent
  }
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  writeFileSync(request.file, JSON.stringify(profile))
  return true
}

async function recordStatements(): Promise<string[]> {
  const { default: pg } = await import('pg')
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: unknown, ...given: [never]) {
    const [statement] = given as [string | { text: string }]
    statements?.push(typeof statement === 'string' ? statement : statement.text)
    return Reflect.apply(query, this, given)
  } as never
  return []
}
