// Checks the lines of an import and turns them into database rows. A full piece is checked in a worker thread, because checking takes most
// of the processor time of an import.
import { availableParallelism } from 'node:os'
import { sentencesOf } from '../../../kernel/problem.ts'
import { createPauses } from '../../../kernel/work/scheduler.ts'
import type { CreateThreads } from '../../../kernel/work/threads.ts'
import type { Kind } from '../../catalog/schema.ts'
import {
  addReferences,
  type CheckedEntry,
  jsonOfRow,
  perKind,
  perTermKind,
  readEntry,
  type StoredJson,
  toRow,
  type UsedSlugs,
} from '../rules.ts'
import { linesIn, type Piece } from './lines.ts'

export interface CheckedPiece {
  /** In the order of their lines. `number` counts from the beginning of the piece; for the rows of a table it is the row in the table. */
  entries: Record<Kind, { number: number; slug: string; row: StoredJson }[]>
  rejected: { number: number; error: string }[]
  /** Slugs of the categories and tags that the entries refer to. */
  used: UsedSlugs
  lastNumber: number
}

type CheckLines = (piece: Piece) => Promise<CheckedPiece>

declare module '../../../kernel/context.ts' {
  interface Context {
    checkLines: CheckLines
  }
}

/** How many pieces are checked at a time. */
export const CHECKS_AT_ONCE = Math.min(2, availableParallelism())
// Checking a piece is quick. The timeout is long because the machine may be busy with other work.
const LIMITS = { atOnce: CHECKS_AT_ONCE, timeoutMs: 60_000 }

export function createLineChecks(createThreads: CreateThreads): CheckLines {
  const inThread = createThreads<CheckedPiece>(new URL('./check-lines-thread.ts', import.meta.url), LIMITS)
  // A small import, and the end of a large one, is checked in this thread, because starting another one takes longer.
  return (piece) => (piece.isFull ? inThread(piece) : checkPiece(piece))
}

export async function checkPiece(piece: Piece): Promise<CheckedPiece> {
  const checked: CheckedPiece = {
    entries: perKind(() => []),
    rejected: [],
    used: perTermKind(() => new Set()),
    lastNumber: 0,
  }
  const pause = createPauses()
  for (const line of 'lines' in piece ? piece.lines : linesIn(piece.bytes)) {
    await pause()
    checked.lastNumber = line.number
    if ('text' in line && line.text === '') continue
    const read = 'problem' in line ? { error: line.problem } : readLine(line.text)
    if ('error' in read) {
      checked.rejected.push({ number: line.number, error: read.error })
      continue
    }
    const { kind, slug, body } = read.entry
    addReferences(checked.used, kind, body)
    checked.entries[kind].push({ number: line.number, slug, row: jsonOfRow(toRow(read.entry)) })
  }
  return checked
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
