// `catalog import`: sends files of any size to the service while it reads them.
import { type FileHandle, open } from 'node:fs/promises'
import type { Command } from 'commander'
import { importedWords } from '../../../features/listings/import/imported.rules.ts'
import { ApiRefusal, call } from '../kit/client.ts'
import { fileError } from '../kit/files.ts'
import { bar, CommandError, counted, examples, printAnswer, remark, say, startProgress } from '../kit/output.ts'
import {
  addTableOptions,
  type ImportOptions,
  type ImportSource,
  isTableImport,
  printPreview,
  tableQuery,
} from './import-table.ts'

interface Rejections {
  rejected: { line: number; error: string }[]
  rejectedCount: number
}

const NEWLINE = 10
const CHUNK = 256 * 1024

export function addImport(program: Command): void {
  const command = program
    .command('import')
    .description(
      'Import listings and taxonomy, one JSON object a line, or a table (CSV, TSV, JSON array). One wrong line and nothing is kept.',
    )
    .argument('<files...>', 'Files to send as one import; - for standard input.')
    .option('--skip-invalid', 'Keep the good lines and skip the wrong ones.')
    .addHelpText(
      'after',
      examples(
        'import taxonomy.ndjson tools.ndjson',
        'import - --skip-invalid < tools.ndjson',
        'import tools.csv --preview',
        'import tools.csv --map "Product=name" --map "Notes=" --unknown-terms create',
      ),
    )
    .addHelpText('after', '\nA line:\n  {"kind":"tag","slug":"api","name":"API"}')
  addTableOptions(command)
  command.action(async (files: string[], options: ImportOptions) => {
    const { skipInvalid } = options
    const isTable = isTableImport(files, options)
    if (isTable && files.length > 1) command.error('error: one table at a time')
    if (files.filter((file) => file === '-').length > 1) command.error('error: standard input can be read only once')
    const sources = await openAll(files)
    try {
      const [first] = sources
      if (isTable && first && options.preview) await printPreview(command, first, options)
      else await send(command, sources, skipInvalid === true, isTable ? tableQuery(options) : undefined)
    } finally {
      for (const source of sources) await source.close()
    }
  })
}

/** `table`: the query parameters of a table import; undefined for lines of JSON. */
async function send(
  command: Command,
  sources: readonly ImportSource[],
  skipInvalid: boolean,
  table?: Record<string, unknown>,
): Promise<void> {
  const progress = startProgress()
  const joined = joinSources(
    sources,
    (sent) => progress.show(`Sending  ${bar(sent, totalSize(sources))}`),
    () => progress.show('saving…'),
  )
  const query = { ...table, ...(skipInvalid ? { skipInvalid } : {}) }
  try {
    const data = await call(command, table ? 'import_table' : 'import_catalog', {
      query,
      lines: joined.chunks(),
      ...(table ? { lineType: 'application/octet-stream' } : {}),
    })
    progress.end()
    const place = table ? rowOf(sources) : joined.place
    if (data.rejectedCount > 0) remark(rejectionLines(data, place))
    printAnswer(command, data, () => {
      const skipped =
        data.rejectedCount > 0 ? `, skipped ${counted(data.rejectedCount, 'wrong line', 'wrong lines')}` : ''
      say(`${importedWords(data)}${skipped}.`)
    })
  } catch (error) {
    progress.end()
    if (!(error instanceof ApiRefusal) || !isRejections(error.details)) throw error
    remark(rejectionLines(error.details, table ? rowOf(sources) : joined.place))
    throw nothingImported(error.details)
  }
}

/** In bytes; null if the size of a source is unknown. */
function totalSize(sources: readonly ImportSource[]): number | null {
  let total = 0
  for (const { size } of sources) {
    if (size === null) return null
    total += size
  }
  return total
}

/** Makes the function that names a row of a table in messages. Rows are counted as in a spreadsheet; one may take several lines. */
const rowOf =
  ([source]: readonly ImportSource[]) =>
  (row: number): string =>
    `${source?.name} row ${row}`

const isRejections = (details: Record<string, unknown>): details is Record<string, unknown> & Rejections =>
  Array.isArray(details.rejected)

function nothingImported({ rejectedCount }: Rejections): CommandError {
  const wrong = counted(rejectedCount, 'line is', 'lines are')
  return new CommandError(
    `Nothing was imported: ${wrong} wrong. Correct them, or keep the good lines with --skip-invalid.`,
  )
}

function rejectionLines({ rejected, rejectedCount }: Rejections, place: (line: number) => string): string {
  const lines = rejected.map(({ line, error }) => `${place(line)}: ${error}`)
  const hidden = rejectedCount - rejected.length
  if (hidden > 0) lines.push(`… and ${counted(hidden, 'more wrong line', 'more wrong lines')}.`)
  return lines.join('\n')
}

/** Joins all sources into one stream. `place` turns the number of a line of the stream into its source and the line in that source. */
function joinSources(sources: readonly ImportSource[], onSent: (bytes: number) => void, onEnd: () => void) {
  const starts: { name: string; before: number }[] = []
  let lines = 0
  let sent = 0
  async function* chunks(): AsyncGenerator<Uint8Array> {
    let lastByte = NEWLINE
    for (const source of sources) {
      // A file without a final line break must not be joined with the first line of the next file.
      if (lastByte !== NEWLINE) {
        lastByte = NEWLINE
        yield Buffer.from([NEWLINE])
        lines++
      }
      starts.push({ name: source.name, before: lines })
      for await (const chunk of source.chunks()) {
        if (chunk.length === 0) continue
        for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines++
        lastByte = chunk.at(-1) ?? lastByte
        yield chunk
        onSent((sent += chunk.length))
      }
    }
    onEnd()
  }
  function place(line: number): string {
    const { name, before } = starts.findLast(({ before }) => before < line) ?? { name: 'The import', before: 0 }
    // The service's messages count lines of the whole stream, so that number is shown too.
    return `${name} line ${line - before}${sources.length > 1 ? ` (line ${line} of all)` : ''}`
  }
  return { chunks, place }
}

/** Opens all files before anything is sent, so that a mistyped name is noticed before the upload begins. */
async function openAll(files: readonly string[]): Promise<ImportSource[]> {
  const sources: ImportSource[] = []
  for (const file of files) {
    try {
      sources.push(file === '-' ? standardInput : await openFile(file))
    } catch (error) {
      for (const source of sources) await source.close()
      throw fileError('read', file, error)
    }
  }
  return sources
}

const standardInput: ImportSource = {
  name: 'Standard input',
  size: null,
  chunks: () => process.stdin,
  close: async () => {},
}

async function openFile(name: string): Promise<ImportSource> {
  const handle = await open(name)
  const stat = await handle.stat()
  if (stat.isDirectory()) {
    await handle.close()
    throw Object.assign(new Error(`${name} is a folder.`), { code: 'EISDIR' })
  }
  return {
    name,
    size: stat.isFile() ? stat.size : null,
    chunks: () => readChunks(handle, name),
    close: () => handle.close(),
  }
}

async function* readChunks(handle: FileHandle, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* handle.createReadStream({ autoClose: false, highWaterMark: CHUNK }) as AsyncIterable<Uint8Array>
  } catch (error) {
    throw fileError('read', name, error)
  }
}
