// The command `catalog doctor`, with one thing broken at a time.
// @module-tag long
import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { examineClock } from '../../src/operating/doctor/finding.ts'
import { openEmbedded } from '../../src/platform/database/embedded.ts'
import { silentLog } from '../../src/platform/log.ts'
import { catalog } from '../harness/command.ts'
import { MODEL, startEmbeddingsServer } from '../harness/embeddings-server.ts'
import { standInModel } from '../harness/language-model.ts'
import { type ServiceProcess, spawnService } from '../harness/process.ts'
import { createDatabase, freePort, QUIET_SETTINGS } from '../harness/service.ts'
import { canMount, mountSmallDisk } from '../harness/small-disk.ts'
import { copyTemplate } from '../harness/template.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const { TEST_DATABASE_URL, TEST_REDIS_URL } = process.env
const root = temporaryFolder('doctor')
const inRoot = (name: string) => join(root, name)
const SECRET = 'hunter2-hunter2-hunter2-hunter2-hunter2'
const running: ServiceProcess[] = []

interface Finding {
  about: string
  state: 'ok' | 'warning' | 'problem'
  says: string
  remedy: string | null
}

let PORT: string
/** Runs the doctor and expects that it shows no secret and names a remedy for each problem. */
async function examine(environment: Record<string, string>, cwd = root) {
  const { status, out, err } = await catalog(
    ['doctor', '--json'],
    { PORT, DATA_DIR: inRoot('healthy'), ...environment },
    cwd,
  )
  expect(out + err).not.toContain('hunter2')
  expect(err).toBe('')
  const { healthy, findings } = JSON.parse(out) as { healthy: boolean; findings: Finding[] }
  for (const { state, remedy } of findings) expect(remedy === null).toBe(state === 'ok')
  const problems = findings.filter(({ state }) => state === 'problem')
  expect([status, healthy]).toEqual(problems.length > 0 ? [1, false] : [0, true])
  return { findings, problems, of: (about: string) => findings.filter((finding) => finding.about === about) }
}

beforeAll(async () => {
  PORT = String(await freePort())
  mkdirSync(inRoot('healthy'), { mode: 0o700 })
  await copyTemplate(inRoot('healthy'))
  const service = await spawnService({ DATA_DIR: inRoot('healthy'), ADMIN_TOKEN: '' })
  await service.ready()
  await service.kill('SIGTERM')
})
afterEach(async () => {
  for (const service of running.splice(0)) await service.kill()
})
const copyOf = (name: string) => {
  cpSync(inRoot('healthy'), inRoot(name), { recursive: true })
  return inRoot(name)
}

test('a healthy installation: the doctor checks everything and exits with 0, in words and as JSON', async () => {
  const { findings, problems } = await examine({})
  expect(problems).toEqual([])
  expect([...new Set(findings.map(({ about }) => about))]).toEqual(
    'Node,Settings,Storage,Secrets,Database,Migrations,Rows,Key pepper,Redis,Pictures,Language model,Embeddings,Payments,Mail,Outbound,Port'.split(
      ',',
    ),
  )
  const { status, out, err } = await catalog(['doctor'], { PORT, DATA_DIR: inRoot('healthy') })
  expect([status, err]).toEqual([0, expect.stringMatching(/^\n0 problems, \d warnings?\.\n$/)])
  expect(out).toMatch(/^ok {7}Key pepper .*key-pepper is the one that the stored keys were made with\.$/m)
})

test('before the first start the doctor finds nothing and makes nothing', async () => {
  const { problems, of } = await examine({ DATA_DIR: inRoot('never') })
  expect(problems).toEqual([])
  expect(of('Storage')[0]!.says).toMatch(/does not exist yet/)
  expect(() => chmodSync(inRoot('never'), 0o700)).toThrow(/ENOENT/)
})

describe('the doctor and settings', () => {
  test('it names every wrong setting at once, and names that look like a misspelt setting', async () => {
    const { of } = await examine({
      PORT: '80x',
      SEED: 'yes',
      S3_ACCESS_KEY_ID: 'x',
      LLM_BASE_URL: 'http://127.0.0.1:9/v1',
      KEY_PEPPER: 'hunter2',
      DATABSE_URL: 'postgres://x',
      ADMIN_TOKEN: 'hunter2',
      RATE_LIMIT_SCALE: '2',
    })
    const says = of('Settings').map(({ state, says }) => `${state} ${says}`)
    for (const name of ['PORT', 'SEED', 'S3_ACCESS_KEY_ID', 'LLM_MODEL', 'KEY_PEPPER', 'ADMIN_TOKEN'])
      expect(says).toContainEqual(expect.stringMatching(new RegExp(`^problem ${name}`)))
    for (const name of ['DATABSE_URL', 'RATE_LIMIT_SCALE'])
      expect(says).toContainEqual(expect.stringMatching(new RegExp(`^warning ${name}`)))
  })

  test('it warns of a session cookie that the browser sends to every port of the host', async () => {
    const cookieFindings = async (environment: Record<string, string>) =>
      (await examine(environment)).of('Settings').filter(({ says }) => /session cookie .* every other port/.test(says))
    expect(await cookieFindings({})).toMatchObject([
      { state: 'warning', says: expect.stringContaining(`http://localhost:${PORT}`) },
    ])
    expect(await cookieFindings({ PUBLIC_URL: 'https://catalog.example.com:8443' })).toHaveLength(1)
    expect(await cookieFindings({ PUBLIC_URL: 'https://catalog.example.com' })).toEqual([])
  })

  test('it warns when other machines can connect without a public address, and of a public address without encryption', async () => {
    expect((await examine({ HOST: '0.0.0.0' })).of('Settings')[0]!.remedy).toMatch(/Set PUBLIC_URL/)
    expect((await examine({ PUBLIC_URL: 'http://catalog.example.com' })).of('Settings')[0]!.says).toMatch(
      /can be read by anyone/,
    )
  })
})

describe('the doctor and storage', () => {
  test('it reports a DATA_DIR that is a file', async () => {
    writeFileSync(inRoot('file'), '')
    expect((await examine({ DATA_DIR: inRoot('file') })).of('Storage')).toMatchObject([
      { state: 'problem', remedy: /folder/ },
    ])
  })

  test.skipIf(process.getuid?.() === 0)('it reports a DATA_DIR that cannot be written', async () => {
    const folder = copyOf('read-only')
    chmodSync(folder, 0o500)
    expect((await examine({ DATA_DIR: folder })).of('Storage')[0]).toMatchObject({ state: 'problem' })
    chmodSync(folder, 0o700)
  })

  test.skipIf(!canMount)('it asks for room when the disk of DATA_DIR is full', async () => {
    const disk = mountSmallDisk(1)
    try {
      await disk.fill(0)
      expect((await examine({ DATA_DIR: disk.folder })).of('Storage')).toEqual([
        {
          about: 'Storage',
          state: 'problem',
          says: expect.stringMatching(/ cannot be written: ENOSPC: no space left on device/),
          remedy: expect.stringMatching(/^Make room, or move DATA_DIR to a larger disk/),
        },
      ])
    } finally {
      disk.remove()
    }
  })

  test('it gives the command that closes files which other users may read', async () => {
    const DATA_DIR = copyOf('open')
    chmodSync(join(DATA_DIR, 'admin-token'), 0o644)
    chmodSync(DATA_DIR, 0o755)
    const workplace = inRoot('workplace')
    mkdirSync(workplace)
    writeFileSync(join(workplace, '.env'), `REDIS_URL=\nADMIN_TOKEN=${SECRET}\n`, { mode: 0o640 })
    const { of } = await examine({ DATA_DIR }, root)
    expect(of('Secrets')).toMatchObject([
      { state: 'problem', remedy: `chmod 600 ${join(DATA_DIR, 'admin-token')}` },
      { state: 'warning', remedy: `chmod 700 ${DATA_DIR}` },
    ])
    expect((await examine({}, workplace)).of('Secrets')).toMatchObject([{ state: 'problem', remedy: 'chmod 600 .env' }])
  })

  test('it reports a secret that is cut short', async () => {
    const DATA_DIR = copyOf('short')
    writeFileSync(join(DATA_DIR, 'admin-token'), 'x')
    expect((await examine({ DATA_DIR })).problems).toMatchObject([{ about: 'Secrets' }])
  })
})

describe('the doctor and the embedded database', { timeout: 120_000 }, () => {
  test('it accepts that the running service uses the database, and warns when another process does', async () => {
    const DATA_DIR = copyOf('running')
    const service = await spawnService({ DATA_DIR })
    running.push(service)
    await service.ready()
    const own = { DATA_DIR, PORT: new URL(service.origin).port, PUBLIC_URL: service.origin }
    const { of, problems } = await examine(own)
    expect(problems).toEqual([])
    expect(of('Database')[0]!.says).toMatch(/in use by the running service/)
    expect(of('Port').map(({ says }) => says)).toEqual([
      expect.stringMatching(/is running at/),
      expect.stringMatching(/leads to it/),
    ])
    expect((await examine({ DATA_DIR })).of('Database')).toMatchObject([{ state: 'warning' }])
    const compared = async (more: Record<string, string>) => (await examine({ ...own, ...more })).of('Running service')
    expect(await compared({})).toMatchObject([
      { state: 'warning', says: expect.stringMatching(/another operator token/) },
    ])
    const same = { ...QUIET_SETTINGS, LOG_FORMAT: 'json' }
    expect(await compared(same)).toMatchObject([{ state: 'ok' }])
    const [finding] = await compared({ ...same, KEY_PEPPER: SECRET, LLM_TIMEOUT_SECONDS: '77' })
    expect(finding!.says).toBe('It was started with another KEY_PEPPER, LLM_TIMEOUT_SECONDS than this environment has.')
    expect(JSON.stringify(finding)).not.toContain('77')
    expect((await examine({ ...own, PUBLIC_URL: 'http://127.0.0.1:9' })).of('Port')[1]).toMatchObject({
      state: 'warning',
    })
  })

  test('it reports a broken database, and a pepper that does not match', async () => {
    const broken = copyOf('broken')
    rmSync(join(broken, 'database', 'global'), { recursive: true })
    expect((await examine({ DATA_DIR: broken })).problems).toMatchObject([
      { about: 'Database', remedy: expect.stringMatching(/catalog restore/) },
    ])
    expect((await examine({ KEY_PEPPER: SECRET })).problems).toMatchObject([{ about: 'Key pepper' }])
    const without = copyOf('without')
    rmSync(join(without, 'key-pepper'))
    expect((await examine({ DATA_DIR: without })).problems).toMatchObject([
      { about: 'Key pepper', says: expect.stringMatching(/is missing/) },
    ])
  })
})

describe('the doctor and broken rows', { timeout: 120_000 }, () => {
  test('it names them while the service is stopped, and counts them beside a running one', async () => {
    const DATA_DIR = copyOf('broken-rows')
    const start = async () => {
      const service = await spawnService({ DATA_DIR, PORT })
      running.push(service)
      await service.ready()
      return service
    }
    const service = await start()
    for (const slug of ['good-one', 'bad-one'])
      await service.call(`/api/admin/tools/${slug}`, { method: 'PUT', body: { name: slug } })
    await service.kill('SIGTERM')
    expect((await examine({ DATA_DIR })).of('Rows').map(({ state }) => state)).toEqual(['ok'])
    const store = await openEmbedded(DATA_DIR, silentLog)
    await store.query(`update tools set faqs = '[{"question":"Q?"}]' where slug = 'bad-one'`)
    await store.close()
    const [stopped] = (await examine({ DATA_DIR })).of('Rows')
    expect(stopped).toMatchObject({ state: 'warning', remedy: expect.stringContaining('catalog broken list') })
    expect(stopped!.says).toBe('1 is broken and left out: tool bad-one (faqs.0.answer is missing.).')
    await start()
    expect((await examine({ DATA_DIR })).of('Rows')[0]).toMatchObject({
      state: 'warning',
      says: 'The running service leaves out rows that are broken: tool 1.',
    })
  })
})

describe('the doctor and other services', () => {
  // These tests need no database.
  const examineWithout = (environment: Record<string, string>) => examine({ DATA_DIR: inRoot('never'), ...environment })

  test('it reports a port that is taken, and an address that this machine does not have', async () => {
    const server = createServer((socket) => socket.destroy())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const taken = String((server.address() as { port: number }).port)
    expect((await examineWithout({ PORT: taken })).problems).toMatchObject([
      { about: 'Port', says: expect.stringMatching(/taken by another/) },
    ])
    await new Promise((resolve) => server.close(resolve))
    expect((await examineWithout({ HOST: '192.0.2.1', PUBLIC_URL: 'https://x.example' })).problems).toMatchObject([
      { about: 'Port', says: expect.stringMatching(/no address of this machine/) },
    ])
  })

  test('it reports outbound rules that let partners reach private addresses', async () => {
    const wide = await examineWithout({ OUTBOUND_ALLOW_CIDRS: '0.0.0.0/0' })
    expect(wide.problems).toMatchObject([{ about: 'Outbound' }])
    const local = await examineWithout({ OUTBOUND_ALLOW_CIDRS: '169.254.0.0/16' })
    expect(local.of('Outbound')[0]).toMatchObject({ state: 'warning', says: expect.stringMatching(/credentials/) })
  })

  test('it checks whether the language model answers, refuses the key, or is away', async () => {
    const model = await standInModel()
    const environment = { LLM_BASE_URL: model.url, LLM_MODEL: 'small', LLM_API_KEY: SECRET }
    expect((await examineWithout(environment)).of('Language model')).toMatchObject([{ state: 'ok' }])
    model.answer = (response) => response.writeHead(401).end('{}')
    expect((await examineWithout(environment)).problems).toMatchObject([
      { about: 'Language model', remedy: 'Check LLM_API_KEY.' },
    ])
    await model.close()
    expect((await examineWithout(environment)).problems).toMatchObject([
      { about: 'Language model', says: expect.stringMatching(/ECONNREFUSED/) },
    ])
  })

  test('it checks whether the embedding endpoint answers, is too slow, refuses the key, or is away', async () => {
    const endpoint = await startEmbeddingsServer()
    const environment = { EMBEDDINGS_URL: endpoint.url, EMBEDDINGS_MODEL: MODEL, EMBEDDINGS_API_KEY: SECRET }
    const found = async () => (await examineWithout(environment)).of('Embeddings')
    // The first answer takes longer, because the model computes it.
    await found()
    expect(await found()).toMatchObject([
      { state: 'ok', says: expect.stringMatching(/^use-lite gives vectors of 512 numbers in \d+ ms\.$/) },
    ])
    await endpoint.behave({ delayMs: 400 })
    expect(await found()).toMatchObject([{ state: 'warning', remedy: expect.stringMatching(/words alone/) }])
    await endpoint.behave({ status: 401 })
    expect(await found()).toMatchObject([{ state: 'problem', remedy: 'Check EMBEDDINGS_API_KEY.' }])
    await endpoint.behave({ isAway: true })
    expect(await found()).toMatchObject([{ state: 'problem', says: expect.stringMatching(/ECONNREFUSED/) }])
    await endpoint.close()
  })

  test('it reports a bucket without its packages', async () => {
    const { problems } = await examineWithout({ S3_BUCKET: 'x', S3_ACCESS_KEY_ID: 'x', S3_SECRET_ACCESS_KEY: SECRET })
    expect(problems).toMatchObject([{ about: 'Pictures', remedy: expect.stringMatching(/^npm install @aws-sdk/) }])
  })

  test('it reports that PostgreSQL and Redis are away', async () => {
    const { problems, of } = await examineWithout({
      DATABASE_URL: `postgres://u:${SECRET}@127.0.0.1:9/x`,
      REDIS_URL: `redis://:${SECRET}@127.0.0.1:9`,
    })
    expect(problems.map(({ about }) => about)).toEqual(['Database', 'Redis'])
    expect(of('Settings').map(({ says }) => says)).toContainEqual(expect.stringMatching(/KEY_PEPPER is not/))
  })

  test('it accepts clocks that differ a little, and reports clocks that differ a lot', () => {
    expect(examineClock('x', 300).state).toBe('ok')
    expect(examineClock('x', -4000)).toMatchObject({ state: 'warning', says: 'The clock of x is 4.0 s behind ours.' })
    expect(examineClock('x', 90_000).state).toBe('problem')
  })
})

describe.skipIf(!TEST_DATABASE_URL || !TEST_REDIS_URL)('the doctor on PostgreSQL and Redis', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  const run = async (statement: string) => {
    const client = new pg.Client(database.url)
    await client.connect()
    await client.query(statement)
    await client.end()
  }
  beforeAll(async () => {
    database = await createDatabase(TEST_DATABASE_URL!)
  })
  afterAll(() => database.drop())
  const environment = () => ({
    DATA_DIR: inRoot('never'),
    DATABASE_URL: database.url,
    REDIS_URL: TEST_REDIS_URL!,
    KEY_PEPPER: SECRET,
  })

  test('it accepts an empty database, and one in use with the right pepper and clocks', async () => {
    const empty = await examine(environment())
    expect(empty.problems).toEqual([])
    expect(empty.of('Migrations')[0]!.says).toMatch(/first start makes its tables/)
    const service = await spawnService({ ...environment(), DATA_DIR: inRoot('beside') })
    running.push(service)
    await service.ready()
    const { problems, of } = await examine(environment())
    expect(problems).toEqual([])
    expect(of('Migrations')[0]!.says).toMatch(/^All \d+ are applied/)
    expect(of('Clock').map(({ says }) => says)).toEqual([
      'The clock of the database agrees with ours.',
      'The clock of Redis agrees with ours.',
    ])
    await service.kill('SIGTERM')
    running.length = 0
    const wrong = await examine({ ...environment(), KEY_PEPPER: `${SECRET}-other` })
    expect(wrong.problems).toMatchObject([{ about: 'Key pepper' }])
  })

  test('it reports a user without rights, a read-only database, and a newer version in use', async () => {
    await run('create role doctor_reader login')
    const url = new URL(database.url)
    url.username = 'doctor_reader'
    await run(
      'grant select on all tables in schema public, drizzle to doctor_reader; grant usage on schema drizzle to doctor_reader',
    )
    const rights = await examine({ ...environment(), DATABASE_URL: url.href })
    expect(rights.problems).toMatchObject([{ says: expect.stringMatching(/may not make tables/) }])
    await run('alter role doctor_reader set default_transaction_read_only = on')
    const reading = await examine({ ...environment(), DATABASE_URL: url.href })
    expect(reading.problems.map(({ says }) => says)).toContain('The database is read-only.')
    await run('drop owned by doctor_reader; drop role doctor_reader')
    await run(
      'delete from drizzle.__drizzle_migrations where created_at = (select max(created_at) from drizzle.__drizzle_migrations)',
    )
    expect((await examine(environment())).of('Migrations')).toMatchObject([
      { state: 'warning', says: expect.stringMatching(/^Missing migrations: /) },
    ])
    await run(`insert into drizzle.__drizzle_migrations (hash, created_at) values ('x', 99999999999999)`)
    expect((await examine(environment())).problems).toMatchObject([
      { about: 'Migrations', remedy: expect.stringMatching(/newer/) },
    ])
  })

  test('it reports a password that Redis refuses, and a Redis that evicts counters', async () => {
    const refused = await examine({ ...environment(), REDIS_URL: TEST_REDIS_URL!.replace('//', `//nobody:${SECRET}@`) })
    expect(refused.problems).toMatchObject([{ about: 'Migrations' }, { about: 'Redis' }])
    const { Redis } = await import('ioredis')
    const redis = new Redis(TEST_REDIS_URL!)
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru')
    const withEviction = await examine(environment())
    await redis.config('SET', 'maxmemory-policy', 'noeviction')
    redis.disconnect()
    expect(withEviction.of('Redis')[1]).toMatchObject({
      state: 'warning',
      says: expect.stringMatching(/evicts counters/),
    })
  })
})
