// `catalog export`: the whole catalog as lines that an import takes.
import { createWriteStream, existsSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { stream } from './client.ts'
import { fileError } from './files.ts'
import { examples } from './lists.ts'
import { CommandError, printJson, remark, wantsJson } from './output.ts'
import { bytes, counted, startProgress } from './progress.ts'
import { escapedLines } from './terminal-text.ts'

export function addExport(program: Command): void {
  const command = program
    .command('export')
    .description('Export listings and taxonomy in the form that import takes, private fields included.')
    .argument('[file]', 'File to write; standard output unless given.')
    .addHelpText('after', examples('export catalog.ndjson', 'export | gzip > catalog.ndjson.gz'))
  command.action(async (file: string = '-') => {
    const target = file === '-' ? null : targetOf(file)
    const count = { entries: 0, bytes: 0 }
    const progress = startProgress()
    const summary = () => `${counted(count.entries, 'entry', 'entries')}, ${bytes(count.bytes)}`
    try {
      const lines = measured(await stream(command, 'export_catalog'), count, () =>
        progress.show(`Receiving  ${summary()}`),
      )
      if (target === null) await toStandardOutput(lines)
      else if (target.isPlain) await toFile(lines, target.path)
      else await pipeline(lines, createWriteStream(target.path)).catch(onWriting(file))
    } finally {
      progress.end()
    }
    if (target === null) return
    if (wantsJson(command)) printJson({ file, ...count })
    else remark(`Exported ${summary()} to ${file}.`)
  })
}

/** Looked at before anything is fetched. A device or a pipe is written to as it is; renaming would replace it. */
function targetOf(file: string): { path: string; isPlain: boolean } {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) {
    if (!existsSync(dirname(resolve(file)))) throw fileError('write', file, { code: 'ENOENT' })
    return { path: resolve(file), isPlain: true }
  }
  if (stat.isDirectory()) throw new CommandError(`Cannot write ${file}: it is a folder.`)
  return { path: realpathSync(file), isPlain: stat.isFile() }
}

const NEWLINE = 10

async function* measured(
  chunks: AsyncIterable<Uint8Array>,
  count: { entries: number; bytes: number },
  onChange: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) count.entries++
    count.bytes += chunk.length
    onChange()
  }
}

async function toStandardOutput(lines: AsyncIterable<Uint8Array>): Promise<void> {
  await pipeline(process.stdout.isTTY ? harmless(lines) : lines, process.stdout, { end: false })
}

/** JSON leaves some control characters as they are; a terminal must not obey them. */
async function* harmless(lines: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of lines) yield escapedLines(decoder.decode(chunk, { stream: true }))
}

/** Written beside the target and renamed when whole, so that a broken export is never taken for a good one. */
async function toFile(lines: AsyncIterable<Uint8Array>, path: string): Promise<void> {
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
    // Private fields are in it: nobody else needs to read it.
    await pipeline(lines, createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true }))
    renameSync(partial, path)
  } catch (error) {
    remove()
    onWriting(path)(error)
  } finally {
    release()
  }
}

const onWriting =
  (file: string) =>
  (error: unknown): never => {
    throw error instanceof CommandError ? error : fileError('write', file, error)
  }
