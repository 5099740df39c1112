// Operator API: reading entries as they are stored, drafts and private fields included. Names differ from those of the catalog
// reads, which show the world less.
import { Type } from 'typebox'
import type { Context } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { operation } from '../../kernel/operation.ts'
import { listPage, offsetOf } from '../../kernel/paging.ts'
import type { ListedKind, TermKind } from '../catalog/schema.ts'
import { entryFields, entrySchema, type Noun, slugParameter, titleOf } from './entry-kinds.ts'
import { findRecord } from './queries.ts'
import * as reading from './read.queries.ts'
import { toRecord } from './rules.ts'
import { filtersOfListings, type StoredEntry, termFilters } from './schema.ts'

const plural = ({ path }: { path: string }) => path.slice(1).replace('-', ' ')

export const listListings = <K extends ListedKind>(noun: Noun<K>) =>
  operation({
    name: `list_${noun.one}_entries`,
    summary: `List ${plural(noun)} as they are stored`,
    description: `All ${plural(noun)}, drafts and private fields included, newest first.`,
    group: noun.group,
    access: 'operator',
    method: 'GET',
    path: noun.path,
    parameters: Type.Object({ ...filtersOfListings(noun.kind), ...listPage }),
    data: Type.Array(entrySchema(noun)),
    failures: [400],
    example: { success: true, data: [noun.example] },
    run: async (ctx, input) => {
      const filter = input as reading.ListingFilter
      const rows = await reading.listListings(ctx.db, noun.kind, filter, input.limit, offsetOf(input))
      return { data: rows.map((row) => toRecord(noun.kind, row)) }
    },
  })

/** `shown`, of tags: whether readers see it. */
export type CountedTerm<K extends TermKind> = StoredEntry<K> & { listingsCount: number; shown?: boolean }

const countedTerm = <K extends TermKind>(noun: Noun<K>) =>
  Type.Unsafe<CountedTerm<K>>(
    Type.Object(
      {
        ...entryFields(noun),
        listingsCount: Type.Integer({ description: 'Listings that use it, drafts included.', examples: [12] }),
        ...(noun.kind === 'tag'
          ? {
              shown: Type.Boolean({
                description: 'Whether readers see it: an operator made it, or a published listing carries it.',
                examples: [true],
              }),
            }
          : {}),
      },
      { title: `Counted${titleOf(noun)}`, description: `The stored ${noun.one}.` },
    ),
  )

const counts = (noun: Noun) => ({
  ...noun.example,
  listingsCount: 12,
  ...(noun.kind === 'tag' ? { shown: true } : {}),
})

const marked = <K extends TermKind>(kind: K, term: Record<string, unknown> & reading.Uses & { slug: string }) => ({
  ...toRecord(kind, term),
  listingsCount: term.listingsCount,
  shown: !term.submitted || term.publishedCount > 0,
})

export const listTerms = <K extends TermKind>(noun: Noun<K>) =>
  operation({
    name: `list_${noun.one.replace(' ', '_')}_entries`,
    summary: `List ${plural(noun)} as they are stored`,
    description: `All ${plural(noun)} by name, with how many listings use each, drafts included.`,
    group: noun.group,
    access: 'operator',
    method: 'GET',
    path: noun.path,
    parameters: Type.Object({ ...termFilters, ...listPage }),
    data: Type.Array(countedTerm(noun)),
    failures: [400],
    example: { success: true, data: [counts(noun)] },
    run: async (ctx, input) => {
      const { q } = input as { q?: string }
      const found = await reading.listTerms(ctx.db, noun.kind, q, input.limit, offsetOf(input))
      return { data: found.map((term) => marked(noun.kind, term)) }
    },
  })

const getEntry = (noun: Noun) => ({
  name: `get_${noun.one.replace(' ', '_')}_entry`,
  summary: `One ${noun.one} as it is stored`,
  group: noun.group,
  access: 'operator' as const,
  method: 'GET' as const,
  path: `${noun.path}/:slug`,
  parameters: slugParameter(noun),
  failures: [404] as const,
})

async function findEntry(ctx: Context, noun: Noun, slug: string) {
  const found = await findRecord(ctx.db, noun.kind, slug)
  if (!found) throw notFound(`${noun.one[0]!.toUpperCase()}${noun.one.slice(1)}`)
  return found
}

export const getTerm = <K extends TermKind>(noun: Noun<K>) =>
  operation({
    ...getEntry(noun),
    description: `The ${noun.one}, and how many listings use it, drafts included.`,
    data: countedTerm(noun),
    example: { success: true, data: counts(noun) },
    run: async (ctx, { slug }) => {
      const found = await findEntry(ctx, noun, slug)
      return { data: marked(noun.kind, { ...found, ...(await reading.countUses(ctx.db, noun.kind, slug)) }) }
    },
  })

export const getListing = <K extends ListedKind>(noun: Noun<K>) =>
  operation({
    ...getEntry(noun),
    description: `The ${noun.one} with everything that is stored of it, private fields included, published or not.`,
    data: entrySchema(noun),
    example: { success: true, data: noun.example },
    run: async (ctx, { slug }) => ({ data: toRecord(noun.kind, await findEntry(ctx, noun, slug)) }),
  })
