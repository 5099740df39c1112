import { and, asc, eq, ne, notExists, or, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { pickColumns } from '../../kernel/database/queries.ts'
import { tools } from '../catalog/tables.ts'
import { proposals } from '../proposals/tables.ts'

/** Open tools: published ones without search words, for which no model was asked and whose texts do not look like instructions to one. */
const isOpen = (db: Database) =>
  and(
    eq(tools.published, true),
    eq(tools.searchWords, ''),
    sql`cardinality(${tools.flaggedFields}) = 0`,
    notExists(
      db
        .select({ id: proposals.id })
        .from(proposals)
        .where(and(eq(proposals.toolId, tools.id), eq(proposals.authorKind, 'model'))),
    ),
  )

/** The ids of the open tools with the shortest texts. */
export const listShortestOpen = async (db: Database, limit: number): Promise<string[]> => {
  const rows = await db
    .select({ id: tools.id })
    .from(tools)
    .where(isOpen(db))
    .orderBy(asc(sql`octet_length(${tools.tagline}) + octet_length(${tools.description})`), asc(tools.id))
    .limit(limit)
  return rows.map(({ id }) => id)
}

const openTool = (db: Database, id: string) =>
  db
    .select({
      ...pickColumns(tools, 'id', 'slug', 'name', 'tagline', 'description', 'category', 'tags', 'features', 'faqs'),
    })
    .from(tools)
    .where(and(eq(tools.id, id), isOpen(db)))
    .$dynamic()

export const findOpenTool = async (db: Database, id: string) => (await openTool(db, id))[0]
export type OpenTool = NonNullable<Awaited<ReturnType<typeof findOpenTool>>>

/** As `findOpenTool`, with the row locked until the transaction ends. */
export const findOpenToolForUpdate = async (db: Database, id: string) =>
  (await openTool(db, id).for('update', { of: tools }))[0]

/** The names and slugs of other tools that are called like one of these phrases in lower case. */
export const listNamesOfOtherTools = async (
  db: Database,
  id: string,
  phrases: readonly string[],
): Promise<string[]> => {
  const spellings = sql.param(
    phrases.flatMap((phrase) => [phrase, ...['-', ''].map((sign) => phrase.replaceAll(' ', sign))]),
  )
  const rows = await db
    .select({ name: tools.name, slug: tools.slug })
    .from(tools)
    .where(
      and(
        ne(tools.id, id),
        or(sql`lower(${tools.name}) = any(${spellings}::text[])`, sql`${tools.slug} = any(${spellings}::text[])`),
      ),
    )
  return rows.flatMap(({ name, slug }) => [name, slug])
}
