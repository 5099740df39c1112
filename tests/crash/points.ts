// Loaded into a service under test before its own code (node --import). Kills the process at a named point of its work, or removes what a
// power cut would remove. The service has no code for this. Nothing happens until the process gets SIGUSR2.
import { isMainThread } from 'node:worker_threads'
import pg from 'pg'
import { losePower } from './power.ts'

export const POINTS = [
  'before commit',
  'after commit, before the answer',
  'after claiming an event',
  'after claiming a job',
] as const
export type Point = (typeof POINTS)[number]

const point = process.env.CRASH_POINT as Point | undefined
const powerFlag = process.env.CRASH_POWER_FLAG

type Done = (error: Error | undefined, result?: { rows: unknown[] }) => void

if (isMainThread && point) {
  let armed = false
  process.on('SIGUSR2', () => {
    armed = true
  })
  const die = () => process.kill(process.pid, 'SIGKILL')
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const text = textOf(given[0])
    if (!armed || !isAt(point, text)) return query.apply(this, given as never)
    if (point === 'before commit') die()
    const reached = (result: { rows: unknown[] } | undefined) => {
      if (point.startsWith('after commit') || (result?.rows.length ?? 0) > 0) die()
    }
    const last = given.at(-1)
    if (typeof last === 'function') {
      const done = last as Done
      given[given.length - 1] = (error: Error | undefined, result?: { rows: unknown[] }) => {
        reached(result)
        done(error, result)
      }
      return query.apply(this, given as never)
    }
    return (query.apply(this, given as never) as unknown as Promise<{ rows: unknown[] }>).then((result) => {
      reached(result)
      return result
    })
  } as typeof query
}

// The embedded database runs in a worker thread, which writes its files.
if (!isMainThread && powerFlag) losePower(powerFlag)

const textOf = (given: unknown): string =>
  typeof given === 'string' ? given : ((given as { text?: string } | undefined)?.text ?? '')

function isAt(point: Point, text: string): boolean {
  if (point === 'after claiming an event') return /update webhook_deliveries d set state = 'unknown'/.test(text)
  if (point === 'after claiming a job') return /skip locked/i.test(text) && /jobs\./.test(text)
  return /^\s*commit\s*$/i.test(text)
}
