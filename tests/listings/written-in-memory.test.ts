// What operators write is handed to the catalog in memory without being read again. Readers get what a load of all rows would give them.
import pg from 'pg'
import { beforeAll, expect, test, vi } from 'vitest'
import type { Catalog } from '../../src/features/catalog/memory/snapshot.ts'
import { directory, several, shown, terms, tool } from '../harness/bulk-listings.ts'
import { freshCatalog } from '../harness/fresh-catalog.ts'
import { useService } from '../harness/use.ts'

// No worker of claims sends a statement while those of a write are counted.
const service = useService({ MIRROR_PICTURES: 'off', FOUNDERS: 'off' })
beforeAll(() =>
  service.load([...terms('Bulk'), ...several(0, 4, (i) => tool(i)), ...several(0, 2, (i) => directory(i))]),
)

/** What readers see, and the revision of each listing: with another one, it would be read again when all rows are compared. */
function stateOf(catalog: Catalog): string[] {
  const snapshot = catalog.snapshot()
  const revisions = [snapshot.tools, snapshot.directories].flatMap(({ index, idOf }) =>
    [...idOf].map(([slug, id]) => `${slug} ${index.revisionOf(id)}`).sort(),
  )
  return [...shown(snapshot), ...revisions]
}

const body = ({ kind: _kind, slug: _slug, ...fields }: { kind: string; slug: string }) => fields
const toolBody = (i: number, more?: object) => body(tool(i, more))
const directoryBody = (i: number, more?: object) => body(directory(i, more))

test.each([
  ['creates a tool', 'PUT', '/tools/bulk-9', toolBody(9)],
  ['creates a hidden tool', 'PUT', '/tools/bulk-10', toolBody(10, { published: false })],
  [
    'replaces a tool',
    'PUT',
    '/tools/bulk-1',
    toolBody(1, { name: 'Bulk anew', opens: 7, founderEmail: 'a@b.example' }),
  ],
  ['replaces a tool without its category', 'PUT', '/tools/bulk-1', toolBody(1, { category: null, tags: [] })],
  ['hides a tool', 'PUT', '/tools/bulk-2', toolBody(2, { published: false })],
  ['shows a tool again', 'PUT', '/tools/bulk-2', toolBody(2, { searchWords: 'bulk words' })],
  ['writes the same again', 'PUT', '/tools/bulk-2', toolBody(2, { searchWords: 'bulk words' })],
  ['changes a field of a tool', 'PATCH', '/tools/bulk-3', { tagline: 'Another' }],
  ['hides a tool by a field', 'PATCH', '/tools/bulk-3', { published: false }],
  ['shows a tool by a field', 'PATCH', '/tools/bulk-3', { published: true }],
  ['replaces a directory', 'PUT', '/directories/board-1', directoryBody(1, { name: 'Board bulk', cost: 'Paid' })],
  ['changes a field of a directory', 'PATCH', '/directories/board-0', { name: 'Board other' }],
])('an operator %s', async (_what, method, path, written) => {
  expect((await service.admin(method, path, written)).status).toBeLessThan(300)
  const anew = await freshCatalog(service)
  expect(stateOf(service.context().catalog)).toEqual(stateOf(anew))
  anew.close()
})

/** The statements of the connection that writes the audit entry, while `write` runs. */
async function statementsOf(write: () => Promise<unknown>): Promise<string[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  await write()
  const { calls, contexts } = query.mock
  query.mockRestore()
  const sent = calls.map(([given], at) => {
    const statement = given as string | { text: string }
    return { client: contexts[at], text: typeof statement === 'string' ? statement : statement.text }
  })
  const writer = sent.find(({ text }) => text.startsWith('insert into "audit"'))?.client
  return sent.flatMap(({ client, text }) => (client === writer ? text : []))
}

test('replacing a tool takes nine statements, and none to show it to readers', async () => {
  const texts = await statementsOf(async () =>
    expect((await service.admin('PUT', '/tools/bulk-1', toolBody(1, { name: 'Bulk counted' }))).status).toBe(200),
  )
  const [begun, ended] = [texts.indexOf('begin'), texts.indexOf('commit')]
  expect(texts.slice(begun, ended + 1)).toHaveLength(9)
  expect(texts.slice(ended).filter((text) => text.includes('"tools"'))).toEqual([])
})

test('an import of tools and directories reads none of them again', async () => {
  const texts = await statementsOf(() =>
    service.load([
      ...several(0, 3, (i) => tool(i, { name: `Bulk imported ${i}` })),
      directory(0, { name: 'Board imported' }),
    ]),
  )
  const after = texts.slice(texts.indexOf('commit'))
  expect(after.filter((text) => text.includes('where published and id = any'))).toEqual([])
})
