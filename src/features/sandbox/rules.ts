// Pure rules of the sandbox: how a test submission goes through its states without a person, and which directories it has on record.
import { hostOfKey } from '../listings/website-key.ts'
import { type LinkState, UNCHECKED } from '../submissions/bench/link.rules.ts'
import { NOT_WAITING } from '../submissions/queue/waiting.rules.ts'
import type { SubmissionState } from '../submissions/rules.ts'

export interface SandboxTerm {
  slug: string
  name: string
}

/** A directory on record, as JSON. */
export interface RecordedTestRow {
  name: string
  slug: string
  url: string
  domainRating: number | null
  listingUrl: string
  submittedAt: string
}

/** How many test submissions are kept of each partner, the newest ones; as many test conversations, and as many test deliveries. */
export const MOST_KEPT_TESTS = 1_000

export const SANDBOX_ASSIGNEE = 'sandbox'
export const DONE_NOTES = 'This was a test: no directory was contacted.'
export const SAMPLE_REPLY =
  'This is a sample reply of the sandbox. With a live key, a person reads the question and replies.'

/** In how many parts the directories are recorded, one part after the other, while the work is in progress. */
export const PARTS = 4

const NEXT_STATE: Record<SubmissionState, SubmissionState | null> = {
  IN_QUEUE: 'ASSIGNED',
  ASSIGNED: 'IN_PROGRESS',
  IN_PROGRESS: 'REVIEW',
  REVIEW: 'DONE',
  DONE: null,
}

interface WorkedTest {
  /** null: without a package. */
  state: SubmissionState | null
  parts: number
  websiteKey: string
}

interface TestStep {
  state: SubmissionState
  parts: number
  /** How long until the next step, as a share of the usual time of a step; null: none follows. */
  wait: number | null
}

/**
 * What a test submission becomes when its step is due; null when no step follows. A test whose host begins with `stuck.` stays in progress
 * with the first part of its directories, for partners that want to test this case.
 */
export function nextStep({ state, parts, websiteKey }: WorkedTest): TestStep | null {
  if (state === null) return null
  if (state === 'IN_PROGRESS' && parts < PARTS) return { state, parts: parts + 1, wait: 1 / PARTS }
  const next = NEXT_STATE[state]
  if (next === null) return null
  if (next === 'IN_PROGRESS') return { state: next, parts: 1, wait: isStuck(websiteKey) ? null : 1 / PARTS }
  return { state: next, parts, wait: next === 'DONE' ? null : 1 }
}

const isStuck = (websiteKey: string): boolean => hostOfKey(websiteKey).startsWith('stuck.')

/** When the next step is due: counted from when this one was due, so that delays do not add up; from now after a delay longer than a step. */
export const dueAfter = (due: Date, now: Date, wait: number, stepMs: number): Date =>
  new Date((now.getTime() - due.getTime() < stepMs ? due : now).getTime() + wait * stepMs)

/** The rows when `parts` parts of the directories are on record: the existing rows, then the strongest directories that are missing. */
export function rowsAfter(
  rows: readonly RecordedTestRow[],
  directories: readonly Pick<RecordedTestRow, 'name' | 'slug' | 'url' | 'domainRating'>[],
  parts: number,
  toolSlug: string,
  now: Date,
): RecordedTestRow[] {
  const known = new Set(rows.map(({ slug }) => slug))
  const missing = Math.ceil((directories.length * parts) / PARTS) - rows.length
  const added = directories
    .filter(({ slug }) => !known.has(slug))
    .slice(0, Math.max(0, missing))
    .map((directory) => ({
      ...directory,
      listingUrl: `https://example.com/${directory.slug}/${toolSlug}`,
      submittedAt: now.toISOString(),
    }))
  return [...rows, ...added]
}

/** The list, or an empty one: a broken row may contain something else. */
export const listIn = <T>(value: readonly T[]): readonly T[] => (Array.isArray(value) ? value : [])

/** The directories on record, as a live submission has them. */
export const recordedRows = ({ rows }: { rows: readonly RecordedTestRow[] }) =>
  listIn(rows).map(({ submittedAt, ...directory }) => ({
    ...directory,
    isSubmitted: true,
    submittedBy: 'ADMIN' as const,
    submittedAt: new Date(submittedAt),
    proofUrl: null,
    ...NOT_WAITING,
  }))

/** The link on the listing of a test. No page is requested; it counts as found one step after the directory was recorded. */
export function linkAfter(
  submittedAt: Date,
  { now, stepMs }: { now: Date; stepMs: number },
): { state: LinkState; checkedAt: Date | null; firstLiveAt: Date | null } {
  const foundAt = new Date(submittedAt.getTime() + stepMs)
  return now >= foundAt ? { state: 'live', checkedAt: foundAt, firstLiveAt: foundAt } : UNCHECKED
}
