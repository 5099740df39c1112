import { Type } from 'typebox'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { badRequest, orNotFound } from '../../kernel/errors.ts'
import { operation } from '../../kernel/operation.ts'
import { versionGuard } from '../audit/schema.ts'
import { checkVersion } from '../audit/version-guard.ts'
import { changesIn, writeAudit } from '../audit/write-audit.ts'
import * as schema from './collections.schema.ts'
import { SITE_TOPIC } from './current-site.ts'
import * as queries from './queries.ts'

const shared = { group: 'Site', access: 'operator' } as const

export const listCollections = operation({
  ...shared,
  name: 'list_collections',
  summary: 'Collections',
  description: `All collections by name, also those that visitors do not see; ${schema.MOST_COLLECTIONS} at most.`,
  method: 'GET',
  path: '/collections',
  data: Type.Array(schema.collectionSchema),
  run: async (ctx) => ({ data: await queries.selectCollections(ctx.db, schema.MOST_COLLECTIONS) }),
})

export const getCollection = operation({
  ...shared,
  name: 'get_collection',
  summary: 'One collection',
  description: 'A collection with its text and its slugs.',
  method: 'GET',
  path: '/collections/:slug',
  parameters: Type.Object({ slug: schema.collectionSlug }),
  data: schema.collectionSchema,
  failures: [400, 404],
  run: async (ctx, { slug }) => ({ data: await existing(ctx, slug) }),
})

export const putCollection = operation({
  ...shared,
  name: 'put_collection',
  summary: 'Create or replace a collection',
  description: `Replaces everything; what is omitted gets its default. There are ${schema.MOST_COLLECTIONS} collections at most. Every process shows it at once.`,
  method: 'PUT',
  path: '/collections/:slug',
  // x-strict: a slug of a wrong form is refused here. For a read it is just not found.
  parameters: Type.Object({ slug: { ...schema.collectionSlug, 'x-strict': true }, ...versionGuard.parameters }),
  body: schema.collectionBody,
  data: schema.collectionSchema,
  failures: [400, ...versionGuard.failures],
  run: async (ctx, { slug, ifVersion }, body) => ({
    data: await ctx.transaction((ctx) => replace(ctx, slug, ifVersion, { ...DEFAULTS, ...body })),
  }),
})

export const deleteCollection = operation({
  ...shared,
  name: 'delete_collection',
  summary: 'Delete a collection',
  description: 'Deletes the collection; its tools and directories stay.',
  method: 'DELETE',
  path: '/collections/:slug',
  parameters: Type.Object({ slug: schema.collectionSlug, ...versionGuard.parameters }),
  data: schema.collectionSchema,
  failures: [400, 404, ...versionGuard.failures],
  run: async (ctx, { slug, ifVersion }) => {
    const data = await ctx.transaction(async (ctx) => {
      await queries.lockCollections(ctx.db)
      const before = await existing(ctx, slug)
      await check(ctx, slug, before.version, ifVersion)
      await queries.removeCollection(ctx.db, slug)
      await writeAudit(ctx, 'collection.delete', subjectOf(slug), { name: before.name })
      await ctx.announce({ topic: SITE_TOPIC })
      return before
    })
    return { data }
  },
})

export const collectionOperations = [listCollections, getCollection, putCollection, deleteCollection]

const DEFAULTS: Omit<schema.CollectionFields, 'name'> = { text: '', tools: [], directories: [], published: true }

const subjectOf = (slug: string): string => `collection:${slug}`

async function existing(ctx: Pick<Context, 'db'>, slug: string): Promise<schema.Collection> {
  return orNotFound(await queries.findCollection(ctx.db, slug), 'Collection')
}

const check = (ctx: TransactionContext, slug: string, version: number | undefined, ifVersion: number | undefined) =>
  checkVersion(ctx, ifVersion, {
    name: `collection ${slug}`,
    version,
    subject: subjectOf(slug),
    actions: ['collection.put', 'collection.delete'],
  })

async function replace(
  ctx: TransactionContext,
  slug: string,
  ifVersion: number | undefined,
  fields: schema.CollectionFields,
): Promise<schema.Collection> {
  await queries.lockCollections(ctx.db)
  const before = await queries.findCollection(ctx.db, slug)
  await check(ctx, slug, before?.version, ifVersion)
  const changed = Object.keys(before ? changesIn(before, fields) : fields)
  if (before && changed.length === 0) return before
  if (!before && (await queries.countCollections(ctx.db)) >= schema.MOST_COLLECTIONS)
    throw badRequest(`There are ${schema.MOST_COLLECTIONS} collections, which is the most. Delete one first.`)
  const stored = await queries.upsertCollection(ctx.db, slug, fields, ctx.now())
  if (!stored) throw new TypeError('The collection was not stored.')
  await writeAudit(ctx, 'collection.put', subjectOf(slug), { changed })
  await ctx.announce({ topic: SITE_TOPIC })
  return stored
}
