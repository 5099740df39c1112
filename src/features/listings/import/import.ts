// Imports lines of JSON. First every line is checked and its row written to a temporary file, then all rows are stored in one transaction.
// So a slow sender keeps no transaction open, and one wrong line leaves the catalog unchanged. An import may have any size (`lines.ts`).
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context, Scratch, TransactionContext } from '../../../kernel/context.ts'
import { announceDue, BULK_TOPIC } from '../../../kernel/database/queries.ts'
import { conflict, Failure } from '../../../kernel/errors.ts'
import { sentencesOf } from '../../../kernel/problem.ts'
import { createPauses } from '../../../kernel/work/scheduler.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import { KINDS, type Kind, LISTED_KINDS, TERM_KINDS, TOPIC } from '../../catalog/schema.ts'
import { type ChangedRow, type GivenRow, upsertJson } from '../entries/upsert.queries.ts'
import { copiesForImport } from '../pictures/known-picture-copies.ts'
import { listTermSlugs, lockImports, lockTerms } from '../queries.ts'
import {
  isListedKind,
  type KnownSlugs,
  perKind,
  perTermKind,
  referenceProblems,
  type StoredJson,
  storedRow,
  type UsedSlugs,
} from '../rules.ts'
import { CHECKS_AT_ONCE, type CheckedPiece } from './check-lines.ts'
import type { Imported } from './imported.rules.ts'
import { type Piece, readPieces } from './lines.ts'

export interface ImportResult extends Imported {
  rejected: { line: number; error: string }[]
  rejectedCount: number
}

const SHOWN_REJECTIONS = 100
/** After this many changed rows the statistics of the database are out of date, and the feature `retention` renews them. */
const BULK = 1_000
// More rows per statement are hardly faster, and reading the larger database response would delay requests.
const ROWS_PER_STATEMENT = 500
// The database needs many times as much memory as a statement has characters.
const LENGTH_PER_STATEMENT = 2_000_000
// The catalog in the memory of this process gets the stored rows directly. Beyond these limits (about 80 MB) it reads them from the database.
const MOST_ROWS_HANDED_OVER = 25_000
const MOST_LENGTH_HANDED_OVER = 30_000_000

export const importLines = (
  ctx: Context,
  source: AsyncIterable<Uint8Array>,
  skipInvalid = false,
): Promise<ImportResult> => importPieces(ctx, readPieces(source), skipInvalid)

/** Whether this import chose the slug for a new term. If the slug is taken when the term is stored, another caller has just created one. */
type MustBeNew = (kind: Kind, slug: string) => boolean

export async function importPieces(
  ctx: Context,
  pieces: AsyncIterable<Piece>,
  skipInvalid: boolean,
  mustBeNew: MustBeNew = () => false,
): Promise<ImportResult> {
  const result: ImportResult = { imported: 0, created: 0, replaced: 0, rejected: [], rejectedCount: 0 }
  const reject = (line: number, error: string) => {
    result.rejectedCount++
    const { rejected } = result
    const last = rejected.at(-1)
    if (last && rejected.length === SHOWN_REJECTIONS && line > last.line) return
    // Kept in the order of lines, although unknown categories and tags are found only after all lines were read.
    const place = rejected.findLastIndex((one) => one.line <= line) + 1
    rejected.splice(place, 0, { line, error })
    if (rejected.length > SHOWN_REJECTIONS) rejected.pop()
  }
  const scratchOf = perKind(() => ctx.scratch())
  const pause = createPauses()
  try {
    const { linesBySlug, used } = await checkPieces(ctx, pieces, scratchOf, reject)
    const known = await listKnownSlugs(ctx, linesBySlug)
    const refusedOf = perKind(() => new Set<string>())
    const rowsOf = (kind: Kind) => acceptedRows(scratchOf[kind], linesBySlug[kind], refusedOf[kind])
    // The rows are read again for this only when some term that they refer to does not exist.
    if (TERM_KINDS.some((kind) => !used[kind].isSubsetOf(known[kind])))
      for (const kind of LISTED_KINDS)
        for await (const { slug, json } of rowsOf(kind)) {
          await pause()
          const problems = referenceProblems(kind, storedRow(json), known)
          if (problems.length === 0) continue
          reject(linesBySlug[kind].get(slug) as number, sentencesOf(problems))
          refusedOf[kind].add(slug)
        }
    if (result.rejectedCount > 0 && !skipInvalid) throw importFailure(result)
    await ctx.transaction(async (ctx) => {
      await waitForOtherImports(ctx)
      await lockUsedTerms(ctx, used, known, linesBySlug)
      const withCopies = await copiesForImport(ctx)
      const changedOf = perKind(() => new Map<string, object | undefined>())
      const isFew = linesBySlug.tool.size + linesBySlug.directory.size <= MOST_ROWS_HANDED_OVER
      const handover = { lengthLeft: isFew ? MOST_LENGTH_HANDED_OVER : 0 }
      const store = async (kind: Kind) => {
        const stored = await storeKind(ctx, kind, rowsOf(kind), withCopies, mustBeNew, handover)
        result.imported += stored.lines
        result.created += stored.created
        result.replaced += stored.changed.size - stored.created
        changedOf[kind] = stored.changed
      }
      for (const kind of KINDS) await store(kind)
      if (KINDS.every((kind) => changedOf[kind].size === 0)) return
      if (result.created + result.replaced >= BULK) await announceDue(ctx.db, BULK_TOPIC)
      await writeAudit(ctx, 'catalog.import', 'catalog', { imported: result.imported, rejected: result.rejectedCount })
      for (const kind of KINDS) {
        const rows = changedOf[kind]
        const change = { topic: TOPIC[kind], ids: [...rows.keys()] }
        if (rows.size > 0)
          await ctx.announce(handover.lengthLeft > 0 && isListedKind(kind) ? { ...change, rows } : change)
      }
    })
    return result
  } finally {
    for (const scratch of Object.values(scratchOf)) scratch.close()
  }
}

const LONGEST_WAIT_MS = 60_000
const POLL_MS = 250

/** Asks for the lock again and again, because a single statement that waits so long would look as if the database hung. */
async function waitForOtherImports(ctx: TransactionContext): Promise<void> {
  const end = performance.now() + LONGEST_WAIT_MS
  while (!(await lockImports(ctx.db))) {
    if (performance.now() > end)
      throw conflict('Another import is running, and nothing of this one was kept. Send it again when that has ended.')
    await sleep(POLL_MS)
  }
}

/** Fails when a term was deleted since the lines were checked. The locks keep the terms from being deleted until the import is stored. */
async function lockUsedTerms(
  ctx: TransactionContext,
  used: UsedSlugs,
  known: KnownSlugs,
  linesBySlug: LinesBySlug,
): Promise<void> {
  const slugs = perTermKind((kind) =>
    [...used[kind]].filter((slug) => known[kind].has(slug) && !linesBySlug[kind].has(slug)),
  )
  const locked = await lockTerms(ctx.db, slugs)
  for (const kind of TERM_KINDS) {
    const deleted = slugs[kind].find((slug) => !locked[kind].has(slug))
    if (deleted !== undefined)
      throw conflict(
        `The ${kind} ${deleted} was deleted during this import, and nothing of it was kept. Send it again.`,
      )
  }
}

type LinesBySlug = Readonly<Record<Kind, Map<string, number>>>

/** Checks the pieces and writes their rows to the temporary files. While some pieces are checked, the next one is received. */
async function checkPieces(
  ctx: Context,
  pieces: AsyncIterable<Piece>,
  scratchOf: Readonly<Record<Kind, Scratch>>,
  reject: (line: number, error: string) => void,
): Promise<{ linesBySlug: LinesBySlug; used: UsedSlugs }> {
  const linesBySlug: LinesBySlug = perKind(() => new Map())
  const used: UsedSlugs = perTermKind(() => new Set())
  let linesBefore = 0
  const addChecked = async (piece: Piece, checked: CheckedPiece) => {
    for (const { number, error } of checked.rejected) reject(linesBefore + number, error)
    for (const kind of KINDS) {
      const rows: StoredJson[] = []
      for (const { number, slug, row } of checked.entries[kind]) {
        const line = linesBefore + number
        const earlier = linesBySlug[kind].get(slug)
        if (earlier !== undefined) reject(line, `${kind} ${slug} stands on line ${earlier} already.`)
        else {
          linesBySlug[kind].set(slug, line)
          rows.push(row)
        }
      }
      if (rows.length > 0) await scratchOf[kind].write(rows.join('\n'))
    }
    for (const kind of TERM_KINDS) for (const slug of checked.used[kind]) used[kind].add(slug)
    // Lines are numbered within their piece, but rows of a table already have their final numbers.
    if ('bytes' in piece) linesBefore += checked.lastNumber
  }
  const checks: { piece: Piece; checked: Promise<CheckedPiece> }[] = []
  const addFirst = async () => {
    const first = checks.shift()
    if (first) await addChecked(first.piece, await first.checked)
  }
  for await (const piece of pieces) {
    const checked = ctx.checkLines(piece)
    // The error is thrown where `checked` is awaited. Until then it must not count as unhandled.
    checked.catch(() => {})
    if (checks.push({ piece, checked }) > CHECKS_AT_ONCE) await addFirst()
  }
  while (checks.length > 0) await addFirst()
  return { linesBySlug, used }
}

/** The slugs of the terms that are stored or that the import itself contains. */
async function listKnownSlugs(ctx: Context, linesBySlug: LinesBySlug): Promise<KnownSlugs> {
  const slugs = await listTermSlugs(ctx.db)
  for (const kind of TERM_KINDS) for (const slug of linesBySlug[kind].keys()) slugs[kind].add(slug)
  return slugs
}

/** The rows of a temporary file, without refused ones. They are in the same order as the slugs in `lines`. */
async function* acceptedRows(
  scratch: Scratch,
  lines: ReadonlyMap<string, number>,
  refused: ReadonlySet<string>,
): AsyncGenerator<GivenRow> {
  const slugs = lines.keys()
  for await (const page of scratch.pages())
    for (const json of page) {
      const slug = slugs.next().value as string
      if (!refused.has(slug)) yield { slug, json: json as StoredJson }
    }
}

/**
 * Stores the rows of one kind. While the database stores a batch, the next one is read from the file. Returns the new and changed rows by
 * key (`changed`): listings as the catalog in memory would read them, as long as `handover` has room; otherwise undefined.
 */
async function storeKind(
  ctx: TransactionContext,
  kind: Kind,
  rows: AsyncIterable<GivenRow>,
  withCopies: Awaited<ReturnType<typeof copiesForImport>>,
  mustBeNew: MustBeNew,
  handover: { lengthLeft: number },
): Promise<{ lines: number; created: number; changed: Map<string, object | undefined> }> {
  const changed = new Map<string, object | undefined>()
  let lines = 0
  let created = 0
  const pause = createPauses()
  let current: { rows: readonly GivenRow[]; at: Date; stored: Promise<ChangedRow[]> } | undefined
  /** Waits for the previous batch, and begins to store the given one. */
  const store = async (given: readonly GivenRow[]) => {
    const previous = current
    const stored = await previous?.stored
    const rows = given.length > 0 ? await withCopies(kind, given) : given
    const at = ctx.now()
    current = rows.length > 0 ? { rows, at, stored: upsertJson(ctx.db, kind, rows, at) } : undefined
    // The error is thrown where `stored` is awaited. Until then it must not count as unhandled.
    current?.stored.catch(() => {})
    if (!previous || !stored) return
    lines += previous.rows.length
    const jsonOf = new Map(previous.rows.map(({ slug, json }) => [slug, json]))
    for (const row of stored) {
      const { key, slug, isNew } = row
      const json = jsonOf.get(slug) as StoredJson
      const isKept = isListedKind(kind) && handover.lengthLeft > 0
      if (isKept) handover.lengthLeft -= json.length
      changed.set(key, isKept ? readableRow(row, json, previous.at) : undefined)
      if (isNew) created++
      else if (mustBeNew(kind, slug)) throw takenSlug(kind, slug)
      await pause()
    }
  }
  let batch: GivenRow[] = []
  let length = 0
  for await (const row of rows) {
    length += row.json.length
    if (batch.push(row) >= ROWS_PER_STATEMENT || length >= LENGTH_PER_STATEMENT) {
      await store(batch)
      batch = []
      length = 0
    }
    await pause()
  }
  await store(batch)
  // The last batch is being stored; this call waits for it.
  await store([])
  return { lines, created, changed }
}

const takenSlug = (kind: Kind, slug: string) =>
  conflict(
    `Another caller made the ${kind} ${slug} at this very moment, and nothing of this import was kept. Send it again.`,
  )

/** The row as the catalog in memory would read it from the database; undefined: it is not published. */
function readableRow(
  { key, createdAt, opens, searchWords, ended, revision }: ChangedRow,
  json: StoredJson,
  updatedAt: Date,
): object | undefined {
  const row = storedRow(json)
  if (!row.published) return undefined
  const times = { createdAt: new Date(createdAt as string), updatedAt }
  return { ...row, id: key, ended, revision, ...times, ...(opens === undefined ? {} : { opens, searchWords }) }
}

function importFailure({ rejected, rejectedCount }: ImportResult): Failure {
  const lines = rejected.map(({ line, error }) => `Line ${line}: ${error}`)
  const more = rejectedCount > rejected.length ? [`… and ${rejectedCount - rejected.length} more.`] : []
  const head = `Nothing was imported: ${rejectedCount} ${rejectedCount === 1 ? 'line is' : 'lines are'} wrong. Correct them, or skip them with skipInvalid=true.`
  return new Failure(400, [head, ...lines, ...more].join('\n'), { details: { imported: 0, rejected, rejectedCount } })
}
