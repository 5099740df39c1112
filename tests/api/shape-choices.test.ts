// @module-tag once
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { shapeOf } from '../../src/kernel/checks/shape.ts'
import { eitherOf } from '../../src/kernel/schema.ts'

const choice = eitherOf(
  [
    Type.Object({ id: Type.String(), reply: Type.String(), source: Type.String() }, { title: 'First' }),
    Type.Object({ id: Type.String(), message: Type.String(), at: Type.String() }, { title: 'Second' }),
  ],
  { title: 'Choice', description: 'One of two.' },
)

test('a value of either shape matches', () => {
  expect(shapeOf(choice).matches({ id: '1', reply: 'Yes.', source: 'ai' })).toBe(true)
  expect(shapeOf(choice).matches({ id: '1', message: 'Yes.', at: 'noon' })).toBe(true)
  expect(shapeOf(choice).matches({ id: '1' })).toBe(false)
})

test('a broken value is repaired to the nearest shape', () => {
  const problems: string[] = []
  expect(shapeOf(choice).repair({ id: '1', message: 'Yes.', at: 7 }, '', problems)).toEqual({
    id: '1',
    message: 'Yes.',
    at: '',
  })
  expect(problems).toEqual(['at is not valid text.'])
})
