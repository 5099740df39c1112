import { Type } from 'typebox'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { lockText } from '../../kernel/database/queries.ts'
import { orNotFound, unfit } from '../../kernel/errors.ts'
import { callingOwner, callingPartner } from '../../kernel/invoke.ts'
import { operationsFor } from '../../kernel/operation.ts'
import { exampleOf, offsetOf, pageParameters, stringType } from '../../kernel/schema.ts'
import { hostsOfKey, websiteKey, websiteKeyOf } from '../listings/website-key.ts'
import { findKeyedAnswer, idempotencyHeaders, keyedRequest, storeKeyedAnswer } from '../partners/idempotency.ts'
import * as queries from './queries.ts'
import { queueFilters } from './queue/queue.schema.ts'
import { NOT_WAITING } from './queue/waiting.rules.ts'
import { listSubmissionsOfPartner } from './read/read.queries.ts'
import type { WhichTool } from './sandbox.ts'
import { detailsOf, linkedRowSchema, linkSchema, statusSchema, submitBody, submittedSchema } from './schema.ts'
import { shownSubmission, statusOf, termsOf } from './status.ts'
import { createListing, knownTerms } from './submit/create-listing.ts'
import { type CheckedSubmission, matchSubmission, readSubmission } from './submit/read-submission.ts'
import { setPackage, storeSubmission } from './submit/store-submission.ts'
import { insertSentTags } from './submit/terms.queries.ts'

const operation = operationsFor('partner', 'Partners')

const TOOL_ID = '0199d2c4-7a10-7c3e-9f51-2b1f0c6f2a11'

export const submitTool = operation({
  name: 'submit_ai_tool',
  summary: 'Submit a tool',
  description:
    'Lists a tool at once and, with a package, queues it for entry into directories. Pictures, features and FAQ that are omitted are filled in afterwards. The same website sent again with the same key answers 200 with the first submission and changes nothing, except that a package is set where none was. Call it from a server, never from a browser or app.',
  bucket: 'submit',
  method: 'POST',
  path: '/submit-ai-tool',
  status: 201,
  // Leads to the status and not to the listing, which may still wait for an administrator.
  location: '/ai-tools/status?id=:id',
  repeatStatus: 200,
  headers: idempotencyHeaders,
  body: submitBody,
  data: submittedSchema,
  failures: [400, 403, 413, 415],
  repeatExample: { success: true, data: { ...(exampleOf(submittedSchema) as object), created: false } },
  rawBody: true,
  run: (ctx, _input, raw, headers) =>
    ctx.transaction(async (ctx) => {
      const owner = callingOwner(ctx.caller)
      const request = keyedRequest(owner, headers, raw)
      const before = request && (await findKeyedAnswer(ctx, request))
      if (before) return { data: JSON.parse(before.answer), status: before.status as 200 | 201, isReplayed: true }
      const draft = readSubmission(raw, ctx.outboundAllowed, ctx.publicUrl)
      const submission = matchSubmission(draft, await knownTerms(ctx, draft))
      const { data, created } = await (owner.test ? submitTest : submit)(ctx, owner.partnerId, submission)
      const status = created ? (201 as const) : (200 as const)
      if (request) await storeKeyedAnswer(ctx, request, status, data)
      return { data, status }
    }),
})

/** Submits with a test key: only the sandbox stores the submission. */
async function submitTest(ctx: TransactionContext, partnerId: string, submission: CheckedSubmission) {
  const { terms, created, ...found } = await ctx.sandbox.submit(ctx, partnerId, submission)
  return { data: { ...shownSubmission(ctx, found, terms), created }, created }
}

/**
 * Whether the new listing waits for an administrator. It does when an administrator has taken down a listing of that host: the same page must
 * not return by itself, and the service cannot tell whether another page is fine.
 */
const needsReview = (ctx: TransactionContext, siteKey: string): Promise<boolean> =>
  queries.isTakenDown(ctx.db, hostsOfKey(siteKey))

async function submit(ctx: TransactionContext, partnerId: string, submission: CheckedSubmission) {
  const siteKey = websiteKey(submission.body.website)
  await lockText(ctx.db, `website:${siteKey}`)
  const before = await queries.findSubmissionByWebsite(ctx.db, partnerId, siteKey)
  if (before) {
    const current = await setPackage(ctx, before, submission.body.paymentType)
    const data = { ...shownSubmission(ctx, current, await termsOf(ctx, [current.tool])), created: false }
    return { data, created: false }
  }
  const listedTool = await queries.findToolByWebsite(ctx.db, siteKey)
  const { tool, terms, sentTags } = listedTool
    ? { tool: listedTool, terms: await termsOf(ctx, [listedTool]), sentTags: [] }
    : await createListing(ctx, partnerId, submission, { needsReview: await needsReview(ctx, siteKey) })
  const { paymentType = null } = submission.body
  const details = detailsOf(submission.body)
  const submissionRow = await storeSubmission(ctx, { partnerId, tool, siteKey, paymentType, details })
  if (sentTags.length > 0)
    await insertSentTags(
      ctx.db,
      sentTags.map((tag) => ({ submissionId: submissionRow.id, ...tag })),
    )
  return { data: { ...shownSubmission(ctx, { submission: submissionRow, tool }, terms), created: true }, created: true }
}

/** Parameters that name a tool which the caller has submitted. */
export const whichTool = {
  id: Type.Optional(stringType('Identifier of the tool.', TOOL_ID)),
  slug: Type.Optional(stringType('Slug of the tool.', 'acme-writer')),
  website: Type.Optional(stringType("The product's site, as submitted.", 'https://acme-writer.example.com')),
}

const { created: _, ...ownToolFields } = submittedSchema.properties

export const listOwnTools = operation({
  name: 'list_submitted_tools',
  summary: 'List submitted tools',
  description:
    "The calling client's own submissions, newest first, each as in the answer to POST /submit-ai-tool. Use GET /ai-tools/status for the directories of one.",
  method: 'GET',
  path: '/ai-tools',
  parameters: Type.Object({ state: queueFilters.state, ...pageParameters(20, 100) }),
  data: Type.Array(Type.Object(ownToolFields, { title: 'OwnSubmission', description: 'A submission of the client.' })),
  failures: [400, 403],
  run: async (ctx, { state, ...page }) => {
    const { partnerId, test } = callingOwner(ctx.caller)
    if (test) {
      const tests = await ctx.sandbox.list(ctx, partnerId, { state }, page.limit, offsetOf(page))
      return { data: tests.map((one) => shownSubmission(ctx, one, one.terms)) }
    }
    const found = await listSubmissionsOfPartner(ctx.db, partnerId, state, page.limit, offsetOf(page))
    const terms = await termsOf(
      ctx,
      found.map(({ tool }) => tool),
    )
    return { data: found.map((one) => shownSubmission(ctx, one, terms)) }
  },
})

const linkExample = { ...(exampleOf(linkSchema) as object), checkedAt: '2026-03-02T09:30:00.000Z' }

export const getToolStatus = operation({
  name: 'get_tool_status',
  summary: 'Progress of a submitted tool',
  description:
    'How far the directory work of a tool is that was submitted with this key. Give exactly one of id, slug and website. Poll while summary.isComplete is false, or wait for the webhook.',
  method: 'GET',
  path: '/ai-tools/status',
  parameters: Type.Object(whichTool),
  data: statusSchema,
  failures: [400, 403, 404],
  exampleFields: {
    submissionState: 'IN_PROGRESS',
    summary: { isComplete: false, submittedCount: 1, recordedSubmissions: 1, notes: '' },
    submissions: [{ ...(exampleOf(linkedRowSchema) as object), proofUrl: null, link: linkExample, ...NOT_WAITING }],
  },
  run: async (ctx, which) => {
    const found = orNotFound(await findSubmitted(ctx, which), 'Tool')
    return { data: await statusOf(ctx, found, 'rows' in found ? found.rows : undefined) }
  },
})

/** The caller's own submission; undefined if it has none. Throws a 400 unless exactly one of the three parameters is given. */
export async function findSubmitted(ctx: Context, { id, slug, website }: WhichTool) {
  if ([id, slug, website].filter((value) => value !== undefined).length !== 1)
    throw unfit('Give exactly one of id, slug and website.', 'id', 'slug', 'website')
  const partnerId = callingPartner(ctx.caller)
  if (ctx.caller.isTest) return ctx.sandbox.find(ctx, partnerId, { id, slug, website })
  if (id !== undefined) return queries.findSubmissionByToolId(ctx.db, partnerId, id)
  if (slug !== undefined) return queries.findSubmissionBySlug(ctx.db, partnerId, slug)
  const key = websiteKeyOf(website)
  return key === undefined ? undefined : queries.findSubmissionByWebsite(ctx.db, partnerId, key)
}
