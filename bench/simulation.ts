// A small model of several servers on one machine: programs with one thread each share its cores, and a fixed number of clients send the
// next request when they have the answer to the last. It predicts how many requests a second are answered.

export interface UnitCosts {
  /** Microseconds of processor time for a request: in the server, in the client that sends it, in Redis and in PostgreSQL. */
  server: number
  client: number
  redis: number
  postgres: number
}

export interface Machine {
  /** Cores that the programs could use; less than the machine has while others work on it. */
  cores: number
  servers: number
  connections: number
}

interface Program {
  /** Microseconds of work left, one number for each request that waits, the first is being worked on. */
  waiting: { left: number; request: number }[]
}

const STEP = 20
const SECONDS = 2

/** Answered requests a second. */
export function simulate(costs: UnitCosts, { cores, servers, connections }: Machine): number {
  const program = (): Program => ({ waiting: [] })
  const [client, redis, postgres] = [program(), program(), program()]
  const all = [client, redis, postgres, ...Array.from({ length: servers }, program)]
  /** What a request passes: half of the client's work is before the answer and half after it. */
  const path = (request: number): readonly (readonly [Program, number])[] => [
    [client, costs.client / 2],
    [all[3 + (request % servers)]!, costs.server],
    [redis, costs.redis],
    [postgres, costs.postgres],
    [client, costs.client / 2],
  ]
  const at = new Array<number>(connections).fill(0)
  const enter = (request: number): void => {
    const steps = path(request)
    let step = at[request]!
    while (step < steps.length && steps[step]![1] === 0) step++
    at[request] = step
    const [next, left] = steps[step] ?? []
    if (next) next.waiting.push({ left: left!, request })
  }
  for (let request = 0; request < connections; request++) enter(request)
  let answered = 0
  for (let time = 0; time < SECONDS * 1e6; time += STEP) {
    const busy = all.filter(({ waiting }) => waiting.length > 0)
    const share = Math.min(1, cores / Math.max(1, busy.length)) * STEP
    for (const { waiting } of busy) {
      let room = share
      while (room > 0 && waiting.length > 0) {
        const first = waiting[0]!
        const done = Math.min(room, first.left)
        first.left -= done
        room -= done
        if (first.left > 0) break
        waiting.shift()
        at[first.request] = at[first.request]! + 1
        if (at[first.request] === 5) {
          answered++
          at[first.request] = 0
        }
        enter(first.request)
      }
    }
  }
  return answered / SECONDS
}
