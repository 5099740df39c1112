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
  /** Memory after a garbage collection. */
  | { ask: 'live' }
  /** Starts to record how long the event loop is blocked. */
  | { ask: 'watch' }
  /** Stops recording; answers the longest block in milliseconds. */
  | { ask: 'stalls' }
  | { ask: 'profile' }
  | { ask: 'profiled'; file: string }

const delay = monitorEventLoopDelay({ resolution: 1 })
const session = new Session()

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
  if (request.ask === 'processor') {
    const { user, system } = process.cpuUsage()
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
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  writeFileSync(request.file, JSON.stringify(profile))
  return true
}
