import { sql } from 'drizzle-orm'
import {
  boolean,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { versionColumn } from '../audit/tables.ts'
import { DEFAULT_KIND, DEFAULT_LANGUAGE, PRODUCT_KINDS } from '../catalog/schema.ts'
import { directories, tools } from '../catalog/tables.ts'
import { partners } from '../partners/tables.ts'
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
    /** The key of the website that was submitted; the website of the listing may be changed later. */
    websiteKey: text('website_key').notNull(),
    /** The slug in the answer to the partner; the listing may have another slug now. */
    slug: text().notNull(),
    /** null: the submission has no package yet. */
    paymentType: text('payment_type', { enum: PAYMENT_TYPES }),
    /** null: the submission has no package, so there is no directory work. */
    state: text({ enum: STATES }),
    assignee: text(),
    /** Notes that the partner sees. */
    notes: text().notNull(),
    /** Notes that only operators see. */
    internalNotes: text('internal_notes').notNull().default(''),
    /** The next four decide which directories the plan proposes (`features/plan`). */
    kind: text({ enum: PRODUCT_KINDS }).notNull().default(DEFAULT_KIND),
    language: text().notNull().default(DEFAULT_LANGUAGE),
    /** null: as the partner has it; so is planBadges. */
    planBudget: doublePrecision('plan_budget'),
    planBadges: boolean('plan_badges'),
    /** Recording a directory does not raise it, because the row of the directory has its own version. */
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

/** A directory that administrators have entered the tool of a submission into, or plan to. */
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
  (table) => [
    primaryKey({ columns: [table.submissionId, table.directoryId] }),
    // Plans look at the last listings of each directory.
    index('submission_rows_listings')
      .on(table.directoryId, table.updatedAt)
      .where(sql`${table.isSubmitted} and ${table.listingUrl} is not null`),
  ],
)

/** Fields that a partner sent and that no catalog read shows. */
export const submissionDetails = pgTable('submission_details', {
  submissionId: text('submission_id')
    .primaryKey()
    .references(() => submissions.id),
  affiliateText: text('affiliate_text'),
  foundingDate: text('founding_date'),
  isCustomer: boolean('is_customer'),
  isLaunched: boolean('is_launched'),
})

/** Answers are kept for a day, so that a retry with the same Idempotency-Key gets the same answer. */
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
