import { type SQL, sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  bigint,
  boolean,
  doublePrecision,
  index,
  integer,
  json,
  pgTable,
  text,
} from 'drizzle-orm/pg-core'
import { timeColumn } from '../../kernel/database/tables.ts'
import { versionColumn } from '../audit/tables.ts'
import { AUTOMATION, COST, ENDED, HIDDEN_REASONS, PRICING, PRODUCT_KINDS } from './schema.ts'

export interface QuestionAndAnswer {
  question: string
  answer: string
}

export const categories = pgTable('categories', {
  slug: text().primaryKey(),
  name: text().notNull(),
  description: text().notNull(),
  icon: text().notNull(),
  adult: boolean().notNull(),
  version: versionColumn(),
})

export const tags = pgTable(
  'tags',
  {
    slug: text().primaryKey(),
    name: text().notNull(),
    /** `nameKey` of the name, by which submissions find the tag. Null in a row of an older version, until the next start fills it in. */
    nameKey: text('name_key'),
    adult: boolean().notNull(),
    /** A partner's submission created the tag, and no operator has confirmed it: readers see it only while a published listing has it. */
    submitted: boolean().notNull().default(false),
    /** The partner whose submission created it, while `submitted`. Null in a row of an older version. */
    submittedBy: text('submitted_by'),
    version: versionColumn(),
  },
  (table) => [
    // Not unique: operators may have given two tags one name, in older versions and in imports.
    index('tags_name_key').on(table.nameKey),
    index('tags_submitted_by').on(table.submittedBy).where(sql`${table.submitted}`),
    index('tags_slug_beginning').on(table.slug.op('text_pattern_ops')),
  ],
)

export const directoryCategories = pgTable('directory_categories', {
  slug: text().primaryKey(),
  name: text().notNull(),
  version: versionColumn(),
})

export const tools = pgTable(
  'tools',
  {
    id: text().primaryKey(),
    slug: text().notNull().unique(),
    name: text().notNull(),
    tagline: text().notNull(),
    description: text().notNull(),
    website: text().notNull(),
    /** The part of the website's address that tells two sites apart (`listings/website-key.ts`); null when the website has none. */
    websiteKey: text('website_key'),
    category: text().references(() => categories.slug),
    tags: text().array().notNull(),
    pricing: text({ enum: PRICING }).notNull(),
    rating: doublePrecision().notNull(),
    opens: bigint({ mode: 'number' }).notNull(),
    featured: boolean().notNull(),
    icon: text(),
    /** Address of the main picture. */
    frame: text(),
    founderName: text('founder_name'),
    /** Private: only administrators see it; no catalog read returns it. */
    founderEmail: text('founder_email'),
    location: text(),
    domainRating: doublePrecision('domain_rating'),
    isForSale: boolean('is_for_sale').notNull(),
    askingPrice: doublePrecision('asking_price').notNull(),
    discountCode: text('discount_code').notNull(),
    affiliate: boolean().notNull(),
    affiliateLink: text('affiliate_link'),
    screenshots: json().$type<string[]>().notNull(),
    video: text(),
    socials: json().$type<Record<string, string>>().notNull(),
    faqs: json().$type<QuestionAndAnswer[]>().notNull(),
    features: json().$type<Record<string, string>>().notNull(),
    published: boolean().notNull(),
    /** null while the listing is published. */
    hiddenReason: text('hidden_reason', { enum: HIDDEN_REASONS }),
    /**
     * The fields with text that looks like an instruction to a language model (`listings/instructions/find-instructions.ts`), until an
     * administrator writes the listing. Private: only administrators see it; no catalog read returns it.
     */
    flaggedFields: text('flagged_fields').array().notNull().default(sql`'{}'`),
    /**
     * The fields that someone other than the partner who submitted the tool has changed, in alphabetical order; the partner may change the
     * others without asking. null: no partner submitted it, or it was stored by a version that did not record this.
     */
    editedFields: text('edited_fields').array(),
    /** Words under which searches find it, too; '' when there are none. No reader sees them. */
    searchWords: text('search_words').notNull().default(''),
    /** Set and reset by the looks at its website, which do not raise the version. */
    ended: text({ enum: ENDED }),
    /** Click-throughs do not raise it: otherwise the form of a listing with many visitors could never be saved. */
    version: versionColumn(),
    createdAt: timeColumn('created_at').notNull(),
    updatedAt: timeColumn('updated_at').notNull(),
  },
  (table) => [
    // To make a slug unique, the service lists all slugs with the same beginning.
    index('tools_slug_beginning').on(table.slug.op('text_pattern_ops')),
    // For the list of operators.
    index('tools_created').on(table.createdAt, table.id),
    index('tools_category').on(table.category),
    index('tools_tags').using('gin', table.tags),
    index('tools_website_key').on(table.websiteKey),
    index('tools_hidden_reason').on(table.hiddenReason, table.createdAt).where(sql`${table.hiddenReason} is not null`),
    index('tools_taken_down_host')
      .on(websiteKeyHost(table.websiteKey))
      .where(sql`${table.hiddenReason} = 'taken-down'`),
  ],
)

/** The host of a website key, without its port: `hostOfKey` as SQL. */
export function websiteKeyHost(websiteKey: AnyPgColumn): SQL {
  return sql`substring(${websiteKey} from '^(\\[[^]]*\\]|[^/:]*)')`
}

export const directories = pgTable(
  'directories',
  {
    id: text().primaryKey(),
    slug: text().notNull().unique(),
    name: text().notNull(),
    website: text().notNull(),
    /** Private: only administrators see it; no catalog read returns it. */
    submissionLink: text('submission_link'),
    icon: text(),
    /** Address of the main picture. */
    frame: text(),
    cost: text({ enum: COST }).notNull(),
    type: text().notNull(),
    domainRating: doublePrecision('domain_rating'),
    monthlyVisits: doublePrecision('monthly_visits'),
    requiresBadge: boolean('requires_badge').notNull(),
    minimumPrice: doublePrecision('minimum_price').notNull(),
    submissionExperience: text('submission_experience'),
    featured: boolean().notNull(),
    categories: text().array().notNull(),
    smallDescription: text('small_description'),
    fullDescription: text('full_description'),
    features: json().$type<string[]>().notNull(),
    useCases: json('use_cases').$type<string[]>().notNull(),
    faq: json().$type<QuestionAndAnswer[]>().notNull(),
    deal: json().$type<{ text: string; code: string } | null>(),
    socials: json().$type<Record<string, string>>().notNull(),
    /** The kinds of product that it accepts; empty: any. For plans (`features/plan`), like the next two; no catalog read returns them. */
    accepts: text({ enum: PRODUCT_KINDS }).array().notNull().default(sql`'{}'`),
    /** Codes of the languages that it accepts; empty: any. */
    languages: text().array().notNull().default(sql`'{}'`),
    /** How many months ago a product must have been founded; 0: any age. */
    minimumAge: integer('minimum_age').notNull().default(0),
    /** Whether programs may enter products, the sentence that says so, and the day on which it was read. No catalog read returns them. */
    automation: text({ enum: AUTOMATION }).notNull().default('unknown'),
    automationQuote: text('automation_quote'),
    automationReadOn: text('automation_read_on'),
    /** Private: the address of its search, with {name} for the name of a product. */
    searchLink: text('search_link'),
    /** The most characters that its form takes in each text, and the most tags; 0: not known. No catalog read returns them. */
    nameLimit: integer('name_limit').notNull().default(0),
    taglineLimit: integer('tagline_limit').notNull().default(0),
    shortLimit: integer('short_limit').notNull().default(0),
    longLimit: integer('long_limit').notNull().default(0),
    tagsLimit: integer('tags_limit').notNull().default(0),
    /** See `ended` of tools. */
    ended: text({ enum: ENDED }),
    published: boolean().notNull(),
    version: versionColumn(),
    createdAt: timeColumn('created_at').notNull(),
    updatedAt: timeColumn('updated_at').notNull(),
  },
  (table) => [index('directories_categories').using('gin', table.categories)],
)
