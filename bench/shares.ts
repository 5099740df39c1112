// node bench/shares.ts: how the main thread is shared between requests and long work. Shares of one run are compared, not times; they
// change when another process takes the processor, so this needs a quiet machine.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createPauses, requestArrived } from '../src/kernel/work/scheduler.ts'

/** Returns how long it took: another process may have had the processor meanwhile. */
function spin(milliseconds: number): number {
  const begun = performance.now()
  while (performance.now() < begun + milliseconds);
  return performance.now() - begun
}

/** Several pieces of long work at once for a second, beside requests that come all the time. Returns how much of the thread each had. */
async function shares(
  works: number,
  withRequests: boolean,
): Promise<{ work: number; requests: number; longest: number }> {
  const end = performance.now() + 1_000
  const had = { work: 0, requests: 0, longest: 0 }
  const request = async () => {
    while (performance.now() < end) {
      requestArrived()
      had.requests += spin(0.5)
      await nextTurn()
    }
  }
  let sinceRequest = 0
  const work = async () => {
    const pause = createPauses()
    while (performance.now() < end) {
      had.work += spin(0.25)
      sinceRequest += 0.25
      had.longest = Math.max(had.longest, sinceRequest)
      const paused = pause()
      if (paused) {
        await paused
        sinceRequest = 0
      }
    }
  }
  await Promise.all([...Array.from({ length: works }, work), ...(withRequests ? [request()] : [])])
  return had
}

let isMissed = false
function report(what: string, value: number, least: number, most: number): void {
  const isMet = value > least && value < most
  isMissed ||= !isMet
  console.log(`${isMet ? 'ok    ' : 'MISSED'} ${what}: ${value.toFixed(2)} (${least} to ${most})`)
}

// The first run compiles.
await shares(1, true)
for (const works of [1, 3]) {
  const { work, requests, longest } = await shares(works, true)
  report(`${works} beside requests, share of the thread`, work / (work + requests), 0.1, 0.3)
  report(`${works} beside requests, longest slice in ms`, longest, 0, 2.5 * works)
}
const [alone, beside] = [await shares(1, false), await shares(1, true)]
report('without requests, times the work', alone.work / beside.work, 1.5, Number.POSITIVE_INFINITY)
requestArrived()
const timer = setInterval(requestArrived, 100)
const after = await shares(1, false)
clearInterval(timer)
const without = await shares(1, false)
report('with a request from time to time, share of the work', after.work / without.work, 0.6, Number.POSITIVE_INFINITY)
process.exitCode = isMissed ? 1 : 0
