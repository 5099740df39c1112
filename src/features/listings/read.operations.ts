// Operator API: reading entries as they are stored, drafts and private fields included. Names differ from those of the catalog
// reads, which show the world less.
import { Type } from 'typebox'
import { notFound } from '../../kernel/errors.ts'
import { operation } from '../../kernel/operation.ts'
import { listPage, offsetOf } from '../../kernel/paging.ts'
import { type ListingNoun, NOUNS, type Noun, record, slugParameter, type TermNoun, titleOf } from './nouns.ts'
import { findRecord } from './queries.ts'
import * as reading from './read.queries.ts'
import { toRecord } from './rules.ts'
import { listingFilters, termFilters } from './schema.ts'

const [category, tag, directoryCategory, tool, directory] = NOUNS

const plural = ({ path }: { path: string }) => path.slice(1).replace('-', ' ')

const listListings = (noun: ListingNoun) =>
  operation({
    name: `list_${noun.one}_entries`,
    summary: `List ${plural(noun)} as they are stored`,
    description: `All ${plural(noun)}, drafts and private fields included, newest first.`,
    group: noun.group,
    access: 'operator',
    method: 'GET',
    path: noun.path,
    parameters: Type.Object({ ...listingFilters[noun.kind], ...listPage }),
    data: Type.Array(record(noun)),
    failures: [400],
    example: { success: true, data: [noun.example] },
    run: async (ctx, input) => {
      const filter = input as reading.ListingFilter
      const rows = await reading.listListings(ctx.db, noun.kind, filter, input.limit, offsetOf(input))
      return { data: rows.map((row) => toRecord(noun.kind, row)) }
    },
  })

const counted = (noun: Noun) =>
  Type.Object(
    {
      ...record(noun).properties,
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
  )

const counts = (noun: Noun) => ({
  ...noun.example,
  listingsCount: 12,
  ...(noun.kind === 'tag' ? { shown: true } : {}),
})

const marked = (kind: TermNoun['kind'], term: Record<string, unknown> & reading.Uses & { slug: string }) => ({
  ...toRecord(kind, term),
  shown: !term.submitted || term.publishedCount > 0,
})

const listTerms = (noun: TermNoun) =>
  operation({
    name: `list_${noun.one.replace(' ', '_')}_entries`,
    summary: `List ${plural(noun)} as they are stored`,
    description: `All ${plural(noun)} by name, with how many listings use each, drafts included.`,
    group: noun.group,
    access: 'operator',
    method: 'GET',
    path: noun.path,
    parameters: Type.Object({ ...termFilters, ...listPage }),
    data: Type.Array(counted(noun)),
    failures: [400],
    example: { success: true, data: [counts(noun)] },
    run: async (ctx, input) => {
      const { q } = input as { q?: string }
      const found = await reading.listTerms(ctx.db, noun.kind, q, input.limit, offsetOf(input))
      return { data: found.map((term) => marked(noun.kind, term)) }
    },
  })

const get = (noun: ListingNoun | TermNoun) => {
  const kind = noun.kind
  const isTerm = kind !== 'tool' && kind !== 'directory'
  return operation({
    name: `get_${noun.one.replace(' ', '_')}_entry`,
    summary: `One ${noun.one} as it is stored`,
    description: isTerm
      ? `The ${noun.one}, and how many listings use it, drafts included.`
      : `The ${noun.one} with everything that is stored of it, private fields included, published or not.`,
    group: noun.group,
    access: 'operator',
    method: 'GET',
    path: `${noun.path}/:slug`,
    parameters: slugParameter(noun),
    data: isTerm ? counted(noun) : record(noun),
    failures: [404],
    example: { success: true, data: isTerm ? counts(noun) : noun.example },
    run: async (ctx, { slug }) => {
      const found = await findRecord(ctx.db, kind, slug)
      if (!found) throw notFound(`${noun.one[0]!.toUpperCase()}${noun.one.slice(1)}`)
      return {
        data: isTerm
          ? marked(kind, { ...found, ...(await reading.countUses(ctx.db, kind, slug)) })
          : toRecord(kind, found),
      }
    },
  })
}

export const readOperations = [
  ...[category, tag, directoryCategory].flatMap((noun) => [listTerms(noun), get(noun)]),
  ...[tool, directory].flatMap((noun) => [listListings(noun), get(noun)]),
]
