// Writes a whole DATA_DIR as one stream of bytes, while the service is stopped or running.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Config } from '../config.ts'
import { OperatingError } from '../kernel/errors.ts'
import {
  contentOf,
  DATABASE_FOLDER,
  finishRestore,
  isCatalogFile,
  isSnapshot,
  PEPPER_FILE,
} from '../platform/folder/data-folder.ts'
import { FolderInUse, lockFolder } from '../platform/folder/folder-lock.ts'
import { VERSION } from '../process/version.ts'
import { type Contents, type Manifest, noContents, writeArchive } from './archive.ts'

interface Backup {
  contents: Contents
  pictures: Manifest['pictures']
  pepper: Manifest['pepper']
  /** Whether the service was running. */
  running: boolean
}

// A low level already compresses database pages to a fifth, and a higher one would take processor time from a running service.
const LEVEL = 3

/** `takeSnapshot` asks the running service for a copy of the database, and returns its path below DATA_DIR. */
export async function backUp(
  config: Config,
  sink: Writable,
  takeSnapshot: (inUse: FolderInUse) => Promise<string>,
  onProgress: (contents: Contents) => void,
): Promise<Backup> {
  const { DATA_DIR } = config
  if (!existsSync(join(DATA_DIR, DATABASE_FOLDER)))
    throw new OperatingError(
      existsSync(DATA_DIR)
        ? `There is no embedded database in ${DATA_DIR}. Set DATA_DIR to the service's data folder.`
        : `There is no folder ${DATA_DIR}. Set DATA_DIR to the service's data folder.`,
    )
  const lock = tryLock(DATA_DIR)
  if (!(lock instanceof FolderInUse)) {
    try {
      finishRestore(DATA_DIR)
      return await write(config, join(DATA_DIR, DATABASE_FOLDER), { running: false }, sink, onProgress)
    } finally {
      lock()
    }
  }
  const answered = await takeSnapshot(lock)
  // Another service may have answered with any path, and the path is deleted afterwards.
  if (!isSnapshot(DATA_DIR, answered))
    throw new OperatingError(
      `The service that answered keeps its data elsewhere: the copy it made is not in ${DATA_DIR}. Check CATALOG_URL and DATA_DIR.`,
    )
  const snapshot = join(DATA_DIR, answered)
  try {
    return await write(config, snapshot, { running: true }, sink, onProgress)
  } finally {
    rmSync(snapshot, { recursive: true, force: true })
  }
}

function tryLock(folder: string): (() => void) | FolderInUse {
  try {
    return lockFolder(folder)
  } catch (error) {
    if (error instanceof FolderInUse) return error
    throw error
  }
}

async function write(
  config: Config,
  database: string,
  { running }: { running: boolean },
  sink: Writable,
  onProgress: (contents: Contents) => void,
): Promise<Backup> {
  const { DATA_DIR } = config
  const manifest: Manifest = {
    format: 'catalog-service backup',
    version: 1,
    service: VERSION,
    madeAt: new Date().toISOString(),
    postgres: readFileSync(join(database, 'PG_VERSION'), 'utf8').trim(),
    pepper: config.KEY_PEPPER || !existsSync(join(DATA_DIR, PEPPER_FILE)) ? 'setting' : 'file',
    pictures: config.S3_BUCKET ? 'bucket' : 'folder',
  }
  // The database is written first: every picture that it names was stored before. Only one that falls out of use and is removed during the
  // backup can be missing.
  const rest = contentOf(DATA_DIR).filter((name) => name !== DATABASE_FOLDER && !isCatalogFile(name))
  const parts = [
    { path: database, name: DATABASE_FOLDER },
    ...rest.map((name) => ({ path: join(DATA_DIR, name), name })),
  ]
  const contents = noContents()
  const timer = setInterval(() => onProgress(contents), 100)
  try {
    await pipeline(Readable.from(writeArchive(manifest, parts, contents)), createGzip({ level: LEVEL }), sink)
  } finally {
    clearInterval(timer)
  }
  return { contents, pictures: manifest.pictures, pepper: manifest.pepper, running }
}
