// What looks at websites have found, as answers show it, what operators may decide about it, and what visitors report about listings.
import { Type } from 'typebox'
import {
  booleanType,
  integerType,
  nullable,
  nullableObject,
  OPTIONAL_EMAIL_PATTERN,
  objectType,
  oneOf,
  stringType,
  timestamp,
  titledObject,
} from '../../kernel/schema.ts'
import { version } from '../audit/schema.ts'
import { LISTED_KINDS } from '../catalog/schema.ts'
import { HEALTH_STATES } from '../listings/schema.ts'
import { MOST_MESSAGES, MOST_NOTE, REPORT_REASONS, REPORT_STATES } from './reports/reports.rules.ts'

const listed = (description: string, example: { slug: string; name: string }) =>
  objectType(description, { slug: stringType('Its slug.', example.slug), name: stringType('Its name.', example.name) })

const successor = nullableObject(
  listed('The successor.', { slug: 'beta-writer', name: 'Beta Writer' }),
  'What operators recommend instead; null when they have named none.',
)

const state = oneOf(
  HEALTH_STATES,
  'alive; moved: the website leads to another domain; parked: its domain is parked or for sale; gone: 404, 410 or no such host; blocked and unreachable say nothing about the product; unknown: not looked at yet, or not often enough to say. gone and parked are said after three looks in a row over at least 7 days.',
  'gone',
)

export const healthSchema = titledObject(
  'ListingHealth',
  'Whether the website of a listing was still there at the last look.',
  {
    slug: stringType('Slug of the listing.', 'acme-writer'),
    state,
    since: nullable(timestamp('When this state was first found; null while it is unknown.')),
    checkedAt: nullable(timestamp('The last look at the website; null before the first.')),
    successor,
    alternatives: Type.Array(listed('A similar listing.', { slug: 'gamma-notes', name: 'Gamma Notes' }), {
      description: 'Up to five similar ones that are alive, for gone, parked and moved; otherwise empty.',
    }),
  },
)

export const healthRowSchema = titledObject('ListingHealthRow', 'What looks at the website of a listing have found.', {
  kind: oneOf(LISTED_KINDS, 'tool or directory.', 'tool'),
  slug: healthSchema.properties.slug,
  name: stringType('Name of the listing.', 'Acme Writer'),
  website: stringType('Its website.', 'https://acme-writer.example.com'),
  state,
  since: healthSchema.properties.since,
  checkedAt: healthSchema.properties.checkedAt,
  status: nullable(integerType('Status of the last answer; null without one.', 404)),
  finalUrl: nullable(stringType('Where the last look ended.', 'https://beta-writer.example.com/')),
  successor,
  decidedAt: nullable(timestamp('When an operator last decided to keep it as it is, or named a successor.')),
})

/** keep: leave the listing as it is. new-address: give it the address at which the last look ended. hide: no reader sees it any more. */
export const HEALTH_DECISIONS = ['keep', 'new-address', 'hide'] as const

export const healthChange = titledObject('HealthChange', 'Either a decision or a successor.', {
  decision: Type.Optional(
    oneOf(
      HEALTH_DECISIONS,
      'keep: leave it as it is, and do not list it again for this state. new-address: give it the address to which its website has moved. hide: show it to no reader.',
      'keep',
    ),
  ),
  successor: Type.Optional(
    nullable(
      stringType('Slug of the listing of the same kind to recommend instead; null: none.', 'beta-writer', {
        maxLength: 200,
      }),
    ),
  ),
})

const MOST_DECIDED = 100

export const healthDecisions = titledObject(
  'HealthDecisions',
  'The listings, and either a decision or a successor for all of them.',
  {
    kind: oneOf(LISTED_KINDS, 'tool or directory.', 'tool'),
    slugs: Type.Array(Type.String({ maxLength: 200 }), {
      minItems: 1,
      maxItems: MOST_DECIDED,
      description: `Slugs of the listings, ${MOST_DECIDED} at most.`,
      examples: [['acme-writer']],
    }),
    ...healthChange.properties,
  },
)

export const healthDecided = titledObject('HealthDecided', 'What became of one of the listings.', {
  slug: healthSchema.properties.slug,
  error: nullable(
    stringType('Why this one was not changed; null: it is as asked for.', 'The website of this tool has not moved.'),
  ),
})

export const healthFilters = {
  kind: Type.Optional(healthRowSchema.properties.kind),
  state: Type.Optional(oneOf(HEALTH_STATES, 'Only those in this state.', 'gone')),
  open: Type.Optional(
    booleanType('true: only those that are gone, parked or moved and about which no operator has decided since.', true),
  ),
  new: Type.Optional(booleanType('true: only those whose state was first found in the last 24 hours.', true)),
}

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
