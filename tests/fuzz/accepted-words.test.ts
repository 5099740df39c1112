// Texts that the service accepts: one that is a single long run of letters, and many listings with different words each, as a partner may
// submit them in minutes. Neither may stop the service for its other clients, now or at a later start. What counts is the processor time of
// the main thread in its longest stop, above that of a plain text; the best of three, because a garbage collection may fall into one.
import { beforeAll, describe, expect, test } from 'vitest'
import { ADMIN_TOKEN, type Reply } from '../harness/service.ts'
import { newTool, SUBMISSION_CATALOG } from '../harness/submissions.ts'
import { use } from '../harness/use.ts'
import { startWatched } from '../harness/watched-service.ts'

const MOST_ABOVE_PLAIN_MS = 80
/** The longest description of a submission. */
const LONGEST = 20_000
const PLAIN = 'A writing assistant for marketing teams that drafts, edits and publishes posts. '

const full = (piece: string, before = '', after = '') =>
  before + piece.repeat((LONGEST - before.length - after.length) / piece.length) + after
const RUNS = {
  'letters of a script without spaces': full('漢', '', ' .x'),
  'plain letters': full('a', '', ' .x'),
  'letters with accents': full('é', '', ' .x'),
  digits: full('1', '', ' .x'),
  'digits with dots': full('1.', '', 'x '),
  dots: full('.', '', ' .x'),
  dashes: full('-', '', ' .x'),
  'letters with dots': full('a.', '', ' x'),
  'letters with dashes': full('漢-', '', ' x'),
  'letters and digits': full('a1', '', '.x'),
  'marks below, then above': `a${'\u0301'.repeat(LONGEST / 2)}${'\u0323'.repeat(LONGEST / 2 - 1)}`,
  'marks in turn': full('\u0301\u0323', 'ab'),
  'signs of eighteen letters': full('ﷺ'),
}

let partner: { key: string }

const service = use(startWatched)
beforeAll(async () => {
  await service.fetch('/api/admin/import', {
    method: 'POST',
    key: ADMIN_TOKEN,
    type: 'application/x-ndjson',
    body: SUBMISSION_CATALOG.map((line) => JSON.stringify(line)).join('\n'),
  })
  partner = (await service.admin('POST', '/partners', { name: 'Partner' })).body.data
})

async function submit(description: string): Promise<Reply> {
  const body = newTool({ description })
  const reply = await service.fetch('/api/v1/submit-ai-tool', { method: 'POST', key: partner.key, body })
  expect(reply.status, reply.text).toBe(201)
  return reply
}

/** The longest stop while it is done; the best of three. */
async function longestStopOf(work: (time: number) => Promise<unknown>, times = 3): Promise<number> {
  const stops: number[] = []
  for (let time = 0; time < times; time++) {
    await service.longestStop()
    await work(time)
    stops.push(await service.longestStop())
  }
  return Math.min(...stops)
}

/** From the first answer until it is ready: what comes before is the loading of the code, whatever is stored. */
const restarted = () => longestStopOf(() => service.restart(), 1)

describe('a submission of one long run', () => {
  let plainStart: number
  let plainSubmission: number
  beforeAll(async () => {
    plainSubmission = await longestStopOf(() => submit(full(PLAIN)))
    plainStart = await restarted()
  }, 600_000)

  test.each(Object.entries(RUNS))('of %s stops the service no longer than a plain text', async (_, text) => {
    expect((await longestStopOf(() => submit(text))) - plainSubmission).toBeLessThan(MOST_ABOVE_PLAIN_MS)
  })

  test('stops no later start', async () => {
    expect((await restarted()) - plainStart).toBeLessThan(MOST_ABOVE_PLAIN_MS)
  })
})

describe('a flood of different words', () => {
  const reads = {
    'a search for their beginning': (time: number) => service.fetch(`/tools?q=zz&page=${time + 1}`),
    // Different questions, because the same one is answered from the cache.
    'suggestions for their beginning': (time: number) =>
      service.fetch(`/search/suggestions?q=${['zz', 'zz+api', 'zz+one'][time]}`),
    'a search for many beginnings': (time: number) =>
      service.fetch(
        `/tools?q=${Array.from({ length: 36 }, (_, at) => `zz${at.toString(36)}`).join('+')}&page=${time + 1}`,
      ),
    'a search for misspelt ones': (time: number) =>
      service.fetch(`/tools?q=${Array.from({ length: 10 }, (_, at) => `zz${at}${time}q.zz${at}x`).join('+')}`),
    'another submission': () => submit(floodText(500)),
  }
  let next = 0
  const floodText = (words: number) =>
    Array.from({ length: words }, () => `zz${((next++ * 7_919) % 36 ** 4).toString(36).padStart(4, '0')}`).join(' ')
  const before: Record<string, number> = {}
  beforeAll(async () => {
    for (const [name, read] of Object.entries(reads)) before[name] = await longestStopOf(read)
    for (let time = 0; time < 120; time++) await submit(floodText(2_850))
  }, 600_000)

  test.each(Object.entries(reads))('makes %s no more expensive for anybody', async (name, read) => {
    expect((await longestStopOf(read)) - before[name]!).toBeLessThan(MOST_ABOVE_PLAIN_MS)
  })

  test('leaves the words of a listing to be found', async () => {
    const reply = await service.fetch('/api/v1/tools?q=zz&limit=1', { key: partner.key })
    expect([reply.status, reply.body?.data?.length]).toEqual([200, 1])
  })
})
