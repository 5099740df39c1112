// Operator API: writes listings and terms (categories, tags, directory categories), imports and exports.
import { type TObject, Type } from 'typebox'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { nextCursor } from '../../kernel/database/cursor.ts'
import { onlyRow } from '../../kernel/database/queries.ts'
import { badRequest, conflict, invalid, notFound, orNotFound } from '../../kernel/errors.ts'
import { NDJSON, operation, type RoutedOperation } from '../../kernel/operation.ts'
import { booleanType, integerType, objectType, stringType, titledObject } from '../../kernel/schema.ts'
import { capitalised } from '../../kernel/values/text.ts'
import { versionGuard } from '../audit/schema.ts'
import { checkVersion } from '../audit/version-guard.ts'
import { changesAnything, changesIn, writeAudit } from '../audit/write-audit.ts'
import { type Kind, type ListedKind, type TermKind, TOPIC } from '../catalog/schema.ts'
import { currentCursor } from './changes/changes.operations.ts'
import { ENTRY_KINDS, type EntryKind, entrySchema, slugParameter } from './entries/entry-kinds.ts'
import { getListing, getTerm, listListings, listTerms } from './entries/read.operations.ts'
import { countUses } from './entries/read.queries.ts'
import { upsertRecord } from './entries/upsert.queries.ts'
import { exportLines } from './import/export.ts'
import { importLines } from './import/import.ts'
import { withKnownCopies } from './pictures/known-picture-copies.ts'
import * as queries from './queries.ts'
import {
  changedFields,
  isListedKind,
  type KnownSlugs,
  readEntry,
  readListingFields,
  referenceProblems,
  toRecord,
  toRow,
} from './rules.ts'
import { bodies, listingChangeBody } from './schema.ts'

// Audited actions that raise the version of an entry. Enrichment and picture copies do, because they write fields that people edit too.
// biome-ignore format: a list of names
const VERSION_RAISING_ACTIONS = [
  'put', 'change', 'rename', 'confirm', 'split', 'enrich', 'pictures', 'delete', 'correct', 'withdraw', 'accept',
  'edit', 'undo',
]

/** Call this while the entry is locked. */
const checkEntryVersion = (
  ctx: TransactionContext,
  { kind, label }: EntryKind,
  slug: string,
  stored: queries.ListingRecord | undefined,
  ifVersion: number | undefined,
) =>
  checkVersion(ctx, ifVersion, {
    name: `${label} ${slug}`,
    version: stored?.version,
    subject: `${kind}:${slug}`,
    actions: VERSION_RAISING_ACTIONS.map((action) => `${kind}.${action}`),
    // undefined for a deleted entry, because an import deletes none.
    importable: stored && { changedAt: stored.updatedAt as Date | undefined },
  })

const put = <K extends Kind>(entryKind: EntryKind<K>) =>
  operation({
    name: `put_${entryKind.label.replace(' ', '_')}`,
    summary: `Create or replace a ${entryKind.label}`,
    description: `Creates the ${entryKind.label} or replaces it whole: an omitted field takes its empty value${entryKind.group === 'Listings' ? ', except that opens, searchWords and createdAt stay as they were' : ''}.`,
    group: entryKind.group,
    access: 'operator',
    method: 'PUT',
    path: `${entryKind.path}/:slug`,
    parameters: Type.Object({ ...slugParameter(entryKind).properties, ...versionGuard.parameters }),
    body: bodies[entryKind.kind] as TObject,
    data: entrySchema(entryKind),
    failures: [400, ...versionGuard.failures],
    example: { success: true, data: entryKind.example },
    rawBody: true,
    run: async (ctx, { slug, ifVersion }, raw) => {
      const read = readEntry(entryKind.kind, slug, raw)
      if ('problems' in read)
        throw invalid([
          ...read.problems,
          ...referenceProblems(entryKind.kind, read.cut, await queries.listTermSlugs(ctx.db)),
        ])
      return {
        data: await ctx.transaction(async (ctx) => {
          const known = await lockReferencedTerms(ctx, read.entry.body)
          const unknownTerms = referenceProblems(entryKind.kind, read.entry.body, known)
          if (unknownTerms.length > 0) throw invalid(unknownTerms)
          const lock = isListedKind(entryKind.kind) ? queries.lockSlugAndCopies : queries.lockSlug
          await lock(ctx.db, entryKind.kind, slug)
          const before = await queries.findRecordForUpdate(ctx.db, entryKind.kind, slug)
          await checkEntryVersion(ctx, entryKind, slug, before, ifVersion)
          const row = onlyRow(await withKnownCopies(ctx, entryKind.kind, [toRow(read.entry)]))
          const after = await upsertRecord(ctx.db, entryKind.kind, row, ctx.now(), before !== undefined)
          // Nothing changed: the request was sent again, or the form was saved unchanged.
          if (!after) return toRecord(entryKind.kind, before ?? (await findStored(ctx, entryKind, slug)))
          const details = before ? { changed: changedFields(entryKind.kind, before, after) } : { created: true }
          await writeAudit(ctx, `${entryKind.kind}.put`, `${entryKind.kind}:${slug}`, details)
          await announceRecord(ctx, entryKind.kind, after)
          return toRecord(entryKind.kind, after)
        }),
      }
    },
  })

/** For an entry that an import has just stored with the same values. */
const findStored = async (ctx: Context, { kind, label }: EntryKind, slug: string) =>
  orNotFound(await queries.findRecord(ctx.db, kind, slug), capitalised(label))

/** Announces the change. The catalog in the memory of this process gets a listing from its record, so that it need not read it again. */
function announceRecord(ctx: TransactionContext, kind: Kind, record: queries.ListingRecord): Promise<void> {
  const { id, slug, published } = record
  const topic = TOPIC[kind]
  if (typeof id !== 'string') return ctx.announce({ topic, ids: [slug] })
  return ctx.announce({ topic, ids: [id], rows: new Map([[id, published ? record : undefined]]) })
}

/** A 409: the slug belongs to another listing than the one that the caller means. `newSlug`: the slug that this one has now. */
const otherListing = ({ label }: EntryKind, slug: string, newSlug: string | undefined) =>
  conflict(
    newSlug === undefined
      ? `The ${label} that is meant was deleted, and ${slug} is another. Nothing was changed.`
      : `The hidden ${label} that had the slug ${slug} is ${newSlug} now, and ${slug} is another. Nothing was changed. Change ${newSlug}, or give the id of the one that is meant.`,
  )

const change = <K extends ListedKind>(entryKind: EntryKind<K>) =>
  operation({
    name: `change_${entryKind.label}`,
    summary: `Change some fields of a ${entryKind.label}`,
    description: `Changes the given fields of the ${entryKind.label}; what is omitted stays. The audit log keeps what they replace. Everything else is changed by putting it whole.`,
    group: entryKind.group,
    access: 'operator',
    method: 'PATCH',
    path: `${entryKind.path}/:slug`,
    parameters: Type.Object({
      ...slugParameter(entryKind).properties,
      id: Type.Optional(
        stringType(
          `Identifier of the ${entryKind.label} that is meant. When the slug belongs to another, nothing is changed: 409.`,
          entryKind.example.id as string,
          { maxLength: 100 },
        ),
      ),
      ...versionGuard.parameters,
    }),
    body: listingChangeBody(entryKind.kind),
    data: entrySchema(entryKind),
    failures: [400, 404, ...versionGuard.failures],
    tool: {
      title: `Change a ${entryKind.label}`,
      description: `Change texts and facts of a ${entryKind.label}, publish or hide it; what is omitted stays.`,
      // Featuring is a matter between people. Words that no reader sees are not for agents to write.
      omit: ['id', 'featured', 'searchWords', 'ifVersion'],
      shows: ['slug', 'name', 'published', 'version'],
    },
    run: async (ctx, { slug, id, ifVersion }, body) => {
      const { fields, problems } = readListingFields(entryKind.kind, body)
      return {
        data: await ctx.transaction(async (ctx) => {
          const known = await lockReferencedTerms(ctx, fields)
          const wrong = [...problems, ...referenceProblems(entryKind.kind, fields, known)]
          if (wrong.length > 0) throw invalid(wrong)
          const before = await queries.findRecordForUpdate(ctx.db, entryKind.kind, slug)
          if (!before) throw notFound(capitalised(entryKind.label))
          if (id !== undefined && before.id !== id)
            throw otherListing(entryKind, slug, await queries.findSlug(ctx.db, entryKind.kind, id))
          await checkEntryVersion(ctx, entryKind, slug, before, ifVersion)
          // An operator who publishes by the slug alone may mean the hidden listing that had the slug before a submission took it over.
          if (id === undefined && fields.published === true) {
            const newSlug = await queries.findSlugAfterRename(ctx.db, entryKind.kind, slug)
            if (newSlug !== undefined) throw otherListing(entryKind, slug, newSlug)
          }
          // A listing that waits for review is hidden already; hiding it again means that the administrator rejects it.
          const isTakenDown = fields.published === false && before.hiddenReason === 'review'
          if (!isTakenDown && !changesAnything(before, fields)) return toRecord(entryKind.kind, before)
          const changed = await queries.updateListing(ctx.db, entryKind.kind, before, fields, ctx.now())
          const details = changeDetails(before, fields)
          await writeAudit(ctx, `${entryKind.kind}.change`, `${entryKind.kind}:${slug}`, details)
          await announceRecord(ctx, entryKind.kind, changed)
          return toRecord(entryKind.kind, changed)
        }),
      }
    },
  })

/** For the audit log: the new `published` and `featured`, and in `was` the previous value of every other changed field, to undo the change. */
function changeDetails(before: queries.ListingRecord, { published, featured, ...others }: Record<string, unknown>) {
  const changed = Object.keys(changesIn(before, others))
  return {
    ...(published === undefined ? {} : { published }),
    ...(featured === undefined ? {} : { featured }),
    ...(changed.length === 0 ? {} : { was: Object.fromEntries(changed.map((name) => [name, before[name] ?? null])) }),
  }
}

/** What the deletion of a listing and of a term have in common. */
const deletion = (entryKind: EntryKind) => ({
  name: `delete_${entryKind.label.replace(' ', '_')}`,
  summary: `Delete a ${entryKind.label}`,
  group: entryKind.group,
  access: 'operator' as const,
  method: 'DELETE' as const,
  path: `${entryKind.path}/:slug`,
  parameters: Type.Object({ ...slugParameter(entryKind).properties, ...versionGuard.parameters }),
  data: objectType('What was deleted.', {
    slug: stringType('Slug of what was deleted.', entryKind.example.slug as string),
  }),
  failures: [400, 404, ...versionGuard.failures] as const,
})

const removeListing = (entryKind: EntryKind<ListedKind>) =>
  operation({
    ...deletion(entryKind),
    description: `Deletes the ${entryKind.label} for good, unless it has submissions. To hide it instead, put it with published=false.`,
    run: async (ctx, { slug, ifVersion }) => {
      await ctx.transaction(async (ctx) => {
        const before = await queries.findRecordForUpdate(ctx.db, entryKind.kind, slug)
        if (before) await checkEntryVersion(ctx, entryKind, slug, before, ifVersion)
        const deleted = await queries.deleteListing(ctx.db, entryKind.kind, slug)
        if (!deleted) throw notFound(capitalised(entryKind.label))
        if (deleted === 'in use')
          throw badRequest(
            `The ${entryKind.label} has submissions and cannot be deleted. Put it with published=false instead.`,
          )
        await writeAudit(ctx, `${entryKind.kind}.delete`, `${entryKind.kind}:${slug}`, { version: deleted.version })
        await ctx.announce({ topic: TOPIC[entryKind.kind], ids: [deleted.id] })
      })
      return { data: { slug } }
    },
  })

const removeTerm = (entryKind: EntryKind<TermKind>) =>
  operation({
    ...deletion(entryKind),
    description: `Deletes the ${entryKind.label}, unless a listing uses it, published or not.`,
    run: async (ctx, { slug, ifVersion }) => {
      await ctx.transaction(async (ctx) => {
        // Locked before its uses are counted, so that a writer that is about to use the term waits and then finds it deleted.
        const before = await queries.findRecordForUpdate(ctx.db, entryKind.kind, slug)
        if (before) await checkEntryVersion(ctx, entryKind, slug, before, ifVersion)
        const { listingsCount: used } = await countUses(ctx.db, entryKind.kind, slug)
        if (used > 0)
          throw badRequest(
            `The ${entryKind.label} is used by ${used} ${used === 1 ? 'listing' : 'listings'} and cannot be deleted. Take it off ${used === 1 ? 'it' : 'them'} first.`,
          )
        const deleted = await queries.deleteTerm(ctx.db, entryKind.kind, slug)
        if (!deleted) throw notFound(capitalised(entryKind.label))
        if (deleted === 'in use') throw badRequest(`The ${entryKind.label} is used and cannot be deleted.`)
        const { slug: _, ...details } = deleted
        await writeAudit(ctx, `${entryKind.kind}.delete`, `${entryKind.kind}:${slug}`, details)
        await ctx.announce({ topic: TOPIC[entryKind.kind], ids: [slug] })
      })
      return { data: { slug } }
    },
  })

const lineSchema = Type.Object(
  {
    kind: stringType(
      'category, tag, directoryCategory, tool or directory; the other fields are those of its PUT.',
      'tag',
    ),
    slug: stringType('Slug of the entry.', 'api'),
  },
  { description: 'One entry, one JSON object a line.', additionalProperties: true },
)

export const importResult = titledObject('ImportResult', 'What was imported.', {
  imported: integerType('Lines that were stored.', 120),
  created: integerType('Of them entries that did not exist.', 100),
  replaced: integerType('Of them entries that existed with other values.', 15),
  rejected: Type.Array(
    Type.Object({
      line: integerType('Number of the line, counted from 1.', 7),
      error: stringType('What is wrong with it.', 'name is required.'),
    }),
    { description: 'The first 100 wrong lines.' },
  ),
  rejectedCount: integerType('All wrong lines.', 0),
})

export const importCatalog = operation({
  name: 'import_catalog',
  summary: 'Import listings and taxonomy',
  description:
    'Takes a stream of NDJSON of any size and creates or replaces every entry in one transaction. One wrong line and nothing is kept (400, with the first 100 wrong lines and reasons); skipInvalid=true keeps the good ones.',
  group: 'Import and export',
  access: 'operator',
  method: 'POST',
  path: '/import',
  parameters: Type.Object({ skipInvalid: Type.Optional(booleanType('true keeps the good lines.', false)) }),
  body: Type.Unsafe<AsyncIterable<Uint8Array>>({}),
  lines: lineSchema,
  data: importResult,
  failures: [400, 409, 415],
  example: { success: true, data: { imported: 120, created: 100, replaced: 15, rejected: [], rejectedCount: 0 } },
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
  data: lineSchema,
  streams: NDJSON,
  example: { kind: 'tag', slug: 'api', name: 'API', adult: false },
  answerHeaders: Type.Object({
    'X-Catalog-Cursor': nextCursor('The cursor with which GET /changes goes on after this export.'),
  }),
  run: async (ctx) => ({ headers: { 'x-catalog-cursor': await currentCursor(ctx) }, lines: exportLines(ctx.db) }),
})

const [category, tag, directoryCategory, tool, directory] = ENTRY_KINDS

const termOperations = <K extends TermKind>(entryKind: EntryKind<K>) => ({
  list: listTerms(entryKind),
  get: getTerm(entryKind),
  put: put(entryKind),
  remove: removeTerm(entryKind),
})
const operationsOfListings = <K extends ListedKind>(entryKind: EntryKind<K>) => ({
  list: listListings(entryKind),
  get: getListing(entryKind),
  put: put(entryKind),
  change: change(entryKind),
  remove: removeListing(entryKind),
})

/** The operations on tools or on directories, for code that handles both. */
export type ListingOperations = ReturnType<typeof operationsOfListings<ListedKind>>
/** The operations on categories, tags or directory categories. */
export type TermOperations = ReturnType<typeof termOperations<TermKind>>

export const entryOperations = {
  category: termOperations(category),
  tag: termOperations(tag),
  directoryCategory: termOperations(directoryCategory),
  tool: operationsOfListings(tool),
  directory: operationsOfListings(directory),
}

export const listingOperations = [
  ...Object.values(entryOperations).flatMap((operations) => Object.values<RoutedOperation>(operations)),
  importCatalog,
  exportCatalog,
]

/** Locks the terms that an entry refers to, so that they are not deleted until it is stored. Returns those that exist. */
async function lockReferencedTerms(
  ctx: TransactionContext,
  body: Readonly<Record<string, unknown>>,
): Promise<KnownSlugs> {
  const slugsIn = (value: unknown) => [value].flat().filter((slug) => typeof slug === 'string')
  return queries.lockTerms(ctx.db, {
    category: slugsIn(body.category),
    tag: slugsIn(body.tags),
    directoryCategory: slugsIn(body.categories),
  })
}
