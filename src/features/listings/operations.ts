// Operator API: writing taxonomy and listings, import and export.

import { type TObject, Type } from 'typebox'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { badRequest, conflict, invalid, notFound } from '../../kernel/errors.ts'
import { operation, type RoutedOperation } from '../../kernel/operation.ts'
import { insertAudit } from '../audit/queries.ts'
import { auditEntry, changesAnything } from '../audit/rules.ts'
import { versionGuard } from '../audit/schema.ts'
import { checkVersion } from '../audit/version-guard.ts'
import { type Kind, type ListedKind, type TermKind, TOPIC } from '../catalog/schema.ts'
import { entrySchema, NOUNS, type Noun, slugParameter } from './entry-kinds.ts'
import { exportLines } from './export.ts'
import { importLines } from './import.ts'
import * as queries from './queries.ts'
import { getListing, getTerm, listListings, listTerms } from './read.operations.ts'
import { countUses } from './read.queries.ts'
import { changedFields, type Entry, type KnownSlugs, readEntry, referenceProblems, toRecord, toRow } from './rules.ts'
import { bodies } from './schema.ts'

// Of the actions in the audit log those that raise the version; enrichment fills in what people edit too.
const RAISING = ['put', 'change', 'rename', 'enrich', 'delete']

/** Call with the entry locked. */
const checkEntry = (
  ctx: TransactionContext,
  { kind, one }: Noun,
  slug: string,
  stored: queries.StoredRecord | undefined,
  ifVersion: number | undefined,
) =>
  checkVersion(ctx, ifVersion, {
    name: `${one} ${slug}`,
    version: stored?.version,
    subject: `${kind}:${slug}`,
    actions: RAISING.map((action) => `${kind}.${action}`),
    // An import deletes nothing.
    importable: stored && { changedAt: stored.updatedAt as Date | undefined },
  })

const put = <K extends Kind>(noun: Noun<K>) =>
  operation({
    name: `put_${noun.one.replace(' ', '_')}`,
    summary: `Create or replace a ${noun.one}`,
    description: `Creates the ${noun.one} or replaces it whole: an omitted field takes its empty value${noun.group === 'Listings' ? ', except that opens and createdAt stay as they were' : ''}.`,
    group: noun.group,
    access: 'operator',
    method: 'PUT',
    path: `${noun.path}/:slug`,
    parameters: Type.Object({ ...slugParameter(noun).properties, ...versionGuard.parameters }),
    body: bodies[noun.kind] as TObject,
    data: entrySchema(noun),
    failures: [400, ...versionGuard.failures],
    example: { success: true, data: noun.example },
    rawBody: true,
    run: async (ctx, { slug, ifVersion }, raw) => {
      const read = readEntry(noun.kind, slug, raw)
      const problems = [
        ...('problems' in read ? read.problems : []),
        ...referenceProblems(noun.kind, 'problems' in read ? read.cut : read.entry.body, await known(ctx)),
      ]
      if (problems.length > 0 || 'problems' in read) throw invalid(problems)
      return {
        data: await ctx.transaction(async (ctx) => {
          const gone = referenceProblems(noun.kind, read.entry.body, await stillKnown(ctx, read.entry))
          if (gone.length > 0) throw invalid(gone)
          await queries.lockSlug(ctx.db, noun.kind, slug)
          const before = await queries.findRecordForUpdate(ctx.db, noun.kind, slug)
          await checkEntry(ctx, noun, slug, before, ifVersion)
          const keys = await queries.upsertRows(ctx.db, noun.kind, [toRow(read.entry, ctx.now())])
          // Sent again, or saved as it was.
          if (keys.length === 0) return toRecord(noun.kind, before!)
          const after = (await queries.findRecord(ctx.db, noun.kind, slug))!
          const details = before ? { changed: changedFields(noun.kind, before, after) } : { created: true }
          await insertAudit(ctx.db, auditEntry(ctx, `${noun.kind}.put`, `${noun.kind}:${slug}`, details))
          await ctx.announce({ topic: TOPIC[noun.kind], ids: keys })
          return toRecord(noun.kind, after)
        }),
      }
    },
  })

const changeBody = Type.Object(
  {
    published: Type.Optional(Type.Boolean({ description: 'Whether the world sees it.', examples: [true] })),
    featured: Type.Optional(Type.Boolean({ description: 'Whether it is featured.', examples: [false] })),
  },
  { title: 'ListingChange', description: 'What to change of a listing.' },
)

const slugMoved = ({ one }: Noun, slug: string, now: string | undefined) =>
  conflict(
    now === undefined
      ? `The ${one} that is meant was deleted, and ${slug} is another. Nothing was changed.`
      : `The hidden ${one} that had the slug ${slug} is ${now} now, and ${slug} is another. Nothing was changed. Change ${now}, or give the id of the one that is meant.`,
  )

const change = <K extends ListedKind>(noun: Noun<K>) =>
  operation({
    name: `change_${noun.one}`,
    summary: `Publish, hide or feature a ${noun.one}`,
    description: `Changes the given fields of the ${noun.one}; what is omitted stays. Everything else is changed by putting it whole.`,
    group: noun.group,
    access: 'operator',
    method: 'PATCH',
    path: `${noun.path}/:slug`,
    parameters: Type.Object({
      ...slugParameter(noun).properties,
      id: Type.Optional(
        Type.String({
          maxLength: 100,
          description: `Identifier of the ${noun.one} that is meant. When the slug belongs to another, nothing is changed: 409.`,
          examples: [noun.example.id as string],
        }),
      ),
      ...versionGuard.parameters,
    }),
    body: changeBody,
    data: entrySchema(noun),
    failures: [400, 404, ...versionGuard.failures],
    example: { success: true, data: noun.example },
    run: async (ctx, { slug, id, ifVersion }, body) => ({
      data: await ctx.transaction(async (ctx) => {
        const before = await queries.findRecordForUpdate(ctx.db, noun.kind, slug)
        if (!before) throw notFound(noun.one === 'tool' ? 'Tool' : 'Directory')
        if (id !== undefined && before.id !== id)
          throw slugMoved(noun, slug, await queries.findSlug(ctx.db, noun.kind, id))
        await checkEntry(ctx, noun, slug, before, ifVersion)
        // By a slug alone, the listing that was hidden under it may be meant: a submission may have been given its slug since.
        const moved =
          id === undefined && body.published === true ? await queries.findMovedFrom(ctx.db, noun.kind, slug) : undefined
        if (moved !== undefined) throw slugMoved(noun, slug, moved)
        // Hiding what waits for review decides against it.
        const isTakenDown = body.published === false && before.hiddenReason === 'review'
        if (!isTakenDown && !changesAnything(before, body)) return toRecord(noun.kind, before)
        const changed = (await queries.updateListing(ctx.db, noun.kind, slug, { ...body, updatedAt: ctx.now() }))!
        await insertAudit(ctx.db, auditEntry(ctx, `${noun.kind}.change`, `${noun.kind}:${slug}`, body))
        await ctx.announce({ topic: TOPIC[noun.kind], ids: [changed.id as string] })
        return toRecord(noun.kind, changed)
      }),
    }),
  })

const deletion = (noun: Noun) => ({
  name: `delete_${noun.one.replace(' ', '_')}`,
  summary: `Delete a ${noun.one}`,
  group: noun.group,
  access: 'operator' as const,
  method: 'DELETE' as const,
  path: `${noun.path}/:slug`,
  parameters: Type.Object({ ...slugParameter(noun).properties, ...versionGuard.parameters }),
  data: Type.Object(
    { slug: Type.String({ description: 'Slug of what was deleted.', examples: [noun.example.slug as string] }) },
    { description: 'What was deleted.' },
  ),
  failures: [400, 404, ...versionGuard.failures] as const,
  example: { success: true, data: { slug: noun.example.slug } },
})

const remove = (noun: Noun<ListedKind>) =>
  operation({
    ...deletion(noun),
    description: `Deletes the ${noun.one} for good, unless it has submissions. To hide it instead, put it with published=false.`,
    run: async (ctx, { slug, ifVersion }) => {
      await ctx.transaction(async (ctx) => {
        const before = await queries.findRecordForUpdate(ctx.db, noun.kind, slug)
        if (before) await checkEntry(ctx, noun, slug, before, ifVersion)
        const deleted = await queries.deleteListing(ctx.db, noun.kind, slug)
        if (!deleted) throw notFound(noun.one === 'tool' ? 'Tool' : 'Directory')
        if (deleted === 'in use')
          throw badRequest(
            `The ${noun.one} has submissions and cannot be deleted. Put it with published=false instead.`,
          )
        await insertAudit(
          ctx.db,
          auditEntry(ctx, `${noun.kind}.delete`, `${noun.kind}:${slug}`, { version: deleted.version }),
        )
        await ctx.announce({ topic: TOPIC[noun.kind], ids: [deleted.id] })
      })
      return { data: { slug } }
    },
  })

const removeTerm = (noun: Noun<TermKind>) =>
  operation({
    ...deletion(noun),
    description: `Deletes the ${noun.one}, unless a listing uses it, published or not.`,
    run: async (ctx, { slug, ifVersion }) => {
      await ctx.transaction(async (ctx) => {
        // Locked before it is counted: a writer about to use it waits, and then finds it gone.
        const before = await queries.findRecordForUpdate(ctx.db, noun.kind, slug)
        if (before) await checkEntry(ctx, noun, slug, before, ifVersion)
        const { listingsCount: used } = await countUses(ctx.db, noun.kind, slug)
        if (used > 0)
          throw badRequest(
            `The ${noun.one} is used by ${used} ${used === 1 ? 'listing' : 'listings'} and cannot be deleted. Take it off ${used === 1 ? 'it' : 'them'} first.`,
          )
        const deleted = await queries.deleteTerm(ctx.db, noun.kind, slug)
        if (!deleted) throw notFound(`${noun.one[0]!.toUpperCase()}${noun.one.slice(1)}`)
        if (deleted === 'in use') throw badRequest(`The ${noun.one} is used and cannot be deleted.`)
        const { slug: _, ...details } = deleted
        await insertAudit(ctx.db, auditEntry(ctx, `${noun.kind}.delete`, `${noun.kind}:${slug}`, details))
        await ctx.announce({ topic: TOPIC[noun.kind], ids: [slug] })
      })
      return { data: { slug } }
    },
  })

const lineSchema = Type.Object(
  {
    kind: Type.String({
      description: 'category, tag, directoryCategory, tool or directory; the other fields are those of its PUT.',
      examples: ['tag'],
    }),
    slug: Type.String({ description: 'Slug of the entry.', examples: ['api'] }),
  },
  { description: 'One entry, one JSON object a line.', additionalProperties: true },
)

export const importCatalog = operation({
  name: 'import_catalog',
  summary: 'Import listings and taxonomy',
  description:
    'Takes a stream of NDJSON of any size and creates or replaces every entry in one transaction. One wrong line and nothing is kept (400, with the first 100 wrong lines and reasons); skipInvalid=true keeps the good ones.',
  group: 'Import and export',
  access: 'operator',
  method: 'POST',
  path: '/import',
  parameters: Type.Object({
    skipInvalid: Type.Optional(Type.Boolean({ description: 'true keeps the good lines.', examples: [false] })),
  }),
  body: Type.Unsafe<AsyncIterable<Uint8Array>>({}),
  lines: lineSchema,
  data: Type.Object(
    {
      imported: Type.Integer({ description: 'Lines that were stored.', examples: [120] }),
      rejected: Type.Array(
        Type.Object({
          line: Type.Integer({ description: 'Number of the line, counted from 1.', examples: [7] }),
          error: Type.String({ description: 'What is wrong with it.', examples: ['name is required.'] }),
        }),
        { description: 'The first 100 wrong lines.' },
      ),
      rejectedCount: Type.Integer({ description: 'All wrong lines.', examples: [0] }),
    },
    { description: 'What was imported.' },
  ),
  failures: [400, 409, 415],
  example: { success: true, data: { imported: 120, rejected: [], rejectedCount: 0 } },
  run: async (ctx, input, body) => ({ data: await importLines(ctx, body, input.skipInvalid === true) }),
})

export const exportCatalog = operation({
  name: 'export_catalog',
  summary: 'Export listings and taxonomy',
  description: 'Everything as NDJSON, in the form that import takes, private fields included.',
  group: 'Import and export',
  access: 'operator',
  method: 'GET',
  path: '/export',
  parameters: Type.Object({}),
  data: lineSchema,
  streams: true,
  example: { kind: 'tag', slug: 'api', name: 'API', adult: false },
  run: (ctx) => ({ lines: exportLines(ctx.db) }),
})

const [category, tag, directoryCategory, tool, directory] = NOUNS

const termOperations = <K extends TermKind>(noun: Noun<K>) => ({
  list: listTerms(noun),
  get: getTerm(noun),
  put: put(noun),
  remove: removeTerm(noun),
})
const operationsOfKind = <K extends ListedKind>(noun: Noun<K>) => ({
  list: listListings(noun),
  get: getListing(noun),
  put: put(noun),
  change: change(noun),
  remove: remove(noun),
})

/** The operations on tools or on directories, for code that works on both alike. */
export type ListingOperations = ReturnType<typeof operationsOfKind<ListedKind>>

export const entryOperations = {
  category: termOperations(category),
  tag: termOperations(tag),
  directoryCategory: termOperations(directoryCategory),
  tool: operationsOfKind(tool),
  directory: operationsOfKind(directory),
}

export const listingOperations = [
  ...Object.values(entryOperations).flatMap((operations) => Object.values<RoutedOperation>(operations)),
  importCatalog,
  exportCatalog,
]

/** What the entry refers to, kept from being deleted until it is stored. */
async function stillKnown(ctx: TransactionContext, { body }: Entry): Promise<KnownSlugs> {
  const named = (value: unknown) => [value].flat().filter((slug) => typeof slug === 'string')
  const lock = (kind: TermKind, value: unknown) => {
    const slugs = named(value)
    return slugs.length === 0 ? new Set<string>() : queries.lockTerms(ctx.db, kind, slugs)
  }
  return {
    category: await lock('category', body.category),
    tag: await lock('tag', body.tags),
    directoryCategory: await lock('directoryCategory', body.categories),
  }
}

const known = async (ctx: Context) => ({
  category: await queries.listSlugs(ctx.db, 'category'),
  tag: await queries.listSlugs(ctx.db, 'tag'),
  directoryCategory: await queries.listSlugs(ctx.db, 'directoryCategory'),
})
