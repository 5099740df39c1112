// @module-tag once
// Reading the body of an asked question: blank and null count as missing, and the error names every problem at once.
import { describe, expect, test } from 'vitest'
import { readQuestion } from '../../src/features/support/read-question.ts'

const problem = (raw: unknown): string => {
  try {
    readQuestion(raw)
  } catch (error) {
    return `${(error as { status: number }).status} ${(error as Error).message}`
  }
  return 'none'
}

describe('read', () => {
  test('only the given fields', () => {
    expect(readQuestion({ question: ' q ' })).toEqual({ question: 'q' })
    expect(
      readQuestion({ message: 'q', externalId: null, conversationId: ' ', customer: null, metadata: null }),
    ).toEqual({
      question: 'q',
    })
  })

  test('all fields, trimmed, without unknown ones', () => {
    const read = readQuestion({
      question: ' q ',
      conversationId: ' c ',
      externalId: ' e ',
      customer: { name: ' n ', email: ' m ', id: 5, more: 'x' },
      metadata: { a: ' kept ' },
      more: 'x',
    })
    expect(read).toEqual({
      question: 'q',
      conversationId: 'c',
      externalId: 'e',
      customer: { name: 'n', email: 'm', id: '5' },
      metadata: { a: ' kept ' },
    })
  })

  test.each([
    ['m', 'm'],
    [' m ', 'm'],
    [0, '0'],
    [4711, '4711'],
    ['', undefined],
    ['  ', undefined],
    [null, undefined],
    [undefined, undefined],
  ])('peerPushMessageId %j as %j', (peerPushMessageId, peerMessageId) => {
    expect(readQuestion({ question: 'q', metadata: { peerPushMessageId } }).peerMessageId).toBe(peerMessageId)
  })

  test('without changing the body', () => {
    const raw = { question: ' q ', customer: { id: 5 }, metadata: { a: 1 } }
    const copy = structuredClone(raw)
    readQuestion(raw)
    expect(raw).toEqual(copy)
  })
})

describe('refused', () => {
  test.each([undefined, null, 5, 'text', [], [{ question: 'q' }]])('a body that is %j', (raw) => {
    expect(problem(raw)).toMatch(/^400 /)
  })

  test('with every problem at once', () => {
    const raw = { question: 5, externalId: 6, customer: 'x', metadata: { peerPushMessageId: {}, a: 1 / 0 } }
    for (const name of [
      'question',
      'externalId',
      'customer',
      'metadata.peerPushMessageId',
      'metadata must not contain numbers',
    ])
      expect(problem(raw)).toContain(name)
  })

  test('metadata deeper than 8 levels, however deep', () => {
    let metadata: Record<string, unknown> = {}
    for (let i = 0; i < 50_000; i++) metadata = { a: metadata }
    expect(problem({ question: 'q', metadata })).toMatch(/^400 .*(levels|deep)/)
  })

  test('metadata with the name __proto__ at any level', () => {
    for (const metadata of ['{"__proto__":{"a":1}}', '{"a":[{"b":{"__proto__":1}}]}'])
      expect(problem({ question: 'q', metadata: JSON.parse(metadata) })).toMatch(/^400 .*__proto__/)
  })

  test('metadata that is too wide, however wide', () => {
    expect(problem({ question: 'q', metadata: { a: Array(200_000).fill(0) } })).toMatch(/^400 .*16 KiB/)
  })
})
