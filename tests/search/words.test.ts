// @module-tag once
import { describe, expect, it } from 'vitest'
import { words } from '../../src/search/index.ts'

describe('words', () => {
  it.each([
    ["What's NEW, pussycat?", ['whats', 'new', 'pussycat']],
    ['l’été à Zürich', ['lete', 'a', 'zurich']],
    ['Straße Ærø Łódź', ['strasse', 'aero', 'lodz']],
    ['ｆｕｌｌ ｗｉｄｔｈ ①', ['full', 'width', '1']],
    ['画像AI生成', ['画', '像', 'ai', '生', '成']],
    ['ΟΔΟΣ οδος', ['οδοσ', 'οδοσ']],
    ['one\0two\ud800three', ['one', 'two', 'three']],
    ['C++, .NET & GPT-4', ['c++', '.net', 'gpt', '4']],
    ['?! 👍', []],
  ])('of %j are split correctly', (text, expected) => {
    expect(words(text)).toEqual(expected)
  })

  it('of a text whose letters are spelled out are read only from its beginning, and of other texts completely', () => {
    const read = (text: string) => words(text).join('').length
    expect(words('ﷺ')).toEqual(['صلى', 'الله', 'عليه', 'وسلم'])
    expect(read('محمد ﷺ '.repeat(1_000))).toBe(19_000)
    for (const letter of ['é', 'ﬃ', '한', '㍿', '①'])
      expect(read(`${letter} `.repeat(10_000))).toBe(10_000 * read(letter))
    for (const letter of ['ﷺ', 'ﷻ'])
      for (const text of [letter, `${letter} `])
        expect(read(text.repeat(10_000))).toBeLessThan(5 * 10_000 * text.length)
  })
})
