// Loaded into a service's process before anything else (NODE_OPTIONS=--import): measures how long its event loop stands still. A stop
// is the time from one turn of the loop to the next in which the main thread was at work: what the machine gave to other processes
// meanwhile does not count. GET / at MONITOR_PORT answers the longest stop since the last GET, in milliseconds.
import { createServer } from 'node:http'
import { isMainThread } from 'node:worker_threads'

if (isMainThread && process.env.MONITOR_PORT) {
  let longest = 0
  let at = performance.now()
  let used = process.threadCpuUsage()
  const timer = setInterval(() => {
    const now = performance.now()
    const { user, system } = process.threadCpuUsage(used)
    longest = Math.max(longest, Math.min(now - at, (user + system) / 1000))
    at = now
    used = process.threadCpuUsage()
  }, 1)
  timer.unref()
  const server = createServer((_request, response) => {
    // In the next turn, so that the one before has been measured.
    setTimeout(() => {
      response.end(String(longest))
      longest = 0
    }, 3)
  })
  server.listen(Number(process.env.MONITOR_PORT), '127.0.0.1').unref()
}
