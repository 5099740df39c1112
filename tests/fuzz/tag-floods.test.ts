// A catalog with many tags is not slower after a submission that makes new ones. Processor time of the thread that serves requests.
import { afterAll, describe, expect, test } from 'vitest'
import { startService, type TestService } from '../harness/service.ts'
import { newTool } from '../harness/submissions.ts'

const services: TestService[] = []
afterAll(async () => {
  for (const service of services) await service.close()
})

const SYLLABLES = ['ka', 'ro', 'mi', 'tu', 'sen', 'vla', 'qo', 'pri', 'den', 'lux', 'zor', 'bel', 'fa', 'ni', 'gor']
const nameOf = (i: number) => `${SYLLABLES[i % 15]}${SYLLABLES[Math.floor(i / 15) % 15]} ${SYLLABLES[i % 7]}${i}`

/** The median of several rounds, in milliseconds. */
async function costs(tags: number): Promise<Record<string, number>> {
  const service = await startService()
  services.push(service)
  await service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    ...Array.from({ length: tags }, (_, i) => ({ kind: 'tag', slug: `t-${i}`, name: nameOf(i) })),
    ...Array.from({ length: 500 }, (_, i) => ({
      kind: 'tool',
      slug: `tool-${i}`,
      name: nameOf(i),
      tags: [`t-${i % tags}`],
    })),
  ])
  const { key } = await service.newPartner()
  const measured: Record<string, number[]> = {}
  const measure = async (name: string, work: () => Promise<{ status: number }>) => {
    const before = process.threadCpuUsage()
    const { status } = await work()
    const { user, system } = process.threadCpuUsage(before)
    expect([name, status < 300]).toEqual([name, true])
    measured[name] = [...(measured[name] ?? []), (user + system) / 1000]
  }
  for (let round = 0; round < 7; round++) {
    const body = newTool({ category: 'writing', tags: Array.from({ length: 5 }, (_, at) => `fresh ${round} ${at}`) })
    await measure('submit', () => service.rest('/submit-ai-tool', { key, method: 'POST', body }))
    await measure('search', () => service.rest('/tools?q=ka'))
    await measure('tags', () => service.rest('/tags?q=ka'))
    await measure('page', () => service.fetch('/tools?q=ka'))
  }
  return Object.fromEntries(Object.entries(measured).map(([name, all]) => [name, all.sort((a, b) => a - b)[3] ?? 0]))
}

describe('at 10,000 tags, above the same at 100, at most 80 ms each', () => {
  test('for a submission with new tags, and the next search, list of tags and page', async () => {
    const few = await costs(100)
    const many = await costs(10_000)
    for (const [name, ms] of Object.entries(many)) expect(ms, name).toBeLessThan((few[name] ?? 0) + 80)
  }, 300_000)
})
