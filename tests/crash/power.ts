// A power cut for the embedded database: writes since a file's last fsync are undone, all of them or a random part, and the process ends.
// Changes of file names are kept: a journaling file system keeps their order.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

interface Write {
  at: number
  old: Buffer
  sizeBefore: number
  /** null: the file was cut to `at` bytes. */
  fresh: Buffer | null
}

interface Unsynced {
  path: string
  writes: Write[]
}

/** When the flag file exists, the next write or fsync does not return. The file contains `all` or `some`. */
export function losePower(flag: string): void {
  const { openSync, closeSync, writeSync, readSync, ftruncateSync, fsyncSync, renameSync, unlinkSync } = fs
  const { fstatSync, existsSync, readFileSync } = fs
  const unsynced = new Map<number, Unsynced>()
  const paths = new Map<number, string>()

  function pending(fd: number): Unsynced {
    const { ino } = fstatSync(fd)
    let found = unsynced.get(ino)
    if (!found) unsynced.set(ino, (found = { path: paths.get(fd) ?? '', writes: [] }))
    return found
  }

  function cutIfTold(): void {
    if (!existsSync(flag)) return
    const keepsSome = readFileSync(flag, 'utf8').startsWith('some')
    for (const { path, writes } of unsynced.values()) {
      if (writes.length === 0 || !existsSync(path)) continue
      const fd = openSync(path, 'r+')
      for (const { at, old, sizeBefore } of writes.toReversed()) {
        if (old.length > 0) writeSync(fd, old, 0, old.length, at)
        ftruncateSync(fd, sizeBefore)
      }
      // Writes that reached the disk before the cut: any of them, in any order, and of a page perhaps only the beginning.
      for (const { at, fresh } of writes) {
        if (!keepsSome || Math.random() < 0.5) continue
        if (fresh === null) ftruncateSync(fd, at)
        else writeSync(fd, fresh, 0, Math.random() < 0.2 ? Math.ceil(fresh.length / 2) : fresh.length, at)
      }
      closeSync(fd)
    }
    process.kill(process.pid, 'SIGKILL')
    // Blocks until the signal arrives; nothing may be written until then.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  }

  fs.openSync = (path, flags, mode) => {
    const fd = openSync(path, flags, mode)
    paths.set(fd, String(path))
    return fd
  }
  // Only the signature that the database uses: bytes, offset, length, position.
  fs.writeSync = ((fd: number, data: Uint8Array, offset: number, length: number, position: number | null) => {
    cutIfTold()
    if (typeof position === 'number' && fd > 2) {
      const sizeBefore = fstatSync(fd).size
      const old = Buffer.alloc(Math.max(0, Math.min(length, sizeBefore - position)))
      // A file opened for writing only cannot be read through the same handle.
      if (old.length > 0) readBack(fd, old, position)
      const fresh = Buffer.from(data.buffer, data.byteOffset + offset, length)
      pending(fd).writes.push({ at: position, old, sizeBefore, fresh: Buffer.from(fresh) })
    }
    return writeSync(fd, data, offset, length, position)
  }) as typeof fs.writeSync
  fs.ftruncateSync = ((fd: number, length = 0) => {
    cutIfTold()
    noteTruncation(pending(fd), fd, length)
    return ftruncateSync(fd, length)
  }) as typeof fs.ftruncateSync
  fs.truncateSync = ((path: string, length = 0) => {
    const fd = fs.openSync(path, 'r+')
    try {
      fs.ftruncateSync(fd, length)
    } finally {
      closeSync(fd)
    }
  }) as typeof fs.truncateSync
  fs.fsyncSync = (fd: number) => {
    cutIfTold()
    fsyncSync(fd)
    unsynced.delete(fstatSync(fd).ino)
  }
  fs.renameSync = ((from: string, to: string) => {
    cutIfTold()
    renameSync(from, to)
    for (const one of unsynced.values()) if (one.path === from) one.path = to
  }) as typeof fs.renameSync
  fs.unlinkSync = ((path: string) => {
    cutIfTold()
    for (const [ino, one] of unsynced) if (one.path === path) unsynced.delete(ino)
    return unlinkSync(path)
  }) as typeof fs.unlinkSync
  syncBuiltinESMExports()

  function noteTruncation(to: Unsynced, fd: number, length: number): void {
    const sizeBefore = fstatSync(fd).size
    const old = Buffer.alloc(Math.max(0, sizeBefore - length))
    if (old.length > 0) readBack(fd, old, length)
    to.writes.push({ at: length, old, sizeBefore, fresh: null })
  }

  function readBack(fd: number, into: Buffer, at: number): void {
    try {
      readSync(fd, into, 0, into.length, at)
    } catch {
      const own = openSync(paths.get(fd)!, 'r')
      readSync(own, into, 0, into.length, at)
      closeSync(own)
    }
  }
}
