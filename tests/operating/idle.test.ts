// A service that nothing asks sleeps: on the embedded database it sends no statement until something is due.
import pg from 'pg'
import { afterAll, expect, test, vi } from 'vitest'
import { startService, type TestService } from '../harness/service.ts'

const MINUTE_MS = 60_000
const { setTimeout: setRealTimeout } = globalThis
const sent: string[] = []
const { query } = pg.Client.prototype
let service: TestService | undefined

afterAll(async () => {
  vi.useRealTimers()
  pg.Client.prototype.query = query
  await service?.close()
})

/** Waits, in real time, until the database was sent nothing for a second. */
async function silence(): Promise<void> {
  for (let count = -1; count !== sent.length; await new Promise((resolve) => setRealTimeout(resolve, 1_000)))
    count = sent.length
}

test.skipIf(process.env.TEST_DATABASE_URL)('no statement is sent in twenty quiet minutes', async () => {
  pg.Client.prototype.query = function (this: unknown, ...given: [never]) {
    const [statement] = given as [string | { text: string }]
    sent.push(typeof statement === 'string' ? statement : statement.text)
    return Reflect.apply(query, this, given)
  } as never
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
    shouldAdvanceTime: true,
  })
  service = await startService()
  await silence()
  // What is old is removed for the first time a minute after the start.
  await vi.advanceTimersByTimeAsync(2 * MINUTE_MS)
  await silence()
  const before = sent.length
  expect(before).toBeGreaterThan(0)
  await vi.advanceTimersByTimeAsync(20 * MINUTE_MS)
  await silence()
  expect(sent.slice(before)).toEqual([])
})
