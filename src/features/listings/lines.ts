// Splits the lines of an import into pieces of whole lines. Each piece is checked separately.
import { availableParallelism } from 'node:os'
import { sentencesOf } from '../../kernel/problem.ts'
import { createPauses } from '../../kernel/scheduler.ts'
import type { CreateThreads } from '../../kernel/threads.ts'
import type { Kind } from '../catalog/schema.ts'
import {
  addReferences,
  type CheckedEntry,
  forEachKind,
  jsonOfRow,
  readEntry,
  type StoredJson,
  toRow,
  type UsedSlugs,
} from './rules.ts'

export type Line = { number: number; text: string } | { number: number; problem: string }

/** The bytes of whole lines, or lines made from the rows of a table. All pieces but the last are full. */
export type Piece = ({ bytes: Uint8Array } | { lines: Line[] }) & { isFull: boolean }

// Small enough that a piece is checked in a few hundredths of a second.
const PIECE_BYTES = 256 * 1024
const MAX_LINE = 1024 * 1024
const NEWLINE = 10
const decoder = new TextDecoder('utf-8', { fatal: true })

export async function* readPieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<Piece> {
  let parts: Uint8Array[] = []
  let size = 0
  // Length of the line that has not ended yet. Only the beginning of a line that is too long is kept.
  let lineLength = 0
  const append = (bytes: Uint8Array) => {
    parts.push(bytes)
    size += bytes.length
  }
  for await (const chunk of source)
    for (let offset = 0; offset < chunk.length; offset += PIECE_BYTES) {
      const bytes = chunk.subarray(offset, offset + PIECE_BYTES)
      const end = bytes.lastIndexOf(NEWLINE) + 1
      if (end > 0) {
        append(bytes.subarray(0, end))
        lineLength = 0
        if (size >= PIECE_BYTES) {
          yield { bytes: Buffer.concat(parts), isFull: true }
          parts = []
          size = 0
        }
      }
      if (lineLength <= MAX_LINE) append(bytes.subarray(end))
      lineLength += bytes.length - end
    }
  if (size > 0) yield { bytes: Buffer.concat(parts), isFull: false }
}

export async function* piecesOf(lines: AsyncIterable<Line>): AsyncGenerator<Piece> {
  let piece: Line[] = []
  let size = 0
  for await (const line of lines) {
    piece.push(line)
    size += 'text' in line ? line.text.length : line.problem.length
    if (size < PIECE_BYTES) continue
    yield { lines: piece, isFull: true }
    piece = []
    size = 0
  }
  if (piece.length > 0) yield { lines: piece, isFull: false }
}

/** All lines, numbered from 1. A blank line has an empty text. */
export function* linesIn(bytes: Uint8Array): Generator<Line> {
  let number = 0
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(NEWLINE, start)
    const end = found === -1 ? bytes.length : found
    yield { number: ++number, ...textOf(bytes.subarray(start, end)) }
    start = end + 1
  }
}

function textOf(bytes: Uint8Array): { text: string } | { problem: string } {
  if (bytes.length > MAX_LINE) return { problem: 'Longer than 1 MiB.' }
  try {
    const text = decoder.decode(bytes)
    return { text: text.trim() === '' ? '' : text }
  } catch {
    return { problem: 'Not valid UTF-8.' }
  }
}

// Checks the lines of an import and turns them into database rows. Full pieces are checked in a thread, because this takes most of the
// processor time of an import in this process.

export interface CheckedPiece {
  /** In the order of their lines. `number` counts from the beginning of the piece; for the rows of a table it is the row in the table. */
  entries: Record<Kind, { number: number; slug: string; row: StoredJson }[]>
  rejected: { number: number; error: string }[]
  /** Slugs of the categories and tags that the entries refer to. */
  used: UsedSlugs
  lastNumber: number
}

type CheckLines = (piece: Piece) => Promise<CheckedPiece>

declare module '../../kernel/context.ts' {
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
    entries: forEachKind(() => []),
    rejected: [],
    used: { category: new Set(), tag: new Set(), directoryCategory: new Set() },
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
