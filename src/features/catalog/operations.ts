// The eight catalog operations, which clients call over REST and MCP.
import { type Static, Type } from 'typebox'
import { operationsFor } from '../../kernel/operation.ts'
import { booleanType, integerType, numberType, oneOf, stringType } from '../../kernel/schema.ts'
import { cachedAnswer, searchAnswer } from './answer-cache.ts'
import { fieldsParameter, readFields, selectFields } from './fields.ts'
import type { Snapshot } from './memory/snapshot.ts'
import {
  DIRECTORY_INDEX_ORDERS,
  facetConditions,
  givenIn,
  includesAdult,
  linkTypes,
  rangesOf,
  slugsInCondition,
  TOOL_INDEX_ORDERS,
  toolTerms,
} from './questions/conditions.ts'
import { HIGHEST_RATING } from './questions/facts.rules.ts'
import type { Question } from './questions/question.ts'
import { endedOf, findPage, findTerms, oneListing, searchCounting, writeList } from './reads.ts'
import * as schema from './schema.ts'
import { termsInOrder } from './terms/term-lists.ts'

const operation = operationsFor('catalog', 'Catalog')

const q = Type.String({
  // A longer search is a mistake, and each word costs time.
  maxLength: 500,
  description: 'Words or a question. Other forms of a word, longer words that begin with it and small typos match too.',
  examples: ['meeting notes'],
})
const searchHeaders = Type.Object({
  'X-Catalog-Match': oneOf(
    ['full', 'partial'],
    'full: every listing of the result matches every word of q. partial: some match a part of them.',
    'full',
  ),
  'X-Catalog-Understood': Type.Optional(
    stringType(
      'Only when q states facts that listings have in fields, or names a category or tag: what was understood, as filters separated by commas, each value percent-encoded.',
      'cost=Free, type=DoFollow, minDomainRating=60',
    ),
  ),
  'X-Catalog-Missing': Type.Optional(
    stringType(
      'Only when no listing matches every word of q: the words that no listing has, percent-encoded and separated by commas, at most five.',
      'zoom',
    ),
  ),
  'X-Catalog-Ranking': Type.Optional(
    Type.String({
      description:
        'Only when the result was ordered by its words alone, because the embedding endpoint gave no answer: words.',
      const: 'words',
      examples: ['words'],
    }),
  ),
})
const match = Type.Optional(
  oneOf(
    ['full', 'partial'],
    'full: only listings that match every word. partial, or omitted: when few match every word, the best partial matches follow.',
    'full',
  ),
)
const facts = Type.Optional(
  oneOf(
    ['on', 'off'],
    'off: q as words alone. on, or omitted: facts in q ("free", "DoFollow", "DR over 60") are conditions, too.',
    'off',
  ),
)
const sort = <const T extends readonly string[]>(orders: T) =>
  Type.Optional(oneOf(orders, 'Order. match, the default, is by relevance, or without q the usual order.', 'newest'))
const page = integerType('Page, from 1.', 1, { minimum: 1, default: 1 })
const limit = (standard: number, maximum: number) =>
  integerType(`Items, at most ${maximum}. ${standard} by default; a larger number counts as ${maximum}.`, standard, {
    minimum: 1,
    default: standard,
    maximum,
  })
const slug = (of: string, example: string) => stringType(`Slug of the ${of}.`, example)
const featured = Type.Optional(booleanType('true: only featured. false: only the others.', true))
const includeAdult = Type.Optional(booleanType('true includes adult listings.', false))
const toolCategory = Type.Optional(
  stringType(
    'From list_categories; several with commas. A slug or a name. Over REST that is GET /categories. nsfw opts in to adult listings.',
    'writing',
  ),
)

const toolParameters = Type.Object({
  q: Type.Optional(q),
  category: toolCategory,
  tag: Type.Optional(
    stringType(
      'From list_tags; several with commas. A slug or a name. Over REST that is GET /tags. An adult tag opts in to adult listings.',
      'api',
    ),
  ),
  pricing: Type.Optional(oneOf(schema.PRICING, "The product's own pricing.", 'FREEMIUM')),
  minRating: Type.Optional(numberType('Least average rating.', 4, { minimum: 0, maximum: 5 })),
  featured,
  includeAdult,
  match,
  facts,
  sort: sort(schema.TOOL_ORDERS),
  fields: fieldsParameter,
  page,
  limit: limit(20, 100),
})

/** The search that the parameters ask for. */
export function toolQuestion({ taxonomy }: Snapshot, input: Static<typeof toolParameters>): Omit<Question, 'offset'> {
  const { q, pricing, minRating, featured, sort, limit, facts } = input
  const terms = toolTerms(taxonomy, input)
  return {
    ...{ q, limit, facts },
    given: givenIn(input),
    partial: input.match !== 'full',
    ...facetConditions({ ...terms, pricing }, { featured, adult: includesAdult(taxonomy, terms, input.includeAdult) }),
    ranges: rangesOf({ minRating }),
    order: sort && TOOL_INDEX_ORDERS[sort],
  }
}

export const searchTools = operation({
  name: 'search_tools',
  summary: 'Search AI tools',
  description:
    'Published AI tool listings that match every given condition, the most relevant first when q is given and the newest first otherwise. When fewer than five match every word of q, the best partial matches follow (at most 100 in all), and the header X-Catalog-Match is partial. Adult listings are left out unless includeAdult=true, category=nsfw, or an adult tag is named.',
  method: 'GET',
  path: '/tools',
  parameters: toolParameters,
  data: Type.Array(schema.toolSchema),
  paged: true,
  answerHeaders: searchHeaders,
  tool: {
    hasView: true,
    description:
      'Find AI products by what they do, category, tag or pricing; best match first. ' +
      'get_tool has more about one. For a long list give fields, such as "name,website". For sites to submit a product to use search_directories.',
    omit: ['includeAdult', 'match'],
  },
  run: (ctx, input) =>
    searchAnswer(ctx, 'search_tools', input, (snapshot, nearness) => {
      const { category, tag, pricing, minRating, featured, page } = input
      const fields = readFields(schema.toolSchema, input.fields)
      const query = { ...toolQuestion(snapshot, input), nearness }
      const counting = searchCounting('tools', input, [category, tag, pricing, minRating, featured])
      return findPage('tool', snapshot, query, page, fields, counting)
    }),
})

export const getTopTools = operation({
  name: 'get_top_tools',
  summary: 'Most opened AI tools',
  description:
    'Published AI tool listings ordered by opens, highest first. Adult listings are left out unless includeAdult=true or category=nsfw.',
  method: 'GET',
  path: '/tools/top',
  parameters: Type.Object({ limit: limit(10, 100), category: toolCategory, includeAdult, fields: fieldsParameter }),
  data: Type.Array(schema.toolSchema),
  tool: {
    hasView: true,
    description:
      'The most opened AI tools, of all or one category, for the best or most popular. Otherwise use search_tools. For a long list give fields, such as "name,website".',
    omit: ['includeAdult'],
  },
  run: (ctx, input) =>
    cachedAnswer(ctx.catalog, 'get_top_tools', input, ({ tools, taxonomy }) => {
      const { category } = toolTerms(taxonomy, { category: input.category })
      const adult = includesAdult(taxonomy, { category }, input.includeAdult)
      const fields = readFields(schema.toolSchema, input.fields)
      const query = {
        order: 'popular-then-newest',
        offset: 0,
        limit: input.limit,
        ...facetConditions({ category }, { adult }),
      } as const
      return writeList(tools.index.find(query).items.map(({ json }) => selectFields(json, fields)))
    }),
})

export const getTool = operation({
  name: 'get_tool',
  summary: 'One AI tool',
  description:
    'One published listing with screenshots, video, socials, faqs, features and affiliateLink. Adult listings are found too: naming one is opting in.',
  method: 'GET',
  path: '/tools/:slug',
  parameters: Type.Object({ slug: slug('tool', 'acme-writer'), fields: fieldsParameter }),
  data: schema.toolDetailSchema,
  tool: {
    description:
      'Everything about one AI tool, with features, FAQs and screenshots. Needs the slug from a search; do not guess it.',
  },
  run: (ctx, input) =>
    cachedAnswer(ctx.catalog, 'get_tool', input, ({ tools }) => {
      const json = oneListing(tools, input.slug, 'Tool', readFields(schema.toolDetailSchema, input.fields))
      const ended = endedOf(tools, input.slug)
      return ended ? { json, note: ENDED_NOTES[ended] } : json
    }),
})

/** What an agent is told before the listing. */
const ENDED_NOTES: Record<schema.Ended, string> = {
  gone: 'This product is gone: its website no longer exists. Suggest another one.',
  parked: 'This product is gone: its domain is parked or for sale. Suggest another one.',
}

export const listCategories = operation({
  name: 'list_categories',
  summary: 'Categories of AI tools',
  description: 'All categories by name, each with the number of published listings in it.',
  method: 'GET',
  path: '/categories',
  parameters: Type.Object({ q: Type.Optional(q), limit: limit(500, 500) }),
  data: Type.Array(schema.categorySchema),
  tool: { description: 'The categories of AI tools, with counts. For category of search_tools and get_top_tools.' },
  run: (ctx, input) =>
    cachedAnswer(ctx.catalog, 'list_categories', input, ({ tools, taxonomy }) =>
      writeList(findTerms(taxonomy.categories, 'category', tools, input.q, input.limit), schema.categorySchema),
    ),
})

export const listTags = operation({
  name: 'list_tags',
  summary: 'Tags of AI tools',
  description: 'All tags by name, each with the number of published listings that carry it.',
  method: 'GET',
  path: '/tags',
  parameters: Type.Object({ q: Type.Optional(q), limit: limit(500, 500) }),
  data: Type.Array(schema.tagSchema),
  tool: { description: 'The tags of AI tools, with counts. For tag of search_tools.' },
  run: (ctx, input) =>
    cachedAnswer(ctx.catalog, 'list_tags', input, ({ tools, taxonomy }) =>
      writeList(findTerms(taxonomy.tags, 'tag', tools, input.q, input.limit), schema.tagSchema),
    ),
})

const directoryParameters = Type.Object({
  q: Type.Optional(q),
  category: Type.Optional(
    stringType(
      'From list_directory_categories; several with commas. A slug or a name. Over REST that is GET /directory-categories.',
      'saas',
    ),
  ),
  cost: Type.Optional(oneOf(schema.COST, 'What a submission costs.', 'Free')),
  type: Type.Optional(
    stringType('Link type. In any case; several have commas between them.', 'DoFollow', { maxLength: 100 }),
  ),
  badge: Type.Optional(oneOf(schema.BADGES, 'Backlink badge.', 'none')),
  minDomainRating: Type.Optional(numberType('Least Domain Rating.', 60, { minimum: 0, maximum: HIGHEST_RATING })),
  maxDomainRating: Type.Optional(numberType('Highest Domain Rating.', 80, { minimum: 0, maximum: HIGHEST_RATING })),
  minPrice: Type.Optional(numberType('Least price. It is compared with minimumPrice.', 10, { minimum: 0 })),
  maxPrice: Type.Optional(
    numberType('Highest price. It is compared with minimumPrice; a paid directory without a price is left out.', 50, {
      minimum: 0,
    }),
  ),
  featured,
  match,
  facts,
  sort: sort(schema.DIRECTORY_ORDERS),
  fields: fieldsParameter,
  page,
  limit: limit(20, 100),
})

/** The search that the parameters ask for. */
export function directoryQuestion(
  { taxonomy }: Snapshot,
  input: Static<typeof directoryParameters>,
): Omit<Question, 'offset'> {
  const { q, cost, badge, featured, sort, limit, facts } = input
  const category = slugsInCondition(taxonomy.directoryCategories, input.category)
  const type = linkTypes(input.type)
  return {
    ...{ q, limit, facts },
    given: givenIn({ ...input, type }),
    partial: input.match !== 'full',
    ...facetConditions({ category, cost, badge, type }, { featured, adult: true }),
    ranges: rangesOf(input),
    order: sort && DIRECTORY_INDEX_ORDERS[sort],
  }
}

export const searchDirectories = operation({
  name: 'search_directories',
  summary: 'Search submission directories',
  description:
    'Startup and SaaS submission directories that match every given condition, the most relevant first when q is given and by Domain Rating otherwise. When fewer than five match every word of q, the best partial matches follow (at most 100 in all), and the header X-Catalog-Match is partial.',
  method: 'GET',
  path: '/directories',
  parameters: directoryParameters,
  data: Type.Array(schema.directorySchema),
  paged: true,
  answerHeaders: searchHeaders,
  tool: {
    hasView: true,
    description:
      'Find directories and launch platforms to submit a product to. ' +
      'get_directory has more about one. For a long list give fields, such as "name,cost,domainRating".',
    omit: ['match', 'maxDomainRating', 'minPrice'],
  },
  run: (ctx, input) =>
    searchAnswer(ctx, 'search_directories', input, (snapshot, nearness) => {
      const { category, cost, type, badge, featured, page } = input
      const { minDomainRating, maxDomainRating, minPrice, maxPrice } = input
      const query = { ...directoryQuestion(snapshot, input), nearness }
      const fields = readFields(schema.directorySchema, input.fields)
      const counting = searchCounting('directories', input, [
        ...[category, cost, type, badge, featured],
        ...[minDomainRating, maxDomainRating, minPrice, maxPrice],
      ])
      return findPage('directory', snapshot, query, page, fields, counting)
    }),
})

export const getDirectory = operation({
  name: 'get_directory',
  summary: 'One submission directory',
  description: 'One directory with fullDescription, features, useCases, faq, deal, frame and socials.',
  method: 'GET',
  path: '/directories/:slug',
  parameters: Type.Object({ slug: slug('directory', 'launch-list'), fields: fieldsParameter }),
  data: schema.directoryDetailSchema,
  tool: {
    description:
      'Everything about one directory, with use cases, FAQ and any deal. Needs the slug from search_directories; do not guess it.',
  },
  run: (ctx, input) =>
    cachedAnswer(ctx.catalog, 'get_directory', input, ({ directories }) =>
      oneListing(directories, input.slug, 'Directory', readFields(schema.directoryDetailSchema, input.fields)),
    ),
})

export const listDirectoryCategories = operation({
  name: 'list_directory_categories',
  summary: 'Categories of submission directories',
  description:
    'All categories of submission directories by name; their slugs are what the category parameter of /directories takes.',
  method: 'GET',
  path: '/directory-categories',
  data: Type.Array(schema.directoryCategorySchema),
  tool: {
    title: 'Directory categories',
    description: 'The categories of directories. For category of search_directories.',
  },
  run: (ctx, input) =>
    cachedAnswer(ctx.catalog, 'list_directory_categories', input, ({ taxonomy }) =>
      writeList([...termsInOrder(taxonomy.directoryCategories)], schema.directoryCategorySchema),
    ),
})

export const catalogOperations = [
  searchTools,
  getTopTools,
  getTool,
  listCategories,
  listTags,
  searchDirectories,
  getDirectory,
  listDirectoryCategories,
]
