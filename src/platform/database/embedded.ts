// The embedded database: PGlite in a thread of its own, so that no query, checkpoint or fsync blocks requests. The PostgreSQL driver
// talks to it over a stream that passes protocol messages to the thread.
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { Log } from '../../kernel/context.ts'
import { DATABASE_FOLDER, finishRestore } from '../folder/data-folder.ts'
import { FolderInUse, FolderUnusable, lockFolder } from '../folder/folder-lock.ts'
import { THREAD } from '../kept-threads.ts'
import { openPostgres, type Store } from './postgres.ts'

// Time between two attempts to open a database that ended. It usually ended because the disk is full, which lasts for a while.
const REOPEN_MS = 2_000

export async function openEmbedded(dataDir: string, log: Log): Promise<Store> {
  const { store, opened } = beginEmbedded(dataDir, log)
  await opened
  return store
}

/** Begins to open the database in its thread and returns at once; the store may be used when `opened` has resolved. */
export function beginEmbedded(dataDir: string, log: Log): { store: Store; opened: Promise<void> } {
  let unlock = () => {}
  let thread: Worker
  let opening: Promise<Worker>
  /** Unlocks the folder, and returns the error to throw. */
  const unusable = (error: unknown) => {
    unlock()
    return error instanceof FolderInUse ? error : new FolderUnusable(dataDir, error as Error)
  }
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    unlock = lockFolder(dataDir)
    finishRestore(dataDir)
    opening = openThread(join(dataDir, DATABASE_FOLDER))
  } catch (error) {
    throw unusable(error)
  }
  const opened = opening.then(
    (first) => {
      thread = first
      watch()
    },
    (error) => {
      throw unusable(error)
    },
  )
  // The caller awaits `opened` later; until then a failure must not end the process as an unhandled rejection.
  opened.catch(() => {})
  let closing = false
  let onChange: Parameters<Store['listen']>[0] | undefined
  // PGlite has one session, so there is only one connection: a second one would take part in the transactions of the first.
  const store = openPostgres(
    {
      isEmbedded: true,
      max: 1,
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: 60_000,
      stream: () => new ThreadStream(thread) as never,
      user: 'postgres',
    },
    log,
  )
  let reopening: Promise<void> | undefined

  function watch(): void {
    thread.on('error', (error) => log.error({ err: error }, 'the embedded database failed'))
    thread.once('exit', () => {
      if (closing || reopening) return
      reopening = reopen().finally(() => {
        reopening = undefined
      })
    })
  }

  /** Opens the database again after its thread ended. No acknowledged write is lost, and the catalog is read from memory meanwhile. */
  async function reopen(): Promise<void> {
    log.error({}, 'the embedded database ended, as it does when there is no room on the disk; it is opened again')
    while (!closing) {
      try {
        thread = await openThread(join(dataDir, DATABASE_FOLDER))
        watch()
        if (onChange) await store.listen(onChange)
        // While `reopen` runs, `watch` does nothing about a thread that ends.
        if (!hasEnded(thread)) return log.warn({}, 'the embedded database is open again')
      } catch (error) {
        log.warn({ err: error }, 'the embedded database cannot be opened yet; trying again')
        // If only `listen` failed, the new thread is still running.
        await thread.terminate()
      }
      await sleep(REOPEN_MS, undefined, { ref: false })
    }
  }

  const embedded: Store = {
    ...store,
    listen(callback) {
      onChange = callback
      return store.listen(callback)
    },
    copy: (to) => {
      const { port1, port2 } = new MessageChannel()
      thread.postMessage({ copyTo: to, done: port2 }, [port2])
      return new Promise((resolve, reject) => {
        port1.once('message', (problem: string | null) => (problem === null ? resolve() : reject(new Error(problem))))
        port1.once('close', () => reject(new Error('The embedded database ended while it was copied.')))
      })
    },
    async close() {
      closing = true
      await reopening
      await store.close()
      if (!hasEnded(thread)) await closeThread(thread)
      unlock()
    },
  }
  return { store: embedded, opened }
}

const hasEnded = ({ threadId }: Worker): boolean => threadId === -1

// Node's types declare the type of a WebAssembly module, but not its constructor.
declare const WebAssembly: { Module: new (bytes: Uint8Array) => WebAssembly.Module }
// Compiled once in a process and shared by its threads, so that opening the database again does not compile it again.
let wasm: WebAssembly.Module | undefined

// V8's optimising compiler is off: for one function that the database calls at every start it needs 1.2 GB of memory for a second, more
// than a small machine has. Without it the database takes a third more processor time, but no read of the catalog uses the database.
function compileWasm(): WebAssembly.Module {
  for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag)
  return new WebAssembly.Module(readFileSync(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite'))))
}

async function openThread(folder: string): Promise<Worker> {
  if (!existsSync(join(folder, 'PG_VERSION'))) await createDatabase(folder)
  return startThread(folder)
}

/**
 * Creates the database in a thread of its own, because PGlite would keep the 300 MB that this takes; and in a folder beside the final
 * one, so that a process that is killed meanwhile leaves no half of a database.
 */
async function createDatabase(folder: string): Promise<void> {
  const fresh = `${folder}-new`
  await rm(fresh, { recursive: true, force: true })
  await closeThread(await startThread(fresh))
  await syncAll(fresh)
  await rename(fresh, folder)
  await sync(dirname(folder))
}

const FILES_AT_ONCE = 32

/** Syncs all files, as PostgreSQL's initdb does and PGlite does not: a power cut would lose what the system has not written yet. */
async function syncAll(folder: string): Promise<void> {
  const paths = [folder, ...(await readdir(folder, { recursive: true })).map((name) => join(folder, name))]
  while (paths.length > 0) await Promise.all(paths.splice(0, FILES_AT_ONCE).map(sync))
}

async function sync(path: string): Promise<void> {
  const file = await open(path)
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

const closeThread = (thread: Worker): Promise<void> =>
  new Promise((resolve) => {
    thread.once('exit', () => resolve())
    thread.postMessage('close')
  })

async function startThread(folder: string): Promise<Worker> {
  wasm ??= compileWasm()
  const file = new URL('./embedded-worker.ts', import.meta.url).href
  const thread = new Worker(THREAD, { workerData: { file, folder, wasm } })
  try {
    await new Promise<void>((resolve, reject) => {
      thread.once('message', () => resolve())
      thread.once('error', reject)
      thread.once('exit', () => reject(new Error('The embedded database ended while starting.')))
    })
  } catch (error) {
    await thread.terminate()
    throw error
  }
  return thread
}

// Frontend messages that the database answers to: Query, Sync, Flush and the end of a COPY.
const ANSWERED = new Set([...'QSHcf'].map((letter) => letter.charCodeAt(0)))
const TERMINATE = 'X'.charCodeAt(0)

/** The stream that the driver uses as its socket. */
class ThreadStream extends Duplex {
  readonly #worker: Worker
  #port: MessagePort | undefined
  #greeted = false
  #waiting: Buffer = Buffer.alloc(0)

  constructor(worker: Worker) {
    // When the thread ends, the connection is closed, and statements that wait for an answer fail.
    super({ allowHalfOpen: false })
    this.#worker = worker
  }

  connect() {
    if (hasEnded(this.#worker)) {
      process.nextTick(() => this.destroy(new Error('connection terminated: the embedded database ended')))
      return this
    }
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    port1.on('message', (bytes: Uint8Array) => this.push(bytes))
    port1.on('close', () => this.push(null))
    this.#worker.postMessage(port2, [port2])
    process.nextTick(() => this.emit('connect'))
    return this
  }

  override _read() {}

  override _write(chunk: Buffer, _encoding: string, done: () => void) {
    if (this.#greeted) this.#forward(chunk)
    else {
      this.#greeted = true
      this.push(GREETING)
    }
    done()
  }

  // The driver writes a statement in five pieces at once.
  override _writev(pieces: { chunk: Buffer }[], done: () => void) {
    this._write(Buffer.concat(pieces.map(({ chunk }) => chunk)), '', done)
  }

  // Sends only up to a message that gets an answer: PGlite must get all messages of such a cycle in one buffer.
  #forward(chunk: Buffer) {
    const bytes = this.#waiting.length > 0 ? Buffer.concat([this.#waiting, chunk]) : chunk
    let end = 0
    let isOver = false
    for (let at = 0; at + 5 <= bytes.length; ) {
      const kind = bytes.readUInt8(at)
      at += 1 + bytes.readInt32BE(at + 1)
      if (at > bytes.length) break
      isOver = kind === TERMINATE
      if (isOver) break
      if (ANSWERED.has(kind)) end = at
    }
    this.#waiting = bytes.subarray(end)
    if (end > 0) this.#port?.postMessage(Uint8Array.prototype.slice.call(bytes, 0, end))
    if (isOver) this.#port?.close()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void) {
    this.#port?.close()
    done(error)
  }

  setNoDelay() {}
  setKeepAlive() {}
  ref() {}
  unref() {}
}

// Answers the driver's login, because the session in the thread is already open: AuthenticationOk, then ReadyForQuery.
const GREETING = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])
