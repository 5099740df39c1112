// @module-tag once
// The patterns that split a text read each run of letters once. Here are the ones they replaced, which say the same more plainly and take
// the square of the length of a run.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { indexedWords, words } from '../../src/search/words/words.ts'
import { propertyRuns } from '../harness/property-runs.ts'

const LETTER = String.raw`[[\p{L}\p{N}]--[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]]`
const SINGLE = String.raw`[[\p{L}\p{N}]&&[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]]`
const WORD = new RegExp(
  String.raw`${LETTER}+\+\+|(?<!${LETTER})(?:[a-z]#|\.net(?!${LETTER}))|${LETTER}*[0-9](?:\.[0-9]+)+${LETTER}*|${SINGLE}|${LETTER}+`,
  'gv',
)
const COMPOUND = /[\p{L}\p{N}]+(?:[-_‐‑.][\p{L}\p{N}]+)+/gu
const SPELLED: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ħ: 'h' }
Object.assign(SPELLED, { ŧ: 't', ı: 'i', ς: 'σ' })

function plainWords(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
  const spelled = plain.replace(/[ßæœøłđðþħŧıς]/gu, (letter) => SPELLED[letter]!)
  return spelled.replace(/['’‘ʼ]/g, '').match(WORD) ?? []
}

function plainIndexedWords(text: string, joinPairs: boolean): string[] {
  const list = plainWords(text)
  const pairs = joinPairs ? list.slice(0, 6) : []
  for (const [at, second] of pairs.slice(1).entries()) list.push(pairs[at]! + second)
  for (const compound of text.match(COMPOUND) ?? []) {
    if (compound.length > 40 || !/\p{L}/u.test(compound)) continue
    const joined = plainWords(compound.replace(/[-_‐‑]|(?<=\p{L})\.(?=\p{L})/gu, ''))
    if (joined.length === 1 && joined[0] !== list.at(-1)) list.push(joined[0]!)
  }
  return list
}

// What the patterns tell apart, and any other character.
const piece = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('a', 'b', 'c', 'net', 'Z', '1', '23', 'é', 'я', '漢', 'カ', 'ß', 'İ', 'ς', '𝐀'),
  },
  { weight: 4, arbitrary: fc.constantFrom('.', '-', '_', '‐', '+', '++', '#', "'", '’', ' ', '\n', '\u00a0') },
  { weight: 1, arbitrary: fc.constantFrom('\u0301', '\u0323', '\u0345', 'ﾞ', 'ﷺ', '①', '٣', '½', '한', '\ud800') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 3 }) },
)
const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))

it('a text has the same words as by patterns that try every letter', () => {
  fc.assert(
    fc.property(text, fc.boolean(), (one, joinPairs) => {
      expect(words(one)).toEqual(plainWords(one))
      expect(indexedWords(one, joinPairs)).toEqual(plainIndexedWords(one, joinPairs))
    }),
    { numRuns: propertyRuns(8_000) },
  )
})
