// Which public pages are cached, and for how long.
import { expect, test } from 'vitest'
import { createBodyCache } from '../../src/surfaces/pages/kit/body-cache.ts'

test('a body is made once for each state of the catalog', () => {
  const cached = createBodyCache()
  let made = 0
  const make = () => Buffer.from(`made ${++made}`)
  expect(cached(1, 'a', make).bytes.toString()).toBe('made 1')
  expect(cached(1, 'a', make).bytes.toString()).toBe('made 1')
  expect(cached(1, 'b', make).bytes.toString()).toBe('made 2')
  expect(cached(2, 'a', make).bytes.toString()).toBe('made 3')
})

test('the cache keeps no more bytes than its limit', () => {
  const cached = createBodyCache(1_000)
  const madeTwice = () => {
    let again = 0
    for (let i = 0; i < 50; i++) {
      cached(1, `page ${i}`, () => Buffer.alloc(100))
      cached(1, `page ${i}`, () => {
        again++
        return Buffer.alloc(100)
      })
    }
    return again
  }
  expect(madeTwice()).toBe(0)
  let made = 0
  for (let i = 0; i < 50; i++)
    cached(1, `page ${i}`, () => {
      made++
      return Buffer.alloc(100)
    })
  expect(made).toBeGreaterThan(40)
})

test('a body that could not be made is not cached', () => {
  const cached = createBodyCache()
  expect(() =>
    cached(1, 'a', () => {
      throw new Error('not found')
    }),
  ).toThrow('not found')
  expect(cached(1, 'a', () => Buffer.from('found')).bytes.toString()).toBe('found')
})
