// One row must never stop the others: neither a listing that a partner made to break background work, nor a row that is broken in the
// database itself.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signedUpAdmin } from '../harness/browser.ts'
import { catalog } from '../harness/command.ts'
import { until } from '../harness/process.ts'
import { type ProductSite, productSite } from '../harness/product-site.ts'
import { ADMIN_TOKEN, createDatabase, startService, type TestService } from '../harness/service.ts'
import { newTool, SUBMISSION_CATALOG, submit } from '../harness/submissions.ts'

const POISON = '?","answer":"t@c.de'

let site: ProductSite
let service: TestService
let database: Awaited<ReturnType<typeof createDatabase>> | null
let environment: Record<string, string>
beforeAll(async () => {
  site = await productSite({ '/': '<h1>Nothing to be found here</h1>' })
  database = process.env.TEST_DATABASE_URL ? await createDatabase(process.env.TEST_DATABASE_URL) : null
  environment = {
    DATA_DIR: mkdtempSync(join(tmpdir(), 'catalog-poisoned-')),
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    ENRICHMENT_RETRY_SECONDS: '1',
    ...(database ? { DATABASE_URL: database.url } : {}),
  }
  service = await startService(environment)
  await service.load(SUBMISSION_CATALOG)
})
afterAll(async () => {
  await service.close()
  await site.close()
  await database?.drop()
  rmSync(environment.DATA_DIR!, { recursive: true, force: true })
})

const enriched = (toolId: string) =>
  until(async () => {
    const rows = (await service.admin<'list_enrichments'>('GET', '/enrichments')).body.data
    return rows.find((row) => row.toolId === toolId)?.state !== 'pending'
  }, 20_000)

const isPublic = async (slug: string) => (await service.rest(`/tools/${slug}`)).status === 200

/** What a single row could stop: take-downs, lists, and the next start. */
async function everythingGoesOn(): Promise<void> {
  const { key } = await service.newPartner()
  const victim = (await submit(service, key, newTool())).body.data.slug
  await until(() => isPublic(victim), 2_000)
  expect((await service.admin('PATCH', `/tools/${victim}`, { published: false })).status).toBe(200)
  await until(async () => !(await isPublic(victim)), 2_000)
  for (const path of ['/tools', '/directories', '/enrichments', '/submissions', '/audit'])
    expect([path, (await service.admin('GET', path)).status]).toEqual([path, 200])
  expect((await service.admin('GET', '/export')).status).toBe(200)
  await service.close()
  service = await startService(environment)
  expect((await service.fetch('/readyz')).status).toBe(200)
}

test('an e-mail address that is a piece of JSON is refused, and other work goes on', async () => {
  const { key } = await service.newPartner()
  const body = newTool({ founderEmail: POISON, tagline: 't@c.de', website: `${site.url}/` })
  const reply = await submit(service, key, body)
  if (reply.status === 201) await enriched(reply.body.data.id)
  await everythingGoesOn()
  expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining('founderEmail')])
})

test('when a stored listing has such a URL, enrichment still writes valid rows', async () => {
  await service.admin('PUT', '/tools/poisoned', { name: 'Poisoned', tagline: 't@c.de', website: `${site.url}/` })
  await service.sql(`update tools set founder_email = '${POISON}' where slug = 'poisoned'`)
  const { toolId } = (await service.admin('POST', '/enrichments/poisoned/retry')).body.data
  await enriched(toolId)
  const { faqs, features } = (await service.admin('GET', '/tools/poisoned')).body.data
  expect(faqs.map((item: object) => Object.keys(item))).toEqual(faqs.map(() => ['question', 'answer']))
  expect(faqs[0].answer).toContain('t@c.de')
  expect(features).toEqual({})
  await everythingGoesOn()
})

describe('a row that is broken in the database', () => {
  const logged = (name: string) =>
    service.logged.filter((line) => line.message === 'a row is broken and is left out' && line.name === name)
  const metric = async (kind: string) =>
    Number(
      new RegExp(`^catalog_broken_rows\\{kind="${kind}"\\} (\\d+)$`, 'm').exec(
        (await service.fetch('/metrics')).text,
      )?.[1],
    )
  /** Changes the row directly in the database, then announces it as its writer would. */
  async function breakRow(table: string, topic: string, slug: string, set: string): Promise<void> {
    const [{ id }] = await service.sql(
      `update ${table} set ${set} where slug = '${slug}' returning ${topic === 'tags' ? 'slug' : 'id'} as id`,
    )
    await service.sql(`select pg_notify('catalog', '${JSON.stringify({ topic, ids: [id] })}')`)
    await new Promise((resolve) => setTimeout(resolve, 200))
    await service.settled()
  }

  const WAYS: [string, string, string][] = [
    ['a question without an answer', `faqs = '[{"question":"Q?"}]'`, 'faqs.0.answer is missing.'],
    ['features that are a list of null', `features = '[null]'`, 'features is not an object.'],
    ['a number that is NaN', `rating = 'NaN'`, 'rating is not a number.'],
    ['an infinite price', `asking_price = 'Infinity'`, 'askingPrice is not a number.'],
    ['an infinite time', `created_at = 'infinity'`, 'createdAt is not a time.'],
    ['a time before the calendar', `updated_at = '0044-03-15 BC'`, 'updatedAt is not a time.'],
    ['an unknown pricing', `pricing = 'CHEAP'`, 'pricing must be one of FREE, FREEMIUM, PAID.'],
    ['null among the tags', `tags = array['api', null]`, 'tags.1 is missing.'],
    ['half a surrogate pair', `socials = '{"x":"\\ud800"}'`, 'socials.x is not valid text.'],
    ['an invalid slug', `slug = 'Way 9'`, 'slug must be lower-case letters'],
  ]

  test.each(WAYS.map((way, i) => [...way, i] as const))(
    '%s: left out, shown with the reason, and repaired, hidden or deleted',
    async (_case, set, reason, i) => {
      const slug = `way-${i}`
      const now = set.startsWith('slug') ? 'Way 9' : slug
      const at = `/tools/${encodeURIComponent(now)}`
      await service.admin('PUT', `/tools/${slug}`, { name: slug, tags: ['api'], tagline: 'Stays' })
      expect(await isPublic(slug)).toBe(true)
      const before = await metric('tool')
      await breakRow('tools', 'tools', slug, set)

      // Readers miss this row and no other.
      expect(await isPublic(slug)).toBe(false)
      expect((await service.rest('/tools?limit=100')).status).toBe(200)
      expect(logged(now)).toHaveLength(1)
      expect(await metric('tool')).toBe(before + 1)

      // Operators see the row as far as it can be read.
      const { data: listed } = (await service.admin('GET', '/tools')).body
      expect(listed.find((row: { slug: string }) => row.slug === now)).toMatchObject({
        tagline: 'Stays',
        broken: expect.stringContaining(reason),
      })
      expect((await service.admin('GET', at)).body.data.broken).toContain(reason)
      const { data: all } = (await service.admin('GET', '/broken-rows')).body
      expect(all).toContainEqual(expect.objectContaining({ kind: 'tool', name: now }))
      const { data: overview } = (await service.admin('GET', '/overview')).body
      expect(overview.brokenRows).toBe(all.length)
      const exported = (await service.admin('GET', '/export')).text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(exported.find((line) => line.slug === now)).toMatchObject({
        tagline: 'Stays',
        published: false,
        broken: expect.stringContaining(reason),
      })

      // A new change of the same row is logged again; another load of all rows is not.
      await service.sql(`select pg_notify('catalog', '{"topic":"tools"}')`)
      await new Promise((resolve) => setTimeout(resolve, 200))
      await service.settled()
      expect(logged(now)).toHaveLength(1)

      const hidden = await service.admin('PATCH', at, { published: false })
      expect([hidden.status, hidden.body.data.published]).toEqual([200, false])
      expect(await metric('tool')).toBe(before)
      if (now === slug) {
        const put = await service.admin('PUT', at, { name: slug, tagline: 'Repaired' })
        expect([put.status, put.body.data.broken]).toEqual([200, undefined])
        expect((await service.rest(`/tools/${slug}`)).body.data.tagline).toBe('Repaired')
      }
      expect((await service.admin('DELETE', at)).status).toBe(200)
    },
  )

  test('in the console it has a mark, a form that saves, and a way to hide and delete it', async () => {
    const admin = await signedUpAdmin(service)
    await service.admin('PUT', '/tools/by-hand', { name: 'By hand', tagline: 'Stays' })
    await breakRow('tools', 'tools', 'by-hand', `faqs = '7', created_at = 'infinity', updated_at = 'infinity'`)
    for (const path of ['/admin', '/admin/broken-rows', '/admin/tools', '/admin/tools/by-hand']) {
      const page = await admin.open(path)
      expect([path, page.status]).toEqual([path, 200])
      expect(page.text).toMatch(/faqs is not a list\./)
    }
    const preview = await admin.open('/admin/tools/by-hand/preview')
    expect([preview.status, preview.text.includes('Readers do not see it')]).toEqual([200, true])
    const hide = await admin.submit('/admin/tools/by-hand', '/admin/tools/by-hand/change', { published: 'false' })
    expect(hide.status).toBe(303)
    const saved = await admin.submit('/admin/tools/by-hand', '/admin/tools/by-hand', {
      name: 'By hand',
      tagline: 'Repaired',
      published: 'true',
      do: 'save',
    })
    expect(saved.status).toBe(303)
    expect((await service.rest('/tools/by-hand')).body.data).toMatchObject({ tagline: 'Repaired', faqs: [] })
    const gone = await admin.submit('/admin/tools/by-hand/delete', '/admin/tools/by-hand/delete')
    expect([gone.status, gone.headers.get('location')]).toEqual([303, '/admin/tools'])
  })

  test('on the command line it is listed, hidden, written anew and deleted', { tags: ['long'] }, async () => {
    const run = async (...args: string[]) => {
      const said = await catalog(args, { CATALOG_URL: service.origin, ADMIN_TOKEN })
      expect([args, said.status, said.err]).toEqual([args, 0, ''])
      return said.out
    }
    await service.admin('PUT', '/tools/by-command', { name: 'By command', tagline: 'Stays' })
    await breakRow('tools', 'tools', 'by-command', `features = '7'`)
    expect(await run('broken', 'list')).toMatch(/tool +by-command +features is not an object\./)
    expect(await run('tools', 'list')).toContain('by-command')
    expect(JSON.parse(await run('tools', 'get', 'by-command')).broken).toBe('features is not an object.')
    await run('tools', 'change', 'by-command', '--no-published')
    const file = join(environment.DATA_DIR!, 'by-command.json')
    writeFileSync(file, await run('tools', 'get', 'by-command'))
    await run('tools', 'put', 'by-command', '--file', file)
    expect((await service.admin('GET', '/tools/by-command')).body.data).toMatchObject({
      tagline: 'Stays',
      features: {},
    })
    expect((await service.admin('GET', '/tools/by-command')).body.data.broken).toBeUndefined()
    await run('tools', 'delete', 'by-command', '--yes')
  })

  test('a broken category or tag is left out like a listing, and listings with an adult one stay adult', async () => {
    await service.admin('PUT', '/tags/red', { name: 'Red', adult: true })
    await service.admin('PUT', '/tools/red-one', { name: 'Red one', tags: ['red'] })
    const isListed = async () =>
      (await service.rest('/tools?limit=100')).body.data.some(({ slug }: { slug: string }) => slug === 'red-one')
    expect(await isListed()).toBe(false)
    await breakRow('tags', 'tags', 'red', `name = repeat('x', 3000000)`)
    expect((await service.rest('/tags')).body.data.map(({ slug }: { slug: string }) => slug)).not.toContain('red')
    expect(await isListed()).toBe(false)
    expect((await service.admin('GET', '/tags/red')).body.data.broken).toContain('larger than')
    expect((await service.admin('PUT', '/tags/red', { name: 'Red', adult: true })).body.data.broken).toBeUndefined()
    expect((await service.rest('/tags')).body.data.map(({ slug }: { slug: string }) => slug)).toContain('red')
    await service.admin('DELETE', '/tools/red-one')
    expect((await service.admin('DELETE', '/tags/red')).status).toBe(200)
  })

  test('a key whose row is broken opens nothing, and all other keys work', async () => {
    const [good, bad] = [await service.newKey(), await service.newKey()]
    await service.sql(`update keys set plan = 'unlimited' where id = '${bad.id}'`)
    await service.sql(`select pg_notify('catalog', '{"topic":"keys","ids":["${bad.id}"]}')`)
    await until(async () => (await service.rest('/tags', { key: bad.key })).status === 401, 2_000)
    expect((await service.rest('/tags', { key: good.key })).status).toBe(200)
    expect(await metric('key')).toBe(1)
    const { data } = (await service.admin('GET', '/keys?limit=1000')).body
    expect(data.find(({ id }: { id: string }) => id === bad.id).broken).toContain('plan must be one of')
    expect((await service.admin('DELETE', `/keys/${bad.id}`)).status).toBe(200)
    expect(await metric('key')).toBe(0)
  })

  test('a restart skips broken rows', async () => {
    await service.admin('PUT', '/tools/stays-broken', { name: 'Stays broken' })
    await service.sql(`update tools set faqs = '[{"question":"Q?"}]' where slug = 'stays-broken'`)
    await everythingGoesOn()
    expect(await metric('tool')).toBe(1)
    expect(logged('stays-broken')).toHaveLength(1)
  })
})

test('after a statement fails, later announcements of changes are still applied', async () => {
  await service.admin('PUT', '/tools/opened', { name: 'Opened' })
  await expect(service.sql('select 1 / 0')).rejects.toThrow()
  await service.sql(`update tools set opens = 41 where slug = 'opened'`)
  const [{ id }] = await service.sql(`select id from tools where slug = 'opened'`)
  await service.sql(`select pg_notify('catalog', '{"topic":"opens","ids":["${id}"]}')`)
  await until(async () => (await service.rest('/tools/opened')).body.data.opens === 41, 2_000)
})

test('an announcement that cannot be read means that anything may have changed', async () => {
  await service.sql(`update tools set opens = 42 where slug = 'opened'`)
  await service.sql(`select pg_notify('catalog', 'no JSON')`)
  await until(async () => (await service.rest('/tools/opened')).body.data.opens === 42, 2_000)
})
