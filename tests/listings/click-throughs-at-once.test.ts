// Click-throughs of one tool that two processes count at the same time, on PostgreSQL; the embedded database runs one transaction at a time.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addOpens, addToolDays, insertVisits } from '../../src/features/listings/visits/visits.queries.ts'
import { MIGRATIONS } from '../../src/platform/database/migrations.ts'
import { openPostgres, type Store } from '../../src/platform/database/postgres.ts'
import { silentLog } from '../../src/platform/log.ts'
import { createDatabase } from '../harness/service.ts'

const { TEST_DATABASE_URL } = process.env
const DAY = '2026-03-01'
const ID = 'one'

let database: Awaited<ReturnType<typeof createDatabase>> | undefined
let store: Store
beforeAll(async () => {
  if (!TEST_DATABASE_URL) return
  database = await createDatabase(TEST_DATABASE_URL)
  store = openPostgres({ connectionString: database.url }, silentLog)
  await store.migrate(MIGRATIONS)
  await store.query(`insert into tools
    (id, slug, name, tagline, description, website, tags, pricing, rating, opens, featured, is_for_sale, asking_price, discount_code, affiliate, screenshots, socials, faqs, features, published, created_at, updated_at)
    values ('${ID}', 'one', 'One', '', '', '', '{}', 'FREE', 0, 0, false, false, 0, '', false, '[]', '{}', '[]', '{}', true, now(), now())`)
})
afterAll(async () => {
  await store?.close()
  await database?.drop()
})

/** Resolves for each of so many callers when all of them have come. */
function meeting(size: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let come = 0
  return () => {
    if (++come === size) resolve()
    return promise
  }
}

test.skipIf(!TEST_DATABASE_URL)('are all counted, and neither waits for the other for good', async () => {
  const met = meeting(3)
  const count = (visitor: string) =>
    store.transaction(async (db) => {
      await insertVisits(db, [{ toolId: ID, visitor, day: DAY }])
      await met()
      await addOpens(db, new Map([[ID, 1]]))
      await addToolDays(db, [{ toolId: ID, day: DAY, appearances: 0, views: 0, opens: 1 }])
    })
  const appear = store.transaction(async (db) => {
    await met()
    await addToolDays(db, [{ toolId: ID, day: DAY, appearances: 1, views: 1, opens: 0 }])
  })
  await Promise.all([count('a'), count('b'), appear])
  const { rows } = await store.query(
    `select t.opens::int, d.opens as "ofDay", d.views from tools t join tool_days d on d.tool_id = t.id`,
  )
  expect(rows).toEqual([{ opens: 2, ofDay: 2, views: 1 }])
})
