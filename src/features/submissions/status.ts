// The progress of a submission as its partner sees it, in the API and in the dashboard.
import { randomBytes } from 'node:crypto'
import type { Static } from 'typebox'
import type { Context } from '../../kernel/context.ts'
import * as queries from './queries.ts'
import { listingNote, listingState, packageOf, summaryOf } from './rules.ts'
import type { linkedRowSchema } from './schema.ts'

export type FoundSubmission = NonNullable<Awaited<ReturnType<typeof queries.findSubmissionByToolId>>>

type ShownSubmission = Pick<FoundSubmission, 'tool'> & {
  submission: Pick<queries.SubmissionRow, 'id' | 'paymentType' | 'state' | 'notes' | 'createdAt' | 'updatedAt'> &
    Partial<Pick<queries.SubmissionRow, 'reportToken'>>
}

/** `testRows`: the directories on record of a test submission, which are not in the table of rows. */
export async function statusOf(
  ctx: Context,
  { submission, tool }: ShownSubmission,
  testRows?: readonly Static<typeof linkedRowSchema>[],
) {
  const rows = testRows ? [...testRows] : await queries.listRows(ctx.db, submission.id, 'founder', ctx.now())
  return {
    tool: {
      id: tool.id,
      name: tool.name,
      slug: tool.slug,
      website: tool.website,
      url: `${ctx.publicUrl}/tools/${tool.slug}`,
      ...packageOf(submission.paymentType),
    },
    submissionState: submission.state,
    summary: {
      isComplete: submission.state === 'DONE',
      ...summaryOf(rows, [listingNote(tool), submission.notes].filter(Boolean).join('\n\n')),
    },
    listing: listingState(tool),
    submissions: rows,
    reportUrl: submission.reportToken === undefined ? null : reportUrl(ctx.publicUrl, submission.reportToken),
    createdAt: submission.createdAt,
    updatedAt: submission.updatedAt,
  }
}

/** A part of the address of a submission's report. It alone gives access to the page, so it has 128 random bits. */
export const newReportToken = (): string => randomBytes(16).toString('hex')

export const reportUrl = (publicUrl: string, token: string): string => `${publicUrl}/reports/${token}`
