// "Only tools submitted by the calling key can be found": a differential test. Whatever one partner asks about the other's
// tools is answered as if they did not exist, and what it is told of its own does not change by what the other does.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type TestService } from '../support/service.ts'
import { SHELVES, spellings, statusOf, submitted } from '../support/submissions.ts'

interface Side {
  name: string
  key: string
  id: string
  tools: any[]
  /** Stands in everything of this side that is not part of the public listing. */
  mark: string
}

let service: TestService
let sides: [Side, Side]
const SHARED = 'https://both-have-it.example.com'

beforeAll(async () => {
  service = await startService()
  await service.load(SHELVES)
  sides = [await newSide('zqalpha'), await newSide('zqbravo')]
}, 60_000)
afterAll(() => service.close())

async function newSide(mark: string): Promise<Side> {
  const { id, key } = await service.newPartner({ name: `Partner ${mark}` })
  const tools = []
  for (let i = 0; i < 6; i++) {
    const paymentType = ['starter', 'pro', undefined][i % 3]
    const website = i === 5 ? SHARED : `https://${mark}-${i}.example.com`
    const tool = await submitted(service, key, { name: `${i === 5 ? 'Shared' : mark} ${i}`, website, paymentType })
    const submission = (await service.admin('GET', `/submissions?client=${id}&limit=1`)).body.data[0]
    await service.admin('PATCH', `/submissions/${submission.id}`, {
      notes: `${mark} notes`,
      assignee: `${mark}@example.com`,
    })
    await service.admin('PUT', `/submissions/${submission.id}/directories/peak`, {
      isSubmitted: true,
      listingUrl: `https://peak.example.org/${mark}`,
      proofUrl: `https://peak.example.org/${mark}.png`,
    })
    if (i === 0) await service.admin('POST', `/submissions/${submission.id}/done`, {})
    tools.push({ ...tool, submissionId: submission.id })
  }
  return { name: mark, key, id, tools, mark }
}

const NOT_FOUND = JSON.stringify({ success: false, error: 'Tool not found.' })

const question = fc.record({
  asker: fc.constantFrom(0, 1),
  ofOwn: fc.boolean(),
  tool: fc.nat({ max: 5 }),
  by: fc.constantFrom('id', 'slug', 'website', 'submissionId', 'clientId'),
  spelling: fc.nat({ max: 7 }),
})

test('a few hundred questions: not one foreign byte, and identical 404s', async () => {
  let asked = 0
  let found = 0
  await fc.assert(
    fc.asyncProperty(fc.array(question, { minLength: 10, maxLength: 10 }), async (questions) => {
      await Promise.all(
        questions.map(async ({ asker, ofOwn, tool: number, by, spelling }) => {
          const self = sides[asker as 0 | 1]
          const other = sides[asker === 0 ? 1 : 0]
          const tool = (ofOwn ? self : other).tools[number]
          const query: Record<string, string> =
            by === 'website'
              ? { website: spellings(tool.website)[spelling]! }
              : by === 'slug'
                ? { slug: tool.slug }
                : { id: by === 'submissionId' ? tool.submissionId : by === 'clientId' ? other.id : tool.id }
          const reply = await statusOf(service, self.key, query)
          asked++
          // The shared listing belongs to both, its submissions to one each.
          const isVisible = (ofOwn || number === 5) && ['id', 'slug', 'website'].includes(by)
          expect(reply.status, JSON.stringify(query)).toBe(isVisible ? 200 : 404)
          expect(reply.text).not.toContain(other.mark)
          expect(reply.text).not.toContain(other.id)
          if (!isVisible) return expect(reply.text).toBe(NOT_FOUND)
          found++
          expect(reply.body.data.summary.notes).toBe(`${self.mark} notes`)
          expect(reply.body.data.submissions[0].listingUrl).toBe(`https://peak.example.org/${self.mark}`)
          return undefined
        }),
      )
    }),
    { numRuns: 40 },
  )
  expect(asked).toBeGreaterThanOrEqual(400)
  expect(found).toBeGreaterThan(50)
})

test('what a partner is told of its own does not change by what the other does', async () => {
  const [self, other] = sides
  const answers = async () =>
    Promise.all(self.tools.map(async ({ id }) => (await statusOf(service, self.key, { id })).text))
  const before = await answers()
  const shared = other.tools[5]
  await service.admin('PATCH', `/submissions/${shared.submissionId}`, {
    paymentType: 'premium',
    notes: 'zqbravo again',
  })
  await service.admin('PUT', `/submissions/${shared.submissionId}/directories/unrated`, { isSubmitted: true })
  await service.admin('POST', `/submissions/${shared.submissionId}/done`, {})
  await submitted(service, other.key)
  expect(await answers()).toEqual(before)
})

test('submitting the other’s website tells nothing of the other’s submission', async () => {
  const [self, other] = sides
  const theirs = other.tools[1]
  const data = await submitted(service, self.key, { website: theirs.website })
  expect(data).toMatchObject({ id: theirs.id, submissionState: null, paymentStatus: 'WAITING', created: true })
  const status = (await statusOf(service, self.key, { id: theirs.id })).body.data
  expect(status.summary).toEqual({ isComplete: false, submittedCount: 0, recordedSubmissions: 0, notes: '' })
  expect(status.submissions).toEqual([])
})
