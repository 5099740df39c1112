// Loaded into a measured process before its own code: says what only the process itself knows. It does nothing until asked.
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

export type Question =
  | { ask: 'memory' }
  /** The same, after everything that nobody needs is gone. */
  | { ask: 'live' }
  /** Begins to watch how long the event loop stands still. */
  | { ask: 'watch' }
  /** Ends it; answers the longest, in milliseconds. */
  | { ask: 'stalls' }
  | { ask: 'profile' }
  | { ask: 'profiled'; file: string }

const delay = monitorEventLoopDelay({ resolution: 1 })
const session = new Session()

// A thread of the process loads this too, and has nobody to talk to.
if (isMainThread) {
  process.on('message', async (question: Question) => {
    process.send!({ probe: await answer(question) })
  })
  // The channel must not keep a server alive that wants to end.
  process.channel?.unref()
}

async function answer(question: Question): Promise<unknown> {
  if (question.ask === 'memory') return process.memoryUsage()
  if (question.ask === 'live') {
    setFlagsFromString('--expose-gc')
    ;(runInNewContext('gc') as () => void)()
    return process.memoryUsage()
  }
  if (question.ask === 'watch') {
    delay.reset()
    return delay.enable()
  }
  if (question.ask === 'stalls') {
    delay.disable()
    return delay.max / 1e6
  }
  if (question.ask === 'profile') {
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: 500 })
    await session.post('Profiler.start')
    return true
  }
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  writeFileSync(question.file, JSON.stringify(profile))
  return true
}
