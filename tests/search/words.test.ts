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
})
