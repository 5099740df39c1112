// The eight catalog operations, the same over REST and MCP.
import { Type } from 'typebox'
import { operation } from '../../kernel/operation.ts'
import { exampleOf, oneOf } from '../../kernel/schema.ts'
import { conditions, includesAdult, NSFW } from './conditions.ts'
import { fieldsParameter, readFields, selectFields } from './fields.ts'
import { cachedAnswer, findPage, findTerms, oneListing, wholeQuestion, writeList } from './reads.ts'
import { byName } from './rules.ts'
import * as schema from './schema.ts'
import { searchAnswer } from './search-answer.ts'

const q = Type.String({
  // A longer search is a mistake, and each word costs time.
  maxLength: 500,
  description:
    'Words to look for, or a question in a sentence. Case and accents are ignored, other English forms and longer words that begin with a word match too, and small typos are forgiven.',
  examples: ['meeting notes'],
})
const match = Type.Optional(
  oneOf(['full', 'partial'], {
    description:
      'full: only listings that match every word. partial, or omitted: when few match every word, the best partial matches follow.',
    examples: ['full'],
  }),
)
const page = Type.Integer({ minimum: 1, default: 1, description: 'Page, counted from 1.', examples: [1] })
const limit = (standard: number, maximum: number) =>
  Type.Integer({
    minimum: 1,
    default: standard,
    maximum,
    description: `Items to return: ${standard} by default, ${maximum} at most (a larger number is clamped).`,
    examples: [standard],
  })
const slug = (of: string, example: string) => Type.String({ description: `Slug of the ${of}.`, examples: [example] })
const featured = Type.Optional(
  Type.Boolean({ description: 'true: only featured entries; false: only the others.', examples: [true] }),
)
const includeAdult = Type.Optional(Type.Boolean({ description: 'true includes adult listings.', examples: [false] }))
const toolCategory = Type.Optional(
  Type.String({
    description: 'Slug of a category, as list_categories (GET /categories) gives it; nsfw opts in to adult listings.',
    examples: ['writing'],
  }),
)

export const searchTools = operation({
  name: 'search_tools',
  summary: 'Search AI tools',
  description:
    'Published AI tool listings that match every given condition, the most relevant first when q is given and the newest first otherwise. When fewer than five match every word of q, the best partial matches follow (at most 100 in all), and the header X-Catalog-Match is partial. Adult listings are left out unless includeAdult=true, category=nsfw, or an adult tag is named.',
  group: 'Catalog',
  access: 'catalog',
  method: 'GET',
  path: '/tools',
  parameters: Type.Object({
    q: Type.Optional(q),
    category: toolCategory,
    tag: Type.Optional(
      Type.String({
        description: 'Slug of a tag, as list_tags (GET /tags) gives it; an adult tag opts in to adult listings.',
        examples: ['api'],
      }),
    ),
    pricing: Type.Optional(schema.pricing),
    featured,
    includeAdult,
    match,
    fields: fieldsParameter,
    page,
    limit: limit(20, 100),
  }),
  data: Type.Array(schema.toolSchema),
  paged: true,
  failures: [400],
  example: {
    success: true,
    data: [exampleOf(schema.toolSchema)],
    pagination: { page: 1, limit: 20, total: 1, pages: 1 },
  },
  tool: {
    title: 'Search AI tools',
    description:
      'Find AI products (apps, APIs, services) by what they do, category, tag or pricing. Use this when someone asks which AI tool does something, wants alternatives, or names a product without its exact slug. ' +
      'Give words or the whole question in q; the best match comes first. Returns a page of summaries with the total; use get_tool with a slug for screenshots, FAQs and features. ' +
      'For sites where a product can be submitted or launched use search_directories instead.',
    omit: ['includeAdult', 'match'],
  },
  run: (ctx, input) =>
    searchAnswer(ctx, 'search_tools', input, ({ tools, taxonomy }, nearness) => {
      const { q, category, tag, pricing, featured, page, limit } = input
      const fields = readFields(schema.toolSchema, input.fields)
      const query = {
        q,
        limit,
        nearness,
        partial: input.match !== 'full',
        ...conditions({ category, tag, pricing }, featured, includesAdult(taxonomy, input)),
      }
      const question = wholeQuestion('tools', input, [category, tag, pricing, featured])
      return findPage(tools, query, page, fields, question)
    }),
})

export const getTopTools = operation({
  name: 'get_top_tools',
  summary: 'Most opened AI tools',
  description:
    'Published AI tool listings ordered by opens, highest first. Adult listings are left out unless includeAdult=true or category=nsfw.',
  group: 'Catalog',
  access: 'catalog',
  method: 'GET',
  path: '/tools/top',
  parameters: Type.Object({ limit: limit(10, 100), category: toolCategory, includeAdult, fields: fieldsParameter }),
  data: Type.Array(schema.toolSchema),
  failures: [400],
  example: { success: true, data: [exampleOf(schema.toolSchema)] },
  tool: {
    title: 'Most opened AI tools',
    description:
      'The most popular AI tools by click-throughs, optionally within one category. Use this for "best", "top" or "most popular" questions without a specific need; use search_tools when the need can be put in words.',
    omit: ['includeAdult'],
  },
  run: (ctx, input) =>
    cachedAnswer(ctx.catalog, 'get_top_tools', input, ({ tools }) => {
      const adult = input.includeAdult === true || input.category === NSFW
      const fields = readFields(schema.toolSchema, input.fields)
      const query = {
        order: 'popular-then-newest',
        offset: 0,
        limit: input.limit,
        ...conditions({ category: input.category }, undefined, adult),
      } as const
      return writeList(tools.index.find(query).items.map(({ json }) => selectFields(json, fields)))
    }),
})

export const getTool = operation({
  name: 'get_tool',
  summary: 'One AI tool',
  description:
    'One published listing with screenshots, video, socials, faqs, features and affiliateLink. Adult listings are found too: naming one is opting in.',
  group: 'Catalog',
  access: 'catalog',
  method: 'GET',
  path: '/tools/:slug',
  parameters: Type.Object({ slug: slug('tool', 'acme-writer'), fields: fieldsParameter }),
  data: schema.toolDetailSchema,
  failures: [400, 404],
  example: { success: true, data: exampleOf(schema.toolDetailSchema) },
  tool: {
    title: 'One AI tool in detail',
    description:
      'Everything about one AI tool: description, pricing, features, FAQs, screenshots, social profiles. Needs the exact slug, as returned by search_tools or get_top_tools; do not guess it.',
  },
  run: (ctx, input) =>
    cachedAnswer(ctx.catalog, 'get_tool', input, ({ tools }) =>
      oneListing(tools, input.slug, 'Tool', readFields(schema.toolDetailSchema, input.fields)),
    ),
})

export const listCategories = operation({
  name: 'list_categories',
  summary: 'Categories of AI tools',
  description: 'All categories by name, each with the number of published listings in it.',
  group: 'Catalog',
  access: 'catalog',
  method: 'GET',
  path: '/categories',
  parameters: Type.Object({ q: Type.Optional(q), limit: limit(500, 500) }),
  data: Type.Array(schema.categorySchema),
  failures: [400],
  example: {
    success: true,
    data: [
      {
        slug: 'writing',
        name: 'Writing',
        description: 'Drafting, editing and translating text.',
        icon: '✍️',
        toolsCount: 42,
      },
    ],
  },
  tool: {
    title: 'Categories of AI tools',
    description:
      'The categories that AI tools are sorted into, with counts. Call this to learn the slugs that the category input of search_tools and get_top_tools takes.',
  },
  run: (ctx, input) =>
    cachedAnswer(ctx.catalog, 'list_categories', input, ({ tools, taxonomy }) =>
      writeList(findTerms(taxonomy.categories, 'category', tools, input.q, input.limit), schema.categorySchema),
    ),
})

export const listTags = operation({
  name: 'list_tags',
  summary: 'Tags of AI tools',
  description: 'All tags by name, each with the number of published listings that carry it.',
  group: 'Catalog',
  access: 'catalog',
  method: 'GET',
  path: '/tags',
  parameters: Type.Object({ q: Type.Optional(q), limit: limit(500, 500) }),
  data: Type.Array(schema.tagSchema),
  failures: [400],
  example: { success: true, data: [{ slug: 'api', name: 'API', toolsCount: 17 }] },
  tool: {
    title: 'Tags of AI tools',
    description:
      'The tags that AI tools carry, with counts. Call this to learn the slugs that the tag input of search_tools takes; narrow a long list with q.',
  },
  run: (ctx, input) =>
    cachedAnswer(ctx.catalog, 'list_tags', input, ({ tools, taxonomy }) =>
      writeList(findTerms(taxonomy.tags, 'tag', tools, input.q, input.limit), schema.tagSchema),
    ),
})

export const searchDirectories = operation({
  name: 'search_directories',
  summary: 'Search submission directories',
  description:
    'Startup and SaaS submission directories that match every given condition, the most relevant first when q is given and by Domain Rating otherwise. When fewer than five match every word of q, the best partial matches follow (at most 100 in all), and the header X-Catalog-Match is partial.',
  group: 'Catalog',
  access: 'catalog',
  method: 'GET',
  path: '/directories',
  parameters: Type.Object({
    q: Type.Optional(q),
    category: Type.Optional(
      Type.String({
        description: 'Slug of a directory category, as list_directory_categories (GET /directory-categories) gives it.',
        examples: ['saas'],
      }),
    ),
    cost: Type.Optional(schema.cost),
    featured,
    match,
    fields: fieldsParameter,
    page,
    limit: limit(20, 100),
  }),
  data: Type.Array(schema.directorySchema),
  paged: true,
  failures: [400],
  example: {
    success: true,
    data: [exampleOf(schema.directorySchema)],
    pagination: { page: 1, limit: 20, total: 1, pages: 1 },
  },
  tool: {
    title: 'Search submission directories',
    description:
      'Find directories and launch platforms where a startup, SaaS or AI product can be submitted, with Domain Rating, cost, traffic and whether a backlink badge is demanded. Use this for questions about where to launch, list or promote a product or how to get backlinks. ' +
      'Without q the strongest Domain Rating comes first. Use get_directory with a slug for deals, use cases and FAQs.',
    omit: ['match'],
  },
  run: (ctx, input) =>
    searchAnswer(ctx, 'search_directories', input, ({ directories }, nearness) => {
      const { q, category, cost, featured, page, limit } = input
      const query = {
        q,
        limit,
        nearness,
        partial: input.match !== 'full',
        ...conditions({ category, cost }, featured, true),
      }
      const fields = readFields(schema.directorySchema, input.fields)
      const question = wholeQuestion('directories', input, [category, cost, featured])
      return findPage(directories, query, page, fields, question)
    }),
})

export const getDirectory = operation({
  name: 'get_directory',
  summary: 'One submission directory',
  description: 'One directory with fullDescription, features, useCases, faq, deal, frame and socials.',
  group: 'Catalog',
  access: 'catalog',
  method: 'GET',
  path: '/directories/:slug',
  parameters: Type.Object({ slug: slug('directory', 'launch-list'), fields: fieldsParameter }),
  data: schema.directoryDetailSchema,
  failures: [400, 404],
  example: { success: true, data: exampleOf(schema.directoryDetailSchema) },
  tool: {
    title: 'One submission directory in detail',
    description:
      'Everything about one submission directory: full description, features, use cases, FAQ and a deal if there is one. Needs the exact slug, as returned by search_directories.',
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
  group: 'Catalog',
  access: 'catalog',
  method: 'GET',
  path: '/directory-categories',
  parameters: Type.Object({}),
  data: Type.Array(schema.directoryCategorySchema),
  example: { success: true, data: [{ slug: 'saas', name: 'SaaS' }] },
  tool: {
    title: 'Categories of submission directories',
    description:
      'The categories that submission directories are sorted into. Call this to learn the slugs that the category input of search_directories takes.',
  },
  run: (ctx, input) =>
    cachedAnswer(ctx.catalog, 'list_directory_categories', input, ({ taxonomy }) =>
      writeList([...taxonomy.directoryCategories.values()].sort(byName), schema.directoryCategorySchema),
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
