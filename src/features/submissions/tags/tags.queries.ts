import { and, eq, inArray, ne, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/context.ts'
import { firstVersion, raisedVersion } from '../../audit/queries.ts'
import { tags, tools } from '../../catalog/tables.ts'
import { nameKey } from '../../catalog/terms/slugify.ts'
import { submissions, submissionTags } from '../tables.ts'

/** Confirms the tags. Returns the slugs of those that were not confirmed before. */
export const updateTagsAsConfirmed = async (db: Database, slugs: readonly string[]): Promise<string[]> => {
  const rows = await db
    .update(tags)
    .set({ submitted: false, submittedBy: null, version: raisedVersion(tags.version) })
    .where(and(inArray(tags.slug, [...slugs]), eq(tags.submitted, true)))
    .returning({ slug: tags.slug })
  return rows.map(({ slug }) => slug)
}

export const findTagForUpdate = async (db: Database, slug: string) =>
  (await db.select({ name: tags.name, adult: tags.adult }).from(tags).where(eq(tags.slug, slug)).for('update'))[0]

// Enough, because operators work through these lists tag by tag.
const MAX_ROWS = 10_000

/**
 * The names that partners sent for a tag, if they are neither its name nor its slug and the listing still has the tag. With `slug`, only
 * for that tag. Names that differ only in case may be included, because the database cannot lower-case every alphabet.
 */
export const listDifferentSentNames = (db: Database, slug?: string) =>
  db
    .select({ slug: tags.slug, name: tags.name, sentName: submissionTags.sentName, listing: tools.slug })
    .from(submissionTags)
    .innerJoin(tags, eq(tags.slug, submissionTags.slug))
    .innerJoin(submissions, eq(submissions.id, submissionTags.submissionId))
    .innerJoin(tools, and(eq(tools.id, submissions.toolId), sql`${tools.tags} @> array[${tags.slug}]`))
    .where(
      and(
        ne(sql`lower(${submissionTags.sentName})`, sql`lower(${tags.name})`),
        ne(submissionTags.sentName, tags.slug),
        slug === undefined ? undefined : eq(tags.slug, slug),
      ),
    )
    .orderBy(tags.slug, submissionTags.sentName, tools.slug)
    .limit(MAX_ROWS)

/**
 * Listings submitted before version 1.2, with a tag whose name has characters that no slug has. Version 1.1 treated all names with the same
 * slug as one tag, and did not store what partners wrote.
 */
export const listListingsWithoutSentNames = (db: Database) =>
  db
    .selectDistinct({ slug: tags.slug, name: tags.name, listing: tools.slug })
    .from(tags)
    .innerJoin(tools, sql`${tools.tags} @> array[${tags.slug}]`)
    .innerJoin(submissions, eq(submissions.toolId, tools.id))
    .where(
      sql`${tags.name} ~ '[^A-Za-z0-9 -]' and not exists (select 1 from ${submissionTags} written join ${submissions} first on first.id = written.submission_id where first.tool_id = ${tools.id})`,
    )
    .orderBy(tags.slug, tools.slug)
    .limit(MAX_ROWS)

export const insertAdminTag = (db: Database, { slug, name, adult }: { slug: string; name: string; adult: boolean }) =>
  db.insert(tags).values({ slug, name, nameKey: nameKey(name), adult, version: firstVersion(sql`${`tag:${slug}`}`) })

/** Replaces the tag `from` with `to`, in these listings and in their submissions. Returns the ids of the changed listings. */
export async function replaceTagOfListings(
  db: Database,
  { from, to, slugs, at }: { from: string; to: string; slugs: readonly string[]; at: Date },
): Promise<string[]> {
  // A listing may have both already, and no tag is in a list twice.
  const replaced = sql`case when ${tools.tags} @> array[${to}] then array_remove(${tools.tags}, ${from}) else array_replace(${tools.tags}, ${from}, ${to}) end`
  const rows = await db
    .update(tools)
    .set({ tags: replaced, updatedAt: at, version: raisedVersion(tools.version) })
    .where(and(inArray(tools.slug, [...slugs]), sql`${tools.tags} @> array[${from}]`))
    .returning({ id: tools.id })
  const ids = rows.map(({ id }) => id)
  const submissionsOfTools = db.select({ id: submissions.id }).from(submissions).where(inArray(submissions.toolId, ids))
  await db
    .update(submissionTags)
    .set({ slug: to })
    .where(
      and(
        eq(submissionTags.slug, from),
        inArray(submissionTags.submissionId, submissionsOfTools),
        sql`not exists (select 1 from ${submissionTags} other where other.submission_id = ${submissionTags.submissionId} and other.slug = ${to})`,
      ),
    )
  return ids
}
