// Link checks at scale: 10,000 submissions with 60 listings each in a PostgreSQL that is given. Measures the choice of the next look, the host's
// turn, storing a look, the operator's pages and the report, and how the schedule spreads.
//   bash tests/with-servers.sh node bench/links.ts
//   bash tests/with-servers.sh node bench/links.ts --submissions 1000
import { parseArgs } from 'node:util'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { listOutcomes } from '../src/features/plan/queries.ts'
import { claimDueLink, linkChecker, storeCheck } from '../src/features/proof/links/check-link.ts'
import { removeOldChecks } from '../src/features/proof/queries.ts'
import { createMissingLinks } from '../src/features/proof/worker.ts'
import { oldestKept } from '../src/features/retention/rules.ts'
import type { Context } from '../src/kernel/context.ts'
import { extend } from '../src/kernel/values/objects.ts'
import { loadDirectories, newWork } from '../tests/harness/proof.ts'
import { startService } from '../tests/harness/service.ts'
import { median, percentile } from './load.ts'

const { values } = parseArgs({
  options: {
    submissions: { type: 'string', default: '10000' },
    rows: { type: 'string', default: '60' },
    looks: { type: 'string', default: '4' },
  },
})
const submissions = Number(values.submissions)
const rows = Number(values.rows)
/** Looks at each listing in the history. */
const looks = Number(values.looks)
const PARTNERS = 50
const DIRECTORIES = 324

const service = await startService({ SEED: 'none' })
// The statements that fill the tables take longer than the service waits for one.
const [{ name }] = await service.sql('select current_database() as name')
const address = new URL(process.env.TEST_DATABASE_URL!)
address.pathname = `/${name}`
const client = new pg.Client(address.href)
await client.connect()
const sql = async (statement: string) => (await client.query(statement)).rows
await loadDirectories(service, DIRECTORIES)
const partners: { id: string; key: string }[] = []
for (let i = 0; i < PARTNERS; i++) partners.push(await service.newPartner({ webhookUrl: 'https://hook.example.com/' }))
const work = await newWork(service, partners[0]!)

async function timed<T>(name: string, count: number, run: (i: number) => Promise<T>): Promise<void> {
  const times: number[] = []
  for (let i = 0; i < count; i++) {
    const began = performance.now()
    await run(i)
    times.push(performance.now() - began)
  }
  console.log(
    `${name}: median ${median(times).toFixed(1)} ms, p99 ${percentile(times, 99).toFixed(1)} ms (${count} times)`,
  )
}

const began = performance.now()
const ids = partners.map(({ id }) => `'${id}'`).join(',')
await sql(`insert into tools select (jsonb_populate_record(t, jsonb_build_object('id', 'tool-' || n, 'slug', 'tool-' || n, 'name', 'Tool ' || n,
  'website', 'https://tool-' || n || '.example.com', 'website_key', 'tool-' || n || '.example.com'))).*
  from tools t cross join generate_series(1, ${submissions}) n where t.id = '${work.tool.id}'`)
await sql(`insert into submissions select (jsonb_populate_record(s, jsonb_build_object('id', 'submission-' || n, 'tool_id', 'tool-' || n,
  'partner_id', (array[${ids}])[1 + n % ${PARTNERS}], 'slug', 'tool-' || n, 'website_key', 'tool-' || n || '.example.com',
  'report_token', lpad(to_hex(n), 32, '0')))).* from submissions s cross join generate_series(1, ${submissions}) n where s.id = '${work.id}'`)
// Recorded over the last year, so that the looks of a month are spread over it as they are in an installation that has grown.
await sql(`insert into submission_rows (submission_id, directory_id, is_submitted, listing_url, submitted_by, submitted_at, created_at, updated_at)
  select 'submission-' || n, d.id, true, 'https://' || d.slug || '.example.org/tool-' || n, 'ADMIN', now(), now(), now()
  from generate_series(1, ${submissions}) n
  cross join lateral (select id, slug from directories where (substring(slug from 3)::int + n) % ${DIRECTORIES} < ${rows}) d`)
await sql(`insert into listing_links (submission_id, directory_id, partner_id, listing_url, host, state, recorded_at, checked_at, first_live_at, lost_at, was_live, next_at)
  select r.submission_id, r.directory_id, s.partner_id, r.listing_url, substring(r.listing_url from 'https://([^/]+)'),
    case when random() < 0.02 then 'blocked' when random() < 0.03 then 'missing' else 'live' end,
    now() - random() * interval '365 days', now() - random() * interval '30 days', now() - interval '1 day',
    case when random() < 0.02 then now() end, true, now() - interval '1 hour' + random() * interval '30 days'
  from submission_rows r join submissions s on s.id = r.submission_id where r.submission_id like 'submission-%'`)
await sql(`insert into link_checks (id, submission_id, directory_id, listing_url, state, checked_at, status)
  select md5(submission_id || directory_id || k), submission_id, directory_id, listing_url, 'live', now() - k * interval '30 days', 200
  from listing_links cross join generate_series(1, ${looks}) k`)
await sql('vacuum analyze')
const [{ links }] = await sql('select count(*)::int as links from listing_links')
console.log(`${links} listings and ${looks} looks each, made in ${((performance.now() - began) / 1000).toFixed(0)} s`)

const ctx = extend(service.context(), { caller: linkChecker }) as Context
const claimed: NonNullable<Awaited<ReturnType<typeof claimDueLink>>>[] = []
await timed('the choice of the next look', 200, async () => {
  const link = await claimDueLink(ctx, 1_000)
  if (link) claimed.push(link)
})
console.log(
  `  ${claimed.length} taken, of ${new Set(claimed.map(({ partnerId }) => partnerId)).size} partners and ${new Set(claimed.map(({ host }) => host)).size} hosts`,
)
await timed('storing a look', claimed.length, (i) =>
  storeCheck(ctx, claimed[i]!, { state: 'live', status: 200, finalUrl: null, rel: '', anchorText: '', noindex: false }),
)
await sql("update listing_links set next_at = now() - interval '1 day'")
await timed('the choice when everything is due', 100, () => claimDueLink(ctx, 1_000))
await sql(
  "insert into link_hosts select distinct host, now() + interval '1 hour' from listing_links on conflict (host) do update set next_at = excluded.next_at",
)
await timed('the choice when everything is due and every host is busy', 50, async () => {
  if (await claimDueLink(ctx, 1_000)) throw new Error('a busy host was asked')
})
const free = "delete from link_hosts where host = 'd-7.example.org'"
await timed('the choice when one host is free', 20, async () => {
  await sql(free)
  if ((await claimDueLink(ctx, 1_000))?.host !== 'd-7.example.org') throw new Error('the free host was not asked')
})
await sql('delete from link_hosts')
await timed('outcomes of a plan, statements compiled (jit = on)', 5, () =>
  listOutcomes(drizzle(client), 'submission-1'),
)
await sql('set jit = off')
await timed('outcomes of a plan', 20, () => listOutcomes(drizzle(client), 'submission-1'))
await timed('GET /submissions/:id/plan', 20, (i) => service.admin('GET', `/submissions/submission-${i + 1}/plan`))
await timed('GET /links', 20, () => service.admin('GET', '/links?limit=50'))
await timed('GET /links?state=gone', 10, () => service.admin('GET', '/links?state=gone&limit=50'))
await timed('GET /links of a partner', 10, () => service.admin('GET', `/links?client=${partners[3]!.id}&limit=50`))
await timed('GET /links?followUp=true', 50, () => service.admin('GET', '/links?followUp=true&limit=50'))
await timed('GET /links?followUp=true, page 100', 20, () =>
  service.admin('GET', '/links?followUp=true&limit=50&page=100'),
)
await timed('GET /submissions/:id/checks', 50, (i) => service.admin('GET', `/submissions/submission-${i + 1}/checks`))
await timed('a report', 50, (i) => service.fetch(`/reports/${(i + 1).toString(16).padStart(32, '0')}`))
await timed('a made-up report', 50, () => service.fetch(`/reports/${'f'.repeat(32)}`))
await timed('GET /metrics', 10, () => service.fetch('/metrics'))
const fold = async () => {
  const batch = removeOldChecks(oldestKept(ctx.kept.linkChecks, ctx.now()))
  while ((await batch(ctx.db, 1_000)) === 1_000);
}
await timed('regular work', 2, async () => {
  await createMissingLinks(ctx, () => false)
  await fold()
})
await sql(`update link_checks set checked_at = checked_at - interval '2 years'`)
await timed('folding all looks (once)', 1, fold)
const [{ left }] = await sql('select count(*)::int as left from link_checks')
console.log(`  ${left} looks are kept of ${links * looks + claimed.length}`)
await client.end()
await service.close()
