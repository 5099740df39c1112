// The shapes of submissions: what partners send, and what partners, operators and webhooks get.
import { type Static, Type } from 'typebox'
import {
  booleanType,
  boundedMap,
  EMAIL_PATTERN,
  NOT_BLANK_PATTERN,
  nullable,
  nullableObject,
  numberType,
  objectType,
  oneOf,
  stringType,
  timestamp,
  titledObject,
} from '../../kernel/schema.ts'
import { version } from '../audit/schema.ts'
import { categoryName, FEATURES, PRICING, PRODUCT_KINDS, questionBody, SOCIALS, tagName } from '../catalog/schema.ts'
import { submissionPlanLimits } from '../partners/schema.ts'
import { LINK_STATES } from './bench/link.rules.ts'
import { ACTORS, WAITING_REASONS } from './queue/waiting.rules.ts'
import { PAYMENT_TYPES, STATES, SUBMITTERS } from './rules.ts'

const URL_LENGTH = 2000
const text = (maxLength: number, description: string, example: string) =>
  stringType(description, example, { maxLength, pattern: NOT_BLANK_PATTERN })
const address = (description: string, example: string) => stringType(description, example, { maxLength: URL_LENGTH })

/** How many tags a submission may name. */
export const MOST_TAGS = 20
/** How many tags a submission may make. */
export const MOST_NEW_TAGS = 5
/** How many tags a partner may have made that no operator has confirmed. */
export const MOST_UNCONFIRMED_TAGS = 200

/** The details that only administrators see of a submission. Each has a column of the same name in `submissionDetails`. */
export const detailFields = {
  foundingDate: stringType('When it was founded, free-form.', 'Spring 2024', { maxLength: 100 }),
  isCustomer: booleanType('Whether the founder is a customer of the partner.', true),
  isLaunched: booleanType('Whether the product is launched.', true),
}

export const submitBody = titledObject('NewTool', 'A tool to be listed and entered into directories.', {
  name: text(100, 'Name of the product.', 'Acme Writer'),
  website: address('Public URL of the product.', 'https://acme-writer.example.com'),
  tagline: text(200, 'What it does, in a line.', 'Drafts your mail in your own voice'),
  description: text(20_000, 'What it does, at length.', 'Acme Writer learns from your sent mail and …'),
  category: text(200, 'Slug or name of an existing category, in any case.', 'writing'),
  pricing: oneOf(PRICING, "The product's own pricing, in any case.", 'FREEMIUM'),
  founderName: text(200, 'Name of the founder.', 'Ada Example'),
  founderEmail: stringType('Never returned by public reads.', 'ada@example.com', {
    pattern: EMAIL_PATTERN,
    maxLength: 254,
  }),
  tags: Type.Array(Type.String({ maxLength: 100 }), {
    maxItems: MOST_TAGS,
    description: `Slugs or names; at most ${MOST_NEW_TAGS} unknown ones are created. May be empty.`,
    examples: [['api']],
  }),
  paymentType: Type.Optional(oneOf(PAYMENT_TYPES, 'The package; omitted, it stays waiting.', 'starter')),
  slug: Type.Optional(stringType('Made from the name, and unique, when omitted.', 'acme-writer', { maxLength: 100 })),
  icon: Type.Optional(
    address("Square logo; the site's favicon is fetched when omitted.", 'https://acme-writer.example.com/icon.png'),
  ),
  frame: Type.Optional(
    address(
      "Main screenshot; the site's share image is fetched when omitted.",
      'https://acme-writer.example.com/frame.png',
    ),
  ),
  screenshots: Type.Optional(
    Type.Array(Type.String({ maxLength: URL_LENGTH }), {
      maxItems: 20,
      description: 'Gallery; the pictures are mirrored.',
      examples: [['https://acme-writer.example.com/1.png']],
    }),
  ),
  video: Type.Optional(address('YouTube or Vimeo.', 'https://www.youtube.com/watch?v=abc')),
  socials: Type.Optional(
    boundedMap('Social profiles: network to address.', { x: 'https://x.com/acmewriter' }, SOCIALS),
  ),
  features: Type.Optional(
    boundedMap(
      'Features: name to explanation; made when omitted, none when empty. Neither names nor texts may be blank.',
      { 'Style learning': 'Learns from your sent mail.' },
      FEATURES,
    ),
  ),
  faq: Type.Optional(
    Type.Array(questionBody, {
      maxItems: 50,
      description: 'Questions and answers; taken from the site or made when omitted, none when empty.',
    }),
  ),
  affiliate: Type.Optional(stringType('Text on the affiliate program.', '20 % for a year', { maxLength: 2000 })),
  affiliateLink: Type.Optional(
    address('Where to sign up as an affiliate.', 'https://acme-writer.example.com/partners'),
  ),
  discountCode: Type.Optional(stringType('Discount code.', 'ACME10', { maxLength: 100 })),
  location: Type.Optional(stringType('Place of the maker.', 'Lisbon, Portugal', { maxLength: 200 })),
  ...Type.Partial(Type.Object(detailFields)).properties,
})
export type SubmitBody = Static<typeof submitBody>

const { website: _website, slug: _slug, paymentType: _paymentType, ...listingFields } = submitBody.properties

/** What a partner may change of a listing that it has submitted. */
export const correctionBody = Type.Partial(Type.Object(listingFields), {
  title: 'ToolChange',
  description: 'The fields to change; what is omitted stays.',
})
export type CorrectionBody = Static<typeof correctionBody>

/** The details of a body, to be stored. The text on the affiliate program gets another name, because `affiliate` of the listing is a flag. */
export function detailsOf(body: CorrectionBody) {
  const names = Object.keys(detailFields) as (keyof typeof detailFields)[]
  const details: Pick<CorrectionBody, keyof typeof detailFields> = {}
  for (const name of names) Object.assign(details, { [name]: body[name] })
  return { affiliateText: body.affiliate, ...details }
}

export const submissionState = nullable(
  oneOf(STATES, 'State of the directory work; null when there is none.', 'IN_QUEUE'),
)
const packageFields = {
  paymentStatus: stringType('The package in upper case, or WAITING.', 'STARTER'),
  paymentLabel: stringType('The package in words.', 'Starter (30+ directories)'),
  targetDirectoriesCount: numberType('Directories that the package promises; 0 while it is waiting.', 30),
}
const toolFields = {
  id: stringType('Identifier of the tool.', '0199d2c4-7a10-7c3e-9f51-2b1f0c6f2a11'),
  name: stringType('Name of the tool.', 'Acme Writer'),
  slug: stringType('Slug of the tool.', 'acme-writer'),
  website: stringType("The product's own site.", 'https://acme-writer.example.com'),
}
const url = stringType('The listing page.', 'https://catalog.example.com/tools/acme-writer')

export const submittedSchema = titledObject('SubmittedTool', 'The submission.', {
  ...toolFields,
  url,
  category: nullableObject(categoryName, 'The category that was matched.'),
  tags: Type.Array(tagName, { description: 'The tags.' }),
  pricing: oneOf(PRICING, "The product's own pricing, in any case.", 'FREEMIUM'),
  submissionState,
  ...packageFields,
  createdAt: timestamp('When the submission was made.'),
  created: booleanType('false when this website had been submitted with this key before.', true),
})

export const rowSchema = titledObject('DirectoryRow', 'One directory of the work.', {
  name: stringType('Name of the directory.', 'Launch List'),
  slug: stringType('Slug of the directory.', 'launch-list'),
  url: stringType("The directory's own site.", 'https://launch-list.example.org'),
  listingUrl: nullable(stringType('The live listing.', 'https://launch-list.example.org/acme-writer')),
  domainRating: nullable(numberType('Domain Rating of the directory.', 71)),
  isSubmitted: booleanType('Whether the tool was entered.', true),
  submittedBy: nullable(oneOf(SUBMITTERS, 'Who entered it; null while it is not entered.', 'ADMIN')),
  submittedAt: nullable(timestamp('When it was entered.')),
  proofUrl: nullable(stringType('A screenshot as proof.', 'https://catalog.example.com/media/proof.webp')),
})

export const waitingFields = {
  waitingFor: nullable(
    oneOf(
      ACTORS,
      'Who is waited for: us (those who enter the tool), the founder, or the directory; null: nothing is waited for.',
      'founder',
    ),
  ),
  reason: nullable(
    oneOf(WAITING_REASONS, 'Why, as a code; null if it is of no concern to the reader.', 'e-mail-to-confirm'),
  ),
  action: nullable(
    stringType(
      'What the reader can do, in a sentence; null if there is nothing to say.',
      'Confirm the e-mail from Launch List.',
    ),
  ),
}

/** A row with what it waits for. The rows in the event directory_submissions.completed are without it, as the specification says. */
export const waitingRowSchema = titledObject(
  'WaitingDirectoryRow',
  'One directory of the work, and what it waits for.',
  { ...rowSchema.properties, ...waitingFields },
)

/** What the last check of a listing found. */
export const linkSchema = titledObject('LinkState', 'The link to the product.', {
  state: oneOf(
    LINK_STATES,
    'live: a link to the product; nofollow: a link with nofollow, ugc or sponsored; missing: no link on the page; gone: the page is no more; blocked: the directory does not let us look; unreachable: no answer; unknown: only a script fills the page; unchecked: not looked at yet.',
    'live',
  ),
  checkedAt: nullable(timestamp('When the page was last looked at.')),
  firstLiveAt: nullable(timestamp('When the link was first found.')),
})
const link = nullableObject(linkSchema, 'The link on the listing; null without a listing.')

/** A row with the link on its listing and what it waits for. */
export const linkedRowSchema = titledObject(
  'DirectorySubmission',
  'One directory of the work, the link on its listing, and what it waits for.',
  { ...rowSchema.properties, link, ...waitingFields },
)

export const isReasonGiven = booleanType(
  'Whether an administrator has given a reason to wait; otherwise it follows from the row.',
  true,
)

/** A row with its version, for operators, who change it. */
export const recordedRowSchema = objectType('A directory on record, as operators see it.', {
  ...rowSchema.properties,
  ...waitingFields,
  isReasonGiven,
  version,
})

const counts = {
  submittedCount: numberType('Directories that the tool was entered into.', 12),
  recordedSubmissions: numberType('Directories on record.', 14),
  notes: stringType('Notes of the administrators.', ''),
}

export const statusSchema = titledObject('ToolStatus', 'Progress of the directory work.', {
  tool: Type.Object({ ...toolFields, url, ...packageFields }, { description: 'The tool and its package.' }),
  submissionState,
  summary: objectType('How far the work is.', {
    isComplete: booleanType('true once the work is Done; poll until then.', false),
    ...counts,
  }),
  submissions: Type.Array(linkedRowSchema, { description: 'The directories on record.' }),
  reportUrl: nullable(
    stringType(
      'A page with all of this that can be given to the customer; its address is its only key.',
      'https://catalog.example.com/reports/3f1c9a0e5b7d42868a1fd0c4e2b79653',
    ),
  ),
  createdAt: timestamp('When the submission was made.'),
  updatedAt: timestamp('When it last changed.'),
})

/** The parts of events about a submission. */
export const eventTool = Type.Object({ ...toolFields, ...packageFields }, { description: 'The tool and its package.' })
export const eventSummary = Type.Object(counts, { description: 'How far the work is.' })

export const queueItemSchema = titledObject('Submission', 'A submission in the queue.', {
  id: stringType('Identifier of the submission.', '5b1d0c8e-0d4e-4f59-8c3b-0d6c7a9e1f20'),
  toolId: stringType('Identifier of the tool.', '0199d2c4-7a10-7c3e-9f51-2b1f0c6f2a11'),
  clientId: stringType('Identifier of the partner.', '8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10'),
  state: submissionState,
  paymentType: nullable(oneOf(PAYMENT_TYPES, 'The package; null while it is waiting.', 'starter')),
  assignee: nullable(stringType('The administrator who works on it.', 'op@example.com')),
  notes: stringType('Notes, shown to the partner.', ''),
  internalNotes: stringType('Notes of operators; the partner never sees them.', ''),
  kind: oneOf(PRODUCT_KINDS, 'What the product is, for the plan.', 'web'),
  language: stringType('Code of the language of the product, for the plan.', 'en'),
  plan: nullableObject(submissionPlanLimits, 'Limits of the plan for this product; null: as for the partner.'),
  tool: Type.Object(toolFields, { title: 'ToolName', description: 'The tool.' }),
  client: titledObject('PartnerName', 'The partner.', {
    id: stringType('Identifier of the partner.', '8c0c2b0e'),
    name: stringType('Name of the partner.', 'Launch Platform'),
  }),
  submittedCount: numberType('Directories that the tool was entered into.', 12),
  targetDirectoriesCount: numberType('Directories that the package promises.', 30),
  flaggedFields: Type.Array(Type.String(), {
    description:
      'Fields of the listing with text that looks like an instruction to a language model, for review; empty once an administrator has written the listing.',
    examples: [[]],
  }),
  version,
  createdAt: timestamp('When the submission was made.'),
  updatedAt: timestamp('When it last changed.'),
})

export const listedItemSchema = titledObject('ListedSubmission', 'A submission in the queue.', {
  ...queueItemSchema.properties,
  waitingFor: Type.Optional(
    nullable(
      oneOf(
        ACTORS,
        'Only with `withWaitingFor`: who the submission waits for. With the filter `waitingFor`, the one asked for; without it the first of these. null: it waits for nobody, or it is a test.',
        'us',
      ),
    ),
  ),
})
