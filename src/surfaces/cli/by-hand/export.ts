// `catalog export`: writes the whole catalog as lines of JSON, or one kind as CSV. `catalog import` accepts both.
import { pipeline } from 'node:stream/promises'
import { type Command, Option } from 'commander'
import { KINDS } from '../../../features/catalog/schema.ts'
import { stream } from '../kit/client.ts'
import { targetOf, writeTarget } from '../kit/files.ts'
import { counted, examples, printJson, remark, sizeText, startProgress, wantsJson } from '../kit/output.ts'
import { escapedLines } from '../kit/terminal-text.ts'

export function addExport(program: Command): void {
  const command = program
    .command('export')
    .description('Export listings and taxonomy in the form that import takes, private fields included.')
    .argument('[file]', 'File to write; standard output by default. A name that ends in .csv gets one kind as a table.')
    .addOption(new Option('--kind <kind>', 'Export this kind as CSV.').choices([...KINDS]))
    .addHelpText(
      'after',
      examples('export catalog.ndjson', 'export | gzip > catalog.ndjson.gz', 'export tools.csv --kind tool'),
    )
  command.action((file = '-', { kind }: { kind?: string }) =>
    kind || file.toLowerCase().endsWith('.csv')
      ? exportTo(command, 'export_table', file, ['line', 'lines'], { kind: kind ?? 'tool' })
      : exportTo(command, 'export_catalog', file, ['entry', 'entries']),
  )
}

/** Writes the lines that an operation streams to a file, or to standard output for `-`. `nouns`: what a line is, for the messages. */
export async function exportTo(
  command: Command,
  operation: string,
  file: string,
  nouns: readonly [one: string, many: string],
  query: Record<string, unknown> = {},
): Promise<void> {
  const target = file === '-' ? null : targetOf(file)
  const count = { entries: 0, bytes: 0 }
  const progress = startProgress()
  const summary = () => `${counted(count.entries, ...nouns)}, ${sizeText(count.bytes)}`
  try {
    const lines = measured(await stream(command, operation, query), count, () =>
      progress.show(`Receiving  ${summary()}`),
    )
    if (target === null) await toStandardOutput(lines)
    else await writeTarget(target, (sink) => pipeline(lines, sink))
  } finally {
    progress.end()
  }
  if (target === null) return
  if (wantsJson(command)) printJson({ file, ...count })
  else remark(`Exported ${summary()} to ${file}.`)
}

const NEWLINE = 10

/** Passes the chunks on and adds their lines and bytes to `count`. */
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
  await pipeline(process.stdout.isTTY ? withEscapes(lines) : lines, process.stdout, { end: false })
}

/** The lines with control characters escaped: JSON may contain some, and they must not control the terminal. */
async function* withEscapes(lines: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of lines) yield escapedLines(decoder.decode(chunk, { stream: true }))
}
