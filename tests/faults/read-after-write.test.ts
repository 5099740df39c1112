// A client reads a write at once through the process that made it, also during an import and while the catalog is loaded again.
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { newSubmission } from '../harness/done-work.ts'
import { ADMIN_TOKEN, type Reply } from '../harness/service.ts'
import { percentile } from '../harness/timed-requests.ts'
import { useService } from '../harness/use.ts'

const LISTINGS = 20_000

let partner: { key: string }
const service = useService()
beforeAll(async () => {
  await service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    { kind: 'category', slug: 'bulk', name: 'Bulk' },
    { kind: 'directoryCategory', slug: 'saas', name: 'SaaS' },
  ])
  partner = await service.newPartner()
})

const importLines = (round: number): string =>
  Array.from({ length: LISTINGS }, (_, i) =>
    JSON.stringify({
      kind: 'tool',
      slug: `bulk-${i}`,
      name: `Bulk ${i} ${round}`,
      category: 'bulk',
      tagline: 'One of many that came together',
      description: 'A listing that is there to make the import long. '.repeat(5),
    }),
  ).join('\n')

const importAll = (round: number): Promise<Reply> =>
  service.fetch('/api/admin/import', {
    method: 'POST',
    key: ADMIN_TOKEN,
    type: 'application/x-ndjson',
    body: importLines(round),
  })

/** How long each write waited after its commit until it could be read. */
function watchWaits(): { ms: number }[] {
  const { catalog } = service.context()
  const waits: { ms: number }[] = []
  const { take, follow } = catalog
  let begun = new WeakMap<object, number>()
  catalog.take = async (db, changes) => {
    const from = performance.now()
    const left = await take(db, changes)
    begun = begun.set(left, from)
    if (left.length === 0 && changes.length > 0) waits.push({ ms: performance.now() - from })
    return left
  }
  catalog.follow = async (changes) => {
    await follow(changes)
    if (changes.length > 0) waits.push({ ms: performance.now() - (begun.get(changes) ?? performance.now()) })
  }
  return waits
}

test('a few hundred writes of every kind during two imports of 20,000 listings: each is read as it was acknowledged', {
  timeout: 300_000,
}, async () => {
  const waits = watchWaits()
  let importing = true
  const imports = (async () => {
    const answers = [await importAll(1), await importAll(2)]
    await service.settled()
    importing = false
    return answers
  })()
  const stale: string[] = []
  let writes = 0
  let pending = 0

  const check = async (what: string, acknowledged: Reply, read: string, isFresh: (reply: Reply) => boolean) => {
    if (acknowledged.status >= 300)
      throw new Error(`${what}: ${acknowledged.status} ${acknowledged.text.slice(0, 300)}`)
    writes++
    if (acknowledged.headers.get('x-catalog-pending') === 'true') {
      pending++
      return
    }
    const reply = await service.rest(read)
    if (!isFresh(reply)) stale.push(`${what}: ${reply.status} ${reply.text.slice(0, 200)}`)
  }

  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let i = 0; importing || writes < 300; i++) {
      const slug = `own-${writer}`
      const tagline = `state ${i}`
      const tool = { name: `Own ${writer}`, tagline, category: 'writing' }
      await check('put tool', await service.admin('PUT', `/tools/${slug}`, tool), `/tools/${slug}`, ({ body }) => {
        return body?.data?.tagline === tagline
      })
      const directory = { name: `Board ${writer}`, smallDescription: tagline, categories: ['saas'] }
      await check(
        'put directory',
        await service.admin('PUT', `/directories/${slug}`, directory),
        `/directories/${slug}`,
        ({ body }) => body?.data?.smallDescription === tagline,
      )
      const submitted = await service.rest('/submit-ai-tool', {
        method: 'POST',
        key: partner.key,
        body: newSubmission({ website: `https://own-${writer}-${i}.example.com` }),
      })
      await check('submit', submitted, `/tools/${submitted.body?.data?.slug}`, ({ status }) => status === 200)
      const term = { name: `Tag ${i}` }
      await check('put tag', await service.admin('PUT', `/tags/tag-${writer}`, term), '/tags', ({ body }) =>
        body?.data?.some(
          (tag: { slug: string; name: string }) => tag.slug === `tag-${writer}` && tag.name === term.name,
        ),
      )
      await check(
        'hide',
        await service.admin('PATCH', `/tools/${slug}`, { published: false }),
        `/tools/${slug}`,
        ({ status }) => status === 404,
      )
      await check(
        'delete',
        await service.admin('DELETE', `/directories/${slug}`),
        `/directories/${slug}`,
        ({ status }) => status === 404,
      )
    }
  })
  await Promise.all(writers)
  const answers = await imports
  console.log(
    `${writes} writes beside two imports of ${LISTINGS.toLocaleString('en')}: ${stale.length} stale, ${pending} pending; the wait for readers took ${percentile(waits, 0.5)} ms in the middle, ${percentile(waits, 0.95)} ms at the 95th percentile, ${percentile(waits, 1)} ms at most`,
  )
  expect(stale).toEqual([])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  // Small writes never wait until an import has been loaded.
  expect(pending).toBe(0)
  expect((await service.rest('/tools/bulk-7')).body.data.name).toBe('Bulk 7 2')
})

test('a write that is visible only after five seconds is answered with a header that says so, and becomes visible later', {
  timeout: 120_000,
}, async () => {
  const { db } = service.context()
  const { execute } = db
  // The service reads listings this way when it loads the catalog again, as after 20,000 changes at once.
  db.execute = (async (query: never) => {
    await sleep(6_000)
    return execute.call(db, query)
  }) as unknown as typeof execute
  const begun = performance.now()
  const renamed = await service.admin('PUT', '/categories/bulk', { name: 'Renamed' })
  const took = performance.now() - begun
  // Another write during that time is as fast as usual.
  const other = await service.admin('PUT', '/tools/own-0', { name: 'Own', tagline: 'meanwhile', category: 'bulk' })
  const read = await service.rest('/tools/own-0')
  db.execute = execute
  expect([renamed.status, renamed.headers.get('x-catalog-pending')]).toEqual([200, 'true'])
  expect(took).toBeGreaterThan(4_900)
  expect(took).toBeLessThan(7_000)
  expect([other.status, other.headers.get('x-catalog-pending')]).toEqual([200, null])
  expect(read.body.data.tagline).toBe('meanwhile')
  await service.settled()
  const after = (await service.rest('/tools/own-0')).body.data
  expect([after.tagline, after.category.name]).toEqual(['meanwhile', 'Renamed'])
  expect((await service.rest('/tools/bulk-7')).body.data.category.name).toBe('Renamed')
})

test('the five seconds count from the commit, also when the written row cannot be read back on its own connection', {
  timeout: 60_000,
}, async () => {
  const { catalog } = service.context()
  const { take } = catalog
  catalog.take = async (db, changes) => {
    await sleep(7_000)
    return take(db, changes)
  }
  const begun = performance.now()
  const put = await service.admin('PUT', '/tools/slow', { name: 'Slow', tagline: 'late', category: 'writing' })
  const took = performance.now() - begun
  catalog.take = take
  expect([put.status, put.headers.get('x-catalog-pending')]).toEqual([200, 'true'])
  expect(took).toBeGreaterThan(4_900)
  expect(took).toBeLessThan(6_500)
  await expect
    .poll(async () => (await service.rest('/tools/slow')).body?.data?.tagline, { timeout: 10_000 })
    .toBe('late')
  const next = await service.admin('PUT', '/tools/slow', { name: 'Slow', tagline: 'quick', category: 'writing' })
  expect([next.status, next.headers.get('x-catalog-pending')]).toEqual([200, null])
  expect((await service.rest('/tools/slow')).body.data.tagline).toBe('quick')
})

test('a failing write is answered at once, without waiting', async () => {
  const begun = performance.now()
  const refused = await service.admin('PUT', '/tools/none', { name: 'None', category: 'no-such-category' })
  expect([refused.status, refused.headers.get('x-catalog-pending')]).toEqual([400, null])
  expect(performance.now() - begun).toBeLessThan(2_000)
})
