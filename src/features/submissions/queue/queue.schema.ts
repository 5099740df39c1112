// The filters of the queue, the bodies with which administrators change a submission, and what the operations of the bench take and return.
import { type Static, type TObject, Type } from 'typebox'
import {
  booleanType,
  integerType,
  LANGUAGE_PATTERN,
  nullable,
  nullableObject,
  objectType,
  oneOf,
  stringType,
  titledObject,
  WORK_LIST_SORTS,
  type WorkListSort,
} from '../../../kernel/schema.ts'
import { version } from '../../audit/schema.ts'
import { PRODUCT_KINDS } from '../../catalog/schema.ts'
import { testFilter } from '../../keys/schema.ts'
import { submissionPlanLimitsBody } from '../../partners/schema.ts'
import { candidateSchema } from '../read/read.schema.ts'
import { PAYMENT_TYPES, QUEUE_STATES, STATES, SUBMITTERS, type SubmissionState } from '../rules.ts'
import { queueItemSchema, recordedRowSchema } from '../schema.ts'
import { ACTORS, WAITING_REASONS } from './waiting.rules.ts'

const address = (description: string, example: string) =>
  nullable(stringType(description, example, { maxLength: 2000 }))
const notes = stringType('Notes, shown to the partner.', 'Two directories are still reviewing.', { maxLength: 10_000 })

export const submissionId = stringType(
  'Identifier of the submission, or id or slug of its tool when it has only one.',
  '5b1d0c8e-0d4e-4f59-8c3b-0d6c7a9e1f20',
)

/** The columns of the queue; a minus before the name reverses the order. */
const SORTED_COLUMNS = ['tool', 'state', 'entered', 'assignee', 'partner', 'package'] as const
export type SortedColumn = (typeof SORTED_COLUMNS)[number]
export type QueueOrder = WorkListSort | 'ready' | SortedColumn | `-${SortedColumn}`
const QUEUE_ORDERS: readonly QueueOrder[] = [
  ...WORK_LIST_SORTS,
  'ready',
  ...SORTED_COLUMNS.flatMap((column): QueueOrder[] => [column, `-${column}`]),
]

export const queueFilters = {
  state: Type.Optional(oneOf(QUEUE_STATES, 'Only this state; WAITING: those without a package.', 'IN_QUEUE')),
  client: Type.Optional(stringType('Only those of this partner.', '8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10')),
  assignee: Type.Optional(stringType('Only those that this person works.', 'op@example.com', { maxLength: 254 })),
  flagged: Type.Optional(
    booleanType(
      'Only those with text that looks like an instruction to a language model, or with false only others.',
      true,
    ),
  ),
  waitingFor: Type.Optional(
    oneOf(
      ACTORS,
      'Only those with a directory that waits for this one; us: also those without a package, those in review, and those with fewer directories on record than the package promises.',
      'us',
    ),
  ),
  q: Type.Optional(
    stringType('Only those whose tool has this in its name, slug or website.', 'acme', { maxLength: 200 }),
  ),
  sort: Type.Optional(
    oneOf(
      QUEUE_ORDERS,
      'newest by default; oldest: who has waited longest first; changed: by the last change; ready: those with something that can be done now first; or a column, reversed with a minus before it.',
      'oldest',
    ),
  ),
  test: testFilter,
}
export type QueueFilter = Omit<Static<TObject<typeof queueFilters>>, 'test'>

export const changeBody = Type.Object({
  state: Type.Optional(oneOf(STATES, 'The next state.', 'IN_PROGRESS')),
  assignee: Type.Optional(
    nullable(
      stringType('The administrator who works on it; null: not assigned.', 'op@example.com', { maxLength: 254 }),
    ),
  ),
  paymentType: Type.Optional(oneOf(PAYMENT_TYPES, 'The package.', 'starter')),
  notes: Type.Optional(notes),
  internalNotes: Type.Optional(
    stringType('Notes of operators; the partner never sees them.', 'Refused by two directories; ask the founder.', {
      maxLength: 10_000,
    }),
  ),
  kind: Type.Optional(oneOf(PRODUCT_KINDS, 'What the product is, for the plan.', 'web')),
  language: Type.Optional(
    stringType('Code of the language of the product, for the plan.', 'en', {
      pattern: LANGUAGE_PATTERN,
      maxLength: 20,
    }),
  ),
  plan: Type.Optional(
    nullableObject(submissionPlanLimitsBody, 'Limits of the plan for this product; null: as for the partner.'),
  ),
})

export const recordBody = Type.Object({
  isSubmitted: booleanType('Whether the tool was entered.', true),
  listingUrl: Type.Optional(
    address('The live listing; null when omitted.', 'https://launch-list.example.org/acme-writer'),
  ),
  submittedBy: Type.Optional(nullable(oneOf(SUBMITTERS, 'Who entered it; ADMIN when omitted or null.', 'ADMIN'))),
  submittedAt: Type.Optional(
    nullable(
      stringType(
        'When it was entered; when omitted and isSubmitted is true, the time that is on record or now, otherwise null. At most five minutes ahead of the clock of the service.',
        '2026-03-01T09:30:00.000Z',
        { format: 'date-time' },
      ),
    ),
  ),
  proofUrl: Type.Optional(
    address('A screenshot as proof; null when omitted.', 'https://catalog.example.com/media/proof.webp'),
  ),
  reason: Type.Optional(
    nullable(
      oneOf(
        WAITING_REASONS,
        'Why the work on this directory waits; give it only if the other fields do not tell: the founder has to answer the form, confirm an e-mail, pay or show a badge; the directory reviews it or has a queue; it was rejected; a person saw it listed. A reason that the other fields already tell is not stored. Sending the reason again for an overdue directory restarts its waiting time.',
        'e-mail-to-confirm',
      ),
    ),
  ),
})

export const doneBody = Type.Object({ notes: Type.Optional(notes) })

// What the operations of the bench take and return. The bench is the page on which an operator enters a submission into directories.

const kitFieldSchema = titledObject('KitField', 'A field ready to paste.', {
  name: stringType('Name of the field.', 'tagline'),
  label: stringType('The field in words.', 'Tagline'),
  value: stringType('The text to paste, cut at a word to the limit.', 'Drafts your mail in your own voice'),
  limit: integerType('The most characters, or tags, that the form takes; 0: not known.', 60),
  isUsual: booleanType('Whether the limit is that of most forms, because this one’s is not known.', false),
  isCut: booleanType('Whether the text was cut.', false),
})

export const kitSchema = titledObject('Kit', 'What the form of a directory asks for, ready to paste.', {
  directory: Type.Object(candidateSchema.properties, { description: 'The directory and what is on record.' }),
  fields: Type.Array(kitFieldSchema, { description: 'The texts.' }),
  pictures: Type.Array(
    Type.Object({
      label: stringType('What it shows.', 'Logo'),
      url: stringType('Where it is downloaded.', 'https://catalog.example.com/media/logo.webp'),
    }),
    { description: 'Logo and screenshots.' },
  ),
})

export const undoneSchema = titledObject('UndoneRecord', 'A record that was undone.', {
  slug: stringType('Slug of the directory.', 'launch-list'),
  row: nullableObject(recordedRowSchema, 'The row as it was before; null: it was not on record.'),
})

const WORKING_STATES = STATES.filter((state): state is Exclude<SubmissionState, 'DONE'> => state !== 'DONE')
const { assignee, paymentType } = changeBody.properties
const { id } = queueItemSchema.properties

/** More than a page of the queue shows, because programs use this too. */
const MAX_AT_ONCE = 200

export const bulkBody = objectType('The submissions and what is changed in each of them.', {
  submissions: Type.Array(Type.Object({ id, version: Type.Optional(version) }), {
    minItems: 1,
    maxItems: MAX_AT_ONCE,
    description: `Which ones, ${MAX_AT_ONCE} at most, each with the version that was read.`,
  }),
  state: Type.Optional(oneOf(WORKING_STATES, 'The next state; DONE is set for one submission at a time.', 'REVIEW')),
  assignee,
  paymentType,
})

export const bulkResultSchema = titledObject('BulkResult', 'What became of one of the submissions.', {
  id,
  error: nullable(
    stringType('Why this one was not changed; null: it is as asked for.', 'The work is Done, and Done is final.'),
  ),
  version: nullable(integerType('Its version now; null when it was not changed.', 4)),
})
