// @module-tag once
import { expect, test } from 'vitest'
import { type Line, linesIn, piecesOf, readPieces } from '../../src/features/listings/import/lines.ts'

const MIB = 1024 * 1024

/** The lines as an import numbers them, from pieces that end wherever chunks end. */
async function linesOf(chunks: readonly Uint8Array[]): Promise<Line[]> {
  const found: Line[] = []
  let before = 0
  for await (const piece of readPieces(
    (async function* () {
      yield* chunks
    })(),
  )) {
    if (!('bytes' in piece)) throw new Error('bytes were given')
    expect(piece.bytes.length).toBeLessThan(2.5 * MIB)
    const lines = [...linesIn(piece.bytes)]
    found.push(...lines.map((line) => ({ ...line, number: before + line.number })))
    before += lines.length
  }
  return found
}

/** The same, said as simply as possible. */
function expected(body: Buffer): Line[] {
  const parts = body.toString('latin1').split('\n')
  if (parts.at(-1) === '') parts.pop()
  return parts.map((part, i) => {
    const bytes = Buffer.from(part, 'latin1')
    const text = bytes.toString()
    if (bytes.length > MIB) return { number: i + 1, problem: 'Longer than 1 MiB.' }
    if (text.includes('\ufffd')) return { number: i + 1, problem: 'Not valid UTF-8.' }
    return { number: i + 1, text: text.trim() === '' ? '' : text }
  })
}

function cut(body: Buffer, random: () => number): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0; at < body.length; ) {
    const length = 1 + Math.floor(random() ** 4 * 700_000)
    chunks.push(body.subarray(at, at + length))
    at += length
  }
  return chunks
}

function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state / 2 ** 32
  }
}

test('lines are the same wherever the body is cut', async () => {
  for (let seed = 1; seed <= 30; seed++) {
    const random = randomFrom(seed)
    const kinds: (() => Buffer)[] = [
      () => Buffer.from('x'.repeat(Math.floor(random() * 5_000))),
      () => Buffer.from('ü🦝'.repeat(Math.floor(random() * 20_000))),
      () => Buffer.from(['', '', ' \r', '\t'][Math.floor(random() * 4)] as string),
      () => Buffer.from([0x7b, 0xff, 0x7d]),
      () => Buffer.alloc(MIB + Math.floor(random() * 3) - 1, 'y'),
    ]
    const count = Math.floor(random() * 60)
    const lines = Array.from({ length: count }, () => kinds[Math.floor(random() ** 2 * kinds.length)]?.() as Buffer)
    const body = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]))
    const sent = random() < 0.5 ? body : body.subarray(0, -1)
    expect(JSON.stringify(await linesOf(cut(sent, random)))).toBe(JSON.stringify(expected(sent)))
  }
})

test('of a line that never ends only its beginning is kept', async () => {
  const chunk = Buffer.alloc(64 * 1024, 'z')
  const chunks = [...Array<Buffer>(3_000).fill(chunk), Buffer.from('\n{}')]
  expect(await linesOf(chunks)).toEqual([
    { number: 1, problem: 'Longer than 1 MiB.' },
    { number: 2, text: '{}' },
  ])
})

test('lines of a table come in pieces, all of them and in order', async () => {
  const lines = Array.from({ length: 2_000 }, (_, i) => ({ number: i >> 1, text: `${i} ${'x'.repeat(500)}` }))
  const pieces: Line[][] = []
  const isFull: boolean[] = []
  for await (const piece of piecesOf(
    (async function* () {
      yield* lines
    })(),
  )) {
    pieces.push('lines' in piece ? piece.lines : [])
    isFull.push(piece.isFull)
  }
  expect(pieces.flat()).toEqual(lines)
  expect(isFull).toEqual([true, true, true, false])
})
