// The public shapes of the catalog. A field that is not in them is in no answer.
import { type Static, Type } from 'typebox'
import { nullable, nullableObject, oneOf, stringMap, timestamp } from '../../kernel/schema.ts'
import { capitalised } from '../../kernel/text.ts'

/**
 * Why readers do not see a listing: it was never published; an administrator unpublished it; or a partner submitted it for a website or
 * host whose listing was taken down before, and it waits for an administrator; or the partner that made it withdrew its submission.
 */
export const HIDDEN_REASONS = ['draft', 'taken-down', 'review', 'withdrawn'] as const

/** How a product ended: its website is gone, or its domain is parked or for sale (`features/health`). Such listings come last everywhere. */
export const ENDED = ['gone', 'parked'] as const
export type Ended = (typeof ENDED)[number]

export const PRICING = ['FREE', 'FREEMIUM', 'PAID'] as const
export type Pricing = (typeof PRICING)[number]
/** What pages and texts to copy say. */
export const PRICING_LABELS = { FREE: 'Free', FREEMIUM: 'Freemium', PAID: 'Paid' } as const satisfies Record<
  Pricing,
  string
>
export const COST = ['Free', 'Paid', 'Freemium'] as const
export type Cost = (typeof COST)[number]
/** The kinds of product that a directory may accept, and that a submission may be. */
/** Whether programs may enter products: what the terms or the robots.txt of a directory say. */
export const AUTOMATION = ['allowed', 'forbidden', 'unknown'] as const
export type Automation = (typeof AUTOMATION)[number]

export const PRODUCT_KINDS = ['web', 'mobile', 'extension', 'plugin', 'open-source', 'hardware'] as const
export type ProductKind = (typeof PRODUCT_KINDS)[number]
export const DEFAULT_KIND: ProductKind = 'web'
/** The language of a product that names none, and of every product on the site's page of plans. */
export const DEFAULT_LANGUAGE = 'en'
/** Whether a directory demands a badge, as a filter. */
export const BADGES = ['none', 'required'] as const
/** The link types that the site offers and questions name; a listing may have others. */
export const USUAL_LINK_TYPES = ['DoFollow', 'NoFollow'] as const
/** The orders of each catalog, by the name that readers choose them by. `match`: the order without a choice. */
export const TOOL_ORDERS = ['match', 'opens', 'rating', 'newest'] as const
export const DIRECTORY_ORDERS = ['match', 'domain-rating', 'visits', 'price', 'newest'] as const
/** Other names of orders of directories, which addresses of the site have. */
export const DIRECTORY_ORDER_ALIASES = { relevance: 'match', rating: 'domain-rating' } as const

/** The kinds of catalog entries. A kind comes after the kinds that it refers to. */
export const TERM_KINDS = ['category', 'tag', 'directoryCategory'] as const
export const LISTED_KINDS = ['tool', 'directory'] as const
export const KINDS = [...TERM_KINDS, ...LISTED_KINDS] as const
export type TermKind = (typeof TERM_KINDS)[number]
export type ListedKind = (typeof LISTED_KINDS)[number]
export type Kind = (typeof KINDS)[number]

/** The topic under which a change of an entry is announced to all processes. */
export const TOPIC = {
  category: 'categories',
  tag: 'tags',
  directoryCategory: 'directoryCategories',
  tool: 'tools',
  directory: 'directories',
} as const satisfies Record<Kind, string>

/** Limits of what may be written: far more than any product has, but small enough that one request cannot keep the service busy. */
export const SOCIALS = { most: 100, maxLength: 2000, maxNameLength: 1000 }
export const FEATURES = { most: 500, maxLength: 20_000, maxNameLength: 1000 }

const slug = (description: string, example: string) => Type.String({ description, examples: [example] })
const named = (what: string, example: { slug: string; name: string }) =>
  Type.Object(
    {
      slug: slug(`Slug of the ${what}.`, example.slug),
      name: Type.String({ description: `Name of the ${what}.`, examples: [example.name] }),
    },
    {
      title: `${capitalised(what.replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase()))}Name`,
      description: `The ${what}'s slug and name.`,
    },
  )

export const pricing = oneOf(PRICING, { description: "The product's own pricing.", examples: ['FREEMIUM'] })
export const cost = oneOf(COST, { description: 'What a submission costs.', examples: ['Free'] })

export const questionSchema = Type.Object(
  {
    question: Type.String({ description: 'The question.', examples: ['Is there a free plan?'] }),
    answer: Type.String({ description: 'Its answer.', examples: ['Yes, with 20 documents a month.'] }),
  },
  { title: 'Question', description: 'A question and its answer.' },
)

/** The same for bodies, with bounds for the length of each text. */
export const questionBody = Type.Object(
  {
    question: Type.String({ ...questionSchema.properties.question, maxLength: 1000 }),
    answer: Type.String({ ...questionSchema.properties.answer, maxLength: 20_000 }),
  },
  { title: 'QuestionBody', description: 'A question and its answer, as it is written.' },
)

export const categoryName = named('category', { slug: 'writing', name: 'Writing' })
export const tagName = named('tag', { slug: 'api', name: 'API' })

const toolFields = {
  id: Type.String({ description: 'Stable identifier.', examples: ['0199d2c4-7a10-7c3e-9f51-2b1f0c6f2a11'] }),
  slug: slug('Used in /tools/{slug}.', 'acme-writer'),
  name: Type.String({ description: 'Name of the tool.', examples: ['Acme Writer'] }),
  tagline: Type.String({ description: 'What it does, in a line.', examples: ['Drafts your mail in your own voice'] }),
  description: Type.String({
    description: 'What it does, at length.',
    examples: ['Acme Writer learns from your sent mail and …'],
  }),
  url: Type.String({
    description: "The listing page on this service's own site.",
    examples: ['https://catalog.example.com/tools/acme-writer'],
  }),
  website: Type.String({ description: "The product's own site.", examples: ['https://acme-writer.example.com'] }),
  category: nullableObject(categoryName, 'The category, or null.'),
  tags: Type.Array(tagName, { description: 'The tags.' }),
  pricing,
  rating: Type.Number({ description: 'Average rating; 0 when unrated.', examples: [4.6] }),
  opens: Type.Number({ description: 'Click-throughs; the sort key of /tools/top.', examples: [1204] }),
  featured: Type.Boolean({
    description: 'Whether the listing is featured. It does not affect the order.',
    examples: [false],
  }),
  icon: nullable(
    Type.String({ description: 'Address of the square logo.', examples: ['https://acme-writer.example.com/icon.png'] }),
  ),
  frame: nullable(
    Type.String({
      description: 'Address of the main picture.',
      examples: ['https://acme-writer.example.com/frame.png'],
    }),
  ),
  founderName: nullable(Type.String({ description: 'Name of the founder.', examples: ['Ada Example'] })),
  location: nullable(Type.String({ description: 'Place of the maker.', examples: ['Lisbon, Portugal'] })),
  domainRating: nullable(Type.Number({ description: "Domain Rating of the product's site.", examples: [58] })),
  isForSale: Type.Boolean({ description: 'Whether the listing is marked for acquisition.', examples: [false] }),
  askingPrice: Type.Number({ description: 'Asking price; 0 when none is given.', examples: [0] }),
  discountCode: Type.String({ description: 'Discount code; empty when none is given.', examples: ['ACME10'] }),
  affiliate: Type.Boolean({ description: 'Whether there is an affiliate program.', examples: [true] }),
  createdAt: nullable(timestamp('When the listing was created.')),
  updatedAt: nullable(timestamp('When the listing was last changed.')),
}

export const toolSchema = Type.Object(toolFields, { title: 'Tool', description: 'An AI tool listing.' })

export const toolExtras = {
  screenshots: Type.Array(Type.String(), {
    description: 'Addresses of pictures.',
    examples: [['https://acme-writer.example.com/1.png']],
  }),
  video: nullable(
    Type.String({ description: 'Address of a video.', examples: ['https://www.youtube.com/watch?v=abc'] }),
  ),
  socials: stringMap('Social profiles: network to address.', { x: 'https://x.com/acmewriter' }),
  faqs: Type.Array(questionSchema, { description: 'Questions and answers.' }),
  features: stringMap('Features: name to explanation.', { 'Style learning': 'Learns from your sent mail.' }),
  affiliateLink: nullable(
    Type.String({
      description: 'Where to sign up as an affiliate.',
      examples: ['https://acme-writer.example.com/partners'],
    }),
  ),
}

export const toolDetailSchema = Type.Object(
  { ...toolFields, ...toolExtras },
  { title: 'ToolDetail', description: 'An AI tool listing with everything about it.' },
)

export const categorySchema = Type.Object(
  {
    slug: slug('Value for the category parameter of /tools.', 'writing'),
    name: Type.String({ description: 'Name of the category.', examples: ['Writing'] }),
    description: Type.String({
      description: 'What belongs into it.',
      examples: ['Drafting, editing and translating text.'],
    }),
    icon: Type.String({ description: 'An emoji or the address of a picture.', examples: ['✍️'] }),
    toolsCount: Type.Number({ description: 'Published listings in it.', examples: [42] }),
  },
  { title: 'Category', description: 'A category of AI tools.' },
)

export const tagSchema = Type.Object(
  {
    slug: slug('Value for the tag parameter of /tools.', 'api'),
    name: Type.String({ description: 'Name of the tag.', examples: ['API'] }),
    toolsCount: Type.Number({ description: 'Published listings that carry it.', examples: [17] }),
  },
  { title: 'Tag', description: 'A tag of AI tools.' },
)

const directoryFields = {
  id: Type.String({ description: 'Stable identifier.', examples: ['0199d2c4-8b21-7d4f-8a62-3c2a1d7e3b22'] }),
  slug: slug('Used in /directories/{slug}.', 'launch-list'),
  name: Type.String({ description: 'Name of the directory.', examples: ['Launch List'] }),
  url: Type.String({
    description: "The directory's profile page on this service's site.",
    examples: ['https://catalog.example.com/directories/launch-list'],
  }),
  website: Type.String({ description: "The directory's own site.", examples: ['https://launch-list.example.org'] }),
  icon: nullable(
    Type.String({ description: 'Address of the logo.', examples: ['https://launch-list.example.org/icon.png'] }),
  ),
  cost,
  type: Type.String({ description: 'Link type.', examples: ['DoFollow'] }),
  domainRating: nullable(Type.Number({ description: 'Domain Rating, 0 to 100.', examples: [71] })),
  monthlyVisits: nullable(Type.Number({ description: 'Visits a month.', examples: [250000] })),
  requiresBadge: Type.Boolean({ description: 'Whether a backlink badge is demanded.', examples: [false] }),
  minimumPrice: Type.Number({ description: 'Lowest price of a submission; 0 when free.', examples: [0] }),
  submissionExperience: nullable(Type.String({ description: 'Ease of submitting.', examples: ['Good'] })),
  featured: Type.Boolean({ description: 'Whether the directory is featured.', examples: [false] }),
  categories: Type.Array(named('directory category', { slug: 'saas', name: 'SaaS' }), {
    description: 'The categories.',
  }),
  smallDescription: nullable(
    Type.String({ description: 'What it is, in a line.', examples: ['A daily list of new products'] }),
  ),
  createdAt: timestamp('When the entry was created.'),
  updatedAt: timestamp('When the entry was last changed.'),
}

export const directorySchema = Type.Object(directoryFields, {
  title: 'Directory',
  description: 'A startup or SaaS submission directory.',
})

export const dealSchema = Type.Object(
  {
    text: Type.String({ description: 'What the deal is.', examples: ['20 % off'] }),
    code: Type.String({ description: 'Code to enter.', examples: ['LAUNCH20'] }),
  },
  { title: 'Deal', description: 'A deal for submitters.' },
)

/** The same for bodies, with bounds for the length of each text. */
export const dealBody = Type.Object(
  {
    text: Type.String({ ...dealSchema.properties.text, maxLength: 1000 }),
    code: Type.String({ ...dealSchema.properties.code, maxLength: 100 }),
  },
  { title: 'DealBody', description: 'A deal for submitters, as it is written.' },
)

export const directoryExtras = {
  fullDescription: nullable(
    Type.String({ description: 'What it is, at length.', examples: ['Launch List shows ten new products a day …'] }),
  ),
  features: Type.Array(Type.String(), { description: 'What it offers.', examples: [['Weekly newsletter']] }),
  useCases: Type.Array(Type.String(), { description: 'What it is good for.', examples: [['Finding first users']] }),
  faq: Type.Array(questionSchema, { description: 'Questions and answers.' }),
  deal: nullableObject(dealSchema, 'A deal for submitters, or null.'),
  frame: nullable(
    Type.String({
      description: 'Address of the main picture.',
      examples: ['https://launch-list.example.org/frame.png'],
    }),
  ),
  socials: stringMap('Social profiles: network to address.', { x: 'https://x.com/launchlist' }),
}

export const directoryDetailSchema = Type.Object(
  { ...directoryFields, ...directoryExtras },
  { title: 'DirectoryDetail', description: 'A submission directory with everything about it.' },
)

export const directoryCategorySchema = Type.Object(
  {
    slug: slug('Value for the category parameter of /directories.', 'saas'),
    name: Type.String({ description: 'Name of the category.', examples: ['SaaS'] }),
  },
  { title: 'DirectoryCategory', description: 'A category of submission directories.' },
)

export type Tool = Static<typeof toolDetailSchema>
export type Directory = Static<typeof directoryDetailSchema>
