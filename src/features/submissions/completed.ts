// The body of the event directory_submissions.completed.
import type { Static } from 'typebox'
import { completedEvent } from './events.ts'
import { type PaymentType, packageOf, summaryOf } from './rules.ts'
import type { rowSchema } from './schema.ts'

/** The exact body of the event. */
export const completedBody = (given: {
  at: Date
  tool: Pick<Static<typeof completedEvent.body>['tool'], 'id' | 'name' | 'slug' | 'website'>
  paymentType: PaymentType | null
  notes: string
  rows: readonly Static<typeof rowSchema>[]
}): string =>
  completedEvent.write({
    event: completedEvent.name,
    occurredAt: given.at,
    tool: { ...given.tool, ...packageOf(given.paymentType) },
    summary: summaryOf(given.rows, given.notes),
    submissions: given.rows.filter((row) => row.isSubmitted),
  })
