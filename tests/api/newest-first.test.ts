// Lists are newest first in a total order, also where several rows have the time of one millisecond.
import { expect, test } from 'vitest'
import { orderedId } from '../../src/kernel/database/ordered-id.ts'
import { useService } from '../harness/use.ts'

const service = useService()

const entries = async (query = '') => (await service.admin('GET', `/audit${query}`)).body.data

test('the audit log is ordered by time, then by number', async () => {
  await service.sql(`insert into audit (at, actor, action, subject) values
    ('2026-01-01T00:00:00.002Z', 'a', 'test', 'order:x'), ('2026-01-01T00:00:00.001Z', 'b', 'test', 'order:x'),
    ('2026-01-01T00:00:00.002Z', 'c', 'test', 'order:x')`)
  expect((await entries('?subject=order:x')).map(({ actor }: { actor: string }) => actor)).toEqual(['c', 'a', 'b'])
})

test('the audit log is in order after many requests at once', async () => {
  await Promise.all(
    Array.from({ length: 60 }, (_, i) => service.admin('PUT', `/tags/at-once-${i}`, { name: `At once ${i}` })),
  )
  const listed: { at: string; id: number }[] = await entries()
  expect(listed.length).toBeGreaterThanOrEqual(60)
  for (const [i, { at, id }] of listed.slice(1).entries()) {
    const before = listed[i]!
    expect(before.at > at || (before.at === at && before.id > id)).toBe(true)
  }
})

test('ids of rows that are listed by time are in the order in which they were made', () => {
  const ids = Array.from({ length: 20_000 }, orderedId)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('partners that are made one after another are listed in that order', async () => {
  const made: string[] = []
  for (let i = 0; i < 12; i++) made.push((await service.newPartner({ name: `Order ${i}` })).id)
  const { data } = (await service.admin('GET', '/partners')).body
  expect(data.map(({ id }: { id: string }) => id).slice(0, 12)).toEqual(made.toReversed())
})
