// The commands `catalog backup` and `catalog restore` on real folders, with real services and processes that are killed.

// @module-tag long
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { noContents, writeArchive } from '../../src/operating/archive.ts'
import { catalog, startCommand } from '../harness/command.ts'
import { type ServiceProcess, spawnService } from '../harness/process.ts'
import { picture } from '../harness/product-site.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { copyTemplate } from '../harness/template.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const root = temporaryFolder('backup')
const inRoot = (name: string) => join(root, name)
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

/** A data folder with a tool, a key and a picture, and with enough other pictures that a restore takes some time. */
interface FilledFolder {
  folder: string
  tool: string
  key: string
  picture: string
}

async function fillFolder(name: string): Promise<FilledFolder> {
  const folder = inRoot(name)
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

/**
 * Says which of the catalogs a folder holds, by starting a service on it and reading with each key. A catalog that is there only in part is
 * an error.
 */
async function catalogIn(folder: string, candidates: FilledFolder[]): Promise<string> {
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

// There are enough pictures that the kill interrupts a restore.
const PICTURES = 40
const FILE = inRoot('catalog.tar.gz')
let first: FilledFolder
let second: FilledFolder
beforeAll(async () => {
  first = await fillFolder('first')
  second = await fillFolder('second')
  const made = await catalog(['backup', FILE], { DATA_DIR: first.folder })
  expect(made).toMatchObject({ status: 0, out: '' })
  expect(made.err).toMatch(/^Backed up [\d,]+ files, .* MB\.\n$/)
})
afterEach(async () => {
  for (const service of running.splice(0)) await service.kill()
})

// Each command opens an embedded database, which takes some time on a busy machine.
const timeout = 180_000

describe('catalog restore', { timeout }, () => {
  test('restores listings, keys, pictures and secrets into a new folder', async () => {
    const folder = inRoot('new')
    const { status, out } = await catalog(['restore', FILE], { DATA_DIR: folder })
    expect([status, out]).toEqual([
      0,
      expect.stringMatching(/^Restored the backup of .*: 1 tool, 0 directories, 1 key\.$/m),
    ])
    for (const secret of ['key-pepper', 'admin-token']) {
      expect(readFileSync(join(folder, secret), 'utf8')).toBe(readFileSync(join(first.folder, secret), 'utf8'))
      expect(statSync(join(folder, secret)).mode & 0o777).toBe(0o600)
    }
    expect(await catalogIn(folder, [first, second])).toBe('first')
  })

  test('reads an archive that catalog backup wrote to standard output', async () => {
    const child = startCommand(['backup', '-'], { DATA_DIR: first.folder })
    const bytes = Buffer.concat(await child.stdout!.toArray())
    writeFileSync(inRoot('piped.tar.gz'), bytes, { mode: 0o600 })
    expect((await catalog(['restore', inRoot('piped.tar.gz')], { DATA_DIR: inRoot('piped') })).status).toBe(0)
  })

  test('refuses a folder that is not empty and says so; with --replace it moves the old content aside', async () => {
    const folder = inRoot('occupied')
    cpSync(second.folder, folder, { recursive: true })
    const refused = await catalog(['restore', FILE], { DATA_DIR: folder })
    expect(refused.status).toBe(1)
    expect(refused.err).toMatch(/^.* is not empty: it holds admin-token, database, key-pepper, media\. .*--replace/)
    const replaced = await catalog(['restore', '--replace', '--json', FILE], { DATA_DIR: folder })
    const { old, tools } = JSON.parse(replaced.out)
    expect([replaced.status, tools]).toEqual([0, 1])
    expect(await catalogIn(folder, [first, second])).toBe('first')
    expect(await catalogIn(old, [first, second])).toBe('second')
  })

  test('is refused beside a running service, which continues', async () => {
    const folder = inRoot('busy')
    cpSync(second.folder, folder, { recursive: true })
    const service = await start(folder)
    const { status, err } = await catalog(['restore', '--replace', FILE], { DATA_DIR: folder })
    expect([status, err]).toEqual([1, expect.stringMatching(/is in use by process \d+ .* Stop that one first/)])
    expect((await service.call('/api/v1/tools/second', { token: second.key })).status).toBe(200)
  })

  test('gives rights only to the owner, and leaves out files that do not belong to the service, as the backup did', async () => {
    const folder = inRoot('with-notes')
    cpSync(first.folder, folder, { recursive: true })
    writeFileSync(join(folder, 'notes.txt'), 'mine')
    chmodSync(join(folder, 'media'), 0o777)
    chmodSync(join(folder, 'key-pepper'), 0o4777)
    const made = await catalog(['backup', inRoot('with-notes.tar.gz')], { DATA_DIR: folder })
    expect([made.status, made.err]).toEqual([
      0,
      expect.stringMatching(/\nNot backed up, because the service knows no such names: notes\.txt\.\n$/),
    ])
    const target = inRoot('with-notes-restored')
    const { status, err } = await catalog(['restore', inRoot('with-notes.tar.gz')], { DATA_DIR: target })
    expect([status, err]).toEqual([0, ''])
    const wrong = readdirSync(target, { withFileTypes: true, recursive: true })
      .filter(({ name }) => !name.startsWith('lock'))
      .map((each) => ({ path: join(each.parentPath, each.name), mode: each.isDirectory() ? 0o700 : 0o600 }))
      .filter(({ path, mode }) => (statSync(path).mode & 0o7777) !== mode)
    // This test has opened the database, which made some of its files again.
    expect(wrong.filter(({ path }) => !path.startsWith(join(target, 'database')))).toEqual([])
    expect(await catalogIn(target, [first, second])).toBe('first')
  })

  test('leaves the old or the new catalog whole when it is killed with kill -9 at any moment', async () => {
    const environment = (folder: string) => ({ DATA_DIR: folder })
    const timed = inRoot('timed')
    cpSync(second.folder, timed, { recursive: true })
    const begun = Date.now()
    expect((await catalog(['restore', '--replace', FILE], environment(timed))).status).toBe(0)
    const whole = Date.now() - begun
    const catalogsFound: string[] = []
    for (const share of [0.3, 0.5, 0.7, 0.85, 0.95, 1.02]) {
      const folder = inRoot(`killed-${share}`)
      cpSync(second.folder, folder, { recursive: true })
      const child = startCommand(['restore', '--replace', FILE], environment(folder))
      const ended = new Promise((resolve) => child.once('close', resolve))
      await new Promise((resolve) => setTimeout(resolve, whole * share))
      child.kill('SIGKILL')
      await ended
      catalogsFound.push(await catalogIn(folder, [first, second]))
      // The service that opened the folder has removed what the killed restore left.
      expect(readdirSync(folder).filter((name) => /^(restor|settling)/.test(name))).toEqual([])
      rmSync(folder, { recursive: true, force: true })
    }
    expect(catalogsFound).toContain('second')
  }, 300_000)

  test('leaves an empty folder empty when it is killed, and the next restore succeeds', async () => {
    const folder = inRoot('killed-empty')
    const child = startCommand(['restore', FILE], { DATA_DIR: folder })
    const ended = new Promise((resolve) => child.once('close', resolve))
    await expect.poll(() => existsSync(join(folder, 'restoring', 'database')), { timeout: 20_000 }).toBe(true)
    child.kill('SIGKILL')
    await ended
    expect(existsSync(join(folder, 'database'))).toBe(false)
    expect((await catalog(['restore', FILE], { DATA_DIR: folder })).status).toBe(0)
    expect(await catalogIn(folder, [first, second])).toBe('first')
  })
})

describe('catalog restore refuses a wrong archive and changes nothing', { timeout }, () => {
  const refuse = async (bytes: Buffer, reason: RegExp) => {
    writeFileSync(inRoot('wrong'), bytes)
    const folder = inRoot('untouched')
    const { status, out, err } = await catalog(['restore', inRoot('wrong')], { DATA_DIR: folder })
    expect({ status, out, err }).toEqual({ status: 1, out: '', err: expect.stringMatching(reason) })
    expect(err).not.toMatch(/^\s+at /m)
    expect(readdirSync(folder).filter((name) => !name.startsWith('lock'))).toEqual([])
  }
  test('when it is another file', () =>
    refuse(Buffer.from('{"kind":"tag"}\n'), /cannot be restored.*no backup.*Nothing was changed/))
  test('when it is another file that is compressed', () =>
    refuse(gzipSync(Buffer.alloc(4096, 'x')), /cannot be restored/))
  test('when it is empty', () => refuse(Buffer.alloc(0), /cannot be restored/))
  test('when it is cut short', () => refuse(readFileSync(FILE).subarray(0, 1_000_000), /cannot be restored/))
  test('when its content does not match its checksums', () => {
    const bytes = gunzipSync(readFileSync(FILE))
    const place = bytes.indexOf(readFileSync(join(first.folder, 'key-pepper')))
    bytes[place]! ^= 1
    return refuse(gzipSync(bytes, { level: 1 }), /key-pepper in it is not what was backed up/)
  })
  test('when it has another format number', () => {
    const bytes = gunzipSync(readFileSync(FILE))
    bytes.write('"version": 7', bytes.indexOf('"version": 1'))
    return refuse(gzipSync(bytes, { level: 1 }), /form 7.*version that made it/)
  })
  test.each([
    ['database/PG_VERSION', 'key-pepper'],
    ['key-pepper', 'database/PG_VERSION'],
  ])('when it is whole and lacks %s', async (missing, name) => {
    const manifest = JSON.parse(gunzipSync(readFileSync(FILE)).toString('latin1', 512).split('\0', 1)[0]!)
    const archive = writeArchive(manifest, [{ path: join(first.folder, name), name }], noContents())
    const bytes = Buffer.concat(await Array.fromAsync(archive))
    await refuse(gzipSync(bytes), new RegExp(`cannot be restored. ${missing} is missing in it. Nothing was changed`))
  })
  test('when it does not exist', async () => {
    const { status, err } = await catalog(['restore', inRoot('no-such-file')], { DATA_DIR: inRoot('untouched') })
    expect([status, err]).toEqual([1, expect.stringMatching(/Cannot read .*no-such-file: there is no such file/)])
  })
  test('when a newer version made it', async () => {
    const folder = inRoot('newer')
    cpSync(first.folder, folder, { recursive: true })
    const { openEmbedded } = await import('../../src/platform/database/embedded.ts')
    const store = await openEmbedded(folder, { request() {}, info() {}, warn() {}, error() {} })
    await store.query(`insert into drizzle.__drizzle_migrations (hash, created_at) values ('x', 99999999999999)`)
    await store.close()
    expect((await catalog(['backup', inRoot('newer.tar.gz')], { DATA_DIR: folder })).status).toBe(0)
    await refuse(readFileSync(inRoot('newer.tar.gz')), /made by a newer version .* Nothing was changed/)
  })
})

describe('catalog backup', { timeout }, () => {
  test('of a running service has everything that was acknowledged before it, and the service continues', async () => {
    const folder = inRoot('live')
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
    const made = await catalog(['backup', inRoot('live.tar.gz'), '--json'], {
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

    const target = inRoot('live-restored')
    expect((await catalog(['restore', inRoot('live.tar.gz')], { DATA_DIR: target })).status).toBe(0)
    const restored = await start(target, { RATE_LIMIT_SCALE: '1000' })
    const lost: string[] = []
    for (const slug of before)
      if ((await restored.call(`/api/v1/tools/${slug}`, { token: first.key })).status !== 200) lost.push(slug)
    expect(lost).toEqual([])
    // The restored service accepts writes.
    const put = await restored.call('/api/admin/tools/after', { method: 'PUT', body: { name: 'After' } })
    expect(put.status).toBe(200)
  })

  test('of a folder that is in use by a process that cannot be reached is refused, and says what to do', async () => {
    const folder = inRoot('silent')
    cpSync(first.folder, folder, { recursive: true })
    await start(folder)
    const { status, err } = await catalog(['backup', inRoot('silent.tar.gz')], {
      DATA_DIR: folder,
      CATALOG_URL: 'http://127.0.0.1:9',
      ADMIN_TOKEN,
    })
    expect([status, err]).toEqual([
      1,
      expect.stringMatching(/is in use by process \d+ on .*, and a copy could not be asked for\. Cannot/),
    ])
    expect(existsSync(inRoot('silent.tar.gz'))).toBe(false)
  })

  test('removes no folder that a foreign service names as its copy', async () => {
    const folder = inRoot('lured')
    cpSync(first.folder, folder, { recursive: true })
    await start(folder)
    mkdirSync(inRoot('precious/base'), { recursive: true })
    writeFileSync(inRoot('precious/PG_VERSION'), '18')
    for (const named of ['../precious', 'media', 'tmp', '.', 'tmp/../../precious']) {
      const foreignService = createServer((_request, response) =>
        response.end(JSON.stringify({ success: true, data: { folder: named } })),
      )
      await new Promise<void>((resolve) => foreignService.listen(0, '127.0.0.1', resolve))
      const { status, err } = await catalog(['backup', inRoot('lured.tar.gz')], {
        DATA_DIR: folder,
        CATALOG_URL: `http://127.0.0.1:${(foreignService.address() as AddressInfo).port}`,
        ADMIN_TOKEN,
      })
      foreignService.close()
      expect([named, status, err]).toEqual([named, 1, expect.stringMatching(/keeps its data elsewhere/)])
    }
    expect([existsSync(inRoot('precious/PG_VERSION')), readdirSync(join(folder, 'media')).length]).toEqual([
      true,
      readdirSync(join(first.folder, 'media')).length,
    ])
    expect(existsSync(inRoot('lured.tar.gz'))).toBe(false)
  })

  test('writes a file that only its owner may read, and replaces an older one only when it is complete', async () => {
    expect(statSync(FILE).mode & 0o777).toBe(0o600)
    const inside = await catalog(['backup', join(first.folder, 'x.tar.gz')], { DATA_DIR: first.folder })
    expect([inside.status, inside.err]).toEqual([1, expect.stringMatching(/inside DATA_DIR/)])
    const again = await catalog(['backup', FILE], { DATA_DIR: first.folder })
    expect([again.status, again.err]).toEqual([1, expect.stringContaining('is there already')])
    const none = await catalog(['backup', FILE, '--force'], { DATA_DIR: inRoot('nowhere') })
    expect([none.status, none.err]).toEqual([1, expect.stringMatching(/^There is no folder .*nowhere\. Set DATA_DIR/)])
    expect(statSync(FILE).size).toBeGreaterThan(1_000_000)
  })

  test('by the nightly line of docs/operating.md succeeds also when the file of a week ago is there', async () => {
    const guide = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')
    const [, line] = /^0 3 \* \* \* +(.+)$/m.exec(guide)!
    const backups = inRoot('nightly')
    mkdirSync(backups)
    const days = [1, 2, 3, 4, 5, 6, 7].map((day) => join(backups, `catalog-${day}.tar.gz`))
    for (const file of days) writeFileSync(file, 'old')
    let command = line!.replaceAll('\\%', '%')
    for (const [theirs, ours] of [
      ['/opt/catalog', root],
      ['/var/lib/catalog', first.folder],
      ['/backup/', `${backups}/`],
      ['npx catalog', `'${process.execPath}' '${new URL('../../src/main.ts', import.meta.url).pathname}'`],
    ] as const) {
      expect(command).toContain(theirs)
      command = command.replace(theirs, ours)
    }
    const { PATH } = process.env
    for (let night = 0; night < 2; night++)
      expect(spawnSync('/bin/sh', ['-c', command], { env: { PATH }, encoding: 'utf8' })).toMatchObject({
        status: 0,
        stderr: expect.stringMatching(/^Backed up/),
      })
    const made = days.filter((file) => statSync(file).size > 1_000_000)
    expect(made.length).toBeGreaterThan(0)
    expect(readdirSync(backups)).toHaveLength(7)
    const restored = await catalog(['restore', made[0]!], { DATA_DIR: inRoot('from-nightly') })
    expect(restored.status).toBe(0)
  })

  test.each(['backup', 'restore'])(
    'is not for PostgreSQL: catalog %s refuses DATABASE_URL and says what to use instead',
    async (command) => {
      const environment = { DATA_DIR: first.folder, DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:9/x' }
      const { status, err } = await catalog([command, FILE], environment)
      expect([status, err]).toEqual([
        1,
        expect.stringMatching(/^DATABASE_URL is set, so .*pg_(dump|restore).*docs\/operating\.md/),
      ])
      expect(err).not.toContain('hunter2')
    },
  )
})
