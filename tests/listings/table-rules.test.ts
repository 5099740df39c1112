// @module-tag once
// How a table is read: encodings, separators, quotes, headings and cells. No service is needed.
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { guessMapping, readCell, writeCell } from '../../src/features/listings/spreadsheets/table.rules.ts'
import { openTable, type TableFormatOptions } from '../../src/features/listings/spreadsheets/table-format.ts'

async function read(content: string | Uint8Array, options: TableFormatOptions = {}, size = 7) {
  const bytes = Buffer.from(content)
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, at * size + size),
  )
  const { rows, ...table } = await openTable(Readable.from(chunks), options)
  return { ...table, rows: await Array.fromAsync(rows) }
}
const cells = async (content: string | Uint8Array, options?: TableFormatOptions) =>
  (await read(content, options)).rows.map((row) => ('cells' in row ? Object.values(row.cells) : row.problem))

describe('the format', () => {
  test.each([
    ['commas', 'a,b\n1,2\n', 'csv', ','],
    ['semicolons, as Excel writes in Germany', 'a;b\r\n1;2\r\n', 'csv', ';'],
    ['tabs', 'a\tb\n1\t2\n', 'tsv', '\t'],
    ['bars', 'a|b\n1|2', 'csv', '|'],
    ['a comma inside quotes', '"a,x,y";b\n1;2', 'csv', ';'],
    ['a JSON array', '[{"a":"1","b":"2"}]', 'json', null],
    ['JSON objects one after the other', '{"a":"1","b":"2"}\n', 'json', null],
  ])('is guessed: %s', async (_, content, format, separator) => {
    const table = await read(content)
    expect([table.format, table.separator]).toEqual([format, separator])
    expect(await cells(content)).toEqual([['1', '2']])
  })

  test.each([
    ['utf-8', Buffer.from('name\nGrüße 世界\n')],
    ['utf-8', Buffer.from('\ufeffname\nGrüße 世界\n')],
    ['utf-16le', Buffer.from('\ufeffname\nGrüße 世界\n', 'utf16le')],
    ['utf-16be', Buffer.from('\ufeffname\nGrüße 世界\n', 'utf16le').swap16()],
  ])('is read in %s', async (encoding, content) => {
    const table = await read(content)
    expect([table.encoding, table.columns, await cells(content)]).toEqual([encoding, ['name'], [['Grüße 世界']]])
  })

  test('is read as Windows-1252 when it is no UTF-8, and an encoding that was named wrongly is an error', async () => {
    const content = Buffer.from('name\nCaf\xe9 \x80\n', 'latin1')
    expect([(await read(content)).encoding, await cells(content)]).toEqual(['windows-1252', [['Café €']]])
    await expect(read(content, { encoding: 'utf-8' })).rejects.toThrow('The file is not valid utf-8.')
  })

  test('rows are counted as in a spreadsheet, with quotes, line breaks in cells and empty rows', async () => {
    const { rows } = await read('name,text\n"a ""b""","two\nlines"\n\n,\nc,5" screen\n')
    expect(rows).toEqual([
      { row: 2, cells: { name: 'a "b"', text: 'two\nlines' } },
      { row: 5, cells: { name: 'c', text: '5" screen' } },
    ])
  })

  test('headings that are empty or there twice get names; a short row is filled, a long one is wrong', async () => {
    const { columns, rows } = await read('a,,a\n1\n1,2,3,4\n')
    expect(columns).toEqual(['a', 'Column 2', 'a (3)'])
    expect(rows).toEqual([
      { row: 2, cells: { a: '1', 'Column 2': '', 'a (3)': '' } },
      { row: 3, problem: 'It has 4 cells, and there are 3 columns.' },
    ])
  })

  test.each([
    ['a quote that is not closed', 'a,b\n"1,2\n', 'not closed'],
    ['a row without an end', `a\n"${'x'.repeat(1_100_000)}`, 'longer than 1 MiB'],
    ['too many columns', `${'a,'.repeat(300)}\n`, 'at most 200'],
    ['an object without an end', '[{"a":1', 'Object 1 does not end'],
    ['an array of other things', '[1,2]', 'must be a JSON array of objects'],
    ['a very long object', `[{"a":"${'x'.repeat(1_200_000)}"}]`, 'longer than 1 MiB'],
  ])('%s is an error that says so', async (_, content, message) => {
    await expect(read(content, {}, 65_536)).rejects.toThrow(message)
  })

  test('braces and quotes in the texts of JSON do not confuse it', async () => {
    expect(await cells('[ {"a":"} \\" {"},\n{"a":{"b":["]"]}} ]')).toEqual([['} " {'], [{ b: [']'] }]])
    expect(await cells('[{"a":1,}]')).toEqual([expect.stringContaining('Not valid JSON')])
  })

  test('an empty file has no columns and no rows', async () => {
    expect(await read('')).toMatchObject({ columns: [], rows: [] })
  })
})

describe('a column', () => {
  test('means the field of its name, or of another usual name', () => {
    expect(
      guessMapping('tool', ['Product Name', 'URL', 'Short description', 'E-Mail', 'Founder Email', 'Logo', 'Notes']),
    ).toEqual({
      'Product Name': 'name',
      URL: 'website',
      'Short description': 'tagline',
      'E-Mail': null,
      'Founder Email': 'founderEmail',
      Logo: 'icon',
      Notes: null,
    })
    expect(guessMapping('directory', ['Title', 'Category', 'Price', 'DR'])).toEqual({
      Title: 'name',
      Category: 'categories',
      Price: 'cost',
      DR: 'domainRating',
    })
  })
})

describe('a cell', () => {
  test.each([
    ['pricing', 'freemium', 'FREEMIUM'],
    ['featured', 'Yes', true],
    ['featured', '0', false],
    ['rating', '4.5', 4.5],
    ['askingPrice', '$1,200.50', 1200.5],
    ['tags', 'api; open-source', ['api', 'open-source']],
    ['tags', 'api, open-source,', ['api', 'open-source']],
    ['screenshots', '["https://a.example.com/1,2.png"]', ['https://a.example.com/1,2.png']],
    ['socials', '{"x":"https://x.com/a"}', { x: 'https://x.com/a' }],
    ['createdAt', '2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['name', "'=Sum", '=Sum'],
    ['name', "'quoted'", "'quoted'"],
  ])('of %s: %j means %j', (field, cell, value) => expect(readCell('tool', field, cell)).toEqual({ value }))

  test.each([
    ['featured', 'perhaps'],
    ['rating', '4,5'],
    ['rating', `1${'0'.repeat(10_000)}`],
    ['socials', 'x.com/a'],
    ['faqs', '[broken'],
  ])('of %s: %j is a problem', (field, cell) => expect(readCell('tool', field, cell)).toHaveProperty('problem'))

  test('that is empty means nothing', () => {
    for (const cell of ['', '  ', null, undefined]) expect(readCell('tool', 'rating', cell)).toBe('empty')
  })

  test.each<[string, unknown]>([
    ['name', '=1+1'],
    ['name', "'=1+1"],
    ['name', 'a "quoted", text\nof two lines'],
    ['name', '-5'],
    ['tags', ['api', 'web']],
    ['screenshots', ['https://a.example.com/?a=1;b=2', 'https://a.example.com/1,2.png']],
    ['features', { 'Style; learning': 'a, b' }],
    ['featured', true],
    ['rating', 4.5],
  ])('of %s with %j is read back as it was', async (field, value) => {
    const { rows } = await read(`cell\n${writeCell(value)}\n`)
    const [row] = rows
    if (!row || !('cells' in row)) return expect.unreachable()
    expect(readCell('tool', field, row.cells.cell)).toEqual({ value })
  })
})
