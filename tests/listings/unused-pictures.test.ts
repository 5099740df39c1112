// Stored pictures that nothing names are removed after a week; every other one stays.
// @module-tag slow
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { upsertCopy } from '../../src/features/listings/pictures/pictures.queries.ts'
import { copyKey } from '../../src/features/listings/pictures/pictures.rules.ts'
import { createPictureHosts, mirrorListing } from '../../src/features/pictures/mirror.ts'
import { PLACES } from '../../src/features/pictures/names-in-rows.queries.ts'
import { claimWork } from '../../src/features/pictures/queries.ts'
import { removeUnused } from '../../src/features/pictures/unused.jobs.ts'
import type { Context } from '../../src/kernel/context.ts'
import type { PictureStore } from '../../src/kernel/interfaces/picture-store.ts'
import { extend } from '../../src/kernel/values/objects.ts'
import { picture } from '../harness/product-site.ts'
import { columnsOf } from '../harness/security/canaries.ts'
import { CLASSES } from '../harness/security/columns.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { queue, SUBMISSION_CATALOG, submitted } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

const service = useService()

const DAY_MS = 24 * 3600_000
const file = (name: string) => join(service.dataDir, 'media', name)
let serial = 0

/** Stores a picture that no row names, so many days ago. */
function stored(daysAgo: number, type = 'webp'): { name: string; url: string } {
  const name = `${String(++serial).padStart(40, '0')}.${type}`
  mkdirSync(join(service.dataDir, 'media'), { recursive: true })
  writeFileSync(file(name), name)
  const then = new Date(Date.now() - daysAgo * DAY_MS)
  utimesSync(file(name), then, then)
  return { name, url: `${service.origin}/media/${name}` }
}

test('a folder without pictures is nothing to do', async () => {
  expect(await removeUnused(service.context())).toBe(0)
})

test('removes old pictures that nothing names, and keeps new ones and those that are named anywhere', async () => {
  await service.load(SUBMISSION_CATALOG)
  const [unused, fresh] = [stored(8), stored(6)]
  const kept = Array.from({ length: 8 }, () => stored(30))
  const [icon, frame, shot, directory, proof, logo, text, earlier] = kept.map(({ url }) => url)
  await service.load([
    { kind: 'tool', slug: 'acme', name: 'Acme', icon, frame, screenshots: [shot], published: false },
    { kind: 'directory', slug: 'named', name: 'Named', icon: directory },
    { kind: 'tool', slug: 'moved', name: 'Moved', icon: earlier!.replace(service.origin, 'https://earlier.example') },
  ])
  const { key } = await service.newPartner()
  const { id: toolId } = await submitted(service, key, { paymentType: 'starter' })
  const [{ id }] = (await queue(service)).filter((item) => item.toolId === toolId) as [{ id: string }]
  const record = { isSubmitted: true, proofUrl: proof }
  expect((await service.admin('PUT', `/submissions/${id}/directories/peak`, record)).status).toBe(200)
  const about = { logo, texts: { about: `![us](${text})` } }
  expect((await service.admin('PUT', '/site', about)).status).toBe(200)

  expect(await removeUnused(service.context())).toBe(1)
  expect(existsSync(file(unused.name))).toBe(false)
  for (const { name } of [fresh, ...kept]) expect([name, existsSync(file(name))]).toEqual([name, true])

  expect((await service.admin('DELETE', '/tools/acme')).status).toBe(200)
  expect(await removeUnused(service.context())).toBe(3)
  expect((await fetch(icon!)).status).toBe(404)
})

test('a picture that is uploaded again counts as new', async () => {
  const bytes = await picture(40, 30, '#123456')
  const upload = async (): Promise<string> => {
    const response = await fetch(`${service.origin}/api/admin/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'image/png' },
      body: new Uint8Array(bytes),
    })
    return ((await response.json()) as any).data.url
  }
  const name = (await upload()).split('/').at(-1)!
  const old = new Date(Date.now() - 30 * DAY_MS)
  utimesSync(file(name), old, old)
  await upload()
  expect(await removeUnused(service.context())).toBe(0)
  utimesSync(file(name), old, old)
  expect(await removeUnused(service.context())).toBe(1)
})

describe('a picture that is reused while it is being removed', () => {
  const address = 'https://elsewhere.example/logo.png'
  const copyOfIcon = { use: 'icon' as const, address }

  /** An old picture that nothing names, and that is the copy of the address. */
  async function oldCopy(): Promise<string> {
    await service.sql("delete from tools where slug like 'reuse-%'")
    const { name } = stored(30)
    await upsertCopy(service.context().db, copyKey(copyOfIcon), name, address, new Date())
    return name
  }
  const iconOf = async (slug: string) => (await service.admin('GET', `/tools/${slug}`)).body.data.icon
  const line = (slug: string) => ({ kind: 'tool', slug, name: slug, icon: address })
  const contextWith = (pictureStore: Partial<PictureStore>): Context => {
    const ctx = service.context()
    return extend(ctx, { pictureStore: { ...ctx.pictureStore, ...pictureStore } }) as Context
  }

  test('stays when an import names it after the tables were read', async () => {
    const name = await oldCopy()
    const ctx = service.context()
    let isFirst = true
    const importing = contextWith({
      storedAt: async (asked) => {
        if (asked === name && isFirst) {
          isFirst = false
          await service.load([line('reuse-one')])
        }
        return ctx.pictureStore.storedAt(asked)
      },
    })
    await removeUnused(importing)
    expect(await iconOf('reuse-one')).toBe(`${service.origin}/media/${name}`)
    expect(existsSync(file(name))).toBe(true)
  })

  test('stays when the transaction of an import has looked it up and is not committed', async () => {
    const name = await oldCopy()
    await service.load([{ kind: 'tool', slug: 'reuse-held', name: 'Held' }])
    const release = await held("select 1 from tools where slug = 'reuse-held' for update")
    const imported = service.load([line('reuse-two'), { kind: 'tool', slug: 'reuse-held', name: 'Changed' }])
    await sleep(700)
    const removed = removeUnused(service.context())
    await sleep(700)
    await release()
    await Promise.all([imported, removed])
    const icon = await iconOf('reuse-two')
    // The embedded database has one connection: there the removal may have come first, and the import has the given address.
    expect([address, `${service.origin}/media/${name}`]).toContain(icon)
    if (process.env.TEST_DATABASE_URL) expect(icon).not.toBe(address)
    expect(existsSync(file(name))).toBe(icon !== address)
  })

  test('is not named by the copying job after it was removed', async () => {
    const name = await oldCopy()
    await service.load([line('reuse-three')])
    const [{ id }] = await service.sql("select id from tools where slug = 'reuse-three'")
    await service.sql(`update tools set icon = '${address}' where id = '${id}'`)
    await service.sql(`insert into picture_work (kind, listing_id, host, hash, state, attempts, due_at, parts, updated_at)
      values ('tool', '${id}', 'elsewhere.example', '', 'waiting', 0, now(), '[]', now())`)
    const ctx = service.context()
    const copying = contextWith({
      has: async (asked) => {
        const has = await ctx.pictureStore.has(asked)
        await removeUnused(ctx)
        return has
      },
    })
    const claim = (await claimWork(ctx.db))!
    await mirrorListing(copying, claim, {
      hosts: createPictureHosts(),
      signal: new AbortController().signal,
      retrySeconds: 1,
      asksSites: false,
    })
    expect(existsSync(file(name))).toBe(false)
    expect(await iconOf('reuse-three')).toBe(address)
    const [work] = await service.sql(`select state, parts from picture_work where listing_id = '${id}'`)
    expect(work).toMatchObject({ state: 'waiting', parts: [{ part: 'icon', outcome: 'unreachable' }] })
  })
})

/** Keeps the rows locked by a second connection, which only PostgreSQL has, until the result is called. */
async function held(statement: string): Promise<() => Promise<unknown>> {
  if (!process.env.TEST_DATABASE_URL) return async () => {}
  const [{ name }] = await service.sql('select current_database() as name')
  const url = new URL(process.env.TEST_DATABASE_URL)
  url.pathname = `/${name}`
  const client = new pg.Client(url.href)
  await client.connect()
  await client.query('begin')
  await client.query(statement)
  return () => client.query('commit').then(() => client.end())
}

/** Columns of texts that name no picture which must stay; `*`: all of the table. */
const NAMES_NONE: Readonly<Record<string, string>> = {
  // What once was, and is not shown again.
  audit: '*',
  changes: '*',
  idempotent_answers: '*',
  link_checks: '*',
  directory_searches: '*',
  mails: '*',
  webhook_deliveries: '*',
  partner_events: '*',
  withdrawals: '*',
  catalog_marks: '*',
  catalog_feed: '*',
  // About pictures on other hosts, or the memory of copies, which must not keep a file.
  enrichments: '*',
  picture_copies: '*',
  picture_work: '*',
  // Names, keys, hashes, tokens, and addresses of other sites.
  billing_customers: '*',
  claims: '*',
  billing_events: '*',
  billing_subscriptions: '*',
  credentials: '*',
  directory_categories: '*',
  directory_embeddings: '*',
  key_calls: '*',
  key_outcomes: '*',
  key_settings: '*',
  key_usage: '*',
  keys: '*',
  link_hosts: '*',
  listing_health: '*',
  visitor_reports: '*',
  listing_links: '*',
  model_calls: '*',
  oauth_clients: '*',
  oauth_codes: '*',
  oauth_grants: '*',
  oauth_tokens: '*',
  oauth_usage: '*',
  orders: '*',
  partners: '*',
  queue_views: '*',
  refused_websites: '*',
  robots_files: '*',
  saved_items: '*',
  search_opening_callers: '*',
  search_openings: '*',
  sessions: '*',
  sign_in_links: '*',
  support_conversations: '*',
  support_knowledge_versions: '*',
  tags: '*',
  tool_days: '*',
  tool_embeddings: '*',
  unfound_questions: '*',
  users: '*',
  verifications: '*',
  visits: '*',
  // Texts and addresses beside the pictures of the same table.
  tools:
    'slug name tagline description website website_key category rating founder_name founder_email search_words location asking_price discount_code affiliate_link video socials faqs features tags',
  directories:
    'slug name website submission_link search_link automation_quote submission_experience type small_description full_description minimum_price features use_cases faq deal socials categories',
  categories: 'slug name',
  collections: 'slug name tools directories',
  submission_rows: 'listing_url',
  submission_details: '*',
  submission_tags: '*',
  submissions: 'website_key slug assignee report_token',
  sandbox_submissions: 'name slug website website_key category tags report_token tool_id',
  founder_products: 'website website_key sources note suspicions reason',
  proposals: 'field quote reason decided_by',
  support_articles: 'title',
  support_desks: 'assignee',
  support_messages: 'author passages not_answered peer_message_id',
  support_saved_replies: 'title',
}

test('of every column of texts it is decided whether it may name a picture', async () => {
  const places = new Set(PLACES.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`)))
  const columns = (await columnsOf(service)).filter(({ type }) => ['text', 'json', 'jsonb', 'ARRAY'].includes(type))
  const undecided = columns
    .map(({ table, name }) => ({ table, name, column: `${table}.${name}` }))
    .filter(({ name, column }) => name !== 'id' && !['word', 'reference'].includes(CLASSES.get(column) ?? ''))
    .filter(({ table, name, column }) => {
      const none = NAMES_NONE[table] ?? ''
      return !places.has(column) && none !== '*' && !none.split(' ').includes(name)
    })
  expect(undecided.map(({ column }) => column)).toEqual([])
  const known = new Set(columns.map(({ table, name }) => `${table}.${name}`))
  expect([...places].filter((column) => !known.has(column))).toEqual([])
  // The key of each is the primary key, so that pages follow each other without gaps and quickly.
  for (const { table, key } of PLACES) {
    const rows =
      await service.sql(`select a.attname as name from pg_index i, unnest(i.indkey) with ordinality k(number, place)
      join pg_attribute a on a.attnum = k.number where i.indrelid = '${table}'::regclass and i.indisprimary and a.attrelid = i.indrelid order by k.place`)
    expect([table, rows.map(({ name }) => name)]).toEqual([table, [...key]])
  }
})

test('a table of more rows than are read at once is read to its end', async () => {
  const pictures = Array.from({ length: 3 }, () => stored(30))
  await service.load(
    Array.from({ length: 1_100 }, (_, i) => ({
      kind: 'directory',
      slug: `many-${i}`,
      name: `Many ${i}`,
      ...(i % 500 === 0 ? { icon: pictures[i / 500]!.url } : {}),
    })),
  )
  expect(await removeUnused(service.context())).toBe(0)
})
