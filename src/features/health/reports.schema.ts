import { Type } from 'typebox'
import { integerType, nullable, OPTIONAL_EMAIL_PATTERN, oneOf, stringType, timestamp } from '../../kernel/schema.ts'
import { version } from '../audit/schema.ts'
import { LISTED_KINDS } from '../catalog/schema.ts'
import { MOST_MESSAGES, MOST_NOTE, REPORT_REASONS, REPORT_STATES } from './reports.rules.ts'

const reason = oneOf(REPORT_REASONS, {
  description:
    'wrong: something in the listing is not right; gone: the product is gone; broken-form: a form or a link does not work; other.',
  examples: ['wrong'],
})

export const reportedListing = Type.Object({
  kind: oneOf(LISTED_KINDS, { description: 'tool or directory.', examples: ['tool'] }),
  slug: stringType('Slug of the listing.', 'acme-writer'),
})

export const reportBody = Type.Object(
  {
    reason,
    note: Type.Optional(
      Type.String({ maxLength: MOST_NOTE, description: 'What is wrong.', examples: ['It is free since May.'] }),
    ),
    email: Type.Optional(
      Type.String({
        maxLength: 254,
        pattern: OPTIONAL_EMAIL_PATTERN,
        description: 'Where an answer is sent.',
        examples: ['ada@example.com'],
      }),
    ),
  },
  { title: 'VisitorReport', description: 'What a visitor reports.' },
)

const REPORT_ID = '0199d2c4-9b20-7c3e-9f51-2b1f0c6f2a11'
export const reportId = stringType('Identifier of the reports of one listing.', REPORT_ID)
const counted = (reason: string) => integerType(`Reports with the reason ${reason}.`, 2)

export const visitorReportsSchema = Type.Object(
  {
    id: reportId,
    ...reportedListing.properties,
    name: stringType('Name of the listing.', 'Acme Writer'),
    state: oneOf(REPORT_STATES, { description: 'open: it waits for an answer.', examples: ['open'] }),
    count: integerType('Reports since the last answer.', 2),
    reasons: Type.Object(Object.fromEntries(REPORT_REASONS.map((name) => [name, counted(name)])), {
      description: 'Reports by reason.',
    }),
    messages: Type.Array(
      Type.Object({
        reason,
        note: stringType('What the visitor wrote.', 'It is free since May.'),
        email: nullable(stringType('Where an answer is sent.', 'ada@example.com')),
        at: stringType('When it was sent.', '2026-03-01T09:30:00.000Z'),
      }),
      { description: `The last ${MOST_MESSAGES} reports with a text or an address.` },
    ),
    answer: stringType('What the visitors were told.', ''),
    answeredBy: nullable(stringType('Who answered.', 'op@example.com')),
    answeredAt: nullable(timestamp('When it was answered.')),
    firstAt: timestamp('The first of these reports.'),
    lastAt: timestamp('The last of them.'),
    version,
  },
  { title: 'VisitorReports', description: 'What visitors report about one listing.' },
)

export const reportFilters = {
  state: oneOf(REPORT_STATES, { default: 'open', description: 'Only this state.', examples: ['open'] }),
  kind: Type.Optional(oneOf(LISTED_KINDS, { description: 'Only tools or only directories.', examples: ['tool'] })),
}

export const answerBody = Type.Object(
  {
    answer: Type.Optional(
      Type.String({
        maxLength: 2000,
        description: 'Sent by mail to those who left an address; empty: they are sent nothing.',
        examples: ['Thank you, it is corrected.'],
      }),
    ),
  },
  { title: 'VisitorReportAnswer', description: 'The answer to the visitors.' },
)
