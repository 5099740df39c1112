// @module-tag once
// How the command line formats text. These tests need no service.
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { bar, sizeText } from '../../src/surfaces/cli/kit/output.ts'
import { dayText, formatTable, shortTime } from '../../src/surfaces/cli/kit/table.ts'
import { cut, escaped, width } from '../../src/surfaces/cli/kit/terminal-text.ts'
import { withoutBlanks } from '../../src/surfaces/cli/program.ts'

const layout = [
  { title: 'ID', value: (row: any) => row.id },
  { title: 'NAME', value: (row: any) => row.name, cuttable: true },
  { title: 'LIVE', value: (row: any) => row.live },
]
const rows = [
  { id: 'a1', name: 'A very long name indeed', live: true },
  { id: 'b22', name: null, live: false },
]
// Whether colours are used depends on where the tests run.
const plain = (text: string) => stripVTControlCharacters(text).trimEnd().split('\n')

describe('a table', () => {
  test('aligns its columns and shows a missing value as a dash', () => {
    expect(plain(formatTable(rows, layout).text)).toEqual([
      'ID   NAME                     LIVE',
      'a1   A very long name indeed  yes',
      'b22  -                        no',
    ])
  })

  test('shortens free text to fit the terminal', () => {
    const { text, hidden } = formatTable(rows, layout, 24)
    expect(plain(text)).toEqual(['ID   NAME           LIVE', 'a1   A very long …  yes', 'b22  -              no'])
    expect(hidden).toEqual([])
  })

  test('leaves out the last columns when there is no room for them, and says so', () => {
    const { text, hidden } = formatTable(rows, layout, 18)
    expect(plain(text).every((line) => width(line) <= 18)).toBe(true)
    expect(hidden).toEqual(['LIVE'])
  })

  test('never lets a value control the terminal or start a line', () => {
    const { text } = formatTable([{ id: '\u001b]0;owned\u0007', name: 'a\nb\u009b31m\u202e', live: true }], layout)
    expect(plain(text)[1]).toBe('\\u001b]0;owned\\u0007  a\\nb\\u009b31m\\u202e  yes')
  })
})

describe('printed text', () => {
  test('has escapes inside JSON that mean the same', () => {
    const value = { name: 'a\u009b\u007f\u2028"\\b' }
    expect(JSON.parse(escaped(JSON.stringify(value)))).toEqual(value)
  })

  test('is measured in columns, not in characters', () => {
    expect(['abc', 'é', 'e\u0301', '日本', '👩‍💻', '✍️'].map(width)).toEqual([3, 1, 1, 4, 2, 2])
    expect(cut('日本語', 5)).toBe('日本…')
  })

  test('shows short times, and nothing for a missing time', () => {
    expect(shortTime('2026-03-01T09:30:00.000Z')).toMatch(/^2026-0[23]-\d\d \d\d:\d\d$/)
    expect(dayText('2026-03-01T09:30:00.000Z')).toMatch(/^2026-0[23]-\d\d$/)
    expect([null, undefined, 'never'].map(shortTime)).toEqual(['', '', ''])
  })

  test('shows progress as a part of the whole', () => {
    expect(bar(500, 1000)).toBe(`[${'#'.repeat(12)}${'-'.repeat(12)}]  50 %  500 bytes of 1.0 kB`)
    expect(bar(1200, 1000)).toContain('100 %')
    expect(bar(0, 0)).toContain('100 %')
    expect(bar(2_500_000, null)).toBe('2.5 MB')
    expect(sizeText(999)).toBe('999 bytes')
  })
})

test.each([
  ['--separator=\t', '--separator=\t'],
  ['--separator= ', '--separator= '],
  ['\t', '\t'],
  ['--name=  Acme ', '--name=Acme'],
  [' acme\n', 'acme'],
])('an argument loses the blanks around its value, and a value of blanks alone stays: %j', (given, read) => {
  expect(withoutBlanks(given)).toBe(read)
})
