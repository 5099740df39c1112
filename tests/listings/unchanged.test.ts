// What was read and is sent back is no change: not of a listing, not of a term, not of a whole catalog, whichever database stores it.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ENTRY_KINDS } from '../../src/features/listings/entries/entry-kinds.ts'
import { bodies } from '../../src/features/listings/schema.ts'
import { validValue } from '../harness/fuzz/values.ts'
import { propertyRuns } from '../harness/property-runs.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

const service = useService()

const send = async (body: string) => {
  const reply = await service.fetch('/api/admin/import?skipInvalid=true', {
    method: 'POST',
    key: ADMIN_TOKEN,
    type: 'application/x-ndjson',
    body,
  })
  await service.settled()
  return reply.body.data
}
const exported = async () => (await service.admin('GET', '/export')).text
const revisions = async () =>
  service.sql(`select slug, version, updated_at::text, created_at::text from tools union all
    select slug, version, updated_at::text, created_at::text from directories order by 1, 2, 3`)

const terms = { category: ['one', 'two'], tag: ['red', 'green', 'blue'], directoryCategory: ['here', 'there'] }
const some = (slugs: readonly string[]) => fc.uniqueArray(fc.constantFrom(...slugs))
const address = fc.nat(100_000).map((number) => `https://product-${number}.example.com/page?n=${number}`)
/** Fields whose values a schema alone does not describe. */
const FIELDS: Record<string, fc.Arbitrary<unknown>> = {
  category: fc.option(fc.constantFrom(...terms.category)),
  tags: some(terms.tag),
  categories: some(terms.directoryCategory),
  website: fc.oneof(address, fc.constant('')),
  screenshots: fc.array(address, { maxLength: 3 }),
  socials: fc.dictionary(fc.constantFrom('x', 'github', '2', '1', '__proto__'), address),
  languages: some(['en', 'pt-BR', 'de']),
  createdAt: fc
    .date({ noInvalidDate: true, min: new Date('1970-01-02'), max: new Date('2026-01-01') })
    .map((date) => date.toISOString()),
}

const line = (kind: keyof typeof bodies, slug: string) => {
  const fields = Object.fromEntries(
    Object.entries(bodies[kind].properties).map(([name, schema]) => [name, FIELDS[name] ?? validValue(schema, name)]),
  )
  return fc.record(fields, { requiredKeys: ['name'] }).map((body) => ({ kind, slug, ...body }))
}
/** Two listings of each kind whose fields are random, and every term with random fields. */
const catalog = fc
  .tuple(
    ...Object.entries(terms).flatMap(([kind, slugs]) => slugs.map((slug) => line(kind as keyof typeof bodies, slug))),
    ...[1, 2].flatMap((n) => [line('tool', `tool-${n}`), line('directory', `directory-${n}`)]),
  )
  .map((lines) => lines.map((one) => JSON.stringify(one)).join('\n'))

test('an import of the export changes nothing, whatever the catalog', { timeout: 120_000 }, async () => {
  let listings = 0
  await fc.assert(
    fc.asyncProperty(catalog, async (lines) => {
      await send(lines)
      const text = await exported()
      const before = await revisions()
      listings += before.length
      expect(await send(text)).toMatchObject({ created: 0, replaced: 0, rejectedCount: 0 })
      expect(await exported()).toBe(text)
      expect(await revisions()).toEqual(before)
    }),
    { numRuns: propertyRuns(40), endOnFailure: true },
  )
  expect(listings).toBeGreaterThan(20)
})

describe.each(ENTRY_KINDS)('a PUT of what GET gives', ({ kind, path }) => {
  test(`changes no ${kind}`, { timeout: 120_000 }, async () => {
    for (const slug of ['one', 'two']) await service.admin('PUT', `/categories/${slug}`, { name: slug })
    for (const slug of terms.tag) await service.admin('PUT', `/tags/${slug}`, { name: slug })
    for (const slug of terms.directoryCategory)
      await service.admin('PUT', `/directory-categories/${slug}`, { name: slug })
    await fc.assert(
      fc.asyncProperty(line(kind, `put-${kind.toLowerCase()}`), async ({ kind: _, slug, ...body }) => {
        // A new one each time: only then the service chooses what the body leaves open.
        await service.admin('DELETE', `${path}/${slug}`)
        const put = await service.admin('PUT', `${path}/${slug}`, body)
        // Some of the texts are refused; others are made for them.
        fc.pre(put.status === 200)
        const { data } = (await service.admin('GET', `${path}/${slug}`)).body
        const again = await service.admin('PUT', `${path}/${slug}`, data)
        expect(again.status).toBe(200)
        expect((await service.admin('GET', `${path}/${slug}`)).body.data).toEqual(data)
        expect(again.body.data.version).toBe(put.body.data.version)
      }),
      { numRuns: propertyRuns(16), endOnFailure: true },
    )
  })
})

test('a time that an older version stored more finely is the same time', async () => {
  for (const [path, table] of [
    ['/tools', 'tools'],
    ['/directories', 'directories'],
  ]) {
    await service.admin('PUT', `${path}/fine`, { name: 'Fine' })
    await service.sql(`update ${table} set created_at = '2026-03-01T09:30:00.123999Z' where slug = 'fine'`)
    const { data } = (await service.admin('GET', `${path}/fine`)).body
    expect(data.createdAt).toBe('2026-03-01T09:30:00.123Z')
    expect((await service.admin('PUT', `${path}/fine`, data)).body.data.version).toBe(data.version)
    expect((await send(await exported())).replaced).toBe(0)
    // What is written for another reason has the resolution of all times.
    await service.admin('PUT', `${path}/fine`, { ...data, name: 'Finer' })
    const [stored] = await service.sql(
      `select created_at = '2026-03-01T09:30:00.123Z' as same from ${table} where slug = 'fine'`,
    )
    expect(stored.same).toBe(true)
  }
})

test('blank features and use cases of a directory, which 1.1 stored, are left out', async () => {
  const body = { name: 'Blanks', features: ['', 'Newsletter', ' '], useCases: [' '] }
  expect((await service.admin('PUT', '/directories/blanks', body)).status).toBe(200)
  expect((await service.admin('GET', '/directories/blanks')).body.data).toMatchObject({
    features: ['Newsletter'],
    useCases: [],
  })
})
