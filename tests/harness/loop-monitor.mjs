// Loaded into a service's process before anything else (NODE_OPTIONS=--import): measures how long its event loop stands still. A stop
// is the time from one turn of the loop to the next in which the main thread was at work: what the machine gave to other processes
// meanwhile does not count. GET / at MONITOR_PORT answers the longest stop since the last GET, in milliseconds; GET /idle waits until the
// main thread has nothing left to do and answers the processor time that it has used since its start, GET /used
// answers it at once; GET /stops answers the stops of at
// least 20 ms since its start.
import { createServer } from 'node:http'
import { isMainThread } from 'node:worker_threads'

if (isMainThread && process.env.MONITOR_PORT) {
  const LONG_MS = 20
  const MOST_STOPS = 10_000
  const stops = []
  let longest = 0
  let at = performance.now()
  let used = process.threadCpuUsage()
  const timer = setInterval(() => {
    const now = performance.now()
    const { user, system } = process.threadCpuUsage(used)
    const stop = Math.min(now - at, (user + system) / 1000)
    longest = Math.max(longest, stop)
    if (stop >= LONG_MS && stops.length < MOST_STOPS) stops.push(Math.round(stop))
    at = now
    used = process.threadCpuUsage()
  }, 1)
  timer.unref()
  const usedMs = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  // Two windows of 15 ms in which the thread used less than a fifth of the time.
  async function idle() {
    for (let quiet = 0, tries = 0; quiet < 2 && tries < 4_000; tries++) {
      const before = usedMs()
      await new Promise((resolve) => setTimeout(resolve, 15))
      quiet = usedMs() - before < 3 ? quiet + 1 : 0
    }
    return usedMs()
  }
  const server = createServer(async (request, response) => {
    if (request.url === '/idle') return response.end(String(await idle()))
    if (request.url === '/used') return response.end(String(usedMs()))
    if (request.url === '/stops') return response.end(JSON.stringify(stops))
    // In the next turn, so that the one before has been measured.
    setTimeout(() => {
      response.end(String(longest))
      longest = 0
    }, 3)
  })
  server.listen(Number(process.env.MONITOR_PORT), '127.0.0.1').unref()
}
