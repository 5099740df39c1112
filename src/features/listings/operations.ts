// Operator API: taxonomy, listings, import and export.
import { type TObject, Type } from 'typebox'
import type { Context } from '../../kernel/context.ts'
import { badRequest, notFound } from '../../kernel/errors.ts'
import { operation } from '../../kernel/operation.ts'
import { timestamp } from '../../kernel/schema.ts'
import { insertAudit } from '../audit/queries.ts'
import { auditEntry } from '../audit/rules.ts'
import { exportLines } from './export.ts'
import { importLines, TOPIC } from './import.ts'
import { deleteListing, findRecord, listSlugs, upsertRows } from './queries.ts'
import { readEntry, referenceProblems, toRow } from './rules.ts'
import { bodies, type Kind } from './schema.ts'

interface Noun {
  kind: Kind
  path: string
  one: string
  group: string
  example: Record<string, unknown>
}

const TIME = '2026-03-01T09:30:00.000Z'
const NOUNS: Noun[] = [
  {
    kind: 'category',
    path: '/categories',
    one: 'category',
    group: 'Taxonomy',
    example: { slug: 'writing', name: 'Writing', description: '', icon: '✍️', adult: false },
  },
  { kind: 'tag', path: '/tags', one: 'tag', group: 'Taxonomy', example: { slug: 'api', name: 'API', adult: false } },
  {
    kind: 'directoryCategory',
    path: '/directory-categories',
    one: 'directory category',
    group: 'Taxonomy',
    example: { slug: 'saas', name: 'SaaS' },
  },
  { kind: 'tool', path: '/tools', one: 'tool', group: 'Listings', example: exampleOf(bodies.tool, 'acme-writer') },
  {
    kind: 'directory',
    path: '/directories',
    one: 'directory',
    group: 'Listings',
    example: exampleOf(bodies.directory, 'launch-list'),
  },
]

const slugParameter = (noun: Noun) =>
  Type.Object({
    slug: Type.String({ description: `Slug of the ${noun.one}.`, examples: [noun.example.slug as string] }),
  })

const record = (noun: Noun): TObject => {
  const slug = Type.String({ description: `Slug of the ${noun.one}.`, examples: [noun.example.slug as string] })
  const listing = {
    id: Type.String({ description: 'Stable identifier.', examples: ['0199d2c4-7a10-7c3e-9f51-2b1f0c6f2a11'] }),
    createdAt: timestamp('When it was created.'),
    updatedAt: timestamp('When it was last changed.'),
  }
  return Type.Object(
    { slug, ...bodies[noun.kind].properties, ...(noun.group === 'Listings' ? listing : {}) },
    { description: `The stored ${noun.one}, private fields included.` },
  )
}

const put = (noun: Noun) =>
  operation({
    name: `put_${noun.one.replace(' ', '_')}`,
    summary: `Create or replace a ${noun.one}`,
    description: `Creates the ${noun.one} or replaces it whole: an omitted field takes its empty value${noun.group === 'Listings' ? ', except that opens and createdAt stay as they were' : ''}.`,
    group: noun.group,
    access: 'operator',
    method: 'PUT',
    path: `${noun.path}/:slug`,
    parameters: slugParameter(noun),
    body: bodies[noun.kind] as TObject,
    data: record(noun),
    failures: [400],
    example: { success: true, data: noun.example },
    rawBody: true,
    run: async (ctx, { slug }, raw) => {
      const read = readEntry(noun.kind, slug, raw)
      const problems = [
        ...('problems' in read ? read.problems : []),
        ...referenceProblems(noun.kind, raw, await known(ctx)),
      ]
      if (problems.length > 0 || 'problems' in read) throw badRequest(problems.join(' '))
      return {
        data: await ctx.transaction(async (ctx) => {
          const keys = await upsertRows(ctx.db, noun.kind, [toRow(read.entry, ctx.now())])
          await insertAudit(ctx.db, auditEntry(ctx, `${noun.kind}.put`, `${noun.kind}:${slug}`))
          await ctx.announce({ topic: TOPIC[noun.kind], ids: keys })
          return (await findRecord(ctx.db, noun.kind, slug))!
        }),
      }
    },
  })

const remove = (noun: Noun & { kind: 'tool' | 'directory' }) =>
  operation({
    name: `delete_${noun.one}`,
    summary: `Delete a ${noun.one}`,
    description: `Deletes the ${noun.one} for good, unless it has submissions. To hide it instead, put it with published=false.`,
    group: noun.group,
    access: 'operator',
    method: 'DELETE',
    path: `${noun.path}/:slug`,
    parameters: slugParameter(noun),
    data: Type.Object(
      { slug: Type.String({ description: 'Slug of what was deleted.', examples: [noun.example.slug as string] }) },
      { description: 'What was deleted.' },
    ),
    failures: [400, 404],
    example: { success: true, data: { slug: noun.example.slug } },
    run: async (ctx, { slug }) => {
      await ctx.transaction(async (ctx) => {
        const deleted = await deleteListing(ctx.db, noun.kind, slug)
        if (!deleted) throw notFound(noun.one === 'tool' ? 'Tool' : 'Directory')
        if (deleted === 'in use')
          throw badRequest(
            `The ${noun.one} has submissions and cannot be deleted. Put it with published=false instead.`,
          )
        await insertAudit(ctx.db, auditEntry(ctx, `${noun.kind}.delete`, `${noun.kind}:${slug}`))
        await ctx.announce({ topic: TOPIC[noun.kind], ids: [deleted.id] })
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
  { description: 'One entry, one JSON object a line.' },
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
  failures: [400, 415],
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

const [category, tag, directoryCategory, tool, directory] = NOUNS as [
  Noun,
  Noun,
  Noun,
  Noun & { kind: 'tool' },
  Noun & { kind: 'directory' },
]

export const listingOperations = [
  put(category),
  put(tag),
  put(directoryCategory),
  put(tool),
  remove(tool),
  put(directory),
  remove(directory),
  importCatalog,
  exportCatalog,
]

const known = async (ctx: Context) => ({
  category: await listSlugs(ctx.db, 'category'),
  tag: await listSlugs(ctx.db, 'tag'),
  directoryCategory: await listSlugs(ctx.db, 'directoryCategory'),
})

function exampleOf(body: TObject, slug: string): Record<string, unknown> {
  const fields = Object.entries(body.properties).map(([name, property]) => [
    name,
    (property as { examples?: unknown[] }).examples?.[0] ?? null,
  ])
  return { slug, ...Object.fromEntries(fields), id: '0199d2c4-7a10-7c3e-9f51-2b1f0c6f2a11', updatedAt: TIME }
}
