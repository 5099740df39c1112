// What visitors report about listings.
import { Type } from 'typebox'
import {
  integerType,
  nullable,
  OPTIONAL_EMAIL_PATTERN,
  objectType,
  oneOf,
  stringType,
  timestamp,
  titledObject,
} from '../../../kernel/schema.ts'
import { version } from '../../audit/schema.ts'
import { LISTED_KINDS } from '../../catalog/schema.ts'
import { MOST_MESSAGES, MOST_NOTE, REPORT_REASONS, REPORT_STATES } from './reports.rules.ts'

const reason = oneOf(
  REPORT_REASONS,
  'wrong: something in the listing is not right; gone: the product is gone; broken-form: a form or a link does not work; other.',
  'wrong',
)

export const reportedListing = Type.Object({
  kind: oneOf(LISTED_KINDS, 'tool or directory.', 'tool'),
  slug: stringType('Slug of the listing.', 'acme-writer'),
})

export const reportBody = titledObject('VisitorReport', 'What a visitor reports.', {
  reason,
  note: Type.Optional(stringType('What is wrong.', 'It is free since May.', { maxLength: MOST_NOTE })),
  email: Type.Optional(
    stringType('Where an answer is sent.', 'ada@example.com', { maxLength: 254, pattern: OPTIONAL_EMAIL_PATTERN }),
  ),
})

const REPORT_ID = '0199d2c4-9b20-7c3e-9f51-2b1f0c6f2a11'
export const reportId = stringType('Identifier of the reports of one listing.', REPORT_ID)
const counted = (reason: string) => integerType(`Reports with the reason ${reason}.`, 2)

export const visitorReportsSchema = titledObject('VisitorReports', 'What visitors report about one listing.', {
  id: reportId,
  ...reportedListing.properties,
  name: stringType('Name of the listing.', 'Acme Writer'),
  state: oneOf(REPORT_STATES, 'open: it waits for an answer.', 'open'),
  count: integerType('Reports since the last answer.', 2),
  reasons: objectType('Reports by reason.', Object.fromEntries(REPORT_REASONS.map((name) => [name, counted(name)]))),
  messages: Type.Array(
    Type.Object({
      reason,
      note: stringType('What the visitor wrote.', 'It is free since May.'),
      email: nullable(stringType('Where an answer is sent.', 'ada@example.com')),
      // A text, because messages are stored as JSON.
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
})

export const reportFilters = {
  state: oneOf(REPORT_STATES, { default: 'open', description: 'Only this state.', examples: ['open'] }),
  kind: Type.Optional(oneOf(LISTED_KINDS, 'Only tools or only directories.', 'tool')),
}

export const answerBody = titledObject('VisitorReportAnswer', 'The answer to the visitors.', {
  answer: Type.Optional(
    stringType(
      'Sent by mail to those who left an address; empty: they are sent nothing.',
      'Thank you, it is corrected.',
      { maxLength: 2000 },
    ),
  ),
})
