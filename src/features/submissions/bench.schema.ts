// The shapes of the bench, the admin page on which an operator enters a submission into directories: texts to paste, and bulk changes.
import { Type } from 'typebox'
import { booleanType, integerType, nullable, nullableObject, oneOf, stringType } from '../../kernel/schema.ts'
import { version } from '../audit/schema.ts'
import { changeBody } from './queue.schema.ts'
import { candidateSchema } from './read.schema.ts'
import { STATES, type SubmissionState } from './rules.ts'
import { queueItemSchema, recordedRowSchema } from './schema.ts'

const kitFieldSchema = Type.Object(
  {
    name: stringType('Name of the field.', 'tagline'),
    label: stringType('The field in words.', 'Tagline'),
    value: stringType('The text to paste, cut at a word to the limit.', 'Drafts your mail in your own voice'),
    limit: integerType('The most characters, or tags, that the form takes; 0: not known.', 60),
    isUsual: booleanType('Whether the limit is that of most forms, because this one’s is not known.', false),
    isCut: booleanType('Whether the text was cut.', false),
  },
  { title: 'KitField', description: 'A field ready to paste.' },
)

export const kitSchema = Type.Object(
  {
    directory: Type.Object(candidateSchema.properties, { description: 'The directory and what is on record.' }),
    fields: Type.Array(kitFieldSchema, { description: 'The texts.' }),
    pictures: Type.Array(
      Type.Object({
        label: stringType('What it shows.', 'Logo'),
        url: stringType('Where it is downloaded.', 'https://catalog.example.com/media/logo.webp'),
      }),
      { description: 'Logo and screenshots.' },
    ),
  },
  { title: 'Kit', description: 'What the form of a directory asks for, ready to paste.' },
)

export const undoneSchema = Type.Object(
  {
    slug: stringType('Slug of the directory.', 'launch-list'),
    row: nullableObject(recordedRowSchema, 'The row as it was before; null: it was not on record.'),
  },
  { title: 'UndoneRecord', description: 'A record that was undone.' },
)

const WORKING_STATES = STATES.filter((state): state is Exclude<SubmissionState, 'DONE'> => state !== 'DONE')
const { assignee, paymentType } = changeBody.properties
const { id } = queueItemSchema.properties

/** More than a page of the queue shows, because programs use this too. */
const MAX_AT_ONCE = 200

export const bulkBody = Type.Object(
  {
    submissions: Type.Array(
      Type.Object({
        id,
        version: Type.Optional(version),
      }),
      {
        minItems: 1,
        maxItems: MAX_AT_ONCE,
        description: `Which ones, ${MAX_AT_ONCE} at most, each with the version that was read.`,
      },
    ),
    state: Type.Optional(
      oneOf(WORKING_STATES, {
        description: 'The next state; DONE is set for one submission at a time.',
        examples: ['REVIEW'],
      }),
    ),
    assignee,
    paymentType,
  },
  { description: 'The submissions and what is changed in each of them.' },
)

export const bulkResultSchema = Type.Object(
  {
    id,
    error: nullable(
      stringType('Why this one was not changed; null: it is as asked for.', 'The work is Done, and Done is final.'),
    ),
    version: nullable(integerType('Its version now; null when it was not changed.', 4)),
  },
  { title: 'BulkResult', description: 'What became of one of the submissions.' },
)
