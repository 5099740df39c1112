// @module-tag once
// How many accounts have sent products from one network address is forgotten after a week, whether or not one is sent then.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSenders } from '../../src/features/founders/products/send.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('the accounts of an address are counted for at most a week', () => {
  const senders = createSenders()
  expect(['a', 'b', 'b'].map((user) => senders.note('192.0.2.1', user))).toEqual([1, 2, 2])
  expect(senders.note('192.0.2.2', 'c')).toBe(1)
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(7 * 86_400_000)
  expect(senders.note('192.0.2.1', 'c')).toBe(1)
})
