// The shapes of link checks, of links to follow up, and of a report.
import { Type } from 'typebox'
import { nullable, oneOf, timestamp } from '../../kernel/schema.ts'
import { DRIFT_FIELDS, LINK_STATES } from '../submissions/link.rules.ts'
import { eventSummary, eventTool, linkedRowSchema, linkSchema, queueItemSchema } from '../submissions/schema.ts'

const state = oneOf(LINK_STATES, { description: 'What the look found.', examples: ['live'] })
const listingUrl = Type.String({
  description: 'The address that was looked at.',
  examples: ['https://launch-list.example.org/acme-writer'],
})

export const linkCheckSchema = Type.Object(
  {
    directory: Type.String({ description: 'Slug of the directory.', examples: ['launch-list'] }),
    listingUrl,
    state,
    checkedAt: timestamp('When it was looked at.'),
    status: nullable(Type.Integer({ description: 'Status of the page; null without an answer.', examples: [200] })),
    finalUrl: nullable(
      Type.String({
        description: 'The address that answered, after redirects.',
        examples: ['https://launch-list.example.org/acme-writer'],
      }),
    ),
    rel: nullable(Type.String({ description: 'The rel of the link; null without a link.', examples: ['noopener'] })),
    anchorText: nullable(
      Type.String({ description: 'The text of the link; null without a link.', examples: ['Visit Acme Writer'] }),
    ),
    noindex: nullable(
      Type.Boolean({
        description: 'Whether the page asks search engines not to index it; null when it could not be read.',
        examples: [false],
      }),
    ),
  },
  { title: 'LinkCheck', description: 'One look at a listing.' },
)

export const followUpSchema = Type.Object(
  {
    submissionId: queueItemSchema.properties.id,
    tool: queueItemSchema.properties.tool,
    client: queueItemSchema.properties.client,
    directory: Type.String({ description: 'Slug of the directory.', examples: ['launch-list'] }),
    directoryName: Type.String({ description: 'Name of the directory.', examples: ['Launch List'] }),
    listingUrl,
    link: linkSchema,
    lostAt: nullable(timestamp('When the link was said to be lost; null while it is not.')),
    nextAt: timestamp('When it is looked at next.'),
    drift: Type.Array(
      Type.Object(
        {
          field: oneOf(DRIFT_FIELDS, { description: 'Field of the tool.', examples: ['tagline'] }),
          found: Type.String({ description: 'What the listing says.', examples: ['Writes mail'] }),
          current: Type.String({
            description: 'What is true now, as the form of the directory takes it.',
            examples: ['Drafts your mail in your own voice'],
          }),
        },
        { description: 'A field that the listing states otherwise.' },
      ),
      { description: 'What the listing says otherwise than the tool, at the last look that could compare them.' },
    ),
    message: nullable(
      Type.String({
        description: 'A text for the directory that asks for these changes; null without any.',
        examples: ['Hello, the listing of Acme Writer is no longer up to date: …'],
      }),
    ),
  },
  { title: 'ListingLink', description: 'The link on a recorded listing.' },
)

export const linkFilters = {
  state: Type.Optional(oneOf(LINK_STATES, { description: 'Only this state.', examples: ['blocked'] })),
  lost: Type.Optional(Type.Boolean({ description: 'Only lost ones, or with false only others.', examples: [true] })),
  followUp: Type.Optional(
    Type.Boolean({ description: 'Only those to follow up: lost, blocked, or not found yet.', examples: [true] }),
  ),
  drift: Type.Optional(
    Type.Boolean({
      description: 'Only listings that say something otherwise than the tool, or with false only others.',
      examples: [true],
    }),
  ),
  submission: Type.Optional({ ...queueItemSchema.properties.id, description: 'Only those of this submission.' }),
  client: Type.Optional(
    Type.String({ description: 'Only those of this partner.', examples: ['8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10'] }),
  ),
}

const count = (description: string, example: number) => Type.Integer({ description, examples: [example] })
const { paymentStatus, paymentLabel, targetDirectoriesCount, ...product } = eventTool.properties

/** A report as JSON. It has no envelope, because it is a file and not an answer of the API. */
export const reportSchema = Type.Object(
  {
    tool: Type.Object(product, { description: 'The product.' }),
    package: Type.Object({ paymentStatus, paymentLabel, targetDirectoriesCount }, { description: 'The package.' }),
    summary: Type.Object(
      {
        isComplete: Type.Boolean({ description: 'true once the work is Done.', examples: [true] }),
        submittedCount: eventSummary.properties.submittedCount,
        recordedSubmissions: eventSummary.properties.recordedSubmissions,
        links: Type.Object(
          Object.fromEntries(LINK_STATES.map((name) => [name, count(`Listings that are ${name}.`, 1)])),
          { description: 'How many listings are in each state.' },
        ),
      },
      { description: 'How far the work is.' },
    ),
    submissions: Type.Array(linkedRowSchema, { description: 'The directories on record.' }),
    generatedAt: timestamp('When this report was made.'),
    test: Type.Optional(
      Type.Boolean({ description: 'true for a test submission: no directory was contacted.', examples: [true] }),
    ),
  },
  { title: 'Report', description: 'What a partner can give its customer.' },
)

export const reportAddressSchema = Type.Object(
  {
    reportUrl: Type.String({
      description: 'The address of the report.',
      examples: ['https://catalog.example.com/reports/3f1c9a0e5b7d42868a1fd0c4e2b79653'],
    }),
  },
  { title: 'ReportAddress', description: 'Where the report is.' },
)
