// @module-tag long
// The answer to an import comes when this process shows its listings, and they are the ones that a new load would show.
import { describe, expect, test } from 'vitest'
import { readChange } from '../../src/platform/database/change-listener.ts'
import { directory, several, shown, terms, tool } from '../harness/bulk-listings.ts'
import { shownAnew } from '../harness/fresh-catalog.ts'
import { ADMIN_TOKEN, type Reply } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

const service = useService()

const send = (entries: object[], query = ''): Promise<Reply> =>
  service.fetch(`/api/admin/import${query}`, {
    method: 'POST',
    key: ADMIN_TOKEN,
    type: 'application/x-ndjson',
    body: entries.map((entry) => JSON.stringify(entry)).join('\n'),
  })

/** Fails unless the catalog is what a new load shows. */
async function expectLoaded(): Promise<void> {
  expect(shown(snapshotNow())).toEqual(await shownAnew(service))
}

const snapshotNow = () => service.context().catalog.snapshot()

describe('right after the answer readers see', () => {
  test('an import that is larger than the catalog', async () => {
    const reply = await send([
      ...several(0, 6_000, (i) => tool(i)),
      ...terms('Bulk'),
      ...several(0, 500, (i) => directory(i)),
    ])
    expect([reply.status, reply.headers.get('x-catalog-pending')]).toEqual([200, null])
    const { tools, directories } = snapshotNow()
    expect([tools.index.size, directories.index.size]).toEqual([6_000, 500])
    expect((await service.rest('/tools/bulk-5999')).body.data.category.name).toBe('Bulk')
    const taken = snapshotNow()
    await service.settled()
    // The announcement of an own change does not load everything again.
    expect(snapshotNow()).toBe(taken)
    await expectLoaded()
  })

  test('one that changes, hides and adds a part of it, without loading the rest again', async () => {
    const before = snapshotNow()
    const reply = await send([
      ...several(0, 300, (i) => tool(i, { name: `Renamed ${i}` })),
      ...several(300, 400, (i) => tool(i, { published: false })),
      ...several(400, 500, (i) => tool(i)),
      ...several(6_000, 6_900, (i) => tool(i)),
      ...several(0, 50, (i) => directory(i, { published: i % 2 === 0, name: `Other ${i}` })),
    ])
    expect([reply.status, reply.headers.get('x-catalog-pending')]).toEqual([200, null])
    const { tools, directories } = snapshotNow()
    expect([tools.index.size, directories.index.size]).toEqual([6_800, 475])
    expect((await service.rest('/tools/bulk-7')).body.data.name).toBe('Renamed 7')
    expect((await service.rest('/tools/bulk-300')).status).toBe(404)
    expect((await service.rest('/tools/bulk-6899')).status).toBe(200)
    await service.settled()
    expect(snapshotNow()).toBe(before)
    await expectLoaded()
  })

  test('one that also renames a term of most listings', async () => {
    const reply = await send([...terms('Renamed'), ...several(0, 20, (i) => tool(i, { tagline: 'New' }))])
    expect(reply.status).toBe(200)
    expect((await service.rest('/tools/bulk-3')).body.data).toMatchObject({
      tagline: 'New',
      category: { name: 'Renamed' },
    })
    expect((await service.rest('/tools/bulk-900')).body.data.category.name).toBe('Renamed')
    await expectLoaded()
  })

  test('one that names all listings and changes one of them', async () => {
    await send(several(0, 6_900, (i) => tool(i)))
    const before = snapshotNow()
    const reply = await send(several(0, 6_900, (i) => tool(i, i === 17 ? { name: 'The only one' } : {})))
    expect(reply.status).toBe(200)
    expect((await service.rest('/tools/bulk-17')).body.data.name).toBe('The only one')
    await service.settled()
    expect(snapshotNow()).toBe(before)
    await expectLoaded()
  })

  test('what others write while an import of everything is stored', async () => {
    const importing = send(several(0, 6_900, (i) => tool(i, { tagline: 'Last round' })))
    let isOver = false
    void importing.then(() => {
      isOver = true
    })
    for (let i = 0; !isOver; i++) {
      const body = { name: `Own ${i}`, category: 'bulk', tags: ['t1'] }
      expect((await service.admin('PUT', '/tools/own', body)).status).toBe(200)
      expect((await service.rest('/tools/own')).body.data.name).toBe(`Own ${i}`)
      expect((await service.admin('PUT', '/tools/bulk-2', { ...body, name: `Mine ${i}` })).status).toBe(200)
    }
    expect((await importing).status).toBe(200)
    await service.settled()
    await expectLoaded()
  })
})

test('an import that is refused leaves what readers see as it was, and the next one is shown', async () => {
  const before = shown(snapshotNow())
  const reply = await send([...several(0, 6_900, (i) => tool(i, { tagline: 'Never' })), tool(1, { tags: ['missing'] })])
  expect(reply.status).toBe(400)
  expect(shown(snapshotNow())).toEqual(before)
  expect((await send([tool(1, { tagline: 'Next' })])).status).toBe(200)
  expect((await service.rest('/tools/bulk-1')).body.data.tagline).toBe('Next')
})

test('an announcement keeps its id, by which a process knows its own changes', () => {
  expect(readChange('{"topic":"tools","ids":["a",1],"id":"x"}')).toEqual({ topic: 'tools', ids: ['a'], id: 'x' })
  expect(readChange('{"topic":"tools","id":7}')).toEqual({ topic: 'tools' })
})
