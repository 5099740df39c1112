// @module-tag once
// Which public pages are cached, and for how long.
import { expect, test } from 'vitest'
import { createBodyCache } from '../../src/surfaces/pages/kit/sending/public-pages.ts'

test('a body is made once for each state of the catalog', async () => {
  const cached = createBodyCache()
  let made = 0
  const make = () => Buffer.from(`made ${++made}`)
  expect((await cached(1, 'a', make)).bytes.toString()).toBe('made 1')
  expect((await cached(1, 'a', make)).bytes.toString()).toBe('made 1')
  expect((await cached(1, 'b', make)).bytes.toString()).toBe('made 2')
  expect((await cached(2, 'a', make)).bytes.toString()).toBe('made 3')
})

test('the cache keeps no more bytes than its limit', async () => {
  const cached = createBodyCache(1_000)
  const madeTwice = async () => {
    let again = 0
    for (let i = 0; i < 50; i++) {
      await cached(1, `page ${i}`, () => Buffer.alloc(100))
      await cached(1, `page ${i}`, () => {
        again++
        return Buffer.alloc(100)
      })
    }
    return again
  }
  expect(await madeTwice()).toBe(0)
  let made = 0
  for (let i = 0; i < 50; i++)
    await cached(1, `page ${i}`, () => {
      made++
      return Buffer.alloc(100)
    })
  expect(made).toBeGreaterThan(40)
})

test('a body that could not be made is not cached', async () => {
  const cached = createBodyCache()
  await expect(
    cached(1, 'a', () => {
      throw new Error('not found')
    }),
  ).rejects.toThrow('not found')
  expect((await cached(1, 'a', () => Buffer.from('found'))).bytes.toString()).toBe('found')
})

test('a body that was made of an older state of the catalog does not replace a newer one', async () => {
  const cached = createBodyCache()
  const { promise, resolve } = Promise.withResolvers<Buffer>()
  const old = cached(1, 'a', () => promise)
  await cached(2, 'a', () => Buffer.from('new'))
  resolve(Buffer.from('old'))
  expect((await old).bytes.toString()).toBe('old')
  expect((await cached(2, 'a', () => Buffer.from('newer'))).bytes.toString()).toBe('new')
})
