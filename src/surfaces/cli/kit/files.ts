// Errors of files as readable messages.
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
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
