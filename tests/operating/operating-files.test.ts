// Damaged or forged archives, interrupted restores, and the order of tables.
// @module-tag slow
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, describe, expect, test } from 'vitest'
import { DamagedArchive, type TarSource, writeTar } from '../../src/kernel/formats/tar.ts'
import { type Manifest, noContents, readArchive, writeArchive } from '../../src/operating/archive.ts'
import { inOrder, type MovedTable } from '../../src/operating/move/table-list.ts'
import { contentOf, finishRestore, PREPARED_FOLDER, replaceContent } from '../../src/platform/folder/data-folder.ts'

const folders: string[] = []
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-operating-'))
  folders.push(folder)
  return folder
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const MANIFEST: Manifest = {
  format: 'catalog-service backup',
  version: 1,
  service: '1.0.0',
  madeAt: '2026-03-01T09:30:00.000Z',
  postgres: '18',
  pepper: 'file',
  pictures: 'folder',
}
const emptyContents = noContents
const gather = async (bytes: AsyncIterable<Uint8Array>) => Buffer.concat(await Array.fromAsync(bytes))
/** Yields the bytes in pieces whose size matches no block of the format. */
const pieces = (bytes: Buffer, size = 777) =>
  Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
    })(),
  )

async function archiveOf(files: Record<string, string>, manifest: object = MANIFEST): Promise<Buffer> {
  const folder = newFolder()
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  const parts = readdirSync(folder).map((name) => ({ path: join(folder, name), name }))
  return gather(writeArchive(manifest as Manifest, parts, emptyContents()))
}

const entry = (name: string, content: string | null): TarSource => ({
  name,
  isFolder: content === null,
  size: Buffer.byteLength(content ?? ''),
  modifiedAt: new Date(),
  content: content === null ? [] : [Buffer.from(content)],
})

/** Makes an archive by hand with correct checksums. Each entry gets `mode`, which may include the setuid bit. */
async function forged(files: Record<string, string | null>, mode: number): Promise<Buffer> {
  const all: [string, string | null][] = [['manifest.json', JSON.stringify(MANIFEST)], ...Object.entries(files)]
  const sum = (content: string) => createHash('sha256').update(content).digest('hex')
  const sums = all.flatMap(([name, content]) => (content === null ? [] : [`${sum(content)}  ${name}\n`]))
  const entries = [...all, ['checksums.txt', sums.join('')] as const].map(([name, content]) => entry(name, content))
  const bytes = await gather(writeTar(Readable.from(entries)))
  for (let at = 0; at + 512 <= bytes.length && bytes[at] !== 0; ) {
    const header = bytes.subarray(at, at + 512)
    header.write(mode.toString(8).padStart(7, '0'), 100)
    header.fill(' ', 148, 156)
    header.write(
      `${header
        .reduce((total, byte) => total + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    )
    at += 512 + Math.ceil(Number.parseInt(header.toString('latin1', 124, 135), 8) / 512) * 512
  }
  return bytes
}

describe('an archive', () => {
  const FILES = {
    'database/base/1/2': 'rows',
    'database/pg_wal/x': '',
    'key-pepper': 'p'.repeat(3000),
    [`media/${'a'.repeat(40)}.webp`]: 'é',
  }

  test('gives the same files back, in whatever pieces it arrives', async () => {
    const bytes = await archiveOf(FILES)
    for (const size of [1, 511, 512, 513, 100_000]) {
      const target = newFolder()
      expect(await readArchive(pieces(bytes, size), target, emptyContents())).toEqual(MANIFEST)
      for (const [name, content] of Object.entries(FILES))
        expect(readFileSync(join(target, name), 'utf8')).toBe(content)
    }
  })

  test('can be read by tar and sha256sum', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'a.tar'), await archiveOf(FILES))
    execFileSync('tar', ['xf', 'a.tar'], { cwd: folder })
    expect(execFileSync('sha256sum', ['-c', 'checksums.txt'], { cwd: folder }).toString()).not.toMatch(/FAILED/)
    expect(readFileSync(join(folder, 'key-pepper'), 'utf8')).toBe(FILES['key-pepper'])
  })

  test('is refused if a bit outside padding changes', async () => {
    const bytes = await archiveOf(FILES)
    for (let at = 0; at < bytes.length - 1024; at += 97) {
      // A zero byte may be padding, which no checksum covers; all others are covered.
      const changed = Buffer.from(bytes)
      changed[at]! ^= 1
      const isPadding = bytes[at] === 0
      const read = readArchive(pieces(changed), newFolder(), emptyContents())
      if (isPadding) await read.catch((error) => expect(error).toBeInstanceOf(DamagedArchive))
      else await expect(read, `byte ${at}`).rejects.toThrow(DamagedArchive)
    }
  })

  test('is refused when it ends too early, at any place', async () => {
    const bytes = await archiveOf(FILES)
    for (let end = 0; end < bytes.length - 1024; end += 501)
      await expect(readArchive(pieces(bytes.subarray(0, end)), newFolder(), emptyContents())).rejects.toThrow(
        DamagedArchive,
      )
  })

  test('of another format number is refused, and the error names the number', async () => {
    const bytes = await archiveOf(FILES, { ...MANIFEST, version: 2, service: '9.0.0' })
    await expect(readArchive(pieces(bytes), newFolder(), emptyContents())).rejects.toThrow(
      /form 2, made by version 9\.0\.0/,
    )
  })

  test.each(['7777', '4755', '2777', '0000'])('with modes %s is unpacked readable by its owner only', async (mode) => {
    const target = newFolder()
    const files = { ...FILES, database: null, 'database/base': null, media: null, 'admin-token': 'a' }
    await readArchive(pieces(await forged(files, Number.parseInt(mode, 8))), target, emptyContents())
    for (const found of readdirSync(target, { withFileTypes: true, recursive: true })) {
      const path = join(found.parentPath, found.name)
      expect([path, statSync(path).mode & 0o7777]).toEqual([path, found.isDirectory() ? 0o700 : 0o600])
    }
  })

  test('with unknown names is unpacked without them, and they are reported', async () => {
    const unknown = {
      notes: 'x',
      '.env': 'x',
      lock: 'x',
      'lock-owner': 'x',
      'restored-2026': null,
      'restored-2026/database/PG_VERSION': '18',
      'settling-2026/key-pepper': 'x',
      'before-restore-2026/x': 'x',
      'tmp/snapshot-x': 'x',
      'media/index.html': 'x',
      [`media/${'a'.repeat(40)}.svg`]: 'x',
      [`media/tmp/${'a'.repeat(40)}.webp`]: 'x',
      'media/folder': null,
      'database/.bashrc': 'x',
      'database/base/.hidden': 'x',
      'database/run.sh': 'x',
      'database/other/1': 'x',
      'key-pepper.old': 'x',
      'admin-token/x': 'x',
    }
    const target = newFolder()
    const contents = emptyContents()
    await readArchive(pieces(await forged({ ...FILES, ...unknown }, 0o600)), target, contents)
    const found = readdirSync(target, { withFileTypes: true, recursive: true })
    const names = found
      .filter((each) => each.isFile())
      .map((each) => relative(target, join(each.parentPath, each.name)))
    expect(names.sort()).toEqual(Object.keys(FILES).sort())
    expect(contents.leftOut.sort()).toEqual(Object.keys(unknown).sort())
    expect(contents.files).toBe(Object.keys(FILES).length)
  })

  test('is made from known names only', async () => {
    const folder = newFolder()
    for (const name of [...Object.keys(FILES), 'notes/x', 'media/tmp/half', 'media/index.html']) {
      mkdirSync(join(folder, name, '..'), { recursive: true })
      writeFileSync(join(folder, name), 'x', { mode: 0o644 })
    }
    const contents = emptyContents()
    const parts = readdirSync(folder).map((name) => ({ path: join(folder, name), name }))
    const bytes = await gather(writeArchive(MANIFEST, parts, contents))
    expect(contents).toMatchObject({ files: Object.keys(FILES).length, leftOut: ['media/index.html', 'notes'] })
    writeFileSync(join(folder, 'a.tar'), bytes)
    // An operator may unpack it with another program, so the modes in it matter.
    const listed = execFileSync('tar', ['tvf', join(folder, 'a.tar')], { encoding: 'utf8' })
    const modes = new Set(
      listed
        .trim()
        .split('\n')
        .map((line) => line.slice(0, 10)),
    )
    expect(modes).toEqual(new Set(['-rw-------', 'drwx------']))
  })

  test.each([
    [{ 'database/base/1': 'x', 'database/base/1/2': 'x' }],
    [{ 'database/base/1/2': 'x', 'database/base/1': 'x' }],
    [{ 'database/base/1': 'x', 'database/base/1/2': null }],
  ])('with one name for a file and a folder is refused: %j', async (files) => {
    const read = readArchive(pieces(await forged(files, 0o600)), newFolder(), emptyContents())
    await expect(read).rejects.toThrow(/The name .* in it is wrong/)
  })

  test.each(['../outside', '/etc/outside', 'a/../../outside', 'a//b', 'a\\b'])('never writes to %s', async (name) => {
    const entries = Readable.from([entry('manifest.json', JSON.stringify(MANIFEST)), entry(name, 'x')])
    const folder = newFolder()
    const target = join(folder, 'inside')
    mkdirSync(target)
    const bytes = await gather(writeTar(entries))
    await expect(readArchive(pieces(bytes), target, emptyContents())).rejects.toThrow(/The name .* in it is wrong/)
    expect([readdirSync(folder), readdirSync(target)]).toEqual([['inside'], []])
  })
})

describe('a restore', () => {
  const OLD = ['admin-token', 'database', 'key-pepper', 'notes']
  const NEW = ['database', 'key-pepper', 'media']
  /** Makes a folder with the old content in place and the new content prepared. */
  function folderWith(old: readonly string[] = OLD): string {
    const folder = newFolder()
    mkdirSync(join(folder, PREPARED_FOLDER))
    for (const name of old) writeFileSync(join(folder, name), `old ${name}`)
    for (const name of NEW) writeFileSync(join(folder, PREPARED_FOLDER, name), `new ${name}`)
    writeFileSync(join(folder, 'lock'), '')
    return folder
  }
  const contents = (folder: string) => contentOf(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  const newContents = NEW.map((name) => `new ${name}`)

  test('replaces the old content with the new at once', () => {
    const folder = folderWith()
    const old = replaceContent(folder, new Date('2026-03-01T09:30:00.000Z'))
    expect(contents(folder)).toEqual(newContents)
    expect(old).toBe(join(folder, 'before-restore-20260301T093000Z'))
    expect(readdirSync(old!).sort()).toEqual(OLD)
  })

  test('leaves the old content as it was when it stops before the rename', () => {
    const folder = folderWith()
    finishRestore(folder)
    expect(contents(folder)).toEqual(OLD.map((name) => `old ${name}`))
    expect(existsSync(join(folder, PREPARED_FOLDER))).toBe(false)
  })

  test('is completed by the next process that opens the folder when it stops after the rename, at any step', () => {
    for (let steps = 0; steps <= OLD.length; steps++) {
      const folder = folderWith()
      renameSync(join(folder, PREPARED_FOLDER), join(folder, 'restored-x'))
      mkdirSync(join(folder, 'before-restore-x'))
      for (const name of OLD.slice(0, steps)) renameSync(join(folder, name), join(folder, 'before-restore-x', name))
      finishRestore(folder)
      expect(contents(folder)).toEqual(newContents)
      expect(readdirSync(join(folder, 'before-restore-x')).sort()).toEqual(OLD)
    }
    for (let steps = 0; steps <= NEW.length; steps++) {
      const folder = folderWith([])
      renameSync(join(folder, PREPARED_FOLDER), join(folder, 'settling-x'))
      for (const name of NEW.slice(0, steps)) renameSync(join(folder, 'settling-x', name), join(folder, name))
      finishRestore(folder)
      finishRestore(folder)
      expect(contents(folder)).toEqual(newContents)
      expect(readdirSync(folder).sort()).toEqual([...NEW, 'lock'].sort())
    }
  })
})

describe('the order in which tables are moved', () => {
  const tables = (...names: string[]): MovedTable[] => names.map((name) => ({ name, title: name, columns: [] }))
  const refers = (from: string, to: string) => ({ constraint: `${from}_${to}`, from, to })

  test('puts each table after those it refers to', () => {
    const { ordered, circular } = inOrder(tables('a', 'b', 'c', 'd'), [
      refers('a', 'b'),
      refers('b', 'd'),
      refers('c', 'a'),
    ])
    expect(ordered.map(({ name }) => name)).toEqual(['d', 'b', 'a', 'c'])
    expect(circular).toEqual([])
  })

  test('names the references that no order satisfies: a table that refers to itself, and circles', () => {
    const self = refers('a', 'a')
    const { ordered, circular } = inOrder(tables('a', 'b', 'c'), [self, refers('b', 'c'), refers('c', 'b')])
    expect(ordered).toHaveLength(3)
    expect(circular).toEqual([self, refers('b', 'c')])
  })
})
