// The enrichments of listings, and the fields of a tool that enrichment reads and fills.
import { and, desc, eq, inArray, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { pickColumns } from '../../kernel/database/queries.ts'
import { categories, tags, tools } from '../catalog/tables.ts'
import { enrichments } from './tables.ts'

export type EnrichmentRow = typeof enrichments.$inferSelect

/** Sets the enrichment of a tool to pending, for the first time or again. An existing row keeps its partner and declined texts. */
export const upsertPending = (
  db: Database,
  enrichment: Pick<EnrichmentRow, 'toolId' | 'partnerId' | 'declined'>,
  at: Date,
) => {
  const pending = { state: 'pending' as const, attempts: 0, parts: [], updatedAt: at, finishedAt: null }
  return db
    .insert(enrichments)
    .values({ ...enrichment, createdAt: at, ...pending })
    .onConflictDoUpdate({ target: enrichments.toolId, set: pending })
}

/** Counts an attempt before it starts, so that an attempt that crashes the process counts too. */
export const updateAttempts = async (db: Database, toolId: string, at: Date): Promise<EnrichmentRow | undefined> =>
  (
    await db
      .update(enrichments)
      .set({ attempts: sql`${enrichments.attempts} + 1`, updatedAt: at })
      .where(and(eq(enrichments.toolId, toolId), eq(enrichments.state, 'pending')))
      .returning()
  )[0]

export const updateEnrichment = (db: Database, toolId: string, change: Partial<EnrichmentRow>) =>
  db.update(enrichments).set(change).where(eq(enrichments.toolId, toolId))

const toolColumns = {
  ...pickColumns(tools, 'id', 'slug', 'name', 'tagline', 'description', 'website', 'pricing', 'category', 'tags'),
  ...pickColumns(tools, 'icon', 'frame', 'screenshots', 'faqs', 'features', 'flaggedFields'),
  /** Needed only to remove it from the texts that are found. */
  founderEmail: tools.founderEmail,
}

export const findEnrichedTool = async (db: Database, id: string) =>
  (await db.select(toolColumns).from(tools).where(eq(tools.id, id)))[0]
export type EnrichedTool = NonNullable<Awaited<ReturnType<typeof findEnrichedTool>>>

/** The row stays locked until the transaction ends, so that it cannot change between reading and writing. */
export const findEnrichedToolForUpdate = async (db: Database, id: string) =>
  (await db.select(toolColumns).from(tools).where(eq(tools.id, id)).for('update'))[0]

export const findTermNames = async (db: Database, category: string | null, slugs: string[]) => {
  const found = await db
    .select({ name: categories.name })
    .from(categories)
    .where(eq(categories.slug, category ?? ''))
  const named = slugs.length > 0 ? await db.select().from(tags).where(inArray(tags.slug, slugs)) : []
  return {
    category: found[0]?.name ?? null,
    tags: slugs.flatMap((slug) => named.find((tag) => tag.slug === slug)?.name ?? []),
  }
}

/** `reference` is the id or the slug of a tool. The tool with this id comes before a tool with this slug. */
export const findToolId = async (db: Database, reference: string): Promise<string | undefined> =>
  (
    await db
      .select({ id: tools.id })
      .from(tools)
      .where(or(eq(tools.id, reference), eq(tools.slug, reference)))
      .orderBy(sql`${tools.id} = ${reference} desc`)
      .limit(1)
  )[0]?.id

const shownEnrichments = (db: Database) =>
  db
    .select({
      toolId: enrichments.toolId,
      tool: { slug: tools.slug, name: tools.name, website: tools.website },
      ...pickColumns(enrichments, 'state', 'attempts', 'parts', 'createdAt', 'updatedAt', 'finishedAt'),
    })
    .from(enrichments)
    .innerJoin(tools, eq(tools.id, enrichments.toolId))
    .$dynamic()

export const listEnrichments = (
  db: Database,
  { state }: { state?: EnrichmentRow['state'] },
  limit: number,
  offset: number,
) =>
  shownEnrichments(db)
    .where(state === undefined ? undefined : eq(enrichments.state, state))
    .orderBy(desc(enrichments.createdAt), desc(enrichments.toolId))
    .limit(limit)
    .offset(offset)

const findParts = async (db: Database, toolId: string, isOfPartner: SQL) =>
  (
    await db
      .select({ parts: enrichments.parts })
      .from(enrichments)
      .where(and(eq(enrichments.toolId, toolId), isOfPartner))
  )[0]?.parts ?? []

/** The outcomes for a listing that this partner's submission created; empty for other listings. */
export const findPartsOfPartner = (db: Database, partnerId: string, toolId: string) =>
  findParts(db, toolId, eq(enrichments.partnerId, partnerId))

/** The outcomes for a listing that no partner submitted; empty for other listings, whose partners may have written their texts since. */
export const findPartsWithoutPartner = (db: Database, toolId: string) =>
  findParts(db, toolId, isNull(enrichments.partnerId))

/** The partner whose submission created the listing; undefined when none did. */
export const findCreatingPartner = async (db: Database, toolId: string): Promise<string | null | undefined> =>
  (await db.select({ partnerId: enrichments.partnerId }).from(enrichments).where(eq(enrichments.toolId, toolId)))[0]
    ?.partnerId

export const findEnrichment = async (db: Database, toolId: string) =>
  (await shownEnrichments(db).where(eq(enrichments.toolId, toolId)))[0]

export const countFailedEnrichments = (db: Database): Promise<number> =>
  db.$count(enrichments, eq(enrichments.state, 'failed'))
