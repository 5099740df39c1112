import { Type } from 'typebox'
import {
  booleanType,
  integerType,
  nullable,
  objectType,
  oneOf,
  stringType,
  timestamp,
  titledObject,
} from '../../kernel/schema.ts'
import { DRIFT_FIELDS, LINK_STATES } from '../submissions/bench/link.rules.ts'
import { eventSummary, eventTool, linkedRowSchema, linkSchema, queueItemSchema } from '../submissions/schema.ts'

const state = oneOf(LINK_STATES, 'What the look found.', 'live')
const listingUrl = stringType('The address that was looked at.', 'https://launch-list.example.org/acme-writer')

export const linkCheckSchema = titledObject('LinkCheck', 'One look at a listing.', {
  directory: stringType('Slug of the directory.', 'launch-list'),
  listingUrl,
  state,
  checkedAt: timestamp('When it was looked at.'),
  status: nullable(integerType('Status of the page; null without an answer.', 200)),
  finalUrl: nullable(
    stringType('The address that answered, after redirects.', 'https://launch-list.example.org/acme-writer'),
  ),
  rel: nullable(stringType('The rel of the link; null without a link.', 'noopener')),
  anchorText: nullable(stringType('The text of the link; null without a link.', 'Visit Acme Writer')),
  noindex: nullable(
    booleanType('Whether the page asks search engines not to index it; null when it could not be read.', false),
  ),
})

export const listingLinkSchema = titledObject('ListingLink', 'The link on a recorded listing.', {
  submissionId: queueItemSchema.properties.id,
  tool: queueItemSchema.properties.tool,
  client: queueItemSchema.properties.client,
  directory: stringType('Slug of the directory.', 'launch-list'),
  directoryName: stringType('Name of the directory.', 'Launch List'),
  listingUrl,
  link: linkSchema,
  lostAt: nullable(timestamp('When the link was said to be lost; null while it is not.')),
  nextAt: timestamp('When it is looked at next.'),
  drift: Type.Array(
    objectType('A field that the listing states otherwise.', {
      field: oneOf(DRIFT_FIELDS, 'Field of the tool.', 'tagline'),
      found: stringType('What the listing says.', 'Writes mail'),
      current: stringType(
        'What is true now, as the form of the directory takes it.',
        'Drafts your mail in your own voice',
      ),
    }),
    { description: 'What the listing says otherwise than the tool, at the last look that could compare them.' },
  ),
  message: nullable(
    stringType(
      'A text for the directory that asks for these changes; null without any.',
      'Hello, the listing of Acme Writer is no longer up to date: …',
    ),
  ),
})

export const linkFilters = {
  state: Type.Optional(oneOf(LINK_STATES, 'Only this state.', 'blocked')),
  lost: Type.Optional(booleanType('Only lost ones, or with false only others.', true)),
  followUp: Type.Optional(booleanType('Only those to follow up: lost, blocked, or not found yet.', true)),
  drift: Type.Optional(
    booleanType('Only listings that say something otherwise than the tool, or with false only others.', true),
  ),
  submission: Type.Optional({ ...queueItemSchema.properties.id, description: 'Only those of this submission.' }),
  client: Type.Optional(stringType('Only those of this partner.', '8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10')),
}

const { paymentStatus, paymentLabel, targetDirectoriesCount, ...product } = eventTool.properties

/** A report as JSON. It has no envelope, because it is a file and not an answer of the API. */
export const reportSchema = titledObject('Report', 'What a partner can give its customer.', {
  tool: Type.Object(product, { description: 'The product.' }),
  package: Type.Object({ paymentStatus, paymentLabel, targetDirectoriesCount }, { description: 'The package.' }),
  summary: objectType('How far the work is.', {
    isComplete: booleanType('true once the work is Done.', true),
    submittedCount: eventSummary.properties.submittedCount,
    recordedSubmissions: eventSummary.properties.recordedSubmissions,
    links: objectType(
      'How many listings are in each state.',
      Object.fromEntries(LINK_STATES.map((name) => [name, integerType(`Listings that are ${name}.`, 1)])),
    ),
  }),
  submissions: Type.Array(linkedRowSchema, { description: 'The directories on record.' }),
  generatedAt: timestamp('When this report was made.'),
  test: Type.Optional(booleanType('true for a test submission: no directory was contacted.', true)),
})

export const reportAddressSchema = titledObject('ReportAddress', 'Where the report is.', {
  reportUrl: stringType(
    'The address of the report.',
    'https://catalog.example.com/reports/3f1c9a0e5b7d42868a1fd0c4e2b79653',
  ),
})
