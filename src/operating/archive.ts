// A whole DATA_DIR as one file: a compressed tar whose first entry is a manifest and whose last entry has the checksum of every other. `tar
// xzf` and `sha256sum -c checksums.txt` read it too. It holds the database, the pictures and the two secrets.
import { createHash, type Hash } from 'node:crypto'
import { createReadStream, type Stats, statSync } from 'node:fs'
import { mkdir, open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PICTURE_NAME } from '../kernel/addresses/own-addresses.ts'
import { DamagedArchive, FILE_MODE, FOLDER_MODE, readTar, type TarSource, writeTar } from '../kernel/formats/tar.ts'
import { parsedJson } from '../kernel/values/text.ts'
import { DATABASE_FOLDER, OPERATOR_TOKEN_FILE, PEPPER_FILE, PICTURES_FOLDER } from '../platform/folder/data-folder.ts'

export interface Manifest {
  format: 'catalog-service backup'
  /** The version of the archive's format. */
  version: 1
  service: string
  madeAt: string
  /** Major version of the embedded PostgreSQL. */
  postgres: string
  pepper: 'file' | 'setting'
  pictures: 'folder' | 'bucket'
}

export interface Contents {
  files: number
  bytes: number
  /** Names of files that are not the service's: they are neither archived nor restored. */
  leftOut: string[]
}

export const noContents = (): Contents => ({ files: 0, bytes: 0, leftOut: [] })

/** A folder or file on the disk and the name it has in the archive. */
interface ArchivePart {
  path: string
  name: string
}

const MANIFEST = 'manifest.json'
const CHECKSUMS = 'checksums.txt'
const VERSION = 1
// The most bytes of the manifest and of the checksums, so that a wrong archive cannot fill the memory. The checksums of a million pictures
// take 120 MB.
const MAX_OWN_BYTES = 256 * 1024 * 1024

export async function* writeArchive(
  manifest: Manifest,
  parts: readonly ArchivePart[],
  contents: Contents,
): AsyncGenerator<Uint8Array> {
  const sums: string[] = []
  const now = new Date(manifest.madeAt)
  async function* entries(): AsyncGenerator<TarSource> {
    const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
    sums.push(sumLine(createHash('sha256').update(bytes), MANIFEST))
    yield ownFile(MANIFEST, bytes, now)
    for (const part of parts) yield* entriesOf(part, sums, contents)
    yield ownFile(CHECKSUMS, Buffer.from(sums.join('')), now)
  }
  yield* writeTar(entries())
}

const sumLine = (hash: Hash, name: string) => `${hash.digest('hex')}  ${name}\n`

const ownFile = (name: string, content: Buffer, modifiedAt: Date): TarSource => ({
  name,
  isFolder: false,
  size: content.length,
  modifiedAt,
  content: [content],
})

async function* entriesOf({ path, name }: ArchivePart, sums: string[], contents: Contents): AsyncGenerator<TarSource> {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat || isHalfWritten(name)) return
  if (!isInBackup(name, stat.isDirectory())) contents.leftOut.push(name)
  else if (stat.isDirectory()) {
    yield { name, isFolder: true, size: 0, modifiedAt: stat.mtime }
    for (const each of (await readdir(path)).sort())
      yield* entriesOf({ path: join(path, each), name: `${name}/${each}` }, sums, contents)
  } else if (stat.isFile()) {
    const hash = createHash('sha256')
    yield { name, isFolder: false, size: stat.size, modifiedAt: stat.mtime, content: read(path, stat, hash) }
    sums.push(sumLine(hash, name))
    contents.files++
    contents.bytes += stat.size
  }
}

/** The folder of pictures that are being written. */
const isHalfWritten = (name: string) => name === 'media/tmp'

async function* read(path: string, { size }: Stats, hash: Hash): AsyncGenerator<Uint8Array> {
  if (size === 0) return
  for await (const chunk of createReadStream(path, { end: size - 1, highWaterMark: 256 * 1024 })) {
    hash.update(chunk)
    yield chunk as Buffer
  }
}

/** Unpacks the archive into the empty `folder`. Resolves when every checksum matches and every file is synced to the disk. */
export async function readArchive(
  source: AsyncIterable<Uint8Array>,
  folder: string,
  contents: Contents,
): Promise<Manifest> {
  let manifest: Manifest | null = null
  let checksums: string | null = null
  const found = new Map<string, string>()
  const folders = new Set([folder])
  const files: string[] = []
  for await (const { name, isFolder, size, content } of readTar(source)) {
    if (checksums !== null) throw new DamagedArchive('Something follows its checksums.')
    if (manifest === null) {
      if (name !== MANIFEST) throw new DamagedArchive('It is not a backup of this service.')
      const text = await gather(content, size)
      found.set(name, createHash('sha256').update(text).digest('hex'))
      manifest = readManifest(text.toString('utf8'))
    } else if (name === CHECKSUMS) checksums = (await gather(content, size)).toString('utf8')
    else {
      const path = join(folder, name)
      if (!isSafe(name) || found.has(name) || folders.has(path)) throw wrongName(name)
      if (!isInBackup(name, isFolder)) {
        contents.leftOut.push(name)
        if (!isFolder) found.set(name, await digest(content))
      } else if (isFolder) {
        await mkdir(path, { recursive: true, mode: FOLDER_MODE }).catch(nameTaken(name))
        folders.add(path)
      } else {
        found.set(name, await store(path, content).catch(nameTaken(name)))
        files.push(path)
        contents.files++
        contents.bytes += size
      }
    }
  }
  if (manifest === null || checksums === null) throw new DamagedArchive('It ends too early.')
  compare(checksums, found)
  // All files are synced at the end, because the first sync also writes most other files. A sync after each file would take minutes.
  for (const path of [...files, ...folders]) await sync(path)
  return manifest
}

const wrongName = (name: string) => new DamagedArchive(`The name ${JSON.stringify(name)} in it is wrong.`)

/** These errors mean that the archive has a file and a folder of the same name. */
const nameTaken = (name: string) => (error: NodeJS.ErrnoException) => {
  throw ['EEXIST', 'EISDIR', 'ENOTDIR'].includes(error.code ?? '') ? wrongName(name) : error
}

/** False for names that lead out of the target folder. */
const isSafe = (name: string) =>
  !name.includes('\\') && name.split('/').every((part) => part !== '' && part !== '.' && part !== '..')

async function gather(content: AsyncIterable<Buffer>, size: number): Promise<Buffer> {
  if (size > MAX_OWN_BYTES) throw new DamagedArchive('It is damaged.')
  const pieces: Buffer[] = []
  for await (const piece of content) pieces.push(piece)
  return Buffer.concat(pieces)
}

function readManifest(text: string): Manifest {
  const manifest = parsedJson(text) as Manifest | null | undefined
  if (manifest?.format !== 'catalog-service backup') throw new DamagedArchive('It is not a backup of this service.')
  if (manifest.version !== VERSION)
    throw new DamagedArchive(
      `It has form ${manifest.version}, made by version ${manifest.service}; this version reads form ${VERSION}. Restore it with the version that made it.`,
    )
  return manifest
}

async function store(path: string, content: AsyncIterable<Buffer>): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE })
  const file = await open(path, 'wx', FILE_MODE)
  try {
    return await digest(content, (piece) => file.writeFile(piece))
  } finally {
    await file.close()
  }
}

async function digest(content: AsyncIterable<Buffer>, keep?: (piece: Buffer) => Promise<void>): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of content) {
    hash.update(piece)
    await keep?.(piece)
  }
  return hash.digest('hex')
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}

function compare(checksums: string, found: Map<string, string>): void {
  const expected = new Map(
    checksums
      .split('\n')
      .filter(Boolean)
      // A line has 64 hexadecimal digits, two spaces and the name, as `sumLine` writes it.
      .map((line): [name: string, sum: string] => [line.slice(66), line.slice(0, 64)]),
  )
  for (const [name, sum] of expected)
    if (found.get(name) !== sum)
      throw new DamagedArchive(
        `${name} in it ${found.has(name) ? 'is not what was backed up: its checksum is another' : 'is missing'}.`,
      )
  for (const name of found.keys()) if (!expected.has(name)) throw new DamagedArchive(`${name} in it has no checksum.`)
}

// The folders of a PostgreSQL database, the files beside them, and a path below one of the folders.
const PG_FOLDERS =
  '(base|global|pg_(commit_ts|dynshmem|logical|multixact|notify|replslot|serial|snapshots|stat|stat_tmp|subtrans|tblspc|twophase|wal|xact))'
const PG_FILES = '(PG_VERSION|pg_hba\\.conf|pg_ident\\.conf|postgresql(\\.auto)?\\.conf|postmaster\\.(pid|opts))'
const SUBPATH = '(/[\\w-][\\w.-]*)'
const PART_FOLDER = new RegExp(`^(${PICTURES_FOLDER}|${DATABASE_FOLDER}(/${PG_FOLDERS}${SUBPATH}*)?)$`)
const PART_FILE = new RegExp(
  `^(${PEPPER_FILE}|${OPERATOR_TOKEN_FILE}|${DATABASE_FOLDER}/(${PG_FILES}|${PG_FOLDERS}${SUBPATH}+))$`,
)

/** Whether this path below DATA_DIR is part of a backup. A backup writes and a restore reads no other path. */
function isInBackup(path: string, isFolder: boolean): boolean {
  if (isFolder) return PART_FOLDER.test(path)
  const pictureName = path.startsWith(`${PICTURES_FOLDER}/`) ? path.slice(PICTURES_FOLDER.length + 1) : ''
  return PART_FILE.test(path) || PICTURE_NAME.test(pictureName)
}
