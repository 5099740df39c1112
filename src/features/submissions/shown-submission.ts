// A submission as its partner gets it in the answer to submitting a tool, and in the list of its own submissions.
import type { Context } from '../../kernel/context.ts'
import type { SubmissionRow } from './queries.ts'
import type { KnownTerms } from './read-submission.ts'
import { packageOf } from './rules.ts'
import type { FoundSubmission } from './status.ts'
import { listNamedTerms } from './terms.queries.ts'

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
  /** A live submission or one of the sandbox. */
  submission: Pick<SubmissionRow, 'state' | 'paymentType' | 'createdAt'>
  tool: SubmittedTool
}

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
