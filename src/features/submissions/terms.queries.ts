// Queries for the categories and tags that submissions name.
import { type SQL, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/pg-core'
import type { Database } from '../../kernel/context.ts'
import { firstVersion, raisedVersion } from '../audit/queries.ts'
import { categories, tags, tools } from '../catalog/tables.ts'

export interface TermNames {
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
      .where(isNamed(categories, named.category)),
    db
      .select({ kind: sql<'category' | 'tag'>`'tag'`, slug: tags.slug, name: tags.name, submitted: tags.submitted })
      .from(tags)
      .where(isNamed(tags, named.tag)),
  )
  const ofKind = (onlyKind: 'category' | 'tag') =>
    rows.flatMap(({ kind, ...term }) => (kind === onlyKind ? [term] : [])).sort((a, b) => (a.slug < b.slug ? -1 : 1))
  return { categories: ofKind('category'), tags: ofKind('tag') }
}

// Names are compared in upper case too, because the lower case of PostgreSQL differs from JavaScript's for some alphabets, and covers only
// ASCII letters in some locales.
const isNamed = (table: typeof categories | typeof tags, { slugs, names = [] }: TermNames): SQL => {
  const spellings = names.flatMap((name) => [name, name.toUpperCase()])
  return sql`(${table.slug} = any(${sql.param(slugs)}::text[])
    or lower(${table.name}) = any(array(select lower(spelling) from unnest(${sql.param(spellings)}::text[]) spelling)))`
}

/**
 * Sorted by slug, so that two submissions with the same new tags cannot deadlock. A tag that readers see is never changed; a submitted tag
 * that no published listing has takes the new name, as if it were new. Returns the tags that now have the given name.
 */
export const insertTags = (db: Database, terms: readonly { slug: string; name: string }[]) =>
  db
    .insert(tags)
    .values(
      terms
        .map(({ slug, name }) => ({
          slug,
          name,
          adult: false,
          submitted: true,
          version: firstVersion(sql`${`tag:${slug}`}`),
        }))
        .sort((a, b) => (a.slug < b.slug ? -1 : 1)),
    )
    .onConflictDoUpdate({
      target: tags.slug,
      set: { name: sql`excluded.name`, version: raisedVersion(tags.version) },
      setWhere: sql`${tags.submitted} and not exists (select 1 from ${tools} where ${tools.published} and ${tools.tags} @> array[${tags.slug}])`,
    })
    .returning({ slug: tags.slug, name: tags.name })
