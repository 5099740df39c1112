// Operator API: the directories on record of all submissions, by who is waited for.
import { type Static, Type } from 'typebox'
import { operation } from '../../kernel/operation.ts'
import { listPage, offsetOf } from '../../kernel/paging.ts'
import { oneOf, stringType, timestamp } from '../../kernel/schema.ts'
import { queueItemSchema, rowSchema, waitingFields } from './schema.ts'
import { listWaitingRows } from './waiting.queries.ts'
import { ACTORS, WAITING_REASONS } from './waiting.rules.ts'

const { id, tool, client } = queueItemSchema.properties
const { isSubmitted, listingUrl, submittedAt } = rowSchema.properties

const waitingRowSchema = Type.Object(
  {
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
  },
  { title: 'WaitingRow', description: 'A directory on record that waits.' },
)

export type WaitingRow = Static<typeof waitingRowSchema>

export const listWaiting = operation({
  name: 'list_waiting',
  summary: 'What waits, and for whom',
  description:
    'The directories on record of all submissions that wait for us, a founder or a directory, those that have waited longest first. What takes longer than a directory usually needs is overdue and waits for us.',
  group: 'Submissions',
  access: 'operator',
  method: 'GET',
  path: '/queue/waiting',
  parameters: Type.Object({
    waitingFor: Type.Optional(oneOf(ACTORS, { description: 'Only those that wait for this one.', examples: ['us'] })),
    reason: Type.Optional(oneOf(WAITING_REASONS, { description: 'Only with this reason.', examples: ['overdue'] })),
    client: Type.Optional(stringType('Only those of this partner.', '8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10')),
    ...listPage,
  }),
  data: Type.Array(waitingRowSchema),
  failures: [400],
  tool: {
    title: 'What waits',
    description: 'Directories on record that wait, the oldest first. Those that wait for "us" can be worked on now.',
    omit: ['client', 'reason'],
    shows: ['submissionId', 'tool', 'directory', 'reason', 'action', 'since'],
  },
  run: async (ctx, input) => ({
    data: await listWaitingRows(ctx.db, input, input.limit, offsetOf(input), ctx.now()),
  }),
})
