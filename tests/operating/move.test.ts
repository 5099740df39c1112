// The command `catalog move` from the embedded database to PostgreSQL and back. tests/with-servers.sh runs this file.
// @module-tag long
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { listTables, NOT_MOVED } from '../../src/operating/move/table-list.ts'
import { catalog, startCommand } from '../harness/command.ts'
import { fillService, operatorView } from '../harness/filled-service.ts'
import { type ServiceProcess, spawnService, until } from '../harness/process.ts'
import { createDatabase, freePort } from '../harness/service.ts'
import { copyTemplate } from '../harness/template.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const { TEST_DATABASE_URL } = process.env
const LISTINGS = 3000

// Each command opens an embedded database, which takes some time on a busy machine.
const TIMEOUT = 180_000

describe.skipIf(!TEST_DATABASE_URL)('catalog move', { timeout: TIMEOUT }, () => {
  const root = temporaryFolder('move')
  const inRoot = (name: string) => join(root, name)
  const databases: Awaited<ReturnType<typeof createDatabase>>[] = []
  const newDatabase = async () => {
    databases.push(await createDatabase(TEST_DATABASE_URL!))
    return databases.at(-1)!.url
  }
  const running: ServiceProcess[] = []
  let PORT: string
  // The service has the same address on both sides, because answers contain it, and its retries come a day later.
  const start = async (environment: Record<string, string>) => {
    const service = await spawnService({
      PORT,
      OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
      ENRICHMENT_RETRY_SECONDS: '80000',
      RATE_LIMIT_SCALE: '1000',
      ...environment,
    })
    running.push(service)
    await service.ready()
    return service
  }
  const stop = (service: ServiceProcess) => {
    running.splice(running.indexOf(service), 1)
    return service.kill('SIGTERM')
  }
  const sql = async (url: string, text: string) => {
    const client = new pg.Client(url)
    await client.connect()
    try {
      return (await client.query(text)).rows as any[]
    } finally {
      await client.end()
    }
  }

  const data = inRoot('data')
  let keys: { key: string; partner: string }
  let before: Awaited<ReturnType<typeof operatorView>>
  let postgres: string

  beforeAll(async () => {
    PORT = String(await freePort())
    mkdirSync(data, { mode: 0o700 })
    await copyTemplate(data)
    const service = await start({ DATA_DIR: data })
    keys = await fillService(service, LISTINGS)
    // The test waits until every submission was enriched once and waits for its retry, and every event was tried.
    const rows = async (list: string) => (await service.call(`/api/admin/${list}`)).body.data as any[]
    await until(async () => (await rows('webhooks')).every(({ state }) => state !== 'pending'), 60_000)
    await until(async () => (await rows('enrichments')).every(({ attempts }) => attempts > 0), 60_000)
    before = await operatorView(service)
    await stop(service)
    postgres = await newDatabase()
  }, 240_000)
  afterEach(async () => {
    for (const service of running.splice(0)) await service.kill()
  })
  afterAll(async () => {
    for (const database of databases) await database.drop()
    rmSync(root, { recursive: true, force: true })
  })

  test('is refused while the service runs', async () => {
    const service = await start({ DATA_DIR: data })
    const { status, err } = await catalog(['move', '--to', postgres], { DATA_DIR: data })
    expect([status, err]).toEqual([1, expect.stringMatching(/is in use by process \d+ .* Stop that one first/)])
    await stop(service)
  })

  test('leaves an empty target when it is killed with kill -9 in the middle', async () => {
    const child = startCommand(['move', '--to', postgres], { DATA_DIR: data })
    const ended = new Promise((resolve) => child.once('close', resolve))
    const atWork = `select 1 from pg_stat_activity where datname = '${new URL(postgres).pathname.slice(1)}' and query like 'insert into%overriding system value%'`
    await expect
      .poll(async () => (await sql(TEST_DATABASE_URL!, atWork)).length, { timeout: 60_000, interval: 10 })
      .toBeGreaterThan(0)
    child.kill('SIGKILL')
    await ended
    expect(await sql(postgres, 'select count(*)::int as n from tools')).toEqual([{ n: 0 }])
  })

  test('moves to PostgreSQL with the export byte for byte, and every list, key, job and counter as before', async () => {
    const { status, out, err } = await catalog(['move', '--to', postgres, '--json'], { DATA_DIR: data })
    expect([status, err]).toEqual([0, ''])
    const moved = JSON.parse(out)
    const rows = Object.fromEntries(moved.tables.map((table: any) => [table.table, table.rows]))
    expect(rows).toMatchObject({
      'public.tools': LISTINGS - LISTINGS / 20 + 5,
      'public.submissions': 5,
      'public.support_messages': expect.any(Number),
    })
    expect(rows['public.webhook_deliveries']).toBeGreaterThanOrEqual(2)
    // Jobs that waited for a retry still wait, and the next look for unused pictures.
    expect(moved.jobs).toBe(6)
    const [job] = await sql(
      postgres,
      `select count(*)::int as n from jobs.job where state = 'retry' and start_after > now()`,
    )
    expect(job.n).toBe(5)

    const service = await start({ DATABASE_URL: postgres, DATA_DIR: data })
    const after = await operatorView(service)
    expect(after.exported === before.exported).toBe(true)
    expect(after.lists).toEqual(before.lists)
    expect((await service.call('/api/v1/tools/tool-1', { token: keys.key })).status).toBe(200)
    expect((await service.call('/api/v1/ai-tools/status?slug=product-1', { token: keys.partner })).status).toBe(200)
    // Counters continue after the highest number.
    const [{ highest }] = await sql(postgres, 'select max(id)::int as highest from audit')
    await service.call('/api/admin/tags/later', { method: 'PUT', body: { name: 'Later' } })
    expect((await service.call('/api/admin/audit?limit=1')).body.data[0].id).toBe(highest + 1)
    await stop(service)
  })

  test('refuses a target that is not empty, and a source that other connections use', async () => {
    const again = await catalog(['move', '--to', postgres], { DATA_DIR: data })
    expect([again.status, again.err]).toEqual([
      1,
      expect.stringMatching(/^The new place is not empty: there are rows in jobs\.job, jobs\.queue, public\./),
    ])
    const other = new pg.Client(postgres)
    await other.connect()
    const busy = await catalog(['move', '--to', inRoot('busy')], { DATABASE_URL: postgres, DATA_DIR: data })
    await other.end()
    expect([busy.status, busy.err]).toEqual([1, expect.stringMatching(/^1 other connections use the old database/)])
    const same = await catalog(['move', '--to', postgres], { DATABASE_URL: postgres, DATA_DIR: data })
    expect([same.status, same.err]).toEqual([1, 'That is where the catalog is already.\n'])
    const back = await catalog(['move', '--to', data], { DATABASE_URL: postgres, DATA_DIR: data })
    expect([back.status, back.err]).toEqual([1, expect.stringMatching(/^The new place is not empty/)])
  })

  test('moves back into a folder with pepper, token and pictures, byte for byte again', async () => {
    mkdirSync(join(data, 'media'), { recursive: true })
    writeFileSync(join(data, 'media', `${'a'.repeat(40)}.png`), 'picture')
    const service = await start({ DATABASE_URL: postgres, DATA_DIR: data })
    const there = await operatorView(service)
    await stop(service)
    const folder = inRoot('back')
    const { status, out, err } = await catalog(['move', '--to', folder], { DATABASE_URL: postgres, DATA_DIR: data })
    expect([status, err]).toEqual([0, ''])
    expect(out).toMatch(/Both sides have the same rows in every one of \d+ tables/)
    expect(readFileSync(join(folder, 'key-pepper'), 'utf8')).toBe(readFileSync(join(data, 'key-pepper'), 'utf8'))
    expect(existsSync(join(folder, 'media', `${'a'.repeat(40)}.png`))).toBe(true)
    const home = await start({ DATA_DIR: folder })
    const after = await operatorView(home)
    // The only difference is the tag that was added on PostgreSQL.
    expect(after.exported === there.exported).toBe(true)
    const added = there.exported.split('\n').filter((line) => !before.exported.includes(line))
    expect(added).toEqual([expect.stringContaining('"slug":"later"')])
    expect(after.lists).toEqual(there.lists)
    expect((await home.call('/api/v1/tools/tool-1', { token: keys.key })).status).toBe(200)
    const [newest] = (await home.call('/api/admin/audit?limit=1')).body.data
    await home.call('/api/admin/tags/last', { method: 'PUT', body: { name: 'Last' } })
    expect((await home.call('/api/admin/audit?limit=1')).body.data[0].id).toBe(newest.id + 1)
  })

  test('refuses a wrong pepper, an unreachable server and an invalid target, and shows no password', async () => {
    const empty = await newDatabase()
    const wrong = await catalog(['move', '--to', empty], {
      DATA_DIR: data,
      KEY_PEPPER: 'another pepper that is long enough, but wrong',
    })
    expect([wrong.status, wrong.err]).toEqual([1, expect.stringMatching(/^KEY_PEPPER .* is not the one/)])
    const away = await catalog(['move', '--to', 'postgres://u:hunter2@127.0.0.1:9/x'], { DATA_DIR: data })
    expect([away.status, away.err]).toEqual([
      1,
      expect.stringMatching(/^Cannot reach PostgreSQL at 127\.0\.0\.1:9\/x: .*ECONNREFUSED/),
    ])
    expect(away.err).not.toContain('hunter2')
    const nonsense = await catalog(['move', '--to', 'mysql://x'], { DATA_DIR: data })
    expect([nonsense.status, nonsense.err]).toEqual([1, expect.stringMatching(/must be postgres:\/\/… or a folder/)])
  })

  test('moves every table of the database, or the code gives a reason why not', async () => {
    const client = new pg.Client(postgres)
    await client.connect()
    const moved = (await listTables((text, values) => client.query(text, values))).map(({ title }) => title)
    const { rows } = await client.query(
      `select table_schema || '.' || table_name as title from information_schema.tables t
       where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'
         and not exists (select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
           where n.nspname = table_schema and c.relname = table_name and c.relispartition)`,
    )
    const left = rows.map(({ title }) => title).filter((title) => !moved.includes(title))
    // The target applies the migrations itself, so this table is not moved.
    expect(left.filter((title) => !(title in NOT_MOVED))).toEqual(['drizzle.__drizzle_migrations'])
    await client.end()
  })

  test('also moves tables of later versions: a new one, one that refers to itself, and unusual types', async () => {
    const [from, to] = [await newDatabase(), await newDatabase()]
    const { openPostgres } = await import('../../src/platform/database/postgres.ts')
    const { createQueue } = await import('../../src/platform/queue.ts')
    const { moveRows } = await import('../../src/operating/move/move-rows.ts')
    const { MIGRATIONS } = await import('../../src/platform/database/migrations.ts')
    const silent = { request() {}, info() {}, warn() {}, error() {} }
    const [source, target] = [from, to].map((connectionString) => openPostgres({ connectionString, max: 5 }, silent))
    for (const store of [source!, target!]) {
      await store.migrate(MIGRATIONS)
      const queue = createQueue(store, [], silent)
      await queue.start()
      await queue.close()
      await store.query(
        `create table later (id int generated by default as identity primary key, parent int references later, "Odd Name" bytea,
         span interval, at timestamp, amount numeric, price float8, flags bool[], doc jsonb, twice int generated always as (id * 2) stored)`,
      )
    }
    await source!.query(
      `insert into later (id, parent, "Odd Name", span, at, amount, price, flags, doc) values
       (5, 9, '\\x00ff', '1 mon 2 days 03:04:05.678', '2026-01-01 00:00:00.123456', 1e-30, 0.1, '{t,f,null}', '{"b":1,"a":[null]}'),
       (9, null, null, null, 'infinity', 'NaN', '-Infinity', '{}', 'null'), (7, 5, '', '-1 year', null, 12345678901234567890.5, 1e300, null, null)`,
    )
    await source!.query(`select setval('later_id_seq', 41)`)
    const moved = await moveRows(source!, target!, { ignoreConnections: true, onProgress: () => {} })
    expect(moved.tables.find(({ table }) => table === 'public.later')).toMatchObject({ rows: 3 })
    const rows = (store: typeof source) => store!.query('select later.*, later.*::text as whole from later order by id')
    expect((await rows(target)).rows).toEqual((await rows(source)).rows)
    expect((await target!.query('insert into later default values returning id')).rows).toEqual([{ id: 42 }])
    // The foreign key is checked again, as before the move.
    await expect(target!.query('insert into later (id, parent) values (50, 51)')).rejects.toThrow(/foreign key/)
    await Promise.all([source!.close(), target!.close()])
  })
})
