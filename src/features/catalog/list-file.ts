// A file of named lists: numbers, texts, or bytes in chunks. A table of contents at its end has the place and the checksum of each chunk.
// A file is written beside the old one and takes its name when it is complete, so that a reader finds a whole file or none.
import { randomUUID } from 'node:crypto'
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { createPauses } from '../../kernel/scheduler.ts'
import type { SavedNumbers } from '../../search/index.ts'

/** Bytes in chunks; each chunk is read as one buffer. */
export type Chunks = Iterable<Buffer>
export type List = SavedNumbers | readonly string[] | Chunks

/** The file is not one of these, or is damaged. */
export class UnreadableFile extends Error {}

interface Contents<Header> {
  header: Header
  lists: Record<string, { type: ListType; chunks: [start: number, bytes: number, checksum: number][] }>
}

const NUMBERS = { Uint32Array, Float64Array, Int8Array, Uint8Array }
type ListType = keyof typeof NUMBERS | 'texts' | 'chunks'

const MAGIC = Buffer.from('catalog1')
/** The length of the table of contents, its checksum, and MAGIC. */
const END_BYTES = 8 + MAGIC.length
// A text cannot contain it, because PostgreSQL cannot store it.
const SEPARATOR = '\0'
const CHUNK_BYTES = 1 << 20
const LEFT_BEHIND_MS = 3600_000

/** Writes the lists. Returns false and leaves the old file when `isCurrent` became false: the lists have changed meanwhile. */
export async function writeListFile(
  path: string,
  header: object,
  lists: Iterable<readonly [name: string, list: List]>,
  isCurrent: () => boolean,
): Promise<boolean> {
  await removeLeftBehind(path)
  const temporary = `${path}-${randomUUID()}`
  const contents: Contents<object> = { header, lists: {} }
  const file = await open(temporary, 'wx', 0o600)
  try {
    let end = 0
    const pause = createPauses()
    for (const [name, list] of lists) {
      const chunks: [number, number, number][] = []
      for (const chunk of chunksOf(list)) {
        chunks.push([end, chunk.length, crc32(chunk)])
        await writeAll(file, chunk)
        end += chunk.length
        await pause()
        if (!isCurrent()) return false
      }
      contents.lists[name] = { type: typeOf(list), chunks }
    }
    const table = Buffer.from(JSON.stringify(contents))
    const ending = Buffer.alloc(END_BYTES)
    ending.writeUInt32LE(table.length, 0)
    ending.writeUInt32LE(crc32(table), 4)
    MAGIC.copy(ending, 8)
    await writeAll(file, Buffer.concat([table, ending]))
    await file.sync()
    if (!isCurrent()) return false
    await rename(temporary, path)
    return true
  } finally {
    await file.close()
    await rm(temporary, { force: true })
  }
}

/** What a process that was killed has left. One that still writes has changed its file within the hour. */
async function removeLeftBehind(path: string): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(`${basename(path)}-`)) continue
    const other = join(dirname(path), name)
    // Another process may have removed it.
    const changedAt = await stat(other).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    )
    if (Date.now() - changedAt > LEFT_BEHIND_MS) await rm(other, { force: true })
  }
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten
}

function typeOf(list: List): ListType {
  if (!ArrayBuffer.isView(list)) return Array.isArray(list) ? 'texts' : 'chunks'
  return list.constructor.name as keyof typeof NUMBERS
}

function* chunksOf(list: List): Generator<Buffer> {
  if (ArrayBuffer.isView(list)) {
    const bytes = Buffer.from(list.buffer, list.byteOffset, list.byteLength)
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES)
  } else if (Array.isArray(list)) yield* textChunks(list)
  else yield* list as Chunks
}

function* textChunks(texts: readonly string[]): Generator<Buffer> {
  let from = 0
  let length = 0
  for (const [at, text] of texts.entries()) {
    length += text.length + 1
    if (length < CHUNK_BYTES / 4 && at < texts.length - 1) continue
    yield Buffer.from(texts.slice(from, at + 1).join(SEPARATOR))
    from = at + 1
    length = 0
  }
}

export interface ListFile<Header> {
  header: Header
  names: string[]
  /** Numbers and texts. */
  read(name: string): Promise<SavedNumbers | string[]>
  chunks(name: string): AsyncGenerator<Buffer>
  close(): Promise<void>
}

/** Throws UnreadableFile, here and when a list is read, if the bytes are not the ones that were written. */
export async function openListFile<Header>(path: string): Promise<ListFile<Header>> {
  const file = await open(path, 'r')
  try {
    const { header, lists } = await readContents<Header>(file)
    const listNamed = (name: string) => {
      const list = lists[name]
      if (!list) throw new UnreadableFile(`it has no list ${name}`)
      return list
    }
    async function* chunks(name: string) {
      for (const [start, bytes, checksum] of listNamed(name).chunks)
        yield await readChecked(file, start, Buffer.allocUnsafeSlow(bytes), checksum)
    }
    return {
      header,
      names: Object.keys(lists),
      chunks,
      async read(name) {
        const { type, chunks: places } = listNamed(name)
        if (type === 'texts') return readTexts(chunks(name))
        if (type === 'chunks') throw new UnreadableFile(`${name} has neither numbers nor texts`)
        const all = Buffer.from(new ArrayBuffer(places.reduce((sum, [, bytes]) => sum + bytes, 0)))
        let end = 0
        for (const [start, bytes, checksum] of places) {
          await readChecked(file, start, all.subarray(end, end + bytes), checksum)
          end += bytes
        }
        return new NUMBERS[type](all.buffer as ArrayBuffer)
      },
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function readTexts(chunks: AsyncIterable<Buffer>): Promise<string[]> {
  const texts: string[] = []
  for await (const chunk of chunks) for (const text of chunk.toString().split(SEPARATOR)) texts.push(text)
  return texts
}

async function readContents<Header>(file: FileHandle): Promise<Contents<Header>> {
  const { size } = await file.stat()
  if (size < END_BYTES) throw new UnreadableFile('it is too short')
  const ending = await readAt(file, size - END_BYTES, Buffer.alloc(END_BYTES))
  if (!ending.subarray(8).equals(MAGIC)) throw new UnreadableFile('its end is missing')
  const length = ending.readUInt32LE(0)
  if (length > size - END_BYTES) throw new UnreadableFile('its table of contents is damaged')
  const table = await readChecked(file, size - END_BYTES - length, Buffer.alloc(length), ending.readUInt32LE(4))
  return JSON.parse(table.toString())
}

async function readChecked(file: FileHandle, start: number, into: Buffer, checksum: number): Promise<Buffer> {
  await readAt(file, start, into)
  if (crc32(into) !== checksum) throw new UnreadableFile('a checksum is wrong')
  return into
}

async function readAt(file: FileHandle, start: number, into: Buffer): Promise<Buffer> {
  for (let at = 0; at < into.length; ) {
    const { bytesRead } = await file.read(into, at, into.length - at, start + at)
    if (bytesRead === 0) throw new UnreadableFile('it is too short')
    at += bytesRead
  }
  return into
}
