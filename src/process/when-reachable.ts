import type { Log } from '../kernel/context.ts'
import { isOutage } from '../kernel/errors.ts'

/** Waits for a database that is not reachable at start; until then the service answers 503. */
export async function whenReachable(log: Log, isClosed: () => boolean, prepare: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; !isClosed(); attempt++) {
    try {
      await prepare()
      return
    } catch (error) {
      if (isClosed()) return
      if (!isOutage(error)) throw error
      if (attempt % 20 === 0) log.warn({ err: error }, 'the database is not reachable yet; trying again')
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }
}
