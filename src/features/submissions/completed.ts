// The event directory_submissions.completed.
import type { Static } from 'typebox'
import { writer } from '../../kernel/output.ts'
import { type PaymentType, packageOf, summaryOf } from './rules.ts'
import { completedEventSchema, type rowSchema } from './schema.ts'

export const COMPLETED = 'directory_submissions.completed'

const write = writer(completedEventSchema)

/** The exact body of the event. */
export function completedBody(given: {
  at: Date
  tool: Pick<Static<typeof completedEventSchema>['tool'], 'id' | 'name' | 'slug' | 'website'>
  paymentType: PaymentType | null
  notes: string
  rows: readonly Static<typeof rowSchema>[]
}): string {
  const body: Static<typeof completedEventSchema> = {
    event: COMPLETED,
    occurredAt: given.at,
    tool: { ...given.tool, ...packageOf(given.paymentType) },
    summary: summaryOf(given.rows, given.notes),
    submissions: given.rows.filter((row) => row.isSubmitted),
  }
  return write(body)
}
