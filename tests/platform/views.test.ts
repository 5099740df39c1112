// What a process keeps in memory learns of every change that the database has stored, also when the answer of the database is lost.
// @module-tag once
import { expect, test } from 'vitest'
import type { Change } from '../../src/kernel/context.ts'
import { createReads, createViews, type DirectView } from '../../src/kernel/views.ts'

const log = { request() {}, info() {}, warn() {}, error() {} }
const change = { topic: 'tools', ids: ['x'], id: 'change-1' }

function directView(): DirectView & { applied: (Change | null)[] } {
  const applied: (Change | null)[] = []
  return {
    applied,
    apply: async (one) => void applied.push(one),
    isLoaded: () => true,
    settled: async () => {},
    close() {},
    expect() {},
    forget() {},
    take: async () => [],
    follow: async () => {},
  }
}

test('a change whose commit was not confirmed is read when its announcement has come', async () => {
  const view = directView()
  const views = createViews([view])
  views.start()
  views.expect([change])
  await views.apply(change)
  expect(view.applied).toEqual([])
  views.forget([change])
  expect(view.applied).toEqual([change])
})

test('a change whose transaction has failed is not read', () => {
  const view = directView()
  const views = createViews([view])
  views.start()
  views.expect([change])
  views.forget([change])
  views.forget([{ ...change, id: 'change-2' }])
  expect(view.applied).toEqual([])
})

test('a change that could not be read is applied when it was read', async () => {
  let [shown, attempts] = ['old', 0]
  const reads = createReads(log, 'it could not be read')
  await reads.add(async () => {
    if (++attempts < 3) throw new Error('The connection was lost.')
    shown = 'new'
  })
  expect([shown, attempts]).toEqual(['new', 3])
})
