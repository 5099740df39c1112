// A transaction has one connection. A request for another one inside it is refused at once, because the embedded database has only one and
// would wait forever.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Context, TransactionContext } from '../../src/kernel/context.ts'
import { type Job, OPERATOR, type Queue } from '../../src/kernel/job.ts'
import { createContexts } from '../../src/platform/database/contexts.ts'
import { openEmbedded } from '../../src/platform/database/embedded.ts'
import { MIGRATIONS } from '../../src/platform/database/migrations.ts'
import { SecondConnectionError } from '../../src/platform/database/pool.ts'
import { openPostgres, type Store } from '../../src/platform/database/postgres.ts'
import { createQueue } from '../../src/platform/queue.ts'
import { operator } from '../../src/surfaces/http/requests/callers.ts'
import { createDatabase } from '../harness/service.ts'
import { copyTemplate } from '../harness/template.ts'

const { TEST_DATABASE_URL } = process.env
const silent = { request() {}, info() {}, warn() {}, error() {} }

const job: Job<{ n: number }> = {
  name: 'counting',
  retries: 0,
  retryDelaySeconds: 1,
  timeoutSeconds: 60,
  run: async () => {},
}

describe.each([
  ['the embedded database', false],
  ['PostgreSQL', true],
])('on %s', (_name, onPostgres) => {
  describe.skipIf(onPostgres && !TEST_DATABASE_URL)('inside a transaction', () => {
    let store: Store
    let queue: ReturnType<typeof createQueue>
    let ctx: Context
    let drop = async () => {}
    const folder = mkdtempSync(join(tmpdir(), 'catalog-one-connection-'))

    beforeAll(async () => {
      if (onPostgres) {
        const database = await createDatabase(TEST_DATABASE_URL!)
        drop = database.drop
        store = openPostgres({ connectionString: database.url }, silent)
      } else {
        await copyTemplate(folder)
        store = await openEmbedded(folder, silent)
      }
      await store.migrate(MIGRATIONS)
      queue = createQueue(store, [job as Job<never>], silent)
      await queue.start()
      const views = { expect() {}, forget() {}, take: async () => async () => {} }
      ctx = createContexts(store, { now: () => new Date() } as never, queue, views, () => {})(operator)
    })
    afterAll(async () => {
      await queue.close()
      await store.close()
      await drop()
      rmSync(folder, { recursive: true, force: true })
    })

    const expectRefused = async (work: () => Promise<unknown>): Promise<void> => {
      await expect(ctx.transaction(work)).rejects.toSatisfy(
        (error: Error) => error instanceof SecondConnectionError || error.cause instanceof SecondConnectionError,
      )
      // The transaction was rolled back, so the connection is free again.
      expect((await store.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    }

    test('the outer database, a second transaction and a direct statement are refused at once', async () => {
      await expectRefused(() => ctx.db.execute('select 1') as never)
      await expectRefused(() => ctx.transaction(async () => {}))
      await expectRefused(() => store.query('select 1'))
      await expectRefused(() => store.session((query) => query('select 1')))
      await expectRefused(() => ctx.db.transaction(async () => {}))
    })

    test('the inner context works, a nested transaction is the same one, and later work is not restricted', async () => {
      let later: Promise<unknown> | undefined
      await ctx.transaction(async (ctx) => {
        await ctx.db.execute('select 1')
        await ctx.transaction(async (ctx) => ctx.db.execute('select 1'))
        later = sleep(100).then(() => store.query('select 1'))
      })
      await expect(later).resolves.toBeDefined()
    })

    test('the first job is sent over the connection of its transaction', async () => {
      await ctx.transaction((ctx) => ctx.enqueue(job.name, { n: 1 }, OPERATOR))
      const { rows } = await store.query(`select count(*)::int as n from jobs.job where name = 'counting'`)
      expect(rows).toEqual([{ n: 1 }])
    })
  })
})

test('what must be part of a transaction does not compile outside of one', () => {
  // This function is never run: the compiler checks it.
  const neverRun = (queue: Queue, ctx: Context, store: Store, inside: TransactionContext) => {
    void queue.send(inside.db, 'counting', {}, OPERATOR)
    // @ts-expect-error: a job is sent with the change that caused it
    void queue.send(ctx.db, 'counting', {}, OPERATOR)
    // @ts-expect-error: the outer context cannot send one either
    void ctx.enqueue('counting', {}, OPERATOR)
    // @ts-expect-error: nor announce a change
    void ctx.announce({ topic: 'tools' })
    // @ts-expect-error: which the database itself would not let it
    void store.announce(ctx.db, { topic: 'tools' })
  }
  expect(neverRun).toBeTypeOf('function')
})
