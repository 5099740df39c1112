// What recording and removing addresses does to links and plans, and which link is looked at next.
import { beforeAll, expect, test } from 'vitest'
import { claimDueLink, claimLink, linkChecker, storeCheck } from '../../src/features/proof/links/check-link.ts'
import { syncLink } from '../../src/features/submissions/bench/link.queries.ts'
import type { LinkState } from '../../src/features/submissions/bench/link.rules.ts'
import type { Context } from '../../src/kernel/context.ts'
import { extend } from '../../src/kernel/values/objects.ts'
import { loadDirectories, newWork, record } from '../harness/proof.ts'
import { useService } from '../harness/use.ts'

let partner: { id: string; key: string }
const service = useService()
beforeAll(async () => {
  await loadDirectories(service, 4)
  partner = await service.newPartner()
})

const context = () => extend(service.context(), { caller: linkChecker }) as Context
const reasonsOf = async (id: string, slug: string): Promise<string[]> => {
  const { data } = (await service.admin('GET', `/submissions/${id}/plan?count=100`)).body
  return data.chosen.find((one: { slug: string }) => one.slug === slug).reasons
}

test('an address that was listed before another was recorded does not replace it', async () => {
  const work = await newWork(service, partner)
  await record(service, work.id, 'd-0', 'https://d-0.example.org/new')
  const [{ directory_id: directoryId }] = await service.sql(
    `select directory_id from listing_links where submission_id = '${work.id}'`,
  )
  for (const listingUrl of ['https://d-0.example.org/old', 'http://[', null]) {
    const ctx = context()
    await ctx.transaction((ctx) => syncLink(ctx.db, { submissionId: work.id, directoryId, listingUrl }, ctx.now()))
  }
  expect(await service.sql(`select listing_url from listing_links where submission_id = '${work.id}'`)).toEqual([
    { listing_url: 'https://d-0.example.org/new' },
  ])
})

test('a plan remembers a loss when the address is removed, and forgets it with a new address', async () => {
  const [lost, later] = [await newWork(service, partner), await newWork(service, partner)]
  await record(service, lost.id, 'd-1', 'https://d-1.example.org/acme')
  expect(await reasonsOf(later.id, 'd-1')).toContain('listed 1 of 1 earlier product')
  const looked = async (state: LinkState) => {
    const ctx = context()
    const [{ directory_id: id }] = await service.sql(
      `select directory_id from listing_links where submission_id = '${lost.id}'`,
    )
    const claimed = await claimLink(ctx, lost.id, id)
    await storeCheck(ctx, claimed!, { state, status: 200, finalUrl: null, rel: null, anchorText: null, noindex: null })
    await service.sql(
      `update listing_links set missing_since = missing_since - interval '1 day' where submission_id = '${lost.id}'`,
    )
  }
  for (const state of ['live', 'missing', 'missing'] as const) await looked(state)
  expect(await reasonsOf(later.id, 'd-1')).toContain('lost the listing of 1 of 1 earlier product')
  await looked('live')
  expect(await reasonsOf(later.id, 'd-1')).toContain('listed 1 of 1 earlier product')
  for (const state of ['missing', 'missing'] as const) await looked(state)
  await record(service, lost.id, 'd-1', 'https://d-1.example.org/acme')
  expect(await reasonsOf(later.id, 'd-1')).toContain('lost the listing of 1 of 1 earlier product')
  await record(service, lost.id, 'd-1', null)
  await record(service, lost.id, 'd-1', null)
  expect(await reasonsOf(later.id, 'd-1')).toContain('lost the listing of 1 of 1 earlier product')
  await record(service, lost.id, 'd-1', 'https://d-1.example.org/again')
  expect(await reasonsOf(later.id, 'd-1')).toContain('listed 1 of 1 earlier product')
  await record(service, lost.id, 'd-1', null)
  expect(await reasonsOf(later.id, 'd-1')).not.toContain('lost the listing of 1 of 1 earlier product')
})

test('directories on record stay in the plan, also when they are more than was asked for', async () => {
  const work = await newWork(service, partner)
  for (const slug of ['d-1', 'd-2', 'd-3']) await record(service, work.id, slug, null)
  const { data } = (await service.admin('GET', `/submissions/${work.id}/plan?count=1`)).body
  expect(data.chosen.map(({ slug }: { slug: string }) => slug).sort()).toEqual(['d-1', 'd-2', 'd-3'])
  expect([data.count, data.shortBy]).toEqual([1, 0])
})

test('a link whose host is free is found behind many older ones whose host is busy', async () => {
  const work = await newWork(service, partner)
  await record(service, work.id, 'd-2', 'https://free.example.org/acme')
  await service.sql(`delete from listing_links where submission_id <> '${work.id}'`)
  await service.sql(`insert into directories select (jsonb_populate_record(d, jsonb_build_object('id', 'busy-' || n, 'slug', 'busy-' || n))).*
    from directories d cross join generate_series(1, 250) n where d.slug = 'd-3'`)
  await service.sql(`insert into submission_rows (submission_id, directory_id, is_submitted, listing_url, submitted_by, created_at, updated_at)
    select '${work.id}', 'busy-' || n, true, 'https://busy.example.org/' || n, 'ADMIN', now(), now() from generate_series(1, 250) n`)
  await service.sql(`insert into listing_links (submission_id, directory_id, partner_id, listing_url, host, recorded_at, next_at)
    select '${work.id}', 'busy-' || n, '${partner.id}', 'https://busy.example.org/' || n, 'busy.example.org', now(), now() - interval '1 day'
    from generate_series(1, 250) n`)
  await service.sql("insert into link_hosts values ('busy.example.org', now() + interval '1 hour')")
  expect((await claimDueLink(context(), 5))?.host).toBe('free.example.org')
  expect(await claimDueLink(context(), 5)).toBeUndefined()
  await service.sql("delete from link_hosts where host = 'busy.example.org'")
  expect(await claimDueLink(context(), 1)).toBeUndefined()
  expect((await claimDueLink(context(), 5))?.host).toBe('busy.example.org')
})
