// The thread that runs the embedded database. See embedded.ts.
import { constants, cpSync, fsyncSync, mkdirSync } from 'node:fs'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

interface EmscriptenModule {
  NODEFS: { stream_ops: { fsync?: (stream: { nfd: number }) => number } }
}

// PGlite's file system for Node has no fsync, and PGlite starts with fsync off: a power cut would lose acknowledged writes.
class DurableFS extends NodeFS {
  override async init(...[pg, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const result = await super.init(pg, options)
    const addFsync = (module: unknown) => {
      ;(module as EmscriptenModule).NODEFS.stream_ops.fsync = (stream) => {
        fsyncSync(stream.nfd)
        return 0
      }
    }
    result.emscriptenOpts.preRun = [...(result.emscriptenOpts.preRun ?? []), addFsync]
    return result
  }
}

const SETTINGS = {
  wal_sync_method: 'fsync',
  // PGlite zeroes its shared memory, so all of it is resident from the start. Reads of the catalog do not use the database, and the
  // operating system caches its files as well.
  shared_buffers: '16MB',
  // A tenth of the rows that PostgreSQL looks at to know a table: requests wait meanwhile.
  default_statistics_target: '10',
}

const { folder, wasm } = workerData as { folder: string; wasm: WebAssembly.Module }
mkdirSync(folder, { recursive: true, mode: 0o700 })
const database = await PGlite.create({
  fs: new DurableFS(folder),
  pgliteWasmModule: wasm,
  startParams: [
    ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
    ...Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ],
})

if (!parentPort) throw new Error('This file runs only in a thread.')
let queue: Promise<void> = Promise.resolve()
parentPort.on('message', (message: MessagePort | 'close' | Copy) => {
  if (message === 'close') {
    queue = queue.then(() => database.close()).then(() => process.exit(0))
  } else if ('copyTo' in message) {
    queue = queue.then(() => copy(message))
  } else {
    message.on('message', (bytes: Uint8Array) => {
      queue = queue
        .then(async () => {
          const answer = await ask(bytes)
          const isLast = isPanic(answer)
          message.postMessage(answer, [answer.buffer])
          if (isLast) process.exit(1)
        })
        .catch((error) => {
          message.close()
          throw error
        })
    })
  }
})
parentPort.postMessage('ready')

interface Copy {
  copyTo: string
  done: MessagePort
}

// Between two statements nothing writes: there is no other process and no background writer. The copy equals what a kill -9 at this
// moment would leave, and opening it replays the write-ahead log, without transactions that had not ended.
function copy({ copyTo, done }: Copy): void {
  try {
    mkdirSync(copyTo, { mode: 0o700 })
    cpSync(folder, copyTo, { recursive: true, errorOnExist: true, force: false, mode: constants.COPYFILE_FICLONE })
    done.postMessage(null)
  } catch (error) {
    done.postMessage(String(error))
  }
  done.close()
}

const ERROR = 'E'.charCodeAt(0)
const PANIC = Buffer.from('SPANIC\0')

/** After a panic PostgreSQL restarts itself. PGlite cannot, and its next statement would never end, so the thread exits. */
function isPanic(answer: Uint8Array<ArrayBuffer>): boolean {
  const bytes = Buffer.from(answer.buffer)
  for (let at = 0; at + 5 <= bytes.length; at += 1 + bytes.readInt32BE(at + 1))
    if (bytes[at] === ERROR && bytes.subarray(at + 5, at + 5 + PANIC.length).equals(PANIC)) return true
  return false
}

// The answer is streamed and joined here, because PGlite's call for the whole answer also parses it and keeps the result in memory.
async function ask(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  await database.execProtocolRawStream(bytes, { onRawData: (piece) => void pieces.push(piece.slice()) })
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
