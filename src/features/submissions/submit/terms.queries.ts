// Queries for the categories and tags that submissions name: finding them, making tags, and giving a tag another name or slug.
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/pg-core'
import type { Database } from '../../../kernel/context.ts'
import { onlyRow } from '../../../kernel/database/queries.ts'
import { firstVersion, raisedVersion } from '../../audit/queries.ts'
import { categories, tags, tools } from '../../catalog/tables.ts'
import { nameKey } from '../../catalog/terms/slugify.ts'
import { submissionTags } from '../tables.ts'

interface TermNames {
  slugs: readonly string[]
  names?: readonly string[]
}

/** The categories and tags with one of these slugs or names, in upper or lower case. */
export async function listNamedTerms(db: Database, named: { category: TermNames; tag: TermNames }) {
  const rows = await unionAll(
    db
      .select({
        kind: sql<'category' | 'tag'>`'category'`,
        slug: categories.slug,
        name: categories.name,
        submitted: sql<boolean>`false`,
      })
      .from(categories)
      .where(sql`${hasSlug(categories, named.category)} or ${isCategoryNamed(named.category)}`),
    db
      .select({ kind: sql<'category' | 'tag'>`'tag'`, slug: tags.slug, name: tags.name, submitted: tags.submitted })
      .from(tags)
      .where(sql`${hasSlug(tags, named.tag)} or ${isTagNamed(named.tag.names ?? [])}`),
  )
  const ofKind = (onlyKind: 'category' | 'tag') =>
    rows.flatMap(({ kind, ...term }) => (kind === onlyKind ? [term] : [])).sort((a, b) => (a.slug < b.slug ? -1 : 1))
  return { categories: ofKind('category'), tags: ofKind('tag') }
}

const hasSlug = ({ slug }: typeof categories | typeof tags, { slugs }: TermNames): SQL =>
  sql`${slug} = any(${sql.param(slugs)}::text[])`

// Names are compared in upper case too, because the lower case of PostgreSQL differs from JavaScript's for some alphabets, and covers only
// ASCII letters in some locales.
const isCategoryNamed = ({ names = [] }: TermNames): SQL => {
  const spellings = names.flatMap((name) => [name, name.toUpperCase()])
  return sql`lower(${categories.name}) = any(array(select lower(spelling) from unnest(${sql.param(spellings)}::text[]) spelling))`
}

/** A condition: the tag has one of these names. Rows of older versions have no key and all match, so the callers compare the names again. */
const isTagNamed = (names: readonly string[]): SQL =>
  names.length === 0
    ? sql`false`
    : sql`(${tags.nameKey} = any(${sql.param(names.map(nameKey))}::text[]) or ${tags.nameKey} is null)`

export interface StoredTag {
  slug: string
  name: string
  /** Readers see it. */
  isShown: boolean
}

/** The tags with one of these names, and those whose slugs are, or begin like, one of these. */
export const listTagsLike = (db: Database, names: readonly string[], slugs: readonly string[]): Promise<StoredTag[]> =>
  db
    .select({
      slug: tags.slug,
      name: tags.name,
      // With table names, because drizzle leaves them out of selected columns.
      isShown: sql<boolean>`not ${tags}.submitted or exists (select 1 from ${tools} where ${tools}.published and ${tools}.tags @> array[${tags}.slug])`,
    })
    .from(tags)
    .where(
      sql`${isTagNamed(names)} or ${hasSlug(tags, { slugs })} or ${tags.slug} like any(${sql.param(slugs.map((slug) => `${slug}-%`))}::text[])`,
    )
    .orderBy(tags.slug)

/** How many tags the partner's submissions made that no operator has confirmed. */
export const countUnconfirmedTags = (db: Database, partnerId: string): Promise<number> =>
  db.$count(tags, and(eq(tags.submittedBy, partnerId), tags.submitted))

/** False when another transaction has stored a tag with this slug. */
export const insertTag = async (
  db: Database,
  { slug, name, submittedBy }: { slug: string; name: string; submittedBy: string | null },
): Promise<boolean> => {
  const rows = await db
    .insert(tags)
    .values({
      slug,
      name,
      nameKey: nameKey(name),
      adult: false,
      submitted: true,
      submittedBy,
      version: firstVersion(sql`${`tag:${slug}`}`),
    })
    .onConflictDoNothing()
    .returning({ slug: tags.slug })
  return rows.length > 0
}

export const updateTagName = (db: Database, slug: string, name: string) =>
  db
    .update(tags)
    .set({ name, nameKey: nameKey(name), version: raisedVersion(tags.version) })
    .where(eq(tags.slug, slug))

/** Gives a tag another slug, also where listings have it. Returns its version. */
export async function updateTagSlug(db: Database, from: string, to: string): Promise<number> {
  const rows = await db
    .update(tags)
    .set({ slug: to, version: sql`greatest(${tags.version} + 1, ${firstVersion(sql`${`tag:${to}`}`)})` })
    .where(eq(tags.slug, from))
    .returning({ version: tags.version })
  await db
    .update(tools)
    .set({ tags: sql`array_replace(${tools.tags}, ${from}, ${to})`, version: raisedVersion(tools.version) })
    .where(sql`${tools.tags} @> array[${from}]`)
  await db.update(submissionTags).set({ slug: to }).where(eq(submissionTags.slug, from))
  return onlyRow(rows).version
}

/** Fills in the name keys of tags of older versions, at each start. A migration cannot, because the database cannot fold every alphabet. */
export async function fillNameKeys(db: Database): Promise<void> {
  const rows = await db.select({ slug: tags.slug, name: tags.name }).from(tags).where(isNull(tags.nameKey))
  if (rows.length === 0) return
  const keys = JSON.stringify(rows.map(({ slug, name }) => ({ slug, name, key: nameKey(name) })))
  await db.execute(sql`update ${tags} set name_key = given.key
    from json_to_recordset(${keys}::json) as given (slug text, name text, key text)
    where ${tags.slug} = given.slug and ${tags.name} = given.name`)
}

/** Stores what a partner wrote for each tag. */
export const insertSentTags = (db: Database, rows: readonly (typeof submissionTags.$inferInsert)[]) =>
  db
    .insert(submissionTags)
    .values([...rows])
    .onConflictDoNothing()
