// Import: every line is checked and written to a scratch file first, then all are stored in one transaction. So a slow sender keeps no
// transaction open, and one wrong line leaves the catalog unchanged. While the database stores listings, this process makes them ready
// for its readers.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context, Scratch, TransactionContext } from '../../kernel/context.ts'
import { conflict, Failure } from '../../kernel/errors.ts'
import { createPauses } from '../../kernel/pauses.ts'
import { sentencesOf } from '../../kernel/problem.ts'
import { insertAudit } from '../audit/queries.ts'
import { auditEntry } from '../audit/rules.ts'
import type { DirectoryRow, ToolRow } from '../catalog/queries.ts'
import { KINDS, type Kind, LISTED_KINDS, type ListedKind, TERM_KINDS, type TermKind, TOPIC } from '../catalog/schema.ts'
import type { Preparation } from '../catalog/snapshot.ts'
import type { Imported } from './imported.rules.ts'
import { withKnownCopies } from './known-copies.ts'
import { type Line, readLines } from './lines.ts'
import { type ChangedRow, listSlugs, lockImports, upsertRows } from './queries.ts'
import {
  addReferences,
  type CheckedEntry,
  type KnownSlugs,
  readEntry,
  referenceProblems,
  type StoredRow,
  toRow,
} from './rules.ts'

export interface ImportResult extends Imported {
  rejected: { line: number; error: string }[]
  rejectedCount: number
}

const SHOWN_REJECTIONS = 100
const ROWS_PER_STATEMENT = 250

export const importLines = (
  ctx: Context,
  source: AsyncIterable<Uint8Array>,
  skipInvalid: boolean,
): Promise<ImportResult> => importEntries(ctx, readLines(source), skipInvalid)

/** `lines` are JSON objects or what is wrong with a line. Several may have one number, which names them in the result. */
export async function importEntries(
  ctx: Context,
  lines: AsyncIterable<Line>,
  skipInvalid: boolean,
): Promise<ImportResult> {
  const result: ImportResult = { imported: 0, created: 0, replaced: 0, rejected: [], rejectedCount: 0 }
  const reject = (line: number, error: string) => {
    result.rejectedCount++
    const { rejected } = result
    const last = rejected.at(-1)
    if (last && rejected.length === SHOWN_REJECTIONS && line > last.line) return
    // Sorted by line: missing references are found only after all lines were read.
    const at = rejected.findLastIndex((one) => one.line <= line) + 1
    rejected.splice(at, 0, { line, error })
    if (rejected.length > SHOWN_REJECTIONS) rejected.pop()
  }
  const scratchOf = forEachKind(() => ctx.scratch())
  let preparation = null as Preparation | null
  try {
    const { linesBySlug, used } = await checkLines(lines, scratchOf, reject)
    const known = await knownSlugs(ctx, linesBySlug)
    const hasUnknown = TERM_KINDS.some((kind) => !used[kind].isSubsetOf(known[kind]))
    if (hasUnknown) for (const kind of KINDS) await checkReferences(scratchOf[kind], known, reject)
    if (result.rejectedCount > 0 && !skipInvalid) throw refused(result)
    const hasChanged = await ctx.transaction(async (ctx) => {
      await waitForOtherImports(ctx)
      const entries = (kind: Kind) => validEntries(scratchOf[kind], hasUnknown ? known : null)
      const changedOf = forEachKind((): string[] => [])
      const store = async (kind: Kind) => {
        const stored = await storeKind(ctx, kind, entries(kind), preparation)
        result.imported += stored.lines
        result.created += stored.created
        result.replaced += stored.changed.length - stored.created
        changedOf[kind] = stored.changed
      }
      for (const kind of TERM_KINDS) await store(kind)
      preparation = await ctx.catalog.prepare(ctx.db, linesBySlug.tool.size + linesBySlug.directory.size)
      for (const kind of LISTED_KINDS) await store(kind)
      await preparation?.finish()
      if (KINDS.every((kind) => changedOf[kind].length === 0)) return false
      await insertAudit(
        ctx.db,
        auditEntry(ctx, 'catalog.import', 'catalog', { imported: result.imported, rejected: result.rejectedCount }),
      )
      for (const kind of KINDS) await announce(ctx, kind, changedOf[kind], preparation)
      return true
    })
    // After the commit the catalog shows and closes it, perhaps later than this answer.
    if (hasChanged) preparation = null
    return result
  } finally {
    preparation?.close()
    for (const scratch of Object.values(scratchOf)) scratch.close()
  }
}

/** Without ids, an announcement says that anything of the kind may have changed. */
async function announce(
  ctx: TransactionContext,
  kind: Kind,
  ids: string[],
  preparation: Preparation | null,
): Promise<void> {
  if (ids.length === 0) return
  const change = { topic: TOPIC[kind], ...(preparation ? { prepared: preparation } : {}) }
  await ctx.announce(ids.length <= ctx.catalog.mostInPlace() ? { ...change, ids } : change)
}

const LONGEST_WAIT_MS = 60_000
const LOOK_AGAIN_MS = 250

/** Polls for the lock, because a single statement that waits so long would look like a database that hangs. */
async function waitForOtherImports(ctx: TransactionContext): Promise<void> {
  const end = performance.now() + LONGEST_WAIT_MS
  while (!(await lockImports(ctx.db))) {
    if (performance.now() > end)
      throw conflict('Another import is running, and nothing of this one was kept. Send it again when that has ended.')
    await sleep(LOOK_AGAIN_MS)
  }
}

const forEachKind = <T>(make: () => T): Record<Kind, T> => ({
  category: make(),
  tag: make(),
  directoryCategory: make(),
  tool: make(),
  directory: make(),
})

type LinesBySlug = Readonly<Record<Kind, Map<string, number>>>
type UsedSlugs = Readonly<Record<TermKind, Set<string>>>
type Reject = (line: number, error: string) => void

async function checkLines(
  lines: AsyncIterable<Line>,
  scratchOf: Readonly<Record<Kind, Scratch>>,
  reject: Reject,
): Promise<{ linesBySlug: LinesBySlug; used: UsedSlugs }> {
  const linesBySlug: LinesBySlug = forEachKind(() => new Map())
  const used: UsedSlugs = { category: new Set(), tag: new Set(), directoryCategory: new Set() }
  const pause = createPauses()
  for await (const line of lines) {
    await pause()
    const read = 'problem' in line ? { error: line.problem } : readLine(line.text)
    if ('error' in read) {
      reject(line.number, read.error)
      continue
    }
    const { kind, slug } = read.entry
    const earlier = linesBySlug[kind].get(slug)
    if (earlier !== undefined) reject(line.number, `${kind} ${slug} stands on line ${earlier} already.`)
    else {
      linesBySlug[kind].set(slug, line.number)
      addReferences(used, kind, read.entry.body)
      await scratchOf[kind].write(JSON.stringify([line.number, read.entry]))
    }
  }
  return { linesBySlug, used }
}

function readLine(text: string): { entry: CheckedEntry } | { error: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { error: `Not valid JSON: ${(error as Error).message}.` }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { error: 'A line must be a JSON object.' }
  const { kind, slug } = value as Record<string, unknown>
  const read = readEntry(kind, slug, value)
  return 'problems' in read ? { error: sentencesOf(read.problems) } : read
}

async function knownSlugs(ctx: Context, linesBySlug: LinesBySlug): Promise<KnownSlugs> {
  const known = async (kind: TermKind) => {
    const slugs = await listSlugs(ctx.db, kind)
    for (const slug of linesBySlug[kind].keys()) slugs.add(slug)
    return slugs
  }
  return {
    category: await known('category'),
    tag: await known('tag'),
    directoryCategory: await known('directoryCategory'),
  }
}

async function* entriesOf(scratch: Scratch): AsyncGenerator<[line: number, entry: CheckedEntry][]> {
  for await (const lines of scratch.pages()) yield lines.map((text) => JSON.parse(text))
}

async function checkReferences(scratch: Scratch, known: KnownSlugs, reject: Reject): Promise<void> {
  const pause = createPauses()
  for await (const page of entriesOf(scratch))
    for (const [line, { kind, body }] of page) {
      const problems = referenceProblems(kind, body, known)
      if (problems.length > 0) reject(line, sentencesOf(problems))
      await pause()
    }
}

/** `known`: the terms that exist, when some of the entries may refer to others. */
async function* validEntries(scratch: Scratch, known: KnownSlugs | null): AsyncGenerator<CheckedEntry[]> {
  for await (const page of entriesOf(scratch)) {
    const entries = page.map(([, entry]) => entry)
    yield known ? entries.filter(({ kind, body }) => referenceProblems(kind, body, known).length === 0) : entries
  }
}

/** Stores the entries. While the database stores a batch, the one before it is made ready for readers and the next one is read. */
async function storeKind(
  ctx: TransactionContext,
  kind: Kind,
  pages: AsyncIterable<CheckedEntry[]>,
  preparation: Preparation | null,
): Promise<{ lines: number; created: number; changed: string[] }> {
  const changed: string[] = []
  let lines = 0
  let created = 0
  let last: { rows: StoredRow[]; stored: Promise<ChangedRow[]> } | undefined
  const store = async (given: StoredRow[]) => {
    const before = last
    const stored = await before?.stored
    const rows = await withKnownCopies(ctx, kind, given)
    last = rows.length > 0 ? { rows, stored: upsertRows(ctx.db, kind, rows) } : undefined
    // An error is thrown where it is awaited.
    last?.stored.catch(() => {})
    if (!before || !stored) return
    lines += before.rows.length
    for (const { key, isNew } of stored) {
      changed.push(key)
      if (isNew) created++
    }
    if (isListed(kind)) await preparation?.add(kind, readableRows(before.rows, stored))
  }
  const pause = createPauses()
  let batch: StoredRow[] = []
  for await (const entries of pages)
    for (const entry of entries) {
      if (batch.push(toRow(entry, ctx.now())) >= ROWS_PER_STATEMENT) {
        await store(batch)
        batch = []
      }
      await pause()
    }
  await store(batch)
  await store([])
  return { lines, created, changed }
}

const isListed = (kind: Kind): kind is ListedKind => (LISTED_KINDS as readonly Kind[]).includes(kind)

/** The changed rows as they would be read from the database. */
function readableRows(
  rows: readonly StoredRow[],
  changed: readonly ChangedRow[],
): [id: string, row: ToolRow | DirectoryRow | undefined][] {
  const bySlug = new Map(rows.map((row) => [row.slug, row]))
  return changed.map(({ key, slug, createdAt, opens, revision }) => {
    const row = bySlug.get(slug)
    if (!row?.published) return [key, undefined]
    const times = { createdAt: new Date(createdAt as string), updatedAt: new Date(row.updatedAt as string) }
    const stored = { id: key, revision, ...times, ...(opens === undefined ? {} : { opens }) }
    return [key, { ...row, ...stored } as unknown as ToolRow]
  })
}

function refused({ rejected, rejectedCount }: ImportResult): Failure {
  const lines = rejected.map(({ line, error }) => `Line ${line}: ${error}`)
  const more = rejectedCount > rejected.length ? [`… and ${rejectedCount - rejected.length} more.`] : []
  const head = `Nothing was imported: ${rejectedCount} ${rejectedCount === 1 ? 'line is' : 'lines are'} wrong. Correct them, or skip them with skipInvalid=true.`
  return new Failure(400, [head, ...lines, ...more].join('\n'), { details: { imported: 0, rejected, rejectedCount } })
}
