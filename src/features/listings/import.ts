// Import: every line is checked and written to a scratch file first, then all are stored in one transaction. So a slow sender keeps no
// transaction open, and one wrong line leaves the catalog unchanged.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context, Scratch, TransactionContext } from '../../kernel/context.ts'
import { conflict, Failure } from '../../kernel/errors.ts'
import { createPauses } from '../../kernel/pauses.ts'
import { sentencesOf } from '../../kernel/problem.ts'
import { insertAudit } from '../audit/queries.ts'
import { auditEntry } from '../audit/rules.ts'
import { KINDS, type Kind, type TermKind, TOPIC } from '../catalog/schema.ts'
import { readLines } from './lines.ts'
import { listSlugs, lockImports, upsertRows } from './queries.ts'
import { type CheckedEntry, type KnownSlugs, readEntry, referenceProblems, toRow } from './rules.ts'

export interface ImportResult {
  imported: number
  rejected: { line: number; error: string }[]
  rejectedCount: number
}

const SHOWN_REJECTIONS = 100
const ROWS_PER_STATEMENT = 250
// More ids than this do not fit into an announcement, which then says that anything of the kind may have changed.
const MAX_ANNOUNCED_IDS = 150

export async function importLines(
  ctx: Context,
  source: AsyncIterable<Uint8Array>,
  skipInvalid: boolean,
): Promise<ImportResult> {
  const result: ImportResult = { imported: 0, rejected: [], rejectedCount: 0 }
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
  try {
    const linesBySlug = await checkLines(source, scratchOf, reject)
    const known = await knownSlugs(ctx, linesBySlug)
    for (const kind of KINDS) await checkReferences(scratchOf[kind], known, reject)
    if (result.rejectedCount > 0 && !skipInvalid) throw refused(result)
    await ctx.transaction(async (ctx) => {
      await waitForOtherImports(ctx)
      let changed = 0
      for (const kind of KINDS) {
        const stored = await storeKind(ctx, kind, scratchOf[kind], known)
        result.imported += stored.lines
        changed += stored.changed
      }
      if (changed > 0)
        await insertAudit(
          ctx.db,
          auditEntry(ctx, 'catalog.import', 'catalog', { imported: result.imported, rejected: result.rejectedCount }),
        )
    })
    return result
  } finally {
    for (const scratch of Object.values(scratchOf)) scratch.close()
  }
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
type Reject = (line: number, error: string) => void

async function checkLines(
  source: AsyncIterable<Uint8Array>,
  scratchOf: Readonly<Record<Kind, Scratch>>,
  reject: Reject,
): Promise<LinesBySlug> {
  const linesBySlug: LinesBySlug = forEachKind(() => new Map())
  const pause = createPauses()
  for await (const line of readLines(source)) {
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
      await scratchOf[kind].write(JSON.stringify([line.number, read.entry]))
    }
  }
  return linesBySlug
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

async function* entriesOf(scratch: Scratch): AsyncGenerator<[line: number, entry: CheckedEntry]> {
  for await (const text of scratch.lines()) yield JSON.parse(text)
}

async function checkReferences(scratch: Scratch, known: KnownSlugs, reject: Reject): Promise<void> {
  const pause = createPauses()
  for await (const [line, entry] of entriesOf(scratch)) {
    await pause()
    const problems = referenceProblems(entry.kind, entry.body, known)
    if (problems.length > 0) reject(line, sentencesOf(problems))
  }
}

async function storeKind(
  ctx: TransactionContext,
  kind: Kind,
  scratch: Scratch,
  known: KnownSlugs,
): Promise<{ lines: number; changed: number }> {
  const stored: string[] = []
  let lines = 0
  let changed = 0
  let batch: CheckedEntry[] = []
  const flush = async () => {
    if (batch.length === 0) return
    const keys = await upsertRows(
      ctx.db,
      kind,
      batch.map((entry) => toRow(entry, ctx.now())),
    )
    lines += batch.length
    changed += keys.length
    if (stored.length <= MAX_ANNOUNCED_IDS) stored.push(...keys)
    batch = []
  }
  const pause = createPauses()
  for await (const [, entry] of entriesOf(scratch)) {
    await pause()
    if (referenceProblems(entry.kind, entry.body, known).length === 0 && batch.push(entry) >= ROWS_PER_STATEMENT)
      await flush()
  }
  await flush()
  if (changed > 0) await ctx.announce({ topic: TOPIC[kind], ...(changed <= MAX_ANNOUNCED_IDS ? { ids: stored } : {}) })
  return { lines, changed }
}

function refused({ rejected, rejectedCount }: ImportResult): Failure {
  const lines = rejected.map(({ line, error }) => `Line ${line}: ${error}`)
  const more = rejectedCount > rejected.length ? [`… and ${rejectedCount - rejected.length} more.`] : []
  const head = `Nothing was imported: ${rejectedCount} ${rejectedCount === 1 ? 'line is' : 'lines are'} wrong. Correct them, or skip them with skipInvalid=true.`
  return new Failure(400, [head, ...lines, ...more].join('\n'), { details: { imported: 0, rejected, rejectedCount } })
}
