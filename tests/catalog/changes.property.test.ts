// Whatever changes, in whichever order the changes arrive and however they are put in place: the catalog in memory is the one that a load
// of all rows gives.
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { createCatalog } from '../../src/features/catalog/memory/snapshot.ts'
import { listPublished } from '../../src/features/catalog/queries.ts'
import { createBrokenRows } from '../../src/kernel/checks/broken-rows.ts'
import type { Change } from '../../src/kernel/context.ts'
import { directory, several, shown, terms, tool } from '../harness/bulk-listings.ts'
import { shownAnew } from '../harness/fresh-catalog.ts'
import { propertyRuns } from '../harness/property-runs.ts'
import { useService } from '../harness/use.ts'

let toolIds: string[]
let directoryIds: string[]
const service = useService()
beforeAll(async () => {
  await service.load([...terms('Bulk'), ...several(0, 8, (i) => tool(i)), ...several(0, 4, (i) => directory(i))])
  toolIds = (await service.sql('select id from tools order by slug')).map(({ id }) => id)
  directoryIds = (await service.sql('select id from directories order by slug')).map(({ id }) => id)
})

const word = fc.constantFrom('image', 'images', 'video', 'writer', 'bulk', '')
const which = fc.nat(7)
const change = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), which, word }),
  fc.record({ kind: fc.constant('published' as const), which, published: fc.boolean() }),
  fc.record({ kind: fc.constant('broken' as const), which, isBroken: fc.boolean() }),
  fc.record({ kind: fc.constant('opens' as const), which, opens: fc.nat(5) }),
  fc.record({ kind: fc.constant('term' as const), word, adult: fc.boolean() }),
  fc.record({ kind: fc.constant('directory' as const), which: fc.nat(3), word }),
)
/** How the change reaches the catalog. */
const way = fc.constantFrom('announced', 'announced later', 'taken', 'handed over', 'missed')

async function store(one: typeof change extends fc.Arbitrary<infer T> ? T : never): Promise<Change> {
  if (one.kind === 'term') {
    await service.sql(`update categories set name = 'Bulk ${one.word}', adult = ${one.adult} where slug = 'bulk'`)
    return { topic: 'categories', ids: ['bulk'] }
  }
  if (one.kind === 'directory') {
    const id = directoryIds[one.which]!
    await service.sql(`update directories set name = 'Board ${one.word}', updated_at = now() where id = '${id}'`)
    return { topic: 'directories', ids: [id] }
  }
  const id = toolIds[one.which]!
  const assigned = {
    text: () => `name = 'Tool ${(one as { word: string }).word}', updated_at = now()`,
    published: () => `published = ${(one as { published: boolean }).published}`,
    broken: () => `pricing = '${(one as { isBroken: boolean }).isBroken ? 'WRONG' : 'FREE'}'`,
    opens: () => `opens = ${(one as { opens: number }).opens}`,
  }[one.kind]()
  await service.sql(`update tools set ${assigned} where id = '${id}'`)
  return { topic: one.kind === 'opens' ? 'opens' : 'tools', ids: [id] }
}

test('changes put in place in any order give what a load of all rows gives', async () => {
  const { db, log, publicUrl } = service.context()
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(change, way), { minLength: 1, maxLength: 12 }), async (steps) => {
      const catalog = createCatalog({ db, log, publicUrl, brokenRows: createBrokenRows(log), isStarting: () => false })
      await catalog.apply(null)
      const later: Change[] = []
      let hasMissed = false
      for (const [one, by] of steps) {
        const rows = new Map<string, object | undefined>()
        const named: Change[] = [{ topic: 'tools', ids: [], rows }]
        if (by === 'handed over') catalog.expect(named)
        const stored = await store(one)
        if (by === 'announced later') later.push(stored)
        else if (by === 'missed') hasMissed = true
        else if (by === 'taken') await catalog.follow(await catalog.take(db, [stored]))
        else if (by === 'handed over' && stored.topic === 'tools') {
          const found = await listPublished(db, 'tool', stored.ids!)
          for (const id of stored.ids!)
            rows.set(
              id,
              found.find((row) => row.id === id),
            )
          named[0]!.ids = stored.ids
          // It becomes visible while later changes arrive.
          void catalog.follow(named)
        } else void catalog.apply(stored)
        // A click-through is announced only.
        if (by === 'taken' && stored.topic === 'opens') void catalog.apply(stored)
      }
      for (const stored of later.reverse()) void catalog.apply(stored)
      await catalog.settled()
      if (hasMissed) await catalog.apply(null)
      expect(shown(catalog.snapshot())).toEqual(await shownAnew(service))
      catalog.close()
    }),
    { numRuns: propertyRuns(40) },
  )
}, 120_000)
