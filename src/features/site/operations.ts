// Operator API: the site's own name, words, colour and pages, and its collections, which visitors see at /collections.

import { isDeepStrictEqual } from 'node:util'
import { type Static, Type } from 'typebox'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { badRequest, invalid, orNotFound } from '../../kernel/errors.ts'
import { operationsFor, pageOperation } from '../../kernel/operation.ts'
import { versionGuard } from '../audit/schema.ts'
import { checkVersion } from '../audit/version-guard.ts'
import { changesIn, writeAudit } from '../audit/write-audit.ts'
import {
  type Collection,
  type CollectionFields,
  collectionBody,
  collectionSchema,
  collectionSlug,
  MOST_COLLECTIONS,
} from './collections.schema.ts'
import { SITE_TOPIC, siteOfRow } from './current-site.ts'
import * as queries from './queries.ts'
import { siteProblems, withCurrentPictureAddresses, withSiteDefaults } from './rules.ts'
import * as schema from './schema.ts'

const operation = operationsFor('operator', 'Site')

export const getSite = operation({
  name: 'get_site',
  summary: "The site's name and words",
  description:
    'What visitors see of the site itself: name, words, colour, logo, links and pages. Version 0: everything has its default.',
  method: 'GET',
  path: '/site',
  data: schema.siteSchema,
  run: async (ctx) => ({ data: siteOfRow(ctx.publicUrl, await queries.findSite(ctx.db)) }),
})

export const putSite = operation({
  name: 'put_site',
  summary: "Replace the site's name and words",
  description: 'Replaces everything; what is omitted gets its default. Every process shows it at once.',
  method: 'PUT',
  path: '/site',
  parameters: Type.Object({ ...versionGuard.parameters }),
  body: schema.siteBody,
  data: schema.siteSchema,
  failures: [400, ...versionGuard.failures],
  run: async (ctx, { ifVersion }, body) => {
    const fields = checkedFields(ctx.publicUrl, body)
    return { data: await ctx.transaction((ctx) => replace(ctx, ifVersion, fields)) }
  },
})

/** Checks the fields of a form for a preview, and stores nothing. */
export const checkSite = pageOperation({
  name: 'check_site',
  access: 'operator',
  body: schema.siteBody,
  data: schema.siteFieldsSchema,
  run: async (ctx, _input, body) => ({ data: checkedFields(ctx.publicUrl, body) }),
})

function checkedFields(publicUrl: string, body: Static<typeof schema.siteBody>): schema.SiteFields {
  const fields = withCurrentPictureAddresses(publicUrl, withSiteDefaults(body))
  const problems = siteProblems(publicUrl, fields)
  if (problems.length > 0) throw invalid(problems)
  return fields
}

export const getAgents = operation({
  name: 'get_agents',
  summary: 'Whether agents may work',
  description: 'Whether agents of administrators may work at /mcp/operator.',
  method: 'GET',
  path: '/site/agents',
  data: schema.agentsSchema,
  run: async (ctx) => ({ data: { stopped: (await queries.findSite(ctx.db))?.agentsStopped ?? false } }),
})

export const putAgents = operation({
  name: 'put_agents',
  summary: 'Stop all agents, or let them work again',
  description:
    'While they are stopped, every call at /mcp/operator is a 403 that says so, at once here and within a second in every process.',
  method: 'PUT',
  path: '/site/agents',
  body: schema.agentsBody,
  data: schema.agentsSchema,
  exampleFields: { stopped: true },
  run: (ctx, _input, { stopped }) =>
    ctx.transaction(async (ctx) => {
      const row = await queries.findSiteForUpdate(ctx.db)
      if ((row?.agentsStopped ?? false) === stopped) return { data: { stopped } }
      await queries.upsertAgentsStopped(ctx.db, stopped, schema.DEFAULT_SITE, ctx.now())
      await writeAudit(ctx, stopped ? 'agents.stop' : 'agents.start', 'site')
      await ctx.announce({ topic: SITE_TOPIC })
      return { data: { stopped } }
    }),
})

export const siteOperations = [getSite, putSite, getAgents, putAgents]

async function replace(
  ctx: TransactionContext,
  ifVersion: number | undefined,
  fields: schema.SiteFields,
): Promise<schema.Site> {
  const row = await queries.findSiteForUpdate(ctx.db)
  const before = withSiteDefaults(row?.fields ?? {})
  await checkVersion(ctx, ifVersion, {
    name: 'site',
    version: row?.version ?? 0,
    subject: 'site',
    actions: ['site.change'],
  })
  // The database keeps the keys of objects in an order of its own.
  const changed = (Object.keys(fields) as (keyof schema.SiteFields)[]).filter(
    (name) => !isDeepStrictEqual(before[name], fields[name]),
  )
  if (changed.length === 0) return { ...fields, version: row?.version ?? 0 }
  const version = await queries.upsertSite(ctx.db, fields, ctx.now())
  await writeAudit(ctx, 'site.change', 'site', { changed })
  await ctx.announce({ topic: SITE_TOPIC })
  return { ...fields, version }
}

export const listCollections = operation({
  name: 'list_collections',
  summary: 'Collections',
  description: `All collections by name, also those that visitors do not see; ${MOST_COLLECTIONS} at most.`,
  method: 'GET',
  path: '/collections',
  data: Type.Array(collectionSchema),
  run: async (ctx) => ({ data: await queries.selectCollections(ctx.db, MOST_COLLECTIONS) }),
})

export const getCollection = operation({
  name: 'get_collection',
  summary: 'One collection',
  description: 'A collection with its text and its slugs.',
  method: 'GET',
  path: '/collections/:slug',
  parameters: Type.Object({ slug: collectionSlug }),
  data: collectionSchema,
  failures: [400, 404],
  run: async (ctx, { slug }) => ({ data: await existing(ctx, slug) }),
})

export const putCollection = operation({
  name: 'put_collection',
  summary: 'Create or replace a collection',
  description: `Replaces everything; what is omitted gets its default. There are ${MOST_COLLECTIONS} collections at most. Every process shows it at once.`,
  method: 'PUT',
  path: '/collections/:slug',
  // x-strict: a slug of a wrong form is refused here. For a read it is just not found.
  parameters: Type.Object({ slug: { ...collectionSlug, 'x-strict': true }, ...versionGuard.parameters }),
  body: collectionBody,
  data: collectionSchema,
  failures: [400, ...versionGuard.failures],
  run: async (ctx, { slug, ifVersion }, body) => ({
    data: await ctx.transaction((ctx) => replaceCollection(ctx, slug, ifVersion, { ...DEFAULTS, ...body })),
  }),
})

export const deleteCollection = operation({
  name: 'delete_collection',
  summary: 'Delete a collection',
  description: 'Deletes the collection; its tools and directories stay.',
  method: 'DELETE',
  path: '/collections/:slug',
  parameters: Type.Object({ slug: collectionSlug, ...versionGuard.parameters }),
  data: collectionSchema,
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

const DEFAULTS: Omit<CollectionFields, 'name'> = { text: '', tools: [], directories: [], published: true }

const subjectOf = (slug: string): string => `collection:${slug}`

async function existing(ctx: Pick<Context, 'db'>, slug: string): Promise<Collection> {
  return orNotFound(await queries.findCollection(ctx.db, slug), 'Collection')
}

const check = (ctx: TransactionContext, slug: string, version: number | undefined, ifVersion: number | undefined) =>
  checkVersion(ctx, ifVersion, {
    name: `collection ${slug}`,
    version,
    subject: subjectOf(slug),
    actions: ['collection.put', 'collection.delete'],
  })

async function replaceCollection(
  ctx: TransactionContext,
  slug: string,
  ifVersion: number | undefined,
  fields: CollectionFields,
): Promise<Collection> {
  await queries.lockCollections(ctx.db)
  const before = await queries.findCollection(ctx.db, slug)
  await check(ctx, slug, before?.version, ifVersion)
  const changed = Object.keys(before ? changesIn(before, fields) : fields)
  if (before && changed.length === 0) return before
  if (!before && (await queries.countCollections(ctx.db)) >= MOST_COLLECTIONS)
    throw badRequest(`There are ${MOST_COLLECTIONS} collections, which is the most. Delete one first.`)
  const stored = await queries.upsertCollection(ctx.db, slug, fields, ctx.now())
  if (!stored) throw new TypeError('The collection was not stored.')
  await writeAudit(ctx, 'collection.put', subjectOf(slug), { changed })
  await ctx.announce({ topic: SITE_TOPIC })
  return stored
}
