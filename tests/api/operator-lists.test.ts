// `q` narrows every list of the operator API by the same rule.
import { beforeAll, describe, expect, test } from 'vitest'
import { SUBMISSION_CATALOG, submitted } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

let submission: string
const service = useService()
beforeAll(async () => {
  await service.load([
    ...SUBMISSION_CATALOG,
    { kind: 'category', slug: 'zebra-crossing', name: 'Zebra Crossing' },
    { kind: 'directory', slug: 'zebra-list', name: 'Zebra 100%', website: 'https://crossing.example.org' },
  ])
  const { key } = await service.newPartner({
    name: 'Zebra Launch',
    contactEmail: 'op@crossing.example.com',
    support: 'human',
  })
  await service.newKey('standard', 'zebra.crossing@example.com')
  await submitted(service, key, { name: 'Zebra Writer', website: 'https://crossing.example.com' })
  submission = (await service.admin('GET', '/submissions')).body.data[0].id
  await service.rest('/support/ask', {
    method: 'POST',
    key,
    body: { question: 'Where is the zebra?', customer: { name: 'Ada Crossing' }, externalId: '100%_sure' },
  })
})

const found = async (path: string, q: string): Promise<number> => {
  const reply = await service.admin('GET', `${path}?${new URLSearchParams({ q })}`)
  expect(reply.status, reply.text).toBe(200)
  return reply.body.data.length
}

describe.each([
  ['/users'],
  ['/partners'],
  ['/tools'],
  ['/directories'],
  ['/categories'],
  ['/submissions'],
  ['/submissions/:id/directories'],
  ['/support/conversations'],
])('%s', (path) => {
  const listPath = () => path.replace(':id', submission)

  test('finds each word of q in any field, in any order and any case', async () => {
    expect(await found(listPath(), ' CROSSING  zebra ')).toBe(1)
    expect(await found(listPath(), 'crossing unheard-of')).toBe(0)
  })

  test('gives no character of q a special meaning', async () => {
    for (const q of ['%', '_', '\\', 'z%a', "'", '(', '.*'].filter((text) => !CONTAINED[path]?.includes(text)))
      expect([q, await found(listPath(), q)]).toEqual([q, 0])
  })
})

// The rows of these lists contain these characters, so searching for them finds something.
const CONTAINED: Record<string, string[]> = {
  '/directories': ['%'],
  '/submissions/:id/directories': ['%'],
  '/support/conversations': ['%', '_'],
}
