// Shapes of the bench, the admin page on which an operator enters a submission into directories.
import { type Static, Type } from 'typebox'
import { booleanType, integerType, oneOf, stringType, titledObject } from '../../../kernel/schema.ts'
import { directorySchema } from '../../catalog/schema.ts'
import type { Waiting } from '../../submissions/queue/waiting.rules.ts'
import { queueItemSchema } from '../../submissions/schema.ts'

/** What became of a directory for one submission. */
const BENCH_STATES = ['open', 'planned', 'waiting', 'entered', 'due', 'skipped'] as const
export type BenchState = (typeof BENCH_STATES)[number]

/** The state of a directory on record. */
export function stateOnRecord({ isSubmitted, waitingFor, reason }: Waiting & { isSubmitted: boolean }): BenchState {
  if (isSubmitted) return waitingFor === 'us' ? 'due' : 'entered'
  return reason === null || waitingFor === 'us' ? 'planned' : 'waiting'
}

/** What an administrator can do something about now. */
export const isToDo = ({ state }: { state: BenchState }): boolean =>
  state === 'open' || state === 'planned' || state === 'due'

const { name, domainRating } = directorySchema.properties
const slug = stringType('Slug of the directory.', 'launch-list')
const benchState = oneOf(
  BENCH_STATES,
  'open: nothing is on record; planned: on record, not entered; waiting: not entered, because the founder is waited for or the directory refused; due: entered, and we have to do something; skipped: kept out of the plan.',
  'open',
)

const benchRowSchema = titledObject('BenchRow', 'A directory in the order of work.', {
  slug,
  name,
  domainRating,
  state: benchState,
  isPlanned: booleanType('Whether the plan has it.', true),
  reason: stringType('Why it is in the plan or not, in words.', 'Domain Rating 71'),
})
export type BenchRow = Static<typeof benchRowSchema>

export const benchListSchema = titledObject('Bench', 'The directories of a submission in the order of work.', {
  count: integerType('How many directories the plan should have.', 30),
  shortBy: integerType('How many are missing, because no more fit.', 0),
  rows: Type.Array(benchRowSchema, { description: 'The directories.' }),
})

const { state, version } = queueItemSchema.properties

export const benchRecordsSchema = titledObject('BenchRecords', 'What is on record for a submission.', {
  state,
  version,
  enteredCount: integerType('Directories that the tool was entered into.', 12),
  rows: Type.Array(titledObject('BenchRecord', 'A directory that is not open.', { slug, name, state: benchState }), {
    description: 'The directories that are on record or skipped.',
  }),
})
