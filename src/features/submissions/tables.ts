// The tables of submissions: their directories on record, the links there, details, tags, withdrawals, and the saved views of the queue.
import { sql } from 'drizzle-orm'
import {
  boolean,
  doublePrecision,
  foreignKey,
  index,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { referenceColumn, timeColumn } from '../../kernel/database/tables.ts'
import { changeableColumns, versionColumn } from '../audit/tables.ts'
import { DEFAULT_KIND, DEFAULT_LANGUAGE, PRODUCT_KINDS } from '../catalog/schema.ts'
import { directories, tools } from '../catalog/tables.ts'
import { partners } from '../partners/tables.ts'
import { type Drift, LINK_STATES } from './bench/link.rules.ts'
import { GIVEN_REASONS } from './queue/waiting.rules.ts'
import { PAYMENT_TYPES, STATES, SUBMITTERS } from './rules.ts'

/** 128 random bits in hex. */
export const RANDOM_TOKEN = sql`encode(substring(sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea) from 1 for 16), 'hex')`

export const submissions = pgTable(
  'submissions',
  {
    id: text().primaryKey(),
    partnerId: referenceColumn('partner_id', () => partners.id),
    toolId: referenceColumn('tool_id', () => tools.id),
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
    /** This field and the next three decide which directories the plan proposes (`features/plan`). */
    kind: text({ enum: PRODUCT_KINDS }).notNull().default(DEFAULT_KIND),
    language: text().notNull().default(DEFAULT_LANGUAGE),
    /** null: the value of the partner applies; likewise for planBadges. */
    planBudget: doublePrecision('plan_budget'),
    planBadges: boolean('plan_badges'),
    /** Recording a directory does not raise this version, because the row of the directory has its own. */
    version: versionColumn(),
    /** The secret part of the address of its report. The default is for rows of versions that had no reports. */
    reportToken: text('report_token').notNull().default(RANDOM_TOKEN),
    createdAt: timeColumn('created_at').notNull(),
    updatedAt: timeColumn('updated_at').notNull(),
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
    submissionId: referenceColumn('submission_id', () => submissions.id),
    directoryId: referenceColumn('directory_id', () => directories.id),
    isSubmitted: boolean('is_submitted').notNull(),
    listingUrl: text('listing_url'),
    submittedBy: text('submitted_by', { enum: SUBMITTERS }).notNull(),
    submittedAt: timeColumn('submitted_at'),
    proofUrl: text('proof_url'),
    /** When the link was found to be lost, as in listing_links. It stays when the address is removed, because plans need it. */
    lostAt: timeColumn('lost_at'),
    /** Why it waits, and since when, if an administrator has given a reason; otherwise it follows from the row (`waiting.queries.ts`). */
    waitingReason: text('waiting_reason', { enum: GIVEN_REASONS }),
    waitingSince: timeColumn('waiting_since'),
    ...changeableColumns(),
  },
  (table) => [
    primaryKey({ columns: [table.submissionId, table.directoryId] }),
    // Plans read the last listings of each directory. The index has all columns that they need.
    index('submission_rows_outcomes')
      .on(table.directoryId, table.updatedAt, table.submissionId, table.createdAt, table.lostAt)
      .where(sql`(${table.isSubmitted} and ${table.listingUrl} is not null) or ${table.lostAt} is not null`),
    // For what became of the last products that were entered into a directory.
    index('submission_rows_entered')
      .on(table.directoryId, table.submittedAt.desc().nullsLast())
      .where(sql`${table.isSubmitted}`),
    // For the rows that are overdue, those that have waited longest first (`MAY_BE_OVERDUE` in `waiting.queries.ts`).
    index('submission_rows_overdue')
      .on(
        sql`coalesce(${table.waitingSince}, ${table.submittedAt}, ${table.createdAt})`,
        table.submissionId,
        table.directoryId,
      )
      .where(
        sql`${table.waitingReason} = 'paid-queue' or ${table.isSubmitted} and (${table.waitingReason} = 'review' or ${table.waitingReason} is null and ${table.listingUrl} is null)`,
      ),
    // For counting the refusals of a directory in plans.
    index('submission_rows_rejected').on(table.directoryId).where(sql`${table.waitingReason} = 'rejected'`),
  ],
)

/**
 * The link to the product on a recorded listing: its current state, and when it is checked next. Recording an address writes the row
 * (`link.queries.ts`); the feature `proof` checks the page and updates the state.
 */
export const listingLinks = pgTable(
  'listing_links',
  {
    submissionId: text('submission_id').notNull(),
    directoryId: text('directory_id').notNull(),
    /** The partner of the submission; partners take turns in checks. */
    partnerId: referenceColumn('partner_id', () => partners.id),
    listingUrl: text('listing_url').notNull(),
    /** The host of the address (`paceHost`); it gets at most one request a second. */
    host: text().notNull(),
    state: text({ enum: LINK_STATES }).notNull().default('unchecked'),
    /** When this address was recorded. The schedule counts from here. */
    recordedAt: timeColumn('recorded_at').notNull(),
    checkedAt: timeColumn('checked_at'),
    /** The first check of this address that found the link. */
    firstLiveAt: timeColumn('first_live_at'),
    /** The first of the checks that no longer found a link that had been there. */
    missingSince: timeColumn('missing_since'),
    /** When the link was found to be lost; null while it is not. */
    lostAt: timeColumn('lost_at'),
    /** Whether a link was ever found in this directory, at this address or an earlier one: listing.live is sent once. */
    wasEverLive: boolean('was_live').notNull().default(false),
    /** When it is checked next. During a check it is a few minutes ahead, so that the link is due again if the process stops. */
    nextAt: timeColumn('next_at').notNull(),
    /** Identifies the running check; null: none is running. */
    claim: text(),
    /** What the page said differently from the product at the last check that could compare them; null: nothing. */
    drift: jsonb().$type<Drift[]>(),
    /** What the directory wrote in place of the tagline when its page was first compared, or ''; null before that. */
    directoryTagline: text('own_words'),
  },
  (table) => [
    primaryKey({ columns: [table.submissionId, table.directoryId] }),
    foreignKey({
      name: 'listing_links_row',
      columns: [table.submissionId, table.directoryId],
      foreignColumns: [submissionRows.submissionId, submissionRows.directoryId],
    }).onDelete('cascade'),
    // For choosing the next check, and for counting the running checks of a partner.
    index('listing_links_due').on(table.partnerId, table.nextAt),
    index('listing_links_claimed').on(table.partnerId, table.nextAt).where(sql`${table.claim} is not null`),
    // For finding due links by host, when the oldest links of all partners wait for busy hosts.
    index('listing_links_host').on(table.host, table.nextAt),
    // For the lists of all links, and of those that an administrator has to follow up.
    index('listing_links_checked').on(table.checkedAt, table.submissionId, table.directoryId),
    index('listing_links_follow_up')
      .on(table.checkedAt, table.submissionId, table.directoryId)
      .where(sql`${table.lostAt} is not null or ${table.state} = 'blocked'`),
    index('listing_links_drift')
      .on(table.checkedAt, table.submissionId, table.directoryId)
      .where(sql`${table.drift} is not null`),
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
    submissionId: referenceColumn('submission_id', () => submissions.id, 'cascade'),
    slug: text().notNull(),
    /** The name of the tag as the partner sent it. */
    sentName: text('written').notNull(),
  },
  (table) => [primaryKey({ columns: [table.submissionId, table.slug] }), index('submission_tags_slug').on(table.slug)],
)

/** Filters of the queue that an administrator saved under a name. */
export const queueViews = pgTable(
  'queue_views',
  {
    /** The administrator, as in the audit log. */
    owner: text().notNull(),
    name: text().notNull(),
    query: text().notNull(),
    createdAt: timeColumn('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.owner, table.name] })],
)

/** Submissions that their partner has withdrawn, so that a second call gets the same answer. */
export const withdrawals = pgTable(
  'withdrawals',
  {
    partnerId: referenceColumn('partner_id', () => partners.id),
    /** Whether it was submitted with a test key. */
    test: boolean().notNull(),
    toolId: text('tool_id').notNull(),
    slug: text().notNull(),
    websiteKey: text('website_key').notNull(),
    createdAt: timeColumn('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.partnerId, table.test, table.toolId] }),
    index('withdrawals_created').on(table.createdAt),
  ],
)
