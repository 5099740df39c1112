import { isObject } from '../../../kernel/values/objects.ts'

/** broken-form: the form or a link of the website does not work. */
export const REPORT_REASONS = ['wrong', 'gone', 'broken-form', 'other'] as const
export type ReportReason = (typeof REPORT_REASONS)[number]
/** open: an administrator has not answered since the last report. */
export const REPORT_STATES = ['open', 'answered'] as const

export type ReportCounts = Partial<Record<ReportReason, number>>

export interface ReportMessage {
  reason: ReportReason
  note: string
  /** Where an answer is sent; null: none was given, or it was answered. */
  email: string | null
  at: string
}

export interface Reports {
  state: (typeof REPORT_STATES)[number]
  counts: ReportCounts
  messages: ReportMessage[]
  firstAt: Date
}

/** The row without values of a wrong shape, which a write directly to the database may have left. */
export const readReports = <R extends Reports>(row: R): R => ({
  ...row,
  state: row.state === 'answered' ? row.state : 'open',
  counts: countsIn(row.counts),
  messages: Array.isArray(row.messages) ? row.messages.filter(isMessage) : [],
})

const countsIn = (stored: unknown): ReportCounts =>
  Object.fromEntries(
    REPORT_REASONS.flatMap((reason) => {
      const count = isObject(stored) ? stored[reason] : undefined
      return typeof count === 'number' && count > 0 ? [[reason, count]] : []
    }),
  )

const isMessage = (stored: unknown): stored is ReportMessage =>
  isObject(stored) &&
  REPORT_REASONS.some((reason) => reason === stored.reason) &&
  typeof stored.note === 'string' &&
  typeof stored.at === 'string' &&
  (stored.email === null || typeof stored.email === 'string')

/** The longest text of a report, in characters. */
export const MOST_NOTE = 500
/** How many messages a row keeps. Older ones are dropped, so that the row stays small however many visitors write. */
export const MOST_MESSAGES = 20
const MOST_COUNTED = 1_000_000

/** The row after one more report. The first report after an answer replaces the answered ones. */
export function afterReport(before: Reports, { reason, note, email }: Omit<ReportMessage, 'at'>, at: Date) {
  const isNew = before.state === 'answered'
  const { counts, messages, firstAt } = isNew ? { counts: {}, messages: [], firstAt: at } : before
  const said = note !== '' || email !== null ? [{ reason, note, email, at: at.toISOString() }] : []
  return {
    state: 'open' as const,
    counts: { ...counts, [reason]: Math.min(MOST_COUNTED, (counts[reason] ?? 0) + 1) },
    messages: [...messages, ...said].slice(-MOST_MESSAGES),
    ...{ answer: '', answeredBy: null, answeredAt: null, firstAt, lastAt: at },
  }
}

export const reportsIn = (counts: ReportCounts): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

/** The addresses that an answer is sent to. A pseudonym that replaced an address when its person was deleted has no @. */
export const addressesIn = (messages: readonly ReportMessage[]): string[] => [
  ...new Set(messages.flatMap(({ email }) => (email?.includes('@') ? email : []))),
]
