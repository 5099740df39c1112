import { boolean, index, integer, pgTable, primaryKey, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core'
import { versionColumn } from '../audit/tables.ts'
import { directories, tools } from '../catalog/tables.ts'
import { partners } from '../keys/tables.ts'
import { PAYMENT_TYPES, STATES, SUBMITTERS } from './rules.ts'

export const submissions = pgTable(
  'submissions',
  {
    id: text().primaryKey(),
    partnerId: text('partner_id')
      .notNull()
      .references(() => partners.id),
    toolId: text('tool_id')
      .notNull()
      .references(() => tools.id),
    /** Of the site as it was submitted: the listing's own may be changed later. */
    websiteKey: text('website_key').notNull(),
    /** As it was answered: the listing may have another one since. */
    slug: text().notNull(),
    /** null while the package is waiting. */
    paymentType: text('payment_type', { enum: PAYMENT_TYPES }),
    /** null while there is no directory workflow. */
    state: text({ enum: STATES }),
    assignee: text(),
    /** What the partner reads. */
    notes: text().notNull(),
    /** For operators only. */
    internalNotes: text('internal_notes').notNull().default(''),
    /** Not raised by recording a directory: its row has a version of its own. */
    version: versionColumn(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    uniqueIndex('submissions_partner_tool').on(table.partnerId, table.toolId),
    index('submissions_tool').on(table.toolId),
    index('submissions_partner_website').on(table.partnerId, table.websiteKey),
    index('submissions_partner_slug').on(table.partnerId, table.slug),
    index('submissions_state').on(table.state, table.createdAt),
  ],
)

/** A directory that a tool was, or will be, entered into for one submission. */
export const submissionRows = pgTable(
  'submission_rows',
  {
    submissionId: text('submission_id')
      .notNull()
      .references(() => submissions.id),
    directoryId: text('directory_id')
      .notNull()
      .references(() => directories.id),
    isSubmitted: boolean('is_submitted').notNull(),
    listingUrl: text('listing_url'),
    submittedBy: text('submitted_by', { enum: SUBMITTERS }).notNull(),
    submittedAt: timestamp('submitted_at', { withTimezone: true }),
    proofUrl: text('proof_url'),
    version: versionColumn(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.submissionId, table.directoryId] })],
)

/** What a partner sent but no catalog read shows. */
export const submissionDetails = pgTable('submission_details', {
  submissionId: text('submission_id')
    .primaryKey()
    .references(() => submissions.id),
  affiliateText: text('affiliate_text'),
  foundingDate: text('founding_date'),
  isCustomer: boolean('is_customer'),
  isLaunched: boolean('is_launched'),
})

/** Answers remembered for a day, so that a retry with the same Idempotency-Key gets the same one. */
export const idempotentAnswers = pgTable(
  'idempotent_answers',
  {
    partnerId: text('partner_id')
      .notNull()
      .references(() => partners.id),
    key: text().notNull(),
    requestHash: text('request_hash').notNull(),
    status: integer().notNull(),
    answer: text().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.partnerId, table.key] })],
)
