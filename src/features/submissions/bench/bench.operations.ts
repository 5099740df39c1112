// Operator API of the bench, the admin page on which an operator enters a submission into directories: texts to paste into forms, undoing
// a record, changing many submissions, and which submission comes next.
import { Type } from 'typebox'
import { withPictures } from '../../../kernel/addresses/own-addresses.ts'
import { workerOf } from '../../../kernel/caller.ts'
import { Failure, notFound, orNotFound, unfit } from '../../../kernel/errors.ts'
import { operationsFor } from '../../../kernel/operation.ts'
import { nullableObject, stringType, titledObject } from '../../../kernel/schema.ts'
import { versionGuard } from '../../audit/schema.ts'
import { checkVersion } from '../../audit/version-guard.ts'
import { storeProgress, storeWaiting } from '../events.ts'
import * as queries from '../queries.ts'
import { changeOne, findForUpdate, withPackage } from '../queue/queue.operations.ts'
import { findNextSubmission } from '../queue/queue.queries.ts'
import { bulkBody, bulkResultSchema, kitSchema, submissionId, undoneSchema } from '../queue/queue.schema.ts'
import { findSubmissionId } from '../read/read.operations.ts'
import { findWork, listCandidates } from '../read/read.queries.ts'
import { queueItemSchema } from '../schema.ts'
import { kitFields } from './kit.rules.ts'
import { UNDONE, undoRecord } from './undo.ts'

const operation = operationsFor('operator', 'Submissions')

const directorySlug = stringType('Slug of the directory.', 'launch-list')

export const getKit = operation({
  name: 'get_submission_kit',
  summary: 'What the form of a directory asks for',
  description:
    'The texts of a submitted tool, cut at a word to the limits of one directory, its pictures, the address of the form and what is on record.',
  method: 'GET',
  path: '/submissions/:id/kit/:slug',
  parameters: Type.Object({ id: submissionId, slug: directorySlug }),
  data: kitSchema,
  failures: [400, 404],
  tool: {
    title: 'Texts for the form of one directory',
    description:
      'What to enter into the form of a directory: its address, the texts cut to its limits, and the addresses of the pictures. Give fields: "fields" if a text ends with ….',
    namesPictures: true,
  },
  run: async (ctx, input) => {
    const id = await findSubmissionId(ctx, input.id)
    const [directory] = await listCandidates(ctx.db, id, { slug: input.slug }, 1, 0, ctx.now())
    if (!directory) throw notFound('Directory')
    const work = orNotFound(await findWork(ctx.db, id), 'Submission')
    const tool = withPictures(ctx.publicUrl, work.tool)
    const category = work.categoryName ?? tool.category
    // A row that was written to the database directly may have something other than a list.
    const screenshots = Array.isArray(tool.screenshots) ? tool.screenshots : []
    const pictures = [
      { label: 'Logo', url: tool.icon },
      { label: 'Main picture', url: tool.frame },
      ...screenshots.map((url, i) => ({ label: `Screenshot ${i + 1}`, url })),
    ]
    return {
      data: {
        directory,
        fields: kitFields({ ...tool, category, tags: work.tags.map(({ name }) => name) }, directory),
        pictures: pictures.flatMap(({ label, url }) => (url ? [{ label, url }] : [])),
      },
    }
  },
})

export const undoDirectory = operation({
  name: 'undo_directory',
  summary: 'Undo the last record of a directory',
  description:
    'Makes the row of a directory as it was before it was last recorded; a row that was new is removed. When the work is Done, only what was recorded after that can be undone. ifVersion is the version of the row. The state of the submission stays.',
  method: 'POST',
  path: '/submissions/:id/directories/:slug/undo',
  parameters: Type.Object({ id: submissionId, slug: directorySlug, ...versionGuard.parameters }),
  data: undoneSchema,
  failures: [400, 404, ...versionGuard.failures],
  example: { success: true, data: { slug: 'launch-list', row: null } },
  tool: {
    title: 'Undo the last record',
    description: 'Make the row of a directory as it was before record_directory was called last.',
  },
  run: (ctx, input) =>
    ctx.transaction(async (ctx) => {
      const submission = await findForUpdate(ctx, input.id)
      const directoryId = await queries.findDirectoryId(ctx.db, input.slug)
      const row = directoryId && (await queries.findRow(ctx.db, submission.id, directoryId))
      if (!row) throw notFound('Record')
      await checkVersion(ctx, input.ifVersion, {
        name: `record of ${input.slug}`,
        version: row.version,
        subject: `submission:${submission.id}`,
        actions: ['submission.directory', UNDONE],
        details: { directory: input.slug },
      })
      await undoRecord(ctx, submission.id, input.slug, row)
      await storeProgress(ctx, submission, input.slug)
      await storeWaiting(ctx, submission, input.slug, row.waitingReason)
      const rows = await queries.listRows(ctx.db, submission.id, 'operator', ctx.now())
      return { data: { slug: input.slug, row: rows.find(({ slug }) => slug === input.slug) ?? null } }
    }),
})

export const changeSubmissions = operation({
  name: 'change_submissions',
  summary: 'Assign, move or set the package of many',
  description:
    'Changes the given fields of each submission, one after the other and by the same rules as for a single one. Those that cannot be changed stay as they are, and the answer says why. Submissions of sandboxes are not found here.',
  method: 'POST',
  path: '/submissions/bulk',
  body: bulkBody,
  data: Type.Array(bulkResultSchema),
  run: async (ctx, _input, { submissions, ...change }) => {
    if (Object.keys(change).length === 0)
      throw unfit('Give at least one of state, assignee and paymentType.', 'state', 'assignee', 'paymentType')
    const results: { id: string; error: string | null; version: number | null }[] = []
    for (const { id, version } of submissions) {
      try {
        const item = await changeOne(ctx, { id, ifVersion: version }, change)
        results.push({ id, error: null, version: item.version })
      } catch (error) {
        if (!(error instanceof Failure) || error.status >= 500) throw error
        results.push({ id, error: error.message, version: null })
      }
    }
    return { data: results }
  },
})

export const nextSubmission = operation({
  name: 'next_submission',
  summary: 'The submission to work on next',
  description:
    'Of those that the person has begun or is assigned to, the one that has waited longest; otherwise the oldest in the queue that has no assignee. Those in which everything waits for founders and directories come last.',
  method: 'GET',
  path: '/queue/next',
  parameters: Type.Object({
    assignee: Type.Optional(stringType('The person; the caller when omitted.', 'op@example.com', { maxLength: 254 })),
    after: Type.Optional(
      stringType(
        'Identifier of a submission that is not wanted, such as the last one.',
        '5b1d0c8e-0d4e-4f59-8c3b-0d6c7a9e1f20',
        { maxLength: 100 },
      ),
    ),
  }),
  data: titledObject('NextSubmission', 'What comes next.', {
    next: nullableObject(Type.Object(queueItemSchema.properties), 'The submission; null: nothing waits.'),
  }),
  example: { success: true, data: { next: null } },
  tool: {
    description:
      'The product to enter into directories next; null when none waits. Then call get_submission_plan with its id.',
  },
  run: async (ctx, { assignee = workerOf(ctx.caller), after }) => {
    const filters = [
      { state: 'IN_PROGRESS', assignee },
      { state: 'ASSIGNED', assignee },
      { state: 'IN_QUEUE', assignee },
      { state: 'IN_QUEUE', assignee: null },
    ] as const
    // First those with something that can be done now, then all others.
    for (const readyAt of [ctx.now(), undefined])
      for (const filter of filters) {
        const next = await findNextSubmission(ctx.db, { ...filter, except: after, readyAt })
        if (next) return { data: { next: withPackage(next) } }
      }
    return { data: { next: null } }
  },
})

export const benchOperations = [getKit, undoDirectory, changeSubmissions, nextSubmission]
