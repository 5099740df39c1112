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
