// A file of records: each value is serialised by Node and follows its length and checksum; an empty record marks the end. A file is
// written under a temporary name and renamed when it is complete, so that a reader finds a whole file or none.
import { randomUUID } from 'node:crypto'
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { crc32 } from 'node:zlib'
import { createPauses } from '../work/scheduler.ts'

/** The length and the checksum of a record. */
const HEAD_BYTES = 8
/** A temporary file that was not changed for this long was left behind by a process that was killed. */
const LEFT_BEHIND_MS = 3600_000

/** Writes the records. Returns false and keeps the old file if `isCurrent` becomes false, because the data has changed meanwhile. */
export async function writeRecords(
  path: string,
  records: AsyncIterable<unknown>,
  isCurrent: () => boolean,
): Promise<boolean> {
  await removeLeftBehind(path)
  const temporary = `${path}-${randomUUID()}`
  const file = await open(temporary, 'wx', 0o600)
  try {
    const pause = createPauses()
    for await (const record of records) {
      await writeRecord(file, serialize(record))
      await pause()
      if (!isCurrent()) return false
    }
    await writeRecord(file, Buffer.alloc(0))
    await file.sync()
    if (!isCurrent()) return false
    await rename(temporary, path)
    return true
  } finally {
    await file.close()
    await rm(temporary, { force: true })
  }
}

/** Removes temporary files of killed processes. */
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

async function writeRecord(file: FileHandle, bytes: Buffer): Promise<void> {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(bytes.length, 0)
  head.writeUInt32LE(crc32(bytes), 4)
  for (const part of [head, bytes]) for (let at = 0; at < part.length; ) at += (await file.write(part, at)).bytesWritten
}

/** The records one after the other. Throws when the file is damaged. */
export async function* readRecords(path: string): AsyncGenerator<unknown> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    for (;;) {
      const head = await readNext(file, HEAD_BYTES)
      const [length, checksum] = [head.readUInt32LE(0), head.readUInt32LE(4)]
      if (length > size) throw new Error('It is damaged: a record is longer than the file.')
      const bytes = await readNext(file, length)
      if (crc32(bytes) !== checksum) throw new Error('It is damaged: a checksum is wrong.')
      if (length === 0) return
      yield deserialize(bytes)
    }
  } finally {
    await file.close()
  }
}

async function readNext(file: FileHandle, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length)
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(bytes, at, length - at)
    if (bytesRead === 0) throw new Error('It is damaged: its end is missing.')
    at += bytesRead
  }
  return bytes
}
