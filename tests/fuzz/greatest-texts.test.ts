// Texts that are accepted, at their greatest size: whatever they contain, none takes the main thread more than 80 ms of processor time above
// plain words in the same field, with the work after the answer and the reads that follow; and neither does a start with all of them
// stored. The best of three counts. GREATEST_TEXTS=submit_ai_tool runs only the ways whose names match,
// GREATEST_CONTENTS='emoji|dots' only these contents; GREATEST_LOG names a file that gets each result at once.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONTENTS, PLAIN } from '../harness/contents.ts'
import { createCosts, isChosen, MOST_ABOVE_MS, named } from '../harness/costs.ts'
import { type StartedGround, startGround } from '../harness/ground.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { startWatched } from '../harness/watched-service.ts'
import { operationWays } from '../harness/ways.ts'

const TIME = { timeout: 3_600_000 }

let ground: StartedGround
const costs = createCosts(() => ground.service)

beforeAll(async () => {
  ground = await startGround()
}, 600_000)
afterAll(async () => {
  process.stdout.write(`${costs.table()}\n`)
  await ground.close()
}, 600_000)

test('there are at least 60 kinds of content', () => {
  expect(new Set(CONTENTS.map(({ name }) => name)).size).toBeGreaterThanOrEqual(60)
  expect(new Set(CONTENTS.map(({ text }) => text(300))).size).toBe(CONTENTS.length)
})

describe('every accepted text costs about as much as plain words', TIME, () => {
  test.each(named(operationWays(() => ground)))('%s', async (_, ways) => {
    expect(await costs.tooLong(ways)).toEqual([])
  })
})

describe('a start', TIME, () => {
  /** The pauses of a start with these entries stored, longest first. */
  async function stopsWith(lines: readonly string[]): Promise<number[]> {
    const service = await startWatched()
    try {
      const reply = await service.fetch('/api/admin/import', {
        method: 'POST',
        key: ADMIN_TOKEN,
        type: 'application/x-ndjson',
        body: lines.join('\n'),
      })
      expect(reply.status, reply.text).toBe(200)
      await service.restart()
      await service.idle()
      return await service.stops()
    } finally {
      await service.close()
    }
  }
  /** The first pause that is more than the limit above the pause of the same rank; 0 if there is none. */
  const above = (stops: readonly number[], plain: readonly number[]): number =>
    stops.find((stop, i) => stop > (plain[i] ?? 0) + MOST_ABOVE_MS) ?? 0

  test.skipIf(!isChosen('start'))('with all of them stored pauses no longer than one with plain texts', async () => {
    const lines = (await ground.service.fetch('/api/admin/export', { key: ADMIN_TOKEN })).text.trim().split('\n')
    const plain = await stopsWith(lines.map(plainLine))
    let stops: number[] = []
    for (let time = 0; time < 3 && (time === 0 || above(stops, plain) > 0); time++) {
      await ground.service.restart()
      await ground.service.idle()
      stops = await ground.service.stops()
      process.stdout.write(
        `A start with ${lines.length} entries pauses ${stops.slice(0, 5)} ms; with plain ones ${plain.slice(0, 5)} ms.\n`,
      )
    }
    if (above(stops, plain) === 0) return
    // Halves, until one entry is left.
    let suspects = lines.filter((line) => /"kind":"(?:tool|directory)"/.test(line))
    const terms = lines.filter((line) => !suspects.includes(line))
    while (suspects.length > 1) {
      const half = suspects.slice(0, suspects.length >> 1)
      const isIn = above(await stopsWith([...terms, ...half]), plain) > 0
      suspects = isIn ? half : suspects.slice(half.length)
    }
    expect(above(stops, plain), suspects.map((line) => line.slice(0, 300)).join('\n')).toBe(0)
  })
})

const KEPT = new Set(
  [
    'kind slug website category categories tags pricing cost type accepts languages createdAt hiddenReason id',
    'automation automationReadOn',
  ].flatMap((names) => names.split(' ')),
)
const MAPS = new Set(['features', 'socials'])

/** The same listing with plain words in every text; terms, addresses and what refers to other entries stay. */
function plainLine(line: string): string {
  const plain = (value: unknown, name = ''): unknown => {
    if (KEPT.has(name)) return value
    if (typeof value === 'string') return /^https?:|@/.test(value) ? value : PLAIN.text(value.length)
    if (Array.isArray(value)) return value.map((one) => plain(one))
    if (typeof value !== 'object' || value === null) return value
    const nameOf = (key: string, i: number) => (MAPS.has(name) ? `Name ${i}` : key)
    return Object.fromEntries(Object.entries(value).map(([key, one], i) => [nameOf(key, i), plain(one, key)]))
  }
  const entry = JSON.parse(line)
  return entry.kind === 'tool' || entry.kind === 'directory' ? JSON.stringify(plain(entry)) : line
}
