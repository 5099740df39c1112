// Import and export of tables, over the operator API, in the console and on the command line.
// @module-tag slow
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { importTable } from '../../src/features/listings/spreadsheets/table.operations.ts'
import { audited } from '../harness/audit.ts'
import { type Browser, signedUpAdmin } from '../harness/browser.ts'
import { catalog } from '../harness/command.ts'
import { expectConsolePage, filledForm, HOSTILE_MARKUP, upload } from '../harness/console-forms.ts'
import { expectSound } from '../harness/html.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { useService } from '../harness/use.ts'

let admin: Browser & { email: string }
const service = useService()
beforeAll(async () => {
  admin = await signedUpAdmin(service)
  await service.load([
    { kind: 'category', slug: 'code', name: 'Developer Tools' },
    { kind: 'category', slug: 'writing', name: 'Writing' },
    { kind: 'tag', slug: 'api', name: 'API' },
    { kind: 'directoryCategory', slug: 'saas', name: 'SaaS' },
  ])
})

const post = (path: string, body: string, query: Record<string, string> = {}, type = 'text/csv') =>
  service.fetch(`/api/admin${path}?${new URLSearchParams(query)}`, { method: 'POST', key: ADMIN_TOKEN, type, body })
const stored = async (path: string) => (await service.admin('GET', path)).body.data

const SHEET = `Product;URL;Price;Main category;Keywords;Founder e-mail;Notes
"Acme ""Pro""";https://acme.example.com;freemium;developer tools;API;ada@example.com;good
Übersetzer;https://ue.example.com;;Writing;;;
`

describe('POST /import/table', () => {
  test('a tag that another caller makes meanwhile keeps its name: nothing is imported, and a second try finds it', async () => {
    async function* table(atEnd = async () => {}) {
      yield Buffer.from('name,website,category,tags,pricing\n')
      // More rows than are read ahead, so at the end the slug of the new tag is chosen.
      for (let i = 0; i < 6_000; i++) yield Buffer.from(`Race ${i},https://race-${i}.example.com,Writing,Race++,FREE\n`)
      await atEnd()
    }
    const send = (lines: AsyncIterable<Uint8Array>) =>
      importTable.run(service.context(), { unknownTerms: 'create' }, lines, {} as never)
    const other = async () => void (await service.admin('PUT', '/tags/race', { name: 'Race#' }))
    await expect(send(table(other))).rejects.toMatchObject({ status: 409 })
    expect([(await stored('/tags/race')).name, (await service.admin('GET', '/tools/race-1')).status]).toEqual([
      'Race#',
      404,
    ])
    expect(await send(table())).toMatchObject({ data: { imported: 6_001 } })
    expect(await stored('/tools/race-1')).toMatchObject({ tags: ['race-2'] })
    expect([(await stored('/tags/race')).name, (await stored('/tags/race-2')).name]).toEqual(['Race#', 'Race++'])
  })

  test('a wrong row does not take later good rows with it, also when it was the first to name a category', async () => {
    const sheet =
      'name,website,category,tags,pricing\nWrong,not a site,Brand New,fresh,FREE\nRight,https://right.example.com,Brand New,fresh,FREE\nAlso,https://also.example.com,brand new,,nonsense\nLast,https://last.example.com,Brand New,fresh;api,PAID\n'
    const { status, body } = await post('/import/table', sheet, { skipInvalid: 'true', unknownTerms: 'create' })
    expect([status, body.data.imported, body.data.rejected.map(({ line }: any) => line)]).toEqual([200, 4, [2, 4]])
    expect(await stored('/tools/right')).toMatchObject({ category: 'brand-new', tags: ['fresh'] })
    expect(await stored('/tools/last')).toMatchObject({ category: 'brand-new', tags: ['fresh', 'api'] })
    expect((await service.admin('GET', '/tools/wrong')).status).toBe(404)
    expect((await stored('/categories')).map(({ slug }: any) => slug)).toContain('brand-new')
  })

  test('names that differ make different categories and tags; the same name makes one', async () => {
    const sheet =
      'name,website,category,tags,pricing\nPlus,https://plus.example.com,C++,C++;C#,FREE\nSharp,https://sharp.example.com,C#,c#;C,FREE\nHan,https://han.example.com,写作,c++;写作,FREE\n'
    expect((await post('/import/table', sheet, { unknownTerms: 'create' })).status).toBe(200)
    expect(await stored('/tools/plus')).toMatchObject({ category: 'c', tags: ['c', 'c-2'] })
    expect(await stored('/tools/sharp')).toMatchObject({ category: 'c-2', tags: ['c-2', 'c-3'] })
    const { category, tags } = await stored('/tools/han')
    expect(await stored(`/categories/${category}`)).toMatchObject({ name: '写作' })
    expect([tags[0], (await stored(`/tags/${tags[1]}`)).name]).toEqual(['c', '写作'])
    for (const [slug, name] of [
      ['c', 'C++'],
      ['c-2', 'C#'],
    ] as const)
      for (const kind of ['tags', 'categories']) expect(await stored(`/${kind}/${slug}`)).toMatchObject({ name })
  })

  test('a table of tags with names alone renames none and makes none twice', async () => {
    const again = await post('/import/table', 'name\nF++\nF#\nF\n', { kind: 'tag' })
    expect(again.body.data).toMatchObject({ created: 3, replaced: 0 })
    expect((await post('/import/table', 'name\nf#\nF%\n', { kind: 'tag' })).body.data).toMatchObject({ created: 1 })
    expect(await stored('/tags/f')).toMatchObject({ name: 'F++' })
    expect(await stored('/tags/f-2')).toMatchObject({ name: 'f#' })
    expect(await stored('/tags/f-4')).toMatchObject({ name: 'F%' })
  })

  test('takes a spreadsheet as it is: guessed columns, names of categories, slugs from names', async () => {
    const rows = await audited(service, async () => {
      const { status, body } = await post('/import/table', SHEET)
      expect([status, body.data]).toEqual([
        200,
        { imported: 2, created: 2, replaced: 0, rejected: [], rejectedCount: 0 },
      ])
    })
    expect(rows).toMatchObject([{ action: 'catalog.import', details: { imported: 2 } }])
    expect(await stored('/tools/acme-pro')).toMatchObject({
      name: 'Acme "Pro"',
      website: 'https://acme.example.com',
      pricing: 'FREEMIUM',
      category: 'code',
      tags: ['api'],
      founderEmail: 'ada@example.com',
    })
    expect(await stored('/tools/ubersetzer')).toMatchObject({
      name: 'Übersetzer',
      pricing: 'FREE',
      category: 'writing',
    })
    await service.settled()
    expect((await service.rest('/tools/acme-pro')).body.data.category).toEqual({
      slug: 'code',
      name: 'Developer Tools',
    })
  })

  test('names wrong cells by row and column, and keeps nothing unless it may skip them', async () => {
    const sheet = 'Name,Web,Price,DR\nGood,https://good.example.com,Free,10\n\n,https://x.example.com,cheap,many\n'
    const { status, body } = await post('/import/table', sheet)
    expect([status, body.rejectedCount]).toEqual([400, 1])
    expect(body.rejected[0].line).toBe(4)
    for (const part of ['domainRating (column "DR") must be a number', 'pricing (column "Price")', 'name'])
      expect(body.rejected[0].error).toContain(part)
    expect((await service.admin('GET', '/tools/good')).status).toBe(404)
    const skipped = await post('/import/table', sheet, { skipInvalid: 'true' })
    expect([skipped.status, skipped.body.data.imported, skipped.body.data.rejectedCount]).toEqual([200, 1, 1])
    expect((await service.admin('GET', '/tools/good')).status).toBe(200)
  })

  test('an unknown category is refused, made or taken for another, as the operator says', async () => {
    const sheet = 'Name,Category,Tags\nWith new,Video Editing,"Fast; API"\n'
    const refused = await post('/import/table', sheet)
    expect(refused.status).toBe(400)
    expect(refused.body.rejected[0].error).toContain('Video Editing does not exist')
    expect((await post('/import/table', sheet, { terms: '{"Video Editing":"writing","Fast":"api"}' })).status).toBe(200)
    expect(await stored('/tools/with-new')).toMatchObject({ category: 'writing', tags: ['api'] })
    const made = await post('/import/table', sheet, { unknownTerms: 'create' })
    expect(made.body.data).toMatchObject({ imported: 3, rejectedCount: 0 })
    expect(await stored('/tools/with-new')).toMatchObject({ category: 'video-editing', tags: ['fast', 'api'] })
    expect(await stored('/categories/video-editing')).toMatchObject({ name: 'Video Editing' })
  })

  test.each([
    ['name,name,website', '"name" and "name (2)" both fit name', '{"name (2)":null}'],
    ['Title,Product,website', '"Title" and "Product" both fit name', '{"Product":null}'],
    ['name,website,URL', '"website" and "URL" both fit website', '{"URL":null}'],
  ])('%s: two columns for one field are refused until map says which one it is', async (headings, said, map) => {
    const sheet = `${headings}\nRival One,https://rival.example.com,https://rival.example.com\n`
    const refused = await post('/import/table', sheet)
    expect([refused.status, refused.body.error]).toEqual([
      400,
      `The columns ${said}. Say with map which one it is, or leave the other one out: ${map}.`,
    ])
    const [left = ''] = Object.keys(JSON.parse(map))
    const preview = (await post('/import/table/preview', sheet)).body.data
    expect(preview.columns.find((one: { column: string }) => one.column === left)).toMatchObject({
      field: null,
      guess: said.split(' ').at(-1),
    })
    const named = JSON.stringify({ [left]: said.split(' ').at(-1) })
    for (const decision of [map, named])
      expect((await post('/import/table', sheet, { map: decision })).body.data?.imported).toBe(1)
  })

  test('map corrects the guesses, and says which columns and fields there are when it is wrong', async () => {
    const sheet = 'Label,Site\nMapped,https://mapped.example.com\n'
    expect((await post('/import/table', sheet)).body.error).toMatch(/No column is mapped to name.*Label, Site/)
    expect((await post('/import/table', sheet, { map: '{"Label":"name"}' })).status).toBe(200)
    expect(await stored('/tools/mapped')).toMatchObject({ website: 'https://mapped.example.com' })
    for (const [map, message] of [
      ['{"Nothing":"name"}', 'The columns are Label, Site.'],
      ['{"Label":"nothing"}', 'The fields of a tool are slug, name,'],
      ['["Label"]', 'map must be a JSON object'],
      ['{', 'map must be a JSON object'],
      ['{"Label":"name","Site":"name"}', 'The columns "Label" and "Site" are both mapped to name.'],
    ])
      expect((await post('/import/table', sheet, { map: map! })).body.error).toContain(message)
  })

  test('takes a JSON array, and tables of every kind', async () => {
    const array = JSON.stringify([{ title: 'From JSON', tags: ['api'], rating: 4.5 }])
    expect((await post('/import/table', array, {}, 'application/json')).status).toBe(200)
    expect(await stored('/tools/from-json')).toMatchObject({ tags: ['api'], rating: 4.5 })
    const directories = 'Title\tURL\tCategory\tDR\nHunt\thttps://hunt.example.com\tSaaS\t91\n'
    expect((await post('/import/table', directories, { kind: 'directory' })).status).toBe(200)
    expect(await stored('/directories/hunt')).toMatchObject({ categories: ['saas'], domainRating: 91 })
    expect((await post('/import/table', 'name\nSheets\n', { kind: 'tag' })).status).toBe(200)
    expect((await post('/import/table', 'x', {}, 'application/pdf')).status).toBe(415)
    expect((await post('/import/table', '')).body.data.imported).toBe(0)
  })

  test('says how many entries it made and replaced, and the preview says which other product would go', async () => {
    const sheet = (website: string) => `Name,Website\nTwin,${website}\nNewcomer,https://newcomer.example.com\n`
    await service.admin('PUT', '/tools/twin', { name: 'Twin', website: 'https://www.twin.example.com/' })
    const rowsOf = async (website: string) => (await post('/import/table/preview', sheet(website))).body.data.rows
    expect(await rowsOf('http://twin.example.com')).toMatchObject([
      { slug: 'twin', replaces: true, warning: null },
      { slug: 'newcomer', replaces: false, warning: null },
    ])
    expect(await rowsOf('https://another.example.com')).toMatchObject([
      {
        replaces: true,
        problem: null,
        warning: 'It replaces Twin (https://www.twin.example.com/), which has another website.',
      },
      { replaces: false },
    ])
    const send = async (website: string) => (await post('/import/table', sheet(website))).body.data
    expect(await send('https://another.example.com')).toMatchObject({ imported: 2, created: 1, replaced: 1 })
    expect(await send('https://another.example.com')).toMatchObject({ imported: 2, created: 0, replaced: 0 })
    await service.admin('DELETE', '/tools/newcomer')
    expect(await send('https://third.example.com')).toMatchObject({ imported: 2, created: 1, replaced: 1 })
  })

  test('names of what every object has are only texts', async () => {
    const { status } = await post('/import/table', 'name,constructor,__proto__,category\nProto,x,y,constructor\n', {
      unknownTerms: 'create',
      terms: '{"a":"b"}',
    })
    expect([status, (await stored('/tools/proto')).category]).toEqual([200, 'constructor'])
  })

  test('needs the operator', async () => {
    const key = (await service.newKey()).key
    for (const path of ['/import/table', '/import/table/preview'])
      expect(
        (await service.fetch(`/api/admin${path}`, { method: 'POST', key, type: 'text/csv', body: SHEET })).status,
      ).toBe(403)
  })
})

test('POST /import/table/preview says how the table would be read and stores nothing', async () => {
  const before = await stored('/tools')
  const { status, body } = await post('/import/table/preview', `${SHEET}Third;no address;;Nowhere;;;\n`)
  expect([status, body.data.format, body.data.encoding, body.data.separator]).toEqual([200, 'csv', 'utf-8', ';'])
  expect(body.data.columns.map(({ column, field }: any) => [column, field])).toEqual([
    ['Product', 'name'],
    ['URL', 'website'],
    ['Price', 'pricing'],
    ['Main category', 'category'],
    ['Keywords', 'tags'],
    ['Founder e-mail', 'founderEmail'],
    ['Notes', null],
  ])
  expect(body.data.columns[0].samples).toEqual(['Acme "Pro"', 'Übersetzer', 'Third'])
  expect(body.data.rows.map(({ row, slug }: any) => [row, slug])).toEqual([
    [2, 'acme-pro'],
    [3, 'ubersetzer'],
    [4, 'third'],
  ])
  expect(body.data.rows[2].problem).toMatch(/website \(column "URL"\).*category \(column "Main category"\) Nowhere/)
  expect(await stored('/tools')).toEqual(before)
})

test('a row without a name is told so, and not what is wrong with the slug that the name would give', async () => {
  const { body } = await post('/import/table/preview', 'Product;URL\n;https://nameless.example.com\n')
  expect(body.data.rows[0].problem).toContain('name (column "Product") is required.')
  expect(body.data.rows[0].problem).not.toContain('slug')
})

test('GET /export/table is a table that an import takes, with the same entries after it', async () => {
  await service.admin('PUT', '/tools/formula', {
    name: '=HYPERLINK("https://evil.example.com")',
    tagline: 'a "quoted", text',
    description: 'two\nlines',
    tags: ['api'],
    screenshots: ['https://a.example.com/1,2.png'],
    socials: { x: 'https://x.com/a' },
    faqs: [{ question: 'Why?', answer: 'So; that.' }],
    published: false,
  })
  const { status, text, headers } = await service.fetch('/api/admin/export/table?kind=tool', { key: ADMIN_TOKEN })
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
  expect(text).toContain(`"'=HYPERLINK(""https://evil.example.com"")"`)
  const before = await service.fetch('/api/admin/export', { key: ADMIN_TOKEN })
  const { body } = await post('/import/table', text)
  expect(body.data.rejectedCount).toBe(0)
  expect((await service.fetch('/api/admin/export', { key: ADMIN_TOKEN })).text).toBe(before.text)
})

describe('the console', () => {
  const PAGE = '/admin/import'
  const send = (fields: Record<string, string>, content: string, name = 'sheet.csv') =>
    upload(service, admin, PAGE, fields, { name, content })
  const first = async () => filledForm((await admin.open(PAGE)).text, PAGE)

  test('shows the guessed columns, takes corrections with the file, and remembers them', async () => {
    await expectConsolePage(service, admin, PAGE)
    const sheet = `Label,Site,Made by ${HOSTILE_MARKUP.replaceAll('"', '')}\nConsole Tool,https://console.example.com,Ada\n`
    const step = await send(await first(), sheet)
    expect(step.status).toBe(200)
    await expectSound(step.text, ['<script>alert'])
    const form = filledForm(step.text, PAGE)
    expect([form['column-0'], form['column-1'], form['column-2']]).toEqual(['', 'website', ''])
    const done = await send({ ...form, 'column-0': 'name', 'column-2': 'founderName' }, sheet)
    expect([done.status, done.headers.get('location')]).toEqual([303, PAGE])
    expect(await stored('/tools/console-tool')).toMatchObject({
      website: 'https://console.example.com',
      founderName: 'Ada',
    })
    const cookie = done.headers.getSetCookie().find((one) => one.includes('_import='))!
    expect(cookie).toMatch(/HttpOnly/i)
    const [name, value] = cookie.split(';')[0]!.split('=')
    admin.cookies.set(name!, value!)
    const again = await send(await first(), sheet)
    expect(again.text).toContain('those that you chose for these columns before')
    expect(filledForm(again.text, PAGE)).toMatchObject({ 'column-0': 'name', 'column-2': 'founderName' })
  })

  test('shows wrong rows with the columns as they were chosen', async () => {
    const sheet = 'Name,Price\nConsole Wrong,cheap\n'
    const form = filledForm((await send(await first(), sheet)).text, PAGE)
    const wrong = await send(form, sheet)
    expect(wrong.status).toBe(400)
    await expectSound(wrong.text)
    expect(wrong.text).toContain('pricing (column &quot;Price&quot;)')
    expect(filledForm(wrong.text, PAGE)['column-1']).toBe('pricing')
    expect((await service.admin('GET', '/tools/console-wrong')).status).toBe(404)
  })

  test('says what is wrong with a file that is no table, and takes lines of JSON as before', async () => {
    const broken = await send(await first(), 'Name\n"open', 'broken.csv')
    expect([broken.status, broken.text.includes('not closed')]).toEqual([400, true])
    const lines = await send(await first(), '{"kind":"tag","slug":"json-line","name":"Line"}\n', 'catalog.json')
    expect(lines.status).toBe(303)
    const array = await send(await first(), '[{"name":"An array"}]', 'array.json')
    expect([array.status, array.text.includes('JSON in utf-8')]).toEqual([200, true])
  })

  test.each([
    ['an array after a mark and white space', 'array.json', '\ufeff\r\n  [{"name":"Marked"}]', 'JSON in utf-8'],
    ['an array with the name of lines', 'array.ndjson', '[{"name":"Marked"}]', 'JSON in utf-8'],
    ['a text file', 'sheet.txt', 'Name\tWebsite\nTabbed\thttps://tabbed.example.com\n', 'TSV in utf-8'],
  ])('takes %s for a table', async (_, name, content, shown) => {
    const step = await send(await first(), content, name)
    expect([step.status, step.text.includes(shown)]).toEqual([200, true])
  })

  test('takes lines of JSON for lines, whatever the name of the file', async () => {
    const line = '\ufeff {"kind":"tag","slug":"text-line","name":"Line"}\n'
    expect((await send(await first(), line, 'lines.txt')).status).toBe(303)
  })

  test('shows what a row would replace, and refuses two columns for one field', async () => {
    await service.admin('PUT', '/tools/shown-twin', { name: 'Shown twin', website: 'https://shown.example.com' })
    const sheet = 'Name,Website,Other\nShown twin,https://elsewhere.example.com,x\nShown new,,y\n'
    const step = await send(await first(), sheet)
    await expectSound(step.text)
    expect(step.text).toContain('It replaces Shown twin (https://shown.example.com), which has another website.')
    const form = filledForm(step.text, PAGE)
    const both = await send({ ...form, 'column-2': 'name' }, sheet)
    expect([both.status, both.text.includes('are both mapped to name')]).toEqual([400, true])
    await send(form, sheet)
    expect((await admin.open(PAGE)).text).toContain('Imported 2 entries (1 new, 1 replaced).')
  })

  test('previews the beginning of a large file, whatever is cut there, and lets the browser send the rest', async () => {
    const text = 'Grüße, "Ada" und Kai; '.repeat(40).replaceAll('"', '""')
    const rows = Array.from({ length: 1_500 }, (_, at) => `Large ${at},"${text}"\n`).join('')
    const step = await send(await first(), `Name,Description\n${rows}`)
    expect([step.status, step.text.includes('large-9')]).toEqual([200, true])
    const array = JSON.stringify(Array.from({ length: 1_500 }, (_, at) => ({ name: `Large ${at}`, description: text })))
    const second = await send(await first(), array, 'large.json')
    expect([second.status, second.text.includes('large-9')]).toEqual([200, true])
    const wrong = await send({ ...(await first()), columns: '["Nothing"]' }, `Name,Description\n${rows}`)
    expect([wrong.status, wrong.text.includes('The columns are Name, Description')]).toEqual([400, true])
  })

  test('hands out each kind as a table', async () => {
    const reply = await admin.open('/admin/import/export-table?kind=tag')
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(reply.headers.get('content-disposition')).toMatch(/filename="tag-\d{4}-\d\d-\d\d\.csv"/)
    expect(reply.text).toMatch(/^\ufeff?slug,name,adult,submitted\r\n/)
    expect((await admin.open('/admin/import/export-table?kind=nothing')).status).toBe(400)
  })
})

describe('the command line', () => {
  const folder = temporaryFolder('tables')
  const run = (...args: string[]) => catalog(args, { CATALOG_URL: service.origin, ADMIN_TOKEN }, folder)

  test('previews, maps, imports and exports', async () => {
    writeFileSync(join(folder, 'tools.csv'), 'Label,Site,Topic\nBy Command,https://command.example.com,Dev\n')
    const preview = await run('import', 'tools.csv', '--preview', '--map', 'Label=name')
    expect([preview.status, preview.err]).toEqual([0, ''])
    expect(preview.out).toMatch(/Label\s+name[\s\S]*by-command/)
    const wrong = await run('import', 'tools.csv', '--map', 'Label=name', '--map', 'Topic=category')
    expect([wrong.status, wrong.err]).toEqual([
      1,
      expect.stringMatching(/tools\.csv row 2: category \(column "Topic"\)/),
    ])
    const good = await run(
      'import',
      'tools.csv',
      '--map',
      'Label=name',
      '--map',
      'Topic=category',
      '--term',
      'Dev=code',
    )
    expect([good.err, good.out, good.status]).toEqual(['', 'Imported 1 entry.\n', 0])
    expect(await stored('/tools/by-command')).toMatchObject({ category: 'code' })
    expect((await run('export', 'all.csv', '--kind', 'tool')).status).toBe(0)
    expect(readFileSync(join(folder, 'all.csv'), 'utf8')).toContain('by-command,By Command')
    expect((await run('import', 'all.csv', 'tools.csv')).err).toContain('one table at a time')
    expect((await run('import', 'all.csv')).out).toMatch(/^Imported [\d,]+ entries \(.*\d unchanged\)\.\n$/)
    writeFileSync(join(folder, 'array.json'), '\ufeff\n[{"name":"By array","website":"https://command.example.com"}]')
    expect((await run('import', 'array.json')).out).toBe('Imported 1 entry.\n')
    writeFileSync(join(folder, 'sheet.txt'), 'Name\tWebsite\nBy command\thttps://other.example.com\n')
    expect((await run('import', 'sheet.txt', '--preview')).out).toMatch(/replaces .*which has another website/)
  })
})
