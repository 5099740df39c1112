// @module-tag once
import fc from 'fast-check'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { write, writeInSlices } from '../../src/kernel/output.ts'

const item = Type.Object({ name: Type.String(), count: Type.Optional(Type.Integer()) })
const pagination = { page: 1, limit: 20, total: 3, pages: 1 }

test('a list that is written in slices has the same bytes and the same tag', async () => {
  const operations = [true, false].map((paged) => ({ name: 'list', data: Type.Array(item), paged }) as never)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ name: fc.string(), other: fc.string() })), async (data) => {
      for (const operation of operations) {
        const answer = { data, pagination }
        expect(await writeInSlices(operation, answer)).toEqual(write(operation, answer))
      }
    }),
  )
})

test('a stored value out of the declared bounds is written as it is, also where a value has several forms', () => {
  const limits = Type.Object({ minimum: Type.Number({ minimum: 0, maximum: 9 }) })
  const data = Type.Object({
    plan: Type.Union([limits, Type.Null()]),
    name: Type.String({ maxLength: 3, pattern: '^a' }),
  })
  const stored = { plan: { minimum: -5 }, name: 'long' }
  expect(JSON.parse(write({ name: 'get', data } as never, { data: stored }).json.toString())).toEqual({
    success: true,
    data: stored,
  })
})
