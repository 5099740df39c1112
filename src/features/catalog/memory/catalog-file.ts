// Stores the catalog of a process as a file in DATA_DIR, so that the next start need not read and index every listing. The file is never
// trusted alone: it is used only by the same code on the same database, and each of its listings is compared with the database row.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Database, Log } from '../../../kernel/context.ts'
import { readRecords, writeRecords } from '../../../kernel/formats/record-file.ts'
import * as queries from '../queries.ts'
import type { ListedKind } from '../schema.ts'
import { type ListingIndex, type Snapshot, sizeOf } from './listing-states.ts'
import { readListings, recordsOf, type StoredRecord } from './stored-listings.ts'

export interface CatalogFile {
  /**
   * The listings of the file; null when there is no file or its header differs. They may be older than the rows in the database.
   * `onHeaderMatch` is called as soon as the header is found equal. The caller can read the database from then on, while the listings are
   * still read from the file.
   */
  read(taxonomy: string, onHeaderMatch: () => void): Promise<Record<ListedKind, ListingIndex> | null>
  /** Logs that the file was used, and how many rows had to be read from the database nevertheless. */
  logUse(listings: number, readAgain: number): void
  /**
   * Starts regular checks. The file is written when much has changed and no listing has changed since the previous check. `loaded` is the
   * catalog at the start; `current` returns the catalog as it is now, and null while it must not be written.
   */
  startWriting(loaded: Snapshot, current: () => Snapshot | null, taxonomyOf: (snapshot: Snapshot) => string): void
  close(): void
}

interface Source {
  path: string
  db: Database
  log: Log
  publicUrl: string
  /** How often the process checks whether the file must be written, in milliseconds. */
  checkMs?: number
}

/** The file is used only when all of this is the same. */
interface Header {
  code: string
  database: string
  publicUrl: string
  taxonomy: string
}

interface StartedRead {
  header: Header
  listings: Promise<Record<ListedKind, ListingIndex>>
  /** Stops reading; `listings` is then rejected. */
  stop(): void
}

// A smaller catalog needs no file: it is read from the database and indexed in a second.
const MIN_LISTINGS = 5_000
// The file is written again when this share of the listings has changed, because the next start must read each of them.
const CHANGED_SHARE = 0.02
const CHECK_MS = 4_000
const RETRY_MS = 600_000
// The file has about 2 KB for each listing, and must not fill the disk on which the database may be.
const FREE_BYTES_PER_LISTING = 8_192

export function createCatalogFile({ path, db, log, publicUrl, checkMs = CHECK_MS }: Source): CatalogFile {
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const headerFor = async (taxonomy: string): Promise<Header> => {
    const database = await queries.databaseIdentity(db)
    return { code: CODE, database, publicUrl, taxonomy: sha256(taxonomy) }
  }
  const reading = createReading(path, publicUrl, headerFor)

  async function write(snapshot: Snapshot, taxonomy: string, isCurrent: () => boolean): Promise<boolean> {
    const startedAt = performance.now()
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const { bavail, bsize } = await statfs(dirname(path))
    if (bavail * bsize < sizeOf(snapshot) * FREE_BYTES_PER_LISTING)
      throw new Error('The disk of DATA_DIR has too little free space for it.')
    const header = await headerFor(taxonomy)
    const isWritten = await writeRecords(path, withHeader(header, snapshot), () => !isClosed && isCurrent())
    const took = Math.round(performance.now() - startedAt)
    if (isWritten)
      log.info({ listings: sizeOf(snapshot), ms: took }, 'the catalog file is written; the next start reads it')
    return isWritten
  }

  return {
    read: (taxonomy, onHeaderMatch) =>
      reading.readIfHeaderMatches(taxonomy, onHeaderMatch).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT')
          log.warn({ err: error, path }, 'the catalog file cannot be used; reading the database')
        return null
      }),
    logUse: (listings, readAgain) => log.info({ listings, readAgain }, 'the catalog was read from its file'),
    startWriting(loaded, current, taxonomyOf) {
      const writeIfNeeded = createWriteCheck({ path, write, loaded, current, taxonomyOf })
      function checkAfter(delayMs: number): void {
        timer = setTimeout(
          async () => {
            const next = await writeIfNeeded().then(
              () => checkMs,
              (error) => {
                log.warn({ err: error, path }, 'the catalog file cannot be written; the next start takes longer')
                return RETRY_MS
              },
            )
            if (!isClosed) checkAfter(next)
          },
          // Random, so that one process of this machine writes the file first, and the others find it written.
          delayMs * (1 + Math.random()),
        ).unref()
      }
      checkAfter(checkMs)
    },
    close() {
      isClosed = true
      void reading.stop()
      clearTimeout(timer)
    },
  }
}

async function* withHeader(header: Header, snapshot: Snapshot): AsyncGenerator<Header | StoredRecord> {
  yield header
  yield* recordsOf(snapshot)
}

/** Begins to read the file at once, before the database tells whether it can be used, because a start waits for the database anyway. */
function createReading(path: string, publicUrl: string, headerFor: (taxonomy: string) => Promise<Header>) {
  async function startRead(): Promise<StartedRead | null> {
    const records = readRecords(path)
    const header = (await records.next()).value as Header
    if (header?.code !== CODE || header.publicUrl !== publicUrl) {
      await records.return(undefined)
      return null
    }
    const stop = new AbortController()
    const listings = readListings(records as AsyncGenerator<StoredRecord>, stop.signal)
    listings.catch(() => {})
    return { header, listings, stop: () => stop.abort() }
  }
  let earlyRead: ReturnType<typeof startRead> | undefined = startRead()
  // `readIfHeaderMatches` returns the same promise, and its caller handles the error.
  earlyRead.catch(() => {})

  return {
    async readIfHeaderMatches(taxonomy: string, onHeaderMatch: () => void) {
      const header = await headerFor(taxonomy)
      const started = earlyRead ?? startRead()
      // A second call reads the file again, because the first caller changes the listings that it got.
      earlyRead = undefined
      const found = await started
      if (JSON.stringify(found?.header) === JSON.stringify(header)) {
        onHeaderMatch()
        return found?.listings ?? null
      }
      found?.stop()
      return null
    },
    stop: () =>
      earlyRead?.then(
        (found) => found?.stop(),
        () => {},
      ),
  }
}

interface WriteCheckOptions {
  path: string
  write(snapshot: Snapshot, taxonomy: string, isCurrent: () => boolean): Promise<boolean>
  loaded: Snapshot
  current(): Snapshot | null
  taxonomyOf(snapshot: Snapshot): string
}

/**
 * Returns a function that writes the file if many listings have changed since the last write. It waits for a later call if listings were put
 * or removed since its previous call, but not if only click-throughs have changed.
 */
function createWriteCheck({ path, write, loaded, current, taxonomyOf }: WriteCheckOptions): () => Promise<void> {
  // `count`: how many changes and updates the indexes had counted when the file was written. It is 0 at first, because the file lacks the
  // listings that the start read from the database.
  let lastWrite = { snapshot: loaded, count: 0, taxonomy: taxonomyOf(loaded) }
  /** The catalog at the last call, and since when no listing was put or removed. */
  let lastSeen: { snapshot: Snapshot | null; changes: number; at: number } = { snapshot: null, changes: 0, at: 0 }
  return async () => {
    const snapshot = current()
    const changes = snapshot ? changesOf(snapshot) : 0
    if (!snapshot || lastSeen.snapshot !== snapshot || lastSeen.changes !== changes) {
      lastSeen = { snapshot, changes, at: Date.now() }
      return
    }
    const taxonomy = taxonomyOf(snapshot)
    const count = changes + updatesOf(snapshot)
    const hasFewChanges = lastWrite.snapshot === snapshot && count - lastWrite.count <= sizeOf(snapshot) * CHANGED_SHARE
    if (sizeOf(snapshot) < MIN_LISTINGS || (hasFewChanges && taxonomy === lastWrite.taxonomy)) return
    const isCurrent = () => current() === snapshot && changesOf(snapshot) === changes
    const isWritten = (await wasWrittenSince(path, lastSeen.at)) || (await write(snapshot, taxonomy, isCurrent))
    if (isWritten) lastWrite = { snapshot, count, taxonomy }
  }
}

/** How many listings were put or removed so far. While this number rises, the file is not written. */
const changesOf = ({ tools, directories }: Snapshot): number =>
  tools.index.counts.changes + directories.index.counts.changes
/** How many times only the click-throughs of a listing have changed. The next start reads such listings from the database, too. */
const updatesOf = ({ tools, directories }: Snapshot): number =>
  tools.index.counts.updates + directories.index.counts.updates

/** Whether this or another process has written the file since that time. */
const wasWrittenSince = (path: string, time: number): Promise<boolean> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs > time,
    () => false,
  )

/** Hash of the code that makes documents and indexes, and of its packages: another version may make different ones of the same rows. */
function codeFingerprint(): string {
  const source = new URL('../../../', import.meta.url).pathname
  const hash = createHash('sha256').update(process.version)
  for (const folder of ['features/catalog', 'kernel', 'search']) {
    const names = readdirSync(join(source, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
    for (const name of names.sort()) hash.update(name.slice(source.length)).update(readFileSync(name))
  }
  return hash.update(readFileSync(join(source, '../package.json'))).digest('hex')
}

/** Fingerprint of the running code. Read at the start, because an upgrade may replace the files while this process runs. */
const CODE = codeFingerprint()

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
