import { sql } from 'drizzle-orm'
import {
  boolean,
  doublePrecision,
  foreignKey,
  index,
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
import { LINK_STATES } from './link.rules.ts'
import { PAYMENT_TYPES, STATES, SUBMITTERS } from './rules.ts'

/** 128 random bits in hex. */
export const RANDOM_TOKEN = sql`encode(substring(sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea) from 1 for 16), 'hex')`

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
    /** The secret part of the address of its report. The default is for rows of versions that had no reports. */
    reportToken: text('report_token').notNull().default(RANDOM_TOKEN),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    uniqueIndex('submissions_partner_tool').on(table.partnerId, table.toolId),
    uniqueIndex('submissions_report').on(table.reportToken),
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
    /** When the listing was said to be lost, as in its link; it stays when the address is removed. Plans read it. */
    lostAt: timestamp('lost_at', { withTimezone: true }),
    version: versionColumn(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.submissionId, table.directoryId] }),
    // Plans look at the last listings of each directory. The further columns are read without the table.
    index('submission_rows_outcomes')
      .on(table.directoryId, table.updatedAt, table.submissionId, table.createdAt, table.lostAt)
      .where(sql`(${table.isSubmitted} and ${table.listingUrl} is not null) or ${table.lostAt} is not null`),
  ],
)

/**
 * The link to the product on a recorded listing: its present state, and when it is looked at next. Recording an address writes the row
 * (`link.queries.ts`); the feature `proof` looks at the page and keeps the state.
 */
export const listingLinks = pgTable(
  'listing_links',
  {
    submissionId: text('submission_id').notNull(),
    directoryId: text('directory_id').notNull(),
    /** The same as in the submission; partners take turns by it. */
    partnerId: text('partner_id')
      .notNull()
      .references(() => partners.id),
    listingUrl: text('listing_url').notNull(),
    /** The host that requests are counted under, at most one a second. */
    host: text().notNull(),
    state: text({ enum: LINK_STATES }).notNull().default('unchecked'),
    /** When this address was recorded. The schedule counts from here. */
    recordedAt: timestamp('recorded_at', { withTimezone: true }).notNull(),
    checkedAt: timestamp('checked_at', { withTimezone: true }),
    /** The first look at this address that found the link. */
    firstLiveAt: timestamp('first_live_at', { withTimezone: true }),
    /** The first of the looks that no longer found a link that had been there. */
    missingSince: timestamp('missing_since', { withTimezone: true }),
    /** When the link was said to be lost; null while it is not. */
    lostAt: timestamp('lost_at', { withTimezone: true }),
    /** Whether a link was ever found in this directory, at this address or an earlier one: listing.live is said once. */
    wasLive: boolean('was_live').notNull().default(false),
    /** When it is looked at next. A look under way has it in the near future, so that it is due again if the process ends. */
    nextAt: timestamp('next_at', { withTimezone: true }).notNull(),
    /** Names the look that is under way. */
    claim: text(),
  },
  (table) => [
    primaryKey({ columns: [table.submissionId, table.directoryId] }),
    foreignKey({
      name: 'listing_links_row',
      columns: [table.submissionId, table.directoryId],
      foreignColumns: [submissionRows.submissionId, submissionRows.directoryId],
    }).onDelete('cascade'),
    // For the choice of the next look, and of the partners with a look under way.
    index('listing_links_due').on(table.partnerId, table.nextAt),
    index('listing_links_claimed').on(table.partnerId, table.nextAt).where(sql`${table.claim} is not null`),
    // For the hosts that have something due, when the oldest of every partner wait for a host.
    index('listing_links_host').on(table.host, table.nextAt),
    // For the lists of all links, and of those that an administrator has to follow up.
    index('listing_links_checked').on(table.checkedAt, table.submissionId, table.directoryId),
    index('listing_links_follow_up')
      .on(table.checkedAt, table.submissionId, table.directoryId)
      .where(sql`${table.lostAt} is not null or ${table.state} = 'blocked'`),
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

/** The tags that a partner wrote for the listing that its submission made, and which tag each became. */
export const submissionTags = pgTable(
  'submission_tags',
  {
    submissionId: text('submission_id')
      .notNull()
      .references(() => submissions.id, { onDelete: 'cascade' }),
    /** Slug of the tag. */
    slug: text().notNull(),
    written: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.submissionId, table.slug] }), index('submission_tags_slug').on(table.slug)],
)

/** Filters of the queue that an administrator saved under a name. */
export const queueViews = pgTable(
  'queue_views',
  {
    /** As the audit log names the administrator. */
    owner: text().notNull(),
    name: text().notNull(),
    query: text().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.name] })],
)
