// The options of `catalog import` for tables, and `--preview`.
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { EXAMINED_BYTES, isTableFile } from '../../../features/listings/spreadsheets/table.rules.ts'
import { PREVIEWED_BYTES, tableParameters } from '../../../features/listings/spreadsheets/table.schema.ts'
import { call } from '../kit/client.ts'
import { printAnswer, printTable, say } from '../kit/output.ts'
import { addFields } from '../kit/schema-options.ts'

export interface ImportSource {
  name: string
  /** In bytes; null: unknown until everything was read. */
  size: number | null
  chunks(): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

export interface ImportOptions {
  skipInvalid?: boolean
  preview?: boolean
  map?: Record<string, string | null>
  term?: Record<string, string | null>
  kind?: string
  unknownTerms?: string
  format?: string
  encoding?: string
  separator?: string
}

export function addTableOptions(command: Command): void {
  const { map: _, terms: __, ...fields } = tableParameters
  addFields(command, fields)
  command
    .addOption(
      new Option(
        '--map <column=field>',
        'Map a column to a field; without a field it is left out. Repeatable.',
      ).argParser(addPair('column=field')),
    )
    .addOption(
      new Option(
        '--term <text=slug>',
        'Read this text in a cell as the category or tag with this slug. Repeatable.',
      ).argParser(addPair('text=slug')),
    )
    .option('--preview', 'Show the mapping and the first rows, and import nothing.')
}

type Pairs = Record<string, string | null>

/** Reads `column=field` into the pairs that were given before; an empty right side becomes null. */
const addPair =
  (form: string) =>
  (text: string, before: Pairs = {}): Pairs => {
    const at = text.lastIndexOf('=')
    if (at < 1) throw new InvalidArgumentError(`It must have the form ${form}.`)
    return { ...before, [text.slice(0, at)]: text.slice(at + 1) || null }
  }

/** Whether a table is imported: the file is one, or an option was given that only tables have. */
export function isTableImport(files: readonly string[], { skipInvalid: _, ...options }: ImportOptions): boolean {
  if (Object.values(options).some((value) => value !== undefined)) return true
  return files.some((file) => isTableFile(file, headOf(file)))
}

/** The first bytes of a file, by which its format is recognised; none if it is no plain file or cannot be read. */
function headOf(file: string): Uint8Array {
  const head = Buffer.alloc(EXAMINED_BYTES)
  try {
    // Only a plain file is read: bytes that are read here from a pipe would be missing in the import.
    if (!statSync(file).isFile()) return head.subarray(0, 0)
    const descriptor = openSync(file, 'r')
    const size = readSync(descriptor, head, 0, EXAMINED_BYTES, 0)
    closeSync(descriptor)
    return head.subarray(0, size)
  } catch {
    // The import opens the file again and reports what is wrong with it.
    return head.subarray(0, 0)
  }
}

/** The parameters of a table import, without those that were not given. */
export function tableQuery({ map, term, kind, unknownTerms, format, encoding, separator }: ImportOptions) {
  const query = { kind, unknownTerms, format, encoding, separator, map: jsonOf(map), terms: jsonOf(term) }
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
}

const jsonOf = (names: Record<string, string | null> | undefined) => (names ? JSON.stringify(names) : undefined)

export async function printPreview(command: Command, source: ImportSource, options: ImportOptions): Promise<void> {
  const content = await beginningOf(source)
  const bytes = { type: 'application/octet-stream', content }
  const data = await call(command, 'preview_table', { query: tableQuery(options), bytes })
  printAnswer(command, data, () => {
    say(`${data.format}, ${data.encoding}`)
    printTable(data.columns, {
      COLUMN: 'column',
      FIELD: ({ field, guess }) => field ?? (guess ? `(left out; fits ${guess})` : '(left out)'),
      CELLS: { cut: ({ samples }) => samples.join(' | ') },
    })
    printTable(data.rows, {
      ROW: 'row',
      SLUG: 'slug',
      NAME: { cut: 'name' },
      RESULT: ({ problem, replaces }) => (problem ? '' : resultWord(replaces)),
      'NEW TERMS': ({ created }) => created.join(', '),
      PROBLEM: ({ problem, warning }) => problem ?? warning ?? '',
    })
  })
}

const resultWord = (replaces: boolean): string => (replaces ? 'replaces' : 'creates')

/** As much of the file as the service needs for a preview. */
async function beginningOf(source: ImportSource): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of source.chunks()) {
    chunks.push(chunk)
    if ((size += chunk.length) >= PREVIEWED_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, PREVIEWED_BYTES)
}
