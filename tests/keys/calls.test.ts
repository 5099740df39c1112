// The latest calls and how calls ended: recorded in memory within bounds, written in the background, shown to their owner alone.
import { describe, expect, test } from 'vitest'
import { createCallRecorder, createGatheredCalls } from '../../src/features/keys/usage/usage.ts'
import type { Caller } from '../../src/kernel/caller.ts'
import type { Database } from '../../src/kernel/context.ts'
import { signedUp } from '../harness/browser.ts'
import { until } from '../harness/process.ts'
import { recordingLog } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

const callOf = (keyId: string, i = 0, status = 200) => ({
  keyId,
  at: Date.parse('2026-03-01T10:00:00Z') + i,
  surface: 'rest' as const,
  operation: 'search_tools',
  status,
  ms: 1,
  requestId: String(i),
})

describe('gathered calls', () => {
  const now = () => Date.parse('2026-03-01T10:00:00Z')

  test('are the latest fifty of each key, oldest first, with all of them counted', () => {
    const gathered = createGatheredCalls(now)
    for (let i = 0; i < 173; i++) gathered.add(callOf('a', i, i % 2 ? 200 : 404))
    const { calls, outcomes } = gathered.take()
    expect(calls.map(({ requestId }) => Number(requestId))).toEqual(Array.from({ length: 50 }, (_, i) => 123 + i))
    expect(outcomes.map(({ status, calls }) => [status, calls]).toSorted()).toEqual([
      [200, 86],
      [404, 87],
    ])
    expect(gathered.take()).toEqual({ calls: [], outcomes: [] })
  })

  test('are bounded in all: a write takes 2,000 calls, and 5,000 keys are gathered', () => {
    const gathered = createGatheredCalls(now)
    for (let key = 0; key < 6000; key++) gathered.add(callOf(`key ${key}`))
    const taken = [gathered.take(), gathered.take(), gathered.take(), gathered.take()]
    expect(taken.map(({ calls }) => calls.length)).toEqual([2000, 2000, 1000, 0])
    expect(taken[0]!.outcomes).toHaveLength(5000)
  })

  test('that could not be written come before newer ones, and the oldest are dropped', () => {
    const gathered = createGatheredCalls(now)
    for (let i = 0; i < 40; i++) gathered.add(callOf('a', i))
    const taken = gathered.take()
    for (let i = 40; i < 60; i++) gathered.add(callOf('a', i))
    gathered.putBack(taken)
    gathered.add(callOf('a', 60))
    const { calls, outcomes } = gathered.take()
    expect(calls.map(({ requestId }) => Number(requestId))).toEqual(Array.from({ length: 50 }, (_, i) => 11 + i))
    expect(outcomes.map(({ calls }) => calls)).toEqual([61])
  })

  test('count for the day on which they ended', () => {
    const gathered = createGatheredCalls(now)
    gathered.add(callOf('a'))
    gathered.add(callOf('a', 24 * 3_600_000))
    expect(gathered.take().outcomes.map(({ day }) => day)).toEqual(['2026-03-01', '2026-03-02'])
  })

  test('of signed-in users, operators and grants are not recorded', async () => {
    const statements: unknown[] = []
    const db = { execute: async (statement: unknown) => statements.push(statement) } as unknown as Database
    const recorder = createCallRecorder({ db, log: recordingLog([]) })
    for (const kind of ['user', 'operator', 'grant', 'visitor'] as const)
      recorder.record({ kind, id: 'x' } as Caller, 'rest', 'search_tools', 200, 1, 'id')
    await recorder.flush()
    expect(statements).toEqual([])
  })
})

describe('a service', () => {
  const service = useService({ RATE_LIMIT_SCALE: '2' })

  test('shows its user the calls of REST and MCP, refused ones too, with time, zone, status and request id', async () => {
    const browser = await signedUp(service)
    const { key, id } = await service.newKey('standard', browser.email)
    const first = await service.rest('/tags', { key })
    await service.rest('/tools/no-such-tool', { key })
    await service.rest('/nowhere', { key })
    await service.tool('search_tools', { q: 'x' }, key)
    for (let i = 0; i < 20; i++) await service.rest('/categories', { key })
    // The calls are written every three seconds.
    await until(async () => (await browser.open('/dashboard/usage')).text.includes('Peak 21: Today'))
    for (const path of ['/dashboard/usage', `/dashboard/usage?key=${id}`]) {
      const { text } = await browser.open(path)
      expect(text).toContain(first.headers.get('x-request-id'))
      expect(text).toMatch(/<time[^>]*>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC<\/time>/)
      for (const word of ['list_tags', 'get_tool', 'Unknown address', 'search_tools', '429 too fast', '404 not found'])
        expect([word, text.includes(word)]).toEqual([word, true])
      expect(text).toContain('Last reached on')
      expect(text).toMatch(/<dt>Refused or failed<\/dt><dd>5<\/dd>/)
      expect(text).toMatch(/<td class="number">3<\/td><td class="number">2<\/td><\/tr>/)
      expect(text).toMatch(/role="img" aria-label="Calls a day, REST and MCP, [^"]*Peak 21: Today\."/)
      expect(text).toMatch(/20 of 20/)
    }
    const stranger = await signedUp(service)
    await service.newKey('standard', stranger.email)
    expect((await stranger.open('/dashboard/usage')).text).not.toContain(first.headers.get('x-request-id'))
    expect((await stranger.open(`/dashboard/usage?key=${id}`)).status).toBe(404)
    expect((await browser.open('/dashboard')).text).toMatch(new RegExp(`usage\\?key=${id}">21</a>`))
  })

  test('keeps fifty calls of a key, for a day', async () => {
    const { id } = await service.newKey('premium')
    const recorder = createCallRecorder({ db: service.context().db, log: recordingLog([]) })
    const caller = { kind: 'key', id } as Caller
    for (let round = 0; round < 4; round++) {
      for (let i = 0; i < 50; i++) recorder.record(caller, 'mcp', 'search_tools', 200, 1.25, `${round}-${i}`)
      await recorder.flush()
    }
    const rows = await service.sql(`select request_id from key_calls where key_id = '${id}' order by id`)
    expect(rows.length).toBeLessThanOrEqual(100)
    expect(rows.at(-1).request_id).toBe('3-49')
    const [{ calls }] = await service.sql(`select calls::int from key_outcomes where key_id = '${id}'`)
    expect(calls).toBe(200)
  })
})
