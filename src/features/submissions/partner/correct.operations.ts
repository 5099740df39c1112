// Operations of partners: correct the listing of a submitted tool, and withdraw a submission whose work has not begun. Also the submissions
// of a partner for the users who work for it; each query is limited to the caller's partner.

import { Type } from 'typebox'
import type { TransactionContext } from '../../../kernel/context.ts'
import { orderedId } from '../../../kernel/database/ordered-id.ts'
import { badRequest, conflict, notFound, orNotFound } from '../../../kernel/errors.ts'
import { callingOwner } from '../../../kernel/invoke.ts'
import { operationsFor, pageOperation } from '../../../kernel/operation.ts'
import {
  booleanType,
  listPage,
  objectType,
  offsetOf,
  oneOf,
  stringType,
  timestamp,
  titledObject,
} from '../../../kernel/schema.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import { TOPIC } from '../../catalog/schema.ts'
import { findCreatingPartner, findPartsOfPartner } from '../../enrichment/queries.ts'
import { UNUSED_OUTCOMES, unusedPictures } from '../../enrichment/rules.ts'
import { changeToolFields } from '../../listings/entries/change-fields.ts'
import { lockTerms } from '../../listings/queries.ts'
import { readListingFields } from '../../listings/rules.ts'
import { websiteKey, websiteKeyOf } from '../../listings/website-key.ts'
import { findKeyedAnswer, idempotencyHeaders, keyedRequest, storeKeyedAnswer } from '../../partners/idempotency.ts'
import { partnerOfCaller } from '../../partners/webhook-settings.operations.ts'
import { deleteWaitingProposals, upsertProposal } from '../../proposals/queries.ts'
import { findSubmitted, whichTool } from '../operations.ts'
import * as queries from '../queries.ts'
import { selectSubmissions } from '../queue/queue.queries.ts'
import { LISTING_STATES, listingName, listingState, listingValues, packageOf } from '../rules.ts'
import type { TestSubmission, WhichTool } from '../sandbox.ts'
import { type CorrectionBody, correctionBody, detailsOf, queueItemSchema, statusSchema } from '../schema.ts'
import { type FoundSubmission, statusOf } from '../status.ts'
import { knownTerms, storeTags } from '../submit/create-listing.ts'
import { checkNewTags, matchTerms, readCorrection } from '../submit/read-submission.ts'
import * as withdrawals from './withdrawals.queries.ts'

const operation = operationsFor('partner', 'Partners')

const fieldNames = (description: string, example: string[]) =>
  Type.Array(Type.String(), { description, examples: [example] })

const correctTool = operation({
  name: 'correct_ai_tool',
  summary: 'Correct a submitted tool',
  description:
    'Changes the given fields of the listing. What no one but the calling client has written is changed at once; the rest becomes a proposal that an administrator accepts or refuses, and a later one replaces it. Give exactly one of id, slug and website. Neither the website, the slug nor the package can be changed here.',
  bucket: 'submit',
  method: 'PATCH',
  path: '/ai-tools',
  parameters: Type.Object(whichTool),
  headers: idempotencyHeaders,
  body: correctionBody,
  data: titledObject('Correction', 'What became of each given field.', {
    applied: fieldNames('Fields that have the given value now.', ['tagline']),
    proposed: fieldNames('Fields that wait for an administrator.', ['name']),
  }),
  failures: [400, 403, 404, 413, 415],
  rawBody: true,
  run: (ctx, which, raw, headers) =>
    ctx.transaction(async (ctx) => {
      const owner = callingOwner(ctx.caller)
      const request = keyedRequest(owner, headers, [which, raw], 'correct_ai_tool')
      const before = request && (await findKeyedAnswer(ctx, request))
      if (before) return { data: JSON.parse(before.answer), isReplayed: true }
      const draft = readCorrection(raw, ctx.outboundAllowed, ctx.publicUrl)
      const change = matchTerms(draft, await knownTerms(ctx, draft))
      checkNewTags(change)
      if (Object.keys(change.body).length === 0)
        throw badRequest('The body names no field that can be changed. Give at least one, such as tagline.')
      const found = orNotFound(await findSubmitted(ctx, which), 'Tool')
      const data = 'rows' in found ? await correctTest(ctx, found, change) : await correct(ctx, found, change)
      if (request) await storeKeyedAnswer(ctx, request, 200, data)
      return { data }
    }),
})

/** The fields that the body gives, with its category and tags matched. */
type Change = ReturnType<typeof matchTerms<CorrectionBody>>

/** Corrects a test submission. All fields are applied, because in the sandbox only the partner itself writes. */
async function correctTest(ctx: TransactionContext, { submission }: TestSubmission, change: Change) {
  await ctx.sandbox.correct(ctx, submission.id, change)
  return { applied: Object.keys(change.body), proposed: [] }
}

/** Changes the fields that only this partner has written, and proposes the others. Returns the names of both. */
async function correct(ctx: TransactionContext, { submission, tool: { id } }: FoundSubmission, change: Change) {
  const { partnerId } = submission
  const { body, category } = change
  // Tags and terms are locked before the listing, as when an operator writes it.
  const tags = await storeTags(ctx, partnerId, change.tags, change.newTags)
  if (category) await lockTerms(ctx.db, { category: [category.slug] })
  const tool = orNotFound(await queries.findToolForUpdate(ctx.db, id), 'Tool')
  const hasCreatedIt = (await findCreatingPartner(ctx.db, id)) === partnerId
  const mayWrite = (field: string) => hasCreatedIt && tool.editedFields?.includes(field) === false
  const stored: Record<string, unknown> = tool
  const toChange: Record<string, unknown> = {}
  const toPropose: Record<string, unknown> = {}
  const answer: Record<'applied' | 'proposed', string[]> = { applied: [], proposed: [] }
  const given = listingValues(ctx.publicUrl, body, category, tags)
  for (const name of Object.keys(body)) {
    const field = listingName(name)
    const isSame = !(field in given) || JSON.stringify(given[field]) === JSON.stringify(stored[field])
    const isApplied = isSame || mayWrite(field)
    answer[isApplied ? 'applied' : 'proposed'].push(name)
    if (isSame) continue
    if (isApplied) toChange[field] = given[field]
    else toPropose[field] = given[field]
  }
  const { fields } = readListingFields('tool', toChange)
  if (Object.keys(fields).length > 0) await changeToolFields(ctx, tool, fields, { action: 'tool.correct' })
  await queries.updateDetails(ctx.db, submission.id, detailsOf(body))
  const author = { toolId: id, authorKind: 'partner', authorId: partnerId } as const
  const applied = answer.applied.map(listingName)
  if (applied.length > 0) await deleteWaitingProposals(ctx.db, author, applied)
  for (const [field, newValue] of Object.entries(toPropose)) {
    const proposal = { id: orderedId(), field, oldValue: stored[field] ?? null, newValue, createdAt: ctx.now() }
    await upsertProposal(ctx.db, { ...author, ...proposal })
  }
  if (answer.proposed.length > 0)
    await writeAudit(ctx, 'proposal.create', `tool:${tool.slug}`, { fields: Object.keys(toPropose) })
  return answer
}

const withdrawTool = operation({
  name: 'withdraw_ai_tool',
  summary: 'Withdraw a submitted tool',
  description:
    'Withdraws the submission while no directory is recorded and its work has not begun (IN_QUEUE, or waiting for a package); the listing is hidden if the calling client made it and no other client has submitted it too. A second call says the same. Otherwise: 409. Give exactly one of id, slug and website.',
  method: 'DELETE',
  path: '/ai-tools',
  parameters: Type.Object(whichTool),
  data: titledObject('Withdrawal', 'The submission is withdrawn.', { withdrawn: booleanType('Always true.', true) }),
  failures: [400, 403, 404, 409],
  run: (ctx, which) =>
    ctx.transaction(async (ctx) => {
      const owner = callingOwner(ctx.caller)
      const found = await findSubmitted(ctx, which)
      if (!found) {
        if (!(await wasWithdrawn(ctx, owner, which))) throw notFound('Tool')
      } else if ('rows' in found) await withdrawTest(ctx, owner.partnerId, found)
      else {
        const outcome = await withdrawUnbegun(ctx, found.submission.id)
        if (outcome === 'not found') throw notFound('Tool')
        if (outcome === 'work has begun') throw workHasBegun()
      }
      return { data: { withdrawn: true } }
    }),
})

const wasWithdrawn = (ctx: TransactionContext, owner: withdrawals.Withdrawer, { id, slug, website }: WhichTool) =>
  withdrawals.isWithdrawn(ctx.db, owner, { toolId: id, slug, websiteKey: websiteKeyOf(website) })

const workHasBegun = () =>
  conflict('The work on this tool has begun, so it can no longer be withdrawn. Ask the operator to stop it.')

async function withdrawTest(ctx: TransactionContext, partnerId: string, found: TestSubmission) {
  const { submission, tool, rows } = found
  if (rows.length > 0 || !isUnbegun(submission.state) || !(await ctx.sandbox.withdraw(ctx, submission.id)))
    throw workHasBegun()
  const withdrawn = { toolId: tool.id, slug: tool.slug, websiteKey: websiteKey(tool.website) }
  await withdrawals.upsertWithdrawal(ctx.db, { partnerId, test: true, ...withdrawn, createdAt: ctx.now() })
}

export const correctionOperations = [correctTool, withdrawTool]

/** Whether the state is before the work: in the queue, or without a package. */
const isUnbegun = (state: string | null): boolean => state === null || state === 'IN_QUEUE'

/**
 * Withdraws a submission whose work has not begun: for its partner, or because the order of a founder was refunded. Otherwise changes
 * nothing.
 */
export async function withdrawUnbegun(
  ctx: TransactionContext,
  id: string,
): Promise<'withdrawn' | 'work has begun' | 'not found'> {
  // Locked, because an administrator may begin the work at this very moment.
  const submission = await queries.lockSubmission(ctx.db, id)
  if (!submission) return 'not found'
  if (!isUnbegun(submission.state) || (await withdrawals.hasRows(ctx.db, id))) return 'work has begun'
  const { partnerId, toolId, websiteKey, slug } = submission
  await withdrawals.deleteSubmission(ctx.db, id)
  await deleteWaitingProposals(ctx.db, { toolId, authorKind: 'partner', authorId: partnerId })
  const createdAt = ctx.now()
  await withdrawals.upsertWithdrawal(ctx.db, { partnerId, test: false, toolId, slug, websiteKey, createdAt })
  await writeAudit(ctx, 'submission.withdraw', `submission:${id}`, { toolId, slug })
  // The listing is hidden only if this partner's submission created it.
  const hasCreatedListing = (await findCreatingPartner(ctx.db, toolId)) === partnerId
  const hidden = hasCreatedListing ? await withdrawals.hideListing(ctx.db, toolId, ctx.now()) : undefined
  if (hidden) {
    await writeAudit(ctx, 'tool.withdraw', `tool:${hidden.slug}`, { submission: id })
    await ctx.announce({ topic: TOPIC.tool, ids: [toolId] })
  }
  return 'withdrawn'
}

const { id, state, tool, submittedCount, targetDirectoriesCount, createdAt } = queueItemSchema.properties
const listing = oneOf(
  LISTING_STATES,
  'public: readers see the listing; review: it waits for an administrator; hidden: an administrator hid it.',
  'public',
)

export const listOwnSubmissions = pageOperation({
  name: 'list_own_submissions',
  parameters: Type.Object(listPage),
  data: Type.Array(
    objectType('A submission of the partner.', {
      id,
      state,
      tool,
      listing,
      paymentLabel: stringType('The package in words.', 'Starter (30+ directories)'),
      submittedCount,
      targetDirectoriesCount,
      createdAt,
      updatedAt: timestamp('When it last changed.'),
    }),
  ),
  run: async (ctx, input) => {
    const partner = await partnerOfCaller(ctx)
    const rows = await selectSubmissions(ctx.db, { client: partner.id }, input.limit, offsetOf(input), ctx.now())
    return { data: rows.map((row) => ({ ...row, ...packageOf(row.paymentType), listing: listingState(row.tool) })) }
  },
})

const pictures = Type.Array(
  Type.Object({
    picture: stringType('icon, frame, screenshots.0, …', 'icon'),
    outcome: oneOf(
      UNUSED_OUTCOMES,
      'replaced: the picture of the site is shown instead; dropped: none is shown.',
      'replaced',
    ),
    note: stringType('Why.', 'The given address answered 404. The picture of the site is shown instead.'),
  }),
  { description: 'Pictures that were submitted and cannot be used.' },
)

export const getOwnSubmission = pageOperation({
  name: 'get_own_submission',
  parameters: Type.Object({ slug: stringType('Slug of the tool.', 'acme-writer') }),
  data: objectType('Progress, and what readers see.', { ...statusSchema.properties, listing, pictures }),
  run: async (ctx, input) => {
    const partner = await partnerOfCaller(ctx)
    const found = orNotFound(await queries.findSubmissionBySlug(ctx.db, partner.id, input.slug), 'Tool')
    const parts = await findPartsOfPartner(ctx.db, partner.id, found.tool.id)
    return { data: { ...(await statusOf(ctx, found)), pictures: unusedPictures(parts) } }
  },
})

export const ownSubmissionOperations = [listOwnSubmissions, getOwnSubmission]
