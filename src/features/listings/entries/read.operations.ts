// Operator API: reads entries as they are stored, with drafts and private fields. The names of these operations differ from those of the
// public catalog reads, which return less.
import { Type } from 'typebox'
import type { Context } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { operation } from '../../../kernel/operation.ts'
import { booleanType, integerType, listPage, offsetOf, titledObject } from '../../../kernel/schema.ts'
import { capitalised } from '../../../kernel/values/text.ts'
import { slugsInCondition } from '../../catalog/questions/conditions.ts'
import type { ListedKind, TermKind } from '../../catalog/schema.ts'
import { findRecord } from '../queries.ts'
import { toRecord } from '../rules.ts'
import { filtersOfListings, type StoredEntry, termFilters } from '../schema.ts'
import { type EntryKind, entryFields, entrySchema, schemaTitle, slugParameter } from './entry-kinds.ts'
import * as reading from './read.queries.ts'

/** The kind in the plural, such as `directory categories`. */
const plural = ({ path }: { path: string }) => path.slice(1).replace('-', ' ')

export const listListings = <K extends ListedKind>(entryKind: EntryKind<K>) =>
  operation({
    name: `list_${entryKind.label}_entries`,
    summary: `List ${plural(entryKind)} as they are stored`,
    description: `All ${plural(entryKind)}, drafts and private fields included, newest first.`,
    group: entryKind.group,
    access: 'operator',
    method: 'GET',
    path: entryKind.path,
    parameters: Type.Object({ ...filtersOfListings(entryKind.kind), ...listPage }),
    data: Type.Array(entrySchema(entryKind)),
    tool: {
      title: `Find ${plural(entryKind)}`,
      description: `By words of the name, hidden ones too. get_${entryKind.label}_entry has more about one.`,
      omit: ['featured', 'category', 'tag', 'pricing', 'cost', 'hiddenReason', 'health'],
      shows: ['slug', 'name', 'website', 'published', 'featured', 'version'],
    },
    run: async (ctx, input) => {
      const { category, tag, ...others } = input
      const { categories, tags, directoryCategories } = ctx.catalog.snapshot().taxonomy
      const filter: reading.ListingFilter = {
        ...others,
        category: slugsInCondition(entryKind.kind === 'tool' ? categories : directoryCategories, category),
        tag: slugsInCondition(tags, tag),
      }
      const rows = await reading.selectListings(ctx.db, entryKind.kind, filter, input.limit, offsetOf(input))
      return { data: rows.map((row) => toRecord(entryKind.kind, row)) }
    },
  })

/** A term with how many listings use it. `shown`: whether readers see the tag; only tags have it. */
type CountedTerm<K extends TermKind> = StoredEntry<K> & { listingsCount: number; shown?: boolean }

const countedTermSchema = <K extends TermKind>(entryKind: EntryKind<K>) =>
  Type.Unsafe<CountedTerm<K>>(
    titledObject(`Counted${schemaTitle(entryKind)}`, `The stored ${entryKind.label}.`, {
      ...entryFields(entryKind),
      listingsCount: integerType('Listings that use it, drafts included.', 12),
      ...(entryKind.kind === 'tag'
        ? {
            shown: booleanType('Whether readers see it: an operator made it, or a published listing carries it.', true),
          }
        : {}),
    }),
  )

const countedExample = (entryKind: EntryKind) => ({
  ...entryKind.example,
  listingsCount: 12,
  ...(entryKind.kind === 'tag' ? { shown: true } : {}),
})

const countedTerm = <K extends TermKind>(kind: K, term: Record<string, unknown> & reading.Uses & { slug: string }) => ({
  ...toRecord(kind, term),
  listingsCount: term.listingsCount,
  // The schema of a category leaves it out.
  shown: !term.submitted || term.publishedCount > 0,
})

export const listTerms = <K extends TermKind>(entryKind: EntryKind<K>) =>
  operation({
    name: `list_${entryKind.label.replace(' ', '_')}_entries`,
    summary: `List ${plural(entryKind)} as they are stored`,
    description: `All ${plural(entryKind)} by name, with how many listings use each, drafts included.`,
    group: entryKind.group,
    access: 'operator',
    method: 'GET',
    path: entryKind.path,
    parameters: Type.Object({ ...termFilters, ...listPage }),
    data: Type.Array(countedTermSchema(entryKind)),
    example: { success: true, data: [countedExample(entryKind)] },
    run: async (ctx, input) => {
      const found = await reading.listTermsWithUses(ctx.db, entryKind.kind, input, input.limit, offsetOf(input))
      return { data: found.map((term) => countedTerm(entryKind.kind, term)) }
    },
  })

/** What the reads of a listing and of a term have in common. */
const commonParts = (entryKind: EntryKind) => ({
  name: `get_${entryKind.label.replace(' ', '_')}_entry`,
  summary: `One ${entryKind.label} as it is stored`,
  group: entryKind.group,
  access: 'operator' as const,
  method: 'GET' as const,
  path: `${entryKind.path}/:slug`,
  parameters: slugParameter(entryKind),
})

async function findEntry(ctx: Context, entryKind: EntryKind, slug: string) {
  const found = await findRecord(ctx.db, entryKind.kind, slug)
  if (!found) throw notFound(capitalised(entryKind.label))
  return found
}

export const getTerm = <K extends TermKind>(entryKind: EntryKind<K>) =>
  operation({
    ...commonParts(entryKind),
    description: `The ${entryKind.label}, and how many listings use it, drafts included.`,
    data: countedTermSchema(entryKind),
    example: { success: true, data: countedExample(entryKind) },
    run: async (ctx, { slug }) => {
      const found = await findEntry(ctx, entryKind, slug)
      return {
        data: countedTerm(entryKind.kind, { ...found, ...(await reading.countUses(ctx.db, entryKind.kind, slug)) }),
      }
    },
  })

export const getListing = <K extends ListedKind>(entryKind: EntryKind<K>) =>
  operation({
    ...commonParts(entryKind),
    description: `The ${entryKind.label} with everything that is stored of it, private fields included, published or not.`,
    data: entrySchema(entryKind),
    tool: {
      title: `One ${entryKind.label}`,
      description: `Everything that is stored of a ${entryKind.label}.`,
    },
    run: async (ctx, { slug }) => ({ data: toRecord(entryKind.kind, await findEntry(ctx, entryKind, slug)) }),
  })
