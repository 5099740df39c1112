// Operator API: runs a search as readers do, and explains the place of each listing, or why it is not found.
import { type Static, Type } from 'typebox'
import type { Context } from '../../../kernel/context.ts'
import { notFound, unfit } from '../../../kernel/errors.ts'
import { operation } from '../../../kernel/operation.ts'
import {
  booleanType,
  integerType,
  numberType,
  objectType,
  oneOf,
  stringType,
  titledObject,
} from '../../../kernel/schema.ts'
import { capitalised } from '../../../kernel/values/text.ts'
import { type ExplainedDocument, type ExplainedPlace, WORD_USES } from '../../../search/index.ts'
import type { Snapshot } from '../../catalog/memory/snapshot.ts'
import { directoryQuestion, searchDirectories, searchTools, toolQuestion } from '../../catalog/operations.ts'
import { askIndex } from '../../catalog/questions/question.ts'
import { DIRECTORY_ORDERS, LISTED_KINDS, type ListedKind, TOOL_ORDERS, TOPIC } from '../../catalog/schema.ts'
import type { OpenedListings } from '../../learning/learned.ts'
import { roundedCount } from '../../learning/rules.ts'
import { findRecord } from '../queries.ts'
import { FIELDS, NOT_FOUND_REASONS, NOT_LOADED, QUALITIES, sentenceOf } from './explain-search.rules.ts'

const quality = oneOf(QUALITIES, 'How the word matches.', 'exact')
const meaningPart = titledObject('MeaningPoints', 'What the meaning of the listing adds to its score.', {
  cosine: numberType('Nearness to the question, from -1 to 1.', 0.42),
  points: integerType('What it adds to the score.', 9240),
})
const wordPoints = titledObject('WordPoints', 'A word of the question in a listing.', {
  word: stringType('The word of the question.', 'notes'),
  term: stringType('The word of the listing.', 'notes'),
  field: oneOf(
    FIELDS,
    'Where it is: the name; tagline, category or tags; the description or the search words.',
    'name',
  ),
  quality,
  rarity: Type.Optional(integerType('In a partial match: the rarity of the word, in thousandths.', 5120)),
  points: integerType('What it adds to the score.', 1003),
})

const scoreFields = Type.Partial(
  Type.Object({
    score: integerType(
      'Of a partial match in thousandths; scores of full and partial matches are not comparable.',
      2006,
    ),
    words: Type.Array(wordPoints, { description: 'The words of the question that it has.' }),
    wholeName: integerType('Points because the question is its whole name.', 0),
    preferred: integerType(
      'Points of a full match for what the question prefers: free ones, a category, the words of asking.',
      0,
    ),
    meaning: meaningPart,
    endpoint: meaningPart,
    opened: numberType(
      'How many callers opened it after this question, less with time. It adds no points, but moves the listing before those that are opened clearly less, at most two places.',
      7.5,
    ),
  }),
).properties

const matchSchema = oneOf(['full', 'partial', 'none'], 'none: it is not found.', 'full')

const hitSchema = Type.Object({
  place: integerType('Counted from 1.', 1),
  slug: stringType('Slug of the listing.', 'acme-writer'),
  name: stringType('Name of the listing.', 'Acme Writer'),
  match: matchSchema,
  ...scoreFields,
})
const namedListingSchema = objectType('The listing that was named; only with listing.', {
  slug: stringType('Slug of the listing.', 'acme-writer'),
  place: Type.Optional(integerType('Counted from 1; missing when it is not found.', 1)),
  match: matchSchema,
  ...scoreFields,
  lacks: Type.Array(Type.String(), { description: 'The words that it lacks for a full match.', examples: [['zoom']] }),
  reasons: Type.Array(
    Type.Object({
      reason: oneOf(NOT_FOUND_REASONS, 'The reason, for programs.', 'words_missing'),
      detail: stringType('The reason in a sentence.', 'It is no full match, because it lacks: zoom.'),
    }),
    { description: 'Why it is not found; empty when it is.' },
  ),
})
const wordSchema = Type.Object({
  word: stringType('The word.', 'notes'),
  use: oneOf(
    WORD_USES,
    'counted: in full and partial matches. function: not at all. asking: only for the order of full matches. The others are needed for a full match and do not count in a partial one: common, short (only longer words begin with it) and unknown (no listing has it).',
    'counted',
  ),
  partOf: Type.Optional(stringType('The word that was typed, when it was split in two.', 'elevenlabs')),
  joined: Type.Array(Type.String(), { description: 'Written as one with a neighbour, where listings have that.' }),
  rarity: Type.Optional(integerType('Its rarity in the catalog, in thousandths.', 5120)),
  terms: Type.Array(Type.Object({ term: stringType('A word of listings.', 'notes'), quality }), {
    description: 'What it matches in the catalog, the best first, at most ten.',
  }),
})

const { fields: _, sort: _toolOrder, ...toolFilters } = searchTools.parameters.properties
const { fields: __, sort: _directoryOrder, ...directoryFilters } = searchDirectories.parameters.properties
const FILTERS: Record<ListedKind, readonly string[]> = {
  tool: Object.keys(toolFilters),
  directory: Object.keys(directoryFilters),
}
const ORDERS: Record<ListedKind, readonly string[]> = { tool: TOOL_ORDERS, directory: DIRECTORY_ORDERS }
const parameters = Type.Object({
  kind: oneOf(LISTED_KINDS, { default: 'tool', description: 'What to search: tool by default.', examples: ['tool'] }),
  explain: Type.Optional(booleanType('true adds why each listing is found.', true)),
  listing: Type.Optional(
    stringType(
      'With explain=true: slug of a listing, published or not, whose place or reasons are given.',
      'acme-writer',
    ),
  ),
  ...directoryFilters,
  ...toolFilters,
  sort: Type.Optional(
    oneOf([...new Set([...TOOL_ORDERS, ...DIRECTORY_ORDERS])], 'Order, as in the search of that kind.', 'newest'),
  ),
})
type Input = Static<typeof parameters>

export const explainSearch = operation({
  name: 'explain_search',
  summary: 'A search, and why it finds what it finds',
  description:
    'The hits of the public search with the same filters. With explain=true: the words of the question and how they are used, the parts of each score, and for a listing that is named its place or why it is not found.',
  group: 'Listings',
  access: 'operator',
  method: 'GET',
  path: '/search',
  parameters,
  data: Type.Object({
    total: integerType('The number of matches on all pages.', 1),
    full: integerType('How many of them match fully; they come first.', 1),
    understood: Type.Optional(
      stringType('What was understood of the question, as in X-Catalog-Understood.', 'pricing=FREE'),
    ),
    ranking: Type.Optional(
      oneOf(
        ['words'],
        'Only when the embedding endpoint gave no vector of the question in time: partial matches are ranked without it.',
        'words',
      ),
    ),
    hits: Type.Array(hitSchema, { description: 'The hits of the page.' }),
    words: Type.Optional(Type.Array(wordSchema, { description: 'The words of the question.' })),
    listing: Type.Optional(namedListingSchema),
  }),
  failures: [400, 404],
  example: {
    success: true,
    data: { total: 1, full: 1, hits: [{ place: 1, slug: 'acme-writer', name: 'Acme Writer', match: 'full' }] },
  },
  run: async (ctx, input) => {
    checkFilters(input)
    const { kind, q, page, limit, explain, listing } = input
    const snapshot = ctx.catalog.snapshot()
    const { index, idOf, openedAfter } = snapshot[TOPIC[kind]]
    const opened = openedAfter?.(q ?? '')
    const offset = (page - 1) * limit
    const question = { ...questionOf(snapshot, input), offset }
    const { query, result: byWords, understood } = askIndex(kind, snapshot[TOPIC[kind]], snapshot.taxonomy, question)
    const { nearness, ranking } = await askEndpoint(ctx, byWords.full < byWords.total ? q : undefined)
    const id = listing === undefined ? undefined : idOf.get(listing)
    const { items, total, words, documents, named } = index.explain({ ...query, nearness }, id)
    const { full } = byWords
    const summary = { total, full, ranking, ...(understood && { understood }) }
    const hits = items.map(({ slug, json }, at) => ({
      place: offset + at + 1,
      slug,
      name: JSON.parse(json.toString()).name as string,
      match: offset + at < full ? ('full' as const) : ('partial' as const),
      ...(explain && documents[at] ? { ...partsOf(documents[at]), opened: openedBy(opened, idOf.get(slug)) } : {}),
    }))
    if (!explain) return { data: { ...summary, hits } }
    const found = listing === undefined ? undefined : await namedListing(ctx, kind, listing, named)
    return {
      data: {
        ...summary,
        hits,
        words: words.map((one) => ({
          ...one,
          terms: one.terms.map(({ term, quality }) => ({ term, quality: qualityName(quality) })),
        })),
        ...(found && { listing: found }),
      },
    }
  },
})

/** As in the public search, the embedding endpoint is asked only when there are partial matches to rank and vectors to compare. */
async function askEndpoint({ meaning }: Context, question: string | undefined) {
  if (!meaning || meaning.size() === 0 || question === undefined) return {}
  const nearness = await meaning.ask(question)
  return nearness ? { nearness } : { ranking: 'words' as const }
}

/** The parameters of the public search of that kind. */
function questionOf(snapshot: Snapshot, { kind, sort, ...input }: Input) {
  const orderIn = <T extends string>(orders: readonly T[]) => orders.find((order) => order === sort)
  return kind === 'tool'
    ? toolQuestion(snapshot, { ...input, sort: orderIn(TOOL_ORDERS) })
    : directoryQuestion(snapshot, { ...input, sort: orderIn(DIRECTORY_ORDERS) })
}

function checkFilters({ kind, explain, listing, ...input }: Input): void {
  const others = FILTERS[kind === 'tool' ? 'directory' : 'tool'].filter((name) => !FILTERS[kind].includes(name))
  const given = others.find((name) => Object.entries(input).some(([key, value]) => key === name && value !== undefined))
  if (given) throw unfit(`${given} is no filter of kind=${kind}. Leave it out, or search the other kind.`, given)
  if (input.sort !== undefined && !ORDERS[kind].includes(input.sort))
    throw unfit(`sort of kind=${kind} is one of ${ORDERS[kind].join(', ')}.`, 'sort')
  if (listing !== undefined && !explain)
    throw unfit('listing needs explain=true. Add it, or leave listing out.', 'listing')
}

const openedBy = (opened: OpenedListings | undefined, id = ''): number | undefined => {
  const count = opened?.get(id)
  return count && roundedCount(count)
}

const qualityName = (quality: number) => QUALITIES[quality] ?? 'exact'

const partsOf = ({ score, hits, wholeName, preferred, meaning, nearness }: ExplainedDocument) => ({
  score,
  words: hits.map((one) => ({ ...one, quality: qualityName(one.quality), field: FIELDS[one.field] ?? 'description' })),
  wholeName,
  preferred,
  meaning,
  endpoint: nearness,
})

/** `place`: what the index says of the listing; undefined when the listing is not in the memory of this process. */
async function namedListing(ctx: Context, kind: ListedKind, slug: string, place: ExplainedPlace | undefined) {
  if (!place) return { slug, match: 'none' as const, lacks: [], reasons: [await whyNotInMemory(ctx, kind, slug)] }
  const { document, lacks, reasons } = place
  return {
    slug,
    place: place.place,
    match: document.match,
    lacks,
    ...partsOf(document),
    reasons: reasons.map((reason) => ({ reason: reason.reason, detail: sentenceOf(reason) })),
  }
}

async function whyNotInMemory(ctx: Context, kind: ListedKind, slug: string) {
  const row = await findRecord(ctx.db, kind, slug)
  if (!row) throw notFound(capitalised(kind))
  const broken = ctx.brokenRows.list().find((one) => one.kind === kind && one.name === slug)
  if (broken) {
    const detail = `Its stored row is broken, so readers are not shown it. ${broken.reason}`
    return { reason: 'broken' as const, detail }
  }
  if (row.published) return { reason: 'not_loaded' as const, detail: NOT_LOADED }
  return { reason: 'unpublished' as const, detail: 'It is not published. Publish it, and readers find it.' }
}
