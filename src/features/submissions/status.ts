// A submission as its partner sees it: in the answer to submitting a tool, in lists, and with its progress.
import { randomBytes } from 'node:crypto'
import type { Static } from 'typebox'
import type { Context } from '../../kernel/context.ts'
import * as queries from './queries.ts'
import { listingNote, listingState, packageOf, summaryOf } from './rules.ts'
import type { linkedRowSchema } from './schema.ts'
import type { KnownTerms } from './submit/read-submission.ts'
import { listNamedTerms } from './submit/terms.queries.ts'

export type FoundSubmission = NonNullable<Awaited<ReturnType<typeof queries.findSubmissionByToolId>>>

export type SubmittedTool = Pick<
  FoundSubmission['tool'],
  'id' | 'slug' | 'name' | 'website' | 'category' | 'tags' | 'pricing'
>

/** The categories and tags of these tools. */
export const termsOf = (ctx: Context, tools: readonly SubmittedTool[]): Promise<KnownTerms> =>
  listNamedTerms(ctx.db, {
    category: { slugs: [...new Set(tools.flatMap(({ category }) => category ?? []))] },
    tag: { slugs: [...new Set(tools.flatMap(({ tags }) => tags))] },
  })

interface Submitted {
  /** A live submission or a test submission. */
  submission: Pick<queries.SubmissionRow, 'state' | 'paymentType' | 'createdAt'>
  tool: SubmittedTool
}

/** A submission in the answer to submitting a tool and in lists. `terms` has the category and the tags of its tool. */
export function shownSubmission(ctx: Context, { submission, tool }: Submitted, terms: KnownTerms) {
  return {
    id: tool.id,
    slug: tool.slug,
    name: tool.name,
    url: `${ctx.publicUrl}/tools/${tool.slug}`,
    website: tool.website,
    category: terms.categories.find((term) => term.slug === tool.category) ?? null,
    tags: tool.tags.flatMap((slug) => terms.tags.find((term) => term.slug === slug) ?? []),
    pricing: tool.pricing,
    submissionState: submission.state,
    ...packageOf(submission.paymentType),
    createdAt: submission.createdAt,
  }
}

type SubmissionOfStatus = Pick<FoundSubmission, 'tool'> & {
  submission: Pick<queries.SubmissionRow, 'id' | 'paymentType' | 'state' | 'notes' | 'createdAt' | 'updatedAt'> &
    Partial<Pick<queries.SubmissionRow, 'reportToken'>>
}

/** The progress of a submission. `testRows`: only for a test submission, the directories on record; the sandbox stores them. */
export async function statusOf(
  ctx: Context,
  { submission, tool }: SubmissionOfStatus,
  testRows?: readonly Static<typeof linkedRowSchema>[],
) {
  // 'founder': partners read what a directory waits for in the same sentences as founders.
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
