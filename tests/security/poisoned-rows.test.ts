// One row must never stop the others: neither a listing that a partner made so that the work in the background breaks it, nor a row
// that was broken in the database itself.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../support/process.ts'
import { type ProductSite, productSite } from '../support/product-site.ts'
import { createDatabase, startService, type TestService } from '../support/service.ts'
import { newTool, SHELVES, submit } from '../support/submissions.ts'

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
  await service.load(SHELVES)
})
afterAll(async () => {
  await service.close()
  await site.close()
  await database?.drop()
  rmSync(environment.DATA_DIR!, { recursive: true, force: true })
})

const enriched = (toolId: string) =>
  until(async () => {
    const rows = (await service.admin('GET', '/enrichments')).body.data as { toolId: string; state: string }[]
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

test('an address made to be taken for JSON, beside a tagline that is a part of it: nothing stops', async () => {
  const { key } = await service.newPartner()
  const body = newTool({ founderEmail: POISON, tagline: 't@c.de', website: `${site.url}/` })
  const reply = await submit(service, key, body)
  if (reply.status === 201) await enriched(reply.body.data.id)
  await everythingGoesOn()
  expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining('founderEmail')])
})
