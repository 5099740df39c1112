// Reads files with readable errors, and writes a file completely or not at all.
import { createWriteStream, existsSync, openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { isObject } from '../../../kernel/values/objects.ts'
import { CommandError } from './output.ts'

const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk is read-only',
}

/** A readable error for a failure of the file system. An error without a code is no such failure and is returned as it is. */
export function fileError(doing: 'read' | 'write', file: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException
  return code === undefined
    ? (error as Error)
    : new CommandError(`Cannot ${doing} ${file}: ${REASONS[code] ?? message}.`)
}

/** The text of the file, or of standard input if no file is given. */
export async function readText(file: string | undefined): Promise<string> {
  if (file !== undefined)
    return readFile(file, 'utf8').catch((error) => {
      throw fileError('read', file, error)
    })
  if (process.stdin.isTTY) throw new CommandError('Give the text, or --file, or pipe it in.')
  return text(process.stdin)
}

/** The JSON object of a file; `-` is standard input. */
export async function readObject(file: string): Promise<Record<string, unknown>> {
  const name = file === '-' ? 'Standard input' : file
  const value = parseJson(name, file === '-' ? await text(process.stdin) : await readText(file))
  if (!isObject(value)) throw new CommandError(`${name} must hold one JSON object.`)
  return value
}

export function parseJson(name: string, content: string): unknown {
  try {
    return JSON.parse(content.replace(/^\ufeff/, ''))
  } catch (error) {
    throw new CommandError(`${name} is not valid JSON: ${(error as Error).message}`)
  }
}

interface Target {
  /** The absolute path. */
  path: string
  /** False for a device or a pipe: it is written directly, because renaming a file to its path would replace it. */
  isPlain: boolean
}

/** Where a file will be written. Commands ask before they fetch anything, so that a wrong path costs no time. */
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
  if (!isPlain) return write(createWriteStream(path)).catch(rethrowWriteError(path))
  const partial = join(dirname(path), `.${basename(path)}.${process.pid}.partial`)
  const remove = () => rmSync(partial, { force: true })
  const onSignal = (signal: NodeJS.Signals) => {
    remove()
    removeHandlers()
    process.kill(process.pid, signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const removeHandlers = () => {
    for (const signal of signals) process.off(signal, onSignal)
  }
  for (const signal of signals) process.on(signal, onSignal)
  try {
    // 0o600: only the file's owner may read it, because it contains private fields. The file is opened here and not by the stream: a
    // stream opens its file later, and after an early failure it would create the file again that `remove` has just deleted.
    const result = await write(createWriteStream(partial, { fd: openSync(partial, 'wx', 0o600), flush: true }))
    renameSync(partial, path)
    return result
  } catch (error) {
    remove()
    return rethrowWriteError(path)(error)
  } finally {
    removeHandlers()
  }
}

/** A handler that throws any error as a readable one. */
const rethrowWriteError =
  (file: string) =>
  (error: unknown): never => {
    throw error instanceof CommandError ? error : fileError('write', file, error)
  }
