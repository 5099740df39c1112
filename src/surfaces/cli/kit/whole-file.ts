// Writes a file completely or not at all.
import { createWriteStream, existsSync, openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { fileError } from './files.ts'
import { CommandError } from './output.ts'

export interface Target {
  path: string
  isPlain: boolean
}

/** Checks the target before anything is fetched. A device or a pipe is written directly, because a rename would replace it. */
export function targetOf(file: string): Target {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) {
    if (!existsSync(dirname(resolve(file)))) throw fileError('write', file, { code: 'ENOENT' })
    return { path: resolve(file), isPlain: true }
  }
  if (stat.isDirectory()) throw new CommandError(`Cannot write ${file}: it is a folder.`)
  return { path: realpathSync(file), isPlain: stat.isFile() }
}

/** Writes a file beside the target and renames it when it is complete, so that no incomplete file has the target's name. */
export async function writeTarget<T>({ path, isPlain }: Target, write: (sink: Writable) => Promise<T>): Promise<T> {
  if (!isPlain) return write(createWriteStream(path)).catch(onWriting(path))
  const partial = join(dirname(path), `.${basename(path)}.${process.pid}.partial`)
  const remove = () => rmSync(partial, { force: true })
  const stop = (signal: NodeJS.Signals) => {
    remove()
    release()
    process.kill(process.pid, signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const release = () => {
    for (const signal of signals) process.off(signal, stop)
  }
  for (const signal of signals) process.on(signal, stop)
  try {
    // Only its owner may read the file, because it contains private fields. It is opened here, because a stream that fails at once would
    // create it after it was removed.
    const result = await write(createWriteStream(partial, { fd: openSync(partial, 'wx', 0o600), flush: true }))
    renameSync(partial, path)
    return result
  } catch (error) {
    remove()
    return onWriting(path)(error)
  } finally {
    release()
  }
}

const onWriting =
  (file: string) =>
  (error: unknown): never => {
    throw error instanceof CommandError ? error : fileError('write', file, error)
  }
