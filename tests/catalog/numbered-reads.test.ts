// @module-tag once
// Rows are read over several connections at once; which of two reads of one listing is shown.
import { expect, test } from 'vitest'
import { createNumberedReads } from '../../src/features/catalog/memory/numbered-reads.ts'

test('a row that a later read has brought is not replaced by that of an earlier one', () => {
  const reads = createNumberedReads()
  const [earlier, later] = [reads.begin(), reads.begin()]
  expect(later.recordIfNewest('listing')).toBe(true)
  expect(earlier.recordIfNewest('listing')).toBe(false)
  expect(earlier.recordIfNewest('another')).toBe(true)
})

test('a read of click-throughs does not keep an earlier read of the whole listing from being shown', () => {
  const reads = createNumberedReads()
  const [listing, opens] = [reads.begin(), reads.begin()]
  expect(opens.isOvertaken('listing')).toBe(false)
  opens.end()
  expect(listing.recordIfNewest('listing')).toBe(true)
})

test('rows that a transaction hands over are used only while no later read is under way', () => {
  const reads = createNumberedReads()
  const handedOver = reads.begin()
  expect(handedOver.hasLater()).toBe(false)
  const later = reads.begin()
  expect([handedOver.hasLater(), later.hasLater()]).toEqual([true, false])
  later.end()
  expect(handedOver.hasLater()).toBe(false)
})

test('a listing that an earlier read brings has the click-throughs that a later one has brought', () => {
  const reads = createNumberedReads()
  const [listing, opens, lateOpens] = [reads.begin(), reads.begin(), reads.begin()]
  expect(opens.recordIfNewest('opens:listing', 6)).toBe(true)
  expect([listing.laterOpens('opens:listing'), listing.laterOpens('opens:another')]).toEqual([6, undefined])
  expect(lateOpens.laterOpens('opens:listing')).toBe(undefined)
  expect(lateOpens.recordIfNewest('opens:listing', 7)).toBe(true)
  expect(opens.recordIfNewest('opens:listing', 6)).toBe(false)
})
