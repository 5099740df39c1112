// Makes the context of each request, and what a transaction adds to it: announced changes, jobs, and the wait until readers see the changes.
import { randomUUID } from 'node:crypto'
import type { Caller } from '../../kernel/caller.ts'
import type { Change, Context, SharedContext, Transaction, TransactionContext } from '../../kernel/context.ts'
import { OPERATOR, type Queue } from '../../kernel/job.ts'
import { extend } from '../../kernel/values/objects.ts'
import type { Views } from '../../kernel/views.ts'
import { inTime } from '../../kernel/work/deadline.ts'
import type { Store } from './postgres.ts'

// NOTIFY takes 8,000 bytes, so a longer list of ids is announced in parts. An id is a UUID or a slug.
const MAX_IDS_BYTES = 7_500

function partsOf(change: Change): Change[] {
  if (change.ids === undefined) return [change]
  const parts: string[][] = []
  // Infinity makes the first id begin the first part.
  let bytes = Number.POSITIVE_INFINITY
  for (const id of change.ids) {
    bytes += id.length + '"",'.length
    if (bytes > MAX_IDS_BYTES) {
      parts.push([])
      bytes = id.length
    }
    parts.at(-1)?.push(id)
  }
  return parts.map((ids) => ({ ...change, ids }))
}

// The answer waits until readers see the change, but after the commit no longer than this, or than ten times as long as the write itself
// took; then it says that they do not see it yet (docs/api-design.md).
const LEAST_WAIT_LIMIT_MS = 5_000
/** Beside requests, what is put in place gets a quarter of the thread: 10,000 listings took six times as long as their write. */
const WAIT_PER_WRITE = 10

/** Work at the end of a transaction; `beforeCommit` of kernel/context.ts says why it has an order. */
interface LastWork {
  name: string
  work(): Promise<void>
}

const byName = (a: LastWork, b: LastWork): number => {
  if (a.name === b.name) return 0
  return a.name < b.name ? -1 : 1
}

type JobsAfter = (change: Change) => readonly { name: string; data: object }[]

/**
 * Makes the context of each request. The part that all contexts share is their prototype, so that making one is cheap. `checkStarted`
 * throws until the database may be used.
 */
export function createContexts(
  store: Store,
  shared: SharedContext,
  queue: Queue,
  views: Pick<Views, 'expect' | 'forget' | 'take'>,
  checkStarted: () => void,
  jobsAfter: JobsAfter = () => [],
): (caller: Caller) => Context {
  const insideTransaction = (
    outer: Context,
    db: Transaction,
    changes: Change[],
    last: LastWork[],
  ): TransactionContext =>
    extend(outer, {
      db,
      transaction<T>(this: TransactionContext, work: (ctx: TransactionContext) => Promise<T>) {
        return work(this)
      },
      announce: async (change: Change) => {
        const identified = partsOf(change).map((part) => ({ ...part, id: randomUUID() }))
        await store.announce(db, identified)
        changes.push(...identified)
        for (const job of jobsAfter(change)) await queue.send(db, job.name, job.data, OPERATOR)
      },
      beforeCommit: (name: string, work: () => Promise<void>) => void last.push({ name, work }),
      enqueue: (job: string, data: object, owner: string, afterSeconds?: number) =>
        queue.send(db, job, data, owner, afterSeconds),
    })
  const base = extend(shared, {
    isBehind: false,
    get db() {
      checkStarted()
      return store.db
    },
    async transaction<T>(this: Context, work: (ctx: TransactionContext) => Promise<T>) {
      checkStarted()
      const changes: Change[] = []
      let result!: T
      const begunAt = performance.now()
      // Resolved at the commit, where the limit of the wait begins.
      const committed = Promise.withResolvers<void>()
      // Resolved when readers of this process see the change: `take` reads small changes over the same connection, `showRest` the others.
      const isVisible = (async () => {
        let showRest = async () => {}
        try {
          await store.transaction(
            async (tx) => {
              const last: LastWork[] = []
              result = await work(insideTransaction(this, tx, changes, last))
              for (const { work } of last.toSorted(byName)) await work()
              views.expect(changes)
            },
            async (db) => {
              if (changes.length > 0) committed.resolve()
              showRest = await views.take(db, changes)
            },
          )
        } catch (error) {
          views.forget(changes)
          throw error
        }
        await showRest()
        return true
      })()
      // The wait counts from the commit, because `take` may be slow too. Both continue after the answer was given.
      await Promise.race([isVisible, committed.promise])
      const waitMs = Math.max(LEAST_WAIT_LIMIT_MS, WAIT_PER_WRITE * (performance.now() - begunAt))
      if (!(await inTime(isVisible, waitMs, () => false))) this.isBehind = true
      return result
    },
  })
  return (caller) => extend(base, { caller })
}
