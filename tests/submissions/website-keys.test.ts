// The rule for website keys may change with a version. A start renews the keys that were stored with an older rule.
import { beforeAll, expect, test } from 'vitest'
import { renewWebsiteKeys } from '../../src/features/submissions/feature.ts'
import { several, terms, tool } from '../harness/bulk-listings.ts'
import { useService } from '../harness/use.ts'

const service = useService()
beforeAll(() => service.load([...terms('Bulk'), ...several(0, 2_000, (i) => tool(i))]))

const keys = async () =>
  new Map((await service.sql('select slug, website_key from tools')).map((row) => [row.slug, row.website_key]))

test('keys of an older rule are renewed in every part of the table, and only those are written', async () => {
  const before = await keys()
  await service.sql(`update tools set website_key = 'www.' || website_key || '/index.html' where slug like '%7'`)
  expect(await keys()).not.toEqual(before)
  expect(await renewWebsiteKeys(service.context().db)).toBe(200)
  expect(await keys()).toEqual(before)
  expect(await renewWebsiteKeys(service.context().db)).toBe(0)
})
