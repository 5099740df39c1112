// For the dashboard: the submissions of a partner, as the users who work for it see them. Each query is limited to the caller's partner.
import { Type } from 'typebox'
import { orNotFound } from '../../../kernel/errors.ts'
import { pageOperation } from '../../../kernel/operation.ts'
import { listPage, objectType, offsetOf, oneOf, stringType, timestamp } from '../../../kernel/schema.ts'
import { findPartsOfPartner } from '../../enrichment/queries.ts'
import { UNUSED_OUTCOMES, unusedPictures } from '../../enrichment/rules.ts'
import { partnerOfCaller } from '../../partners/webhook-settings.operations.ts'
import { findSubmissionBySlug } from '../queries.ts'
import { selectSubmissions } from '../queue/queue.queries.ts'
import { LISTING_STATES, listingState, packageOf } from '../rules.ts'
import { queueItemSchema, statusSchema } from '../schema.ts'
import { statusOf } from '../status.ts'

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
    const found = orNotFound(await findSubmissionBySlug(ctx.db, partner.id, input.slug), 'Tool')
    const parts = await findPartsOfPartner(ctx.db, partner.id, found.tool.id)
    return { data: { ...(await statusOf(ctx, found)), pictures: unusedPictures(parts) } }
  },
})

export const ownSubmissionOperations = [listOwnSubmissions, getOwnSubmission]
