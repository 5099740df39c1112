// `catalog backup` and `catalog restore` on real folders, with real services, killed in the middle.

// @module-tag long
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { catalog, startCommand } from '../harness/command.ts'
import { type ServiceProcess, spawnService } from '../harness/process.ts'
import { picture } from '../harness/product-site.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { copyTemplate } from '../harness/template.ts'

const root = mkdtempSync(join(tmpdir(), 'catalog-backup-'))
const at = (name: string) => join(root, name)
const running: ServiceProcess[] = []
const start = async (DATA_DIR: string, more: Record<string, string> = {}) => {
  const service = await spawnService({ DATA_DIR, ...more })
  running.push(service)
  await service.ready()
  return service
}
const stop = async (service: ServiceProcess) => {
  running.splice(running.indexOf(service), 1)
  return service.kill('SIGTERM')
}

/** A data folder with a tool, a key and a picture of its own, and pictures enough that a restore takes its time. */
interface Filled {
  folder: string
  tool: string
  key: string
  picture: string
}

async function fill(name: string): Promise<Filled> {
  const folder = at(name)
  mkdirSync(folder, { mode: 0o700 })
  await copyTemplate(folder)
  const service = await start(folder, { ADMIN_TOKEN: '' })
  const token = readFileSync(join(folder, 'admin-token'), 'utf8').trim()
  const put = await service.call(`/api/admin/tools/${name}`, { method: 'PUT', token, body: { name } })
  expect(put.status).toBe(200)
  const { key } = (
    await service.call('/api/admin/keys', { method: 'POST', token, body: { email: 'a@example.com', plan: 'premium' } })
  ).body.data
  const uploaded = await fetch(`${service.origin}/api/admin/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'image/png' },
    body: new Uint8Array(await picture(300, 200)),
  })
  const { url } = ((await uploaded.json()) as any).data
  await stop(service)
  for (let i = 0; i < PICTURES; i++)
    writeFileSync(join(folder, 'media', `${`${i}`.padStart(40, '0')}.webp`), randomBytes(200_000))
  return { folder, tool: name, key, picture: new URL(url).pathname }
}

/** Which of two catalogs a folder holds, as somebody with a key sees it; anything half is an error. */
async function holderOf(folder: string, candidates: Filled[]): Promise<string> {
  const service = await start(folder, { ADMIN_TOKEN: '' })
  try {
    const found: string[] = []
    for (const { tool, key, picture } of candidates) {
      const reply = await service.call(`/api/v1/tools/${tool}`, { token: key })
      const image = await fetch(service.origin + picture)
      const pictures = readdirSync(join(folder, 'media')).length
      if (reply.status === 200 && image.status === 200 && pictures > PICTURES) found.push(tool)
      else expect(reply.status).toBe(401)
    }
    expect(found).toHaveLength(1)
    return found[0]!
  } finally {
    await stop(service)
  }
}

// Enough that a kill finds a restore at work.
const PICTURES = 40
const FILE = at('catalog.tar.gz')
let first: Filled
let second: Filled
beforeAll(async () => {
  first = await fill('first')
  second = await fill('second')
  const made = await catalog(['backup', FILE], { DATA_DIR: first.folder })
  expect(made).toMatchObject({ status: 0, out: '' })
  expect(made.err).toMatch(/^Backed up [\d,]+ files, .* MB\.\n$/)
})
afterEach(async () => {
  for (const service of running.splice(0)) await service.kill()
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

// Each command opens an embedded database; on a busy machine that takes its time.
const timeout = 180_000

describe('restore', { timeout }, () => {
  test('into a new folder: listings, keys, pictures and secrets are as they were', async () => {
    const folder = at('new')
    const { status, out } = await catalog(['restore', FILE], { DATA_DIR: folder })
    expect([status, out]).toEqual([
      0,
      expect.stringMatching(/^Restored the backup of .*: 1 tool, 0 directories, 1 key\.$/m),
    ])
    for (const secret of ['key-pepper', 'admin-token']) {
      expect(readFileSync(join(folder, secret), 'utf8')).toBe(readFileSync(join(first.folder, secret), 'utf8'))
      expect(statSync(join(folder, secret)).mode & 0o777).toBe(0o600)
    }
    expect(await holderOf(folder, [first, second])).toBe('first')
  })

  test('from standard input and to standard output', async () => {
    const child = startCommand(['backup', '-'], { DATA_DIR: first.folder })
    const bytes = Buffer.concat(await child.stdout!.toArray())
    writeFileSync(at('piped.tar.gz'), bytes, { mode: 0o600 })
    expect((await catalog(['restore', at('piped.tar.gz')], { DATA_DIR: at('piped') })).status).toBe(0)
  })

  test('refuses a folder that is not empty and says so; with --replace the old is put aside, not lost', async () => {
    const folder = at('occupied')
    cpSync(second.folder, folder, { recursive: true })
    const refused = await catalog(['restore', FILE], { DATA_DIR: folder })
    expect(refused.status).toBe(1)
    expect(refused.err).toMatch(/^.* is not empty: it holds admin-token, database, key-pepper, media\. .*--replace/)
    const replaced = await catalog(['restore', '--replace', '--json', FILE], { DATA_DIR: folder })
    const { old, tools } = JSON.parse(replaced.out)
    expect([replaced.status, tools]).toEqual([0, 1])
    expect(await holderOf(folder, [first, second])).toBe('first')
    expect(await holderOf(old, [first, second])).toBe('second')
  })

  test('is refused beside a running service, which goes on', async () => {
    const folder = at('busy')
    cpSync(second.folder, folder, { recursive: true })
    const service = await start(folder)
    const { status, err } = await catalog(['restore', '--replace', FILE], { DATA_DIR: folder })
    expect([status, err]).toEqual([1, expect.stringMatching(/is in use by process \d+ .* Stop that one first/)])
    expect((await service.call('/api/v1/tools/second', { token: second.key })).status).toBe(200)
  })

  test('gives its owner alone every right, and leaves out what is not of the service, as the backup did', async () => {
    const folder = at('with-notes')
    cpSync(first.folder, folder, { recursive: true })
    writeFileSync(join(folder, 'notes.txt'), 'mine')
    chmodSync(join(folder, 'media'), 0o777)
    chmodSync(join(folder, 'key-pepper'), 0o4777)
    const made = await catalog(['backup', at('with-notes.tar.gz')], { DATA_DIR: folder })
    expect([made.status, made.err]).toEqual([
      0,
      expect.stringMatching(/\nNot backed up, because the service knows no such names: notes\.txt\.\n$/),
    ])
    const target = at('with-notes-restored')
    const { status, err } = await catalog(['restore', at('with-notes.tar.gz')], { DATA_DIR: target })
    expect([status, err]).toEqual([0, ''])
    const wrong = readdirSync(target, { withFileTypes: true, recursive: true })
      .filter(({ name }) => !name.startsWith('lock'))
      .map((each) => ({ path: join(each.parentPath, each.name), mode: each.isDirectory() ? 0o700 : 0o600 }))
      .filter(({ path, mode }) => (statSync(path).mode & 0o7777) !== mode)
    // Opening the database to look at it has made some of its files anew.
    expect(wrong.filter(({ path }) => !path.startsWith(join(target, 'database')))).toEqual([])
    expect(await holderOf(target, [first, second])).toBe('first')
  })

  test('killed with kill -9 at any moment leaves the old or the new whole, never a half', async () => {
    const environment = (folder: string) => ({ DATA_DIR: folder })
    const timed = at('timed')
    cpSync(second.folder, timed, { recursive: true })
    const begun = Date.now()
    expect((await catalog(['restore', '--replace', FILE], environment(timed))).status).toBe(0)
    const whole = Date.now() - begun
    const seen: string[] = []
    for (const share of [0.3, 0.5, 0.7, 0.85, 0.95, 1.02]) {
      const folder = at(`killed-${share}`)
      cpSync(second.folder, folder, { recursive: true })
      const child = startCommand(['restore', '--replace', FILE], environment(folder))
      const ended = new Promise((resolve) => child.once('close', resolve))
      await new Promise((resolve) => setTimeout(resolve, whole * share))
      child.kill('SIGKILL')
      await ended
      seen.push(await holderOf(folder, [first, second]))
      // Whoever opened it has cleared away what the kill left.
      expect(readdirSync(folder).filter((name) => /^(restor|settling)/.test(name))).toEqual([])
      rmSync(folder, { recursive: true, force: true })
    }
    expect(seen).toContain('second')
  }, 300_000)

  test('killed into an empty folder leaves it empty, and the next restore goes through', async () => {
    const folder = at('killed-empty')
    const child = startCommand(['restore', FILE], { DATA_DIR: folder })
    const ended = new Promise((resolve) => child.once('close', resolve))
    await expect.poll(() => existsSync(join(folder, 'restoring', 'database')), { timeout: 20_000 }).toBe(true)
    child.kill('SIGKILL')
    await ended
    expect(existsSync(join(folder, 'database'))).toBe(false)
    expect((await catalog(['restore', FILE], { DATA_DIR: folder })).status).toBe(0)
    expect(await holderOf(folder, [first, second])).toBe('first')
  })
})

describe('a wrong archive is refused, and nothing is changed', { timeout }, () => {
  const refuse = async (bytes: Buffer, reason: RegExp) => {
    writeFileSync(at('wrong'), bytes)
    const folder = at('untouched')
    const { status, out, err } = await catalog(['restore', at('wrong')], { DATA_DIR: folder })
    expect({ status, out, err }).toEqual({ status: 1, out: '', err: expect.stringMatching(reason) })
    expect(err).not.toMatch(/^\s+at /m)
    expect(readdirSync(folder).filter((name) => !name.startsWith('lock'))).toEqual([])
  }
  test('something else', () =>
    refuse(Buffer.from('{"kind":"tag"}\n'), /cannot be restored.*no backup.*Nothing was changed/))
  test('something else, compressed', () => refuse(gzipSync(Buffer.alloc(4096, 'x')), /cannot be restored/))
  test('nothing', () => refuse(Buffer.alloc(0), /cannot be restored/))
  test('cut short', () => refuse(readFileSync(FILE).subarray(0, 1_000_000), /cannot be restored/))
  test('with another content than its checksums', () => {
    const bytes = gunzipSync(readFileSync(FILE))
    const place = bytes.indexOf(readFileSync(join(first.folder, 'key-pepper')))
    bytes[place]! ^= 1
    return refuse(gzipSync(bytes, { level: 1 }), /key-pepper in it is not what was backed up/)
  })
  test('of another form', () => {
    const bytes = gunzipSync(readFileSync(FILE))
    bytes.write('"version": 7', bytes.indexOf('"version": 1'))
    return refuse(gzipSync(bytes, { level: 1 }), /form 7.*version that made it/)
  })
  test('that does not exist', async () => {
    const { status, err } = await catalog(['restore', at('no-such-file')], { DATA_DIR: at('untouched') })
    expect([status, err]).toEqual([1, expect.stringMatching(/Cannot read .*no-such-file: there is no such file/)])
  })
  test('from a newer version', async () => {
    const folder = at('newer')
    cpSync(first.folder, folder, { recursive: true })
    const { openEmbedded } = await import('../../src/platform/database/embedded.ts')
    const store = await openEmbedded(folder, { request() {}, info() {}, warn() {}, error() {} })
    await store.query(`insert into drizzle.__drizzle_migrations (hash, created_at) values ('x', 99999999999999)`)
    await store.close()
    expect((await catalog(['backup', at('newer.tar.gz')], { DATA_DIR: folder })).status).toBe(0)
    await refuse(readFileSync(at('newer.tar.gz')), /made by a newer version .* Nothing was changed/)
  })
})

describe('backup', { timeout }, () => {
  test('of a running service has everything that was acknowledged before it, and the service goes on', async () => {
    const folder = at('live')
    cpSync(first.folder, folder, { recursive: true })
    const service = await start(folder)
    let writing = true
    const acknowledged: string[] = []
    const writers = [0, 1, 2].map(async (writer) => {
      for (let i = 0; writing; i++) {
        const slug = `live-${writer}-${i}`
        const reply = await service.call(`/api/admin/tools/${slug}`, { method: 'PUT', body: { name: slug } })
        if (reply.status === 200) acknowledged.push(slug)
      }
    })
    await expect.poll(() => acknowledged.length, { timeout: 20_000 }).toBeGreaterThan(20)
    const before = [...acknowledged]
    const made = await catalog(['backup', at('live.tar.gz'), '--json'], {
      DATA_DIR: folder,
      CATALOG_URL: service.origin,
      ADMIN_TOKEN,
    })
    expect([made.status, JSON.parse(made.out)]).toMatchObject([0, { running: true, leftOut: [] }])
    const during = acknowledged.length - before.length
    writing = false
    await Promise.all(writers)
    expect(during).toBeGreaterThan(0)
    expect(readdirSync(join(folder, 'tmp'))).toEqual([])
    const audit = (await service.call('/api/admin/audit?limit=1000')).body.data
    expect(audit.filter((entry: any) => entry.action === 'snapshot.take')).toHaveLength(1)
    await stop(service)

    const target = at('live-restored')
    expect((await catalog(['restore', at('live.tar.gz')], { DATA_DIR: target })).status).toBe(0)
    const restored = await start(target, { RATE_LIMIT_SCALE: '1000' })
    const lost: string[] = []
    for (const slug of before)
      if ((await restored.call(`/api/v1/tools/${slug}`, { token: first.key })).status !== 200) lost.push(slug)
    expect(lost).toEqual([])
    // It can be written to as before.
    const put = await restored.call('/api/admin/tools/after', { method: 'PUT', body: { name: 'After' } })
    expect(put.status).toBe(200)
  })

  test('of a folder that a silent process holds is refused with what to do', async () => {
    const folder = at('silent')
    cpSync(first.folder, folder, { recursive: true })
    await start(folder)
    const { status, err } = await catalog(['backup', at('silent.tar.gz')], {
      DATA_DIR: folder,
      CATALOG_URL: 'http://127.0.0.1:9',
      ADMIN_TOKEN,
    })
    expect([status, err]).toEqual([
      1,
      expect.stringMatching(/is in use by process \d+ on .*, and a copy could not be asked for\. Cannot/),
    ])
    expect(existsSync(at('silent.tar.gz'))).toBe(false)
  })

  test('removes no folder that another service names as its copy', async () => {
    const folder = at('lured')
    cpSync(first.folder, folder, { recursive: true })
    await start(folder)
    mkdirSync(at('precious/base'), { recursive: true })
    writeFileSync(at('precious/PG_VERSION'), '18')
    for (const named of ['../precious', 'media', 'tmp', '.', 'tmp/../../precious']) {
      const lure = createServer((_request, response) =>
        response.end(JSON.stringify({ success: true, data: { folder: named } })),
      )
      await new Promise<void>((resolve) => lure.listen(0, '127.0.0.1', resolve))
      const { status, err } = await catalog(['backup', at('lured.tar.gz')], {
        DATA_DIR: folder,
        CATALOG_URL: `http://127.0.0.1:${(lure.address() as AddressInfo).port}`,
        ADMIN_TOKEN,
      })
      lure.close()
      expect([named, status, err]).toEqual([named, 1, expect.stringMatching(/keeps its data elsewhere/)])
    }
    expect([existsSync(at('precious/PG_VERSION')), readdirSync(join(folder, 'media')).length]).toEqual([
      true,
      readdirSync(join(first.folder, 'media')).length,
    ])
    expect(existsSync(at('lured.tar.gz'))).toBe(false)
  })

  test('is a file that only its owner may read, and replaces an older one only when whole', async () => {
    expect(statSync(FILE).mode & 0o777).toBe(0o600)
    const inside = await catalog(['backup', join(first.folder, 'x.tar.gz')], { DATA_DIR: first.folder })
    expect([inside.status, inside.err]).toEqual([1, expect.stringMatching(/inside DATA_DIR/)])
    const none = await catalog(['backup', FILE], { DATA_DIR: at('nowhere') })
    expect([none.status, none.err]).toEqual([1, expect.stringMatching(/^There is no folder .*nowhere\. Set DATA_DIR/)])
    expect(statSync(FILE).size).toBeGreaterThan(1_000_000)
  })

  test.each(['backup', 'restore'])('%s with DATABASE_URL says what to use instead', async (command) => {
    const environment = { DATA_DIR: first.folder, DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:9/x' }
    const { status, err } = await catalog([command, FILE], environment)
    expect([status, err]).toEqual([
      1,
      expect.stringMatching(/^DATABASE_URL is set: .*pg_(dump|restore).*docs\/operating\.md/),
    ])
    expect(err).not.toContain('hunter2')
  })
})
