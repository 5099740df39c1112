// Operator API, reading: one submission with everything an administrator needs to work on it, the directories to choose from, and the
// directories on record of all submissions that wait.
import { type Static, Type } from 'typebox'
import { withPictures } from '../../../kernel/addresses/own-addresses.ts'
import type { Context } from '../../../kernel/context.ts'
import { badRequest, notFound, orNotFound } from '../../../kernel/errors.ts'
import { operationsFor } from '../../../kernel/operation.ts'
import { listPage, offsetOf, oneOf, stringType, timestamp, titledObject } from '../../../kernel/schema.ts'
import { flaggedTexts } from '../../listings/instructions/find-instructions.ts'
import { listRows } from '../queries.ts'
import { submissionId } from '../queue/queue.schema.ts'
import { listWaitingRows } from '../queue/waiting.queries.ts'
import { ACTORS, WAITING_REASONS } from '../queue/waiting.rules.ts'
import { ownPlanLimitsOf, packageOf, summaryOf } from '../rules.ts'
import { queueItemSchema, rowSchema, waitingFields } from '../schema.ts'
import { reportUrl } from '../status.ts'
import { findSubmissionIds, findWork, listCandidates } from './read.queries.ts'
import { candidateFilters, candidateSchema, workSchema } from './read.schema.ts'

const operation = operationsFor('operator', 'Submissions')

export const getSubmission = operation({
  name: 'get_submission',
  summary: 'One submission with all that is needed to work it',
  description:
    'The tool with everything that forms of directories ask for (the founder’s e-mail address too), state, package, notes and the directories on record.',
  method: 'GET',
  path: '/submissions/:id',
  parameters: Type.Object({ id: submissionId }),
  data: workSchema,
  failures: [400, 404],
  tool: {
    title: 'One submission',
    description: 'A submitted product with its facts, state, notes and the directories on record.',
    namesPictures: true,
    shows: [
      'id',
      'state',
      'paymentType',
      'kind',
      'language',
      'notes',
      'internalNotes',
      'tool',
      'submissions',
      'version',
    ],
  },
  run: async (ctx, input) => {
    const found = orNotFound(await findWork(ctx.db, await findSubmissionId(ctx, input.id)), 'Submission')
    const { submission, tool, details, client, categoryName, tags } = found
    const rows = await listRows(ctx.db, submission.id, 'operator', ctx.now())
    return {
      data: {
        ...submission,
        plan: ownPlanLimitsOf(submission),
        ...packageOf(submission.paymentType),
        ...summaryOf(rows, submission.notes),
        clientId: client.id,
        client,
        flaggedFields: tool.flaggedFields,
        flaggedTexts: flaggedTexts(fieldsNamed(tool.flaggedFields, { ...tool, tags: tags.map(({ name }) => name) })),
        tool: {
          ...withPictures(ctx.publicUrl, tool),
          ...details,
          url: `${ctx.publicUrl}/tools/${tool.slug}`,
          category: tool.category === null ? null : { slug: tool.category, name: categoryName ?? tool.category },
          tags,
        },
        submissions: rows,
        reportUrl: reportUrl(ctx.publicUrl, submission.reportToken),
      },
    }
  },
})

export const listSubmissionDirectories = operation({
  name: 'list_submission_directories',
  summary: 'Directories to enter a tool into',
  description:
    'Published directories with the address of their form and what is on record for this submission: those not on record first, then by Domain Rating.',
  method: 'GET',
  path: '/submissions/:id/directories',
  parameters: Type.Object({ id: submissionId, ...candidateFilters, ...listPage }),
  data: Type.Array(candidateSchema),
  run: async (ctx, { id, ...input }) => ({
    data: await listCandidates(ctx.db, await findSubmissionId(ctx, id), input, input.limit, offsetOf(input), ctx.now()),
  }),
})

// `feature.ts` adds `listWaiting` after the views, and the documents of the API keep that order.
export const submissionReadOperations = [getSubmission, listSubmissionDirectories]

const fieldsNamed = (names: readonly string[], fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(names.map((name) => [name, fields[name]]))

/** The id of the submission that a caller names. Throws a 404, or a 400 when several partners submitted the tool. */
export async function findSubmissionId(ctx: Context, reference: string): Promise<string> {
  const [first, ...others] = await findSubmissionIds(ctx.db, reference)
  if (!first) throw notFound('Submission')
  if (others.length > 0 && first.id !== reference)
    throw badRequest('Several partners submitted this tool. Name the submission by its own id.')
  return first.id
}

const { id, tool, client } = queueItemSchema.properties
const { isSubmitted, listingUrl, submittedAt } = rowSchema.properties

const waitingRowSchema = titledObject('WaitingRow', 'A directory on record that waits.', {
  submissionId: id,
  tool,
  client,
  directory: stringType('Slug of the directory.', 'launch-list'),
  directoryName: stringType('Name of the directory.', 'Launch List'),
  isSubmitted,
  listingUrl,
  submittedAt,
  ...waitingFields,
  since: timestamp('Since when it waits.'),
})

export type WaitingRow = Static<typeof waitingRowSchema>

export const listWaiting = operation({
  name: 'list_waiting',
  summary: 'What waits, and for whom',
  description:
    'The directories on record of all submissions that wait for us, a founder or a directory, those that have waited longest first. What takes longer than a directory usually needs is overdue and waits for us.',
  method: 'GET',
  path: '/queue/waiting',
  parameters: Type.Object({
    waitingFor: Type.Optional(oneOf(ACTORS, 'Only those that wait for this one.', 'us')),
    reason: Type.Optional(oneOf(WAITING_REASONS, 'Only with this reason.', 'overdue')),
    client: Type.Optional(stringType('Only those of this partner.', '8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10')),
    ...listPage,
  }),
  data: Type.Array(waitingRowSchema),
  tool: {
    title: 'What waits',
    description: 'Directories on record that wait, the oldest first. Those that wait for "us" can be worked on now.',
    omit: ['client', 'reason'],
    shows: ['submissionId', 'tool', 'directory', 'reason', 'action', 'since'],
  },
  run: async (ctx, input) => ({ data: await listWaitingRows(ctx.db, input, input.limit, offsetOf(input), ctx.now()) }),
})
