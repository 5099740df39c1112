// The public shapes of the catalog. A field that is not in them is in no answer.
import { type Static, Type } from 'typebox'
import {
  booleanType,
  nullable,
  nullableObject,
  numberType,
  oneOf,
  stringMap,
  stringType,
  timestamp,
  titledObject,
} from '../../kernel/schema.ts'
import { capitalised } from '../../kernel/values/text.ts'

/**
 * Why readers do not see a listing: it was never published; an administrator unpublished it; a partner submitted it for a website or
 * host whose listing was taken down before, and it waits for an administrator; or the partner that made it withdrew its submission.
 */
export const HIDDEN_REASONS = ['draft', 'taken-down', 'review', 'withdrawn'] as const

/**
 * How a product ended: its website is gone, or its domain is parked or for sale (`features/health`). Such listings come last everywhere.
 */
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
/** Whether programs may enter products: what the terms or the robots.txt of a directory say. */
export const AUTOMATION = ['allowed', 'forbidden', 'unknown'] as const
export type Automation = (typeof AUTOMATION)[number]

/** The kinds of product that a directory may accept, and that a submission may be. */
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

/** The shape of a slug with its name, for a kind of term; its title is such as `DirectoryCategoryName`. */
const named = (what: string, example: { slug: string; name: string }) =>
  titledObject(
    `${capitalised(what.replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase()))}Name`,
    `The ${what}'s slug and name.`,
    {
      slug: stringType(`Slug of the ${what}.`, example.slug),
      name: stringType(`Name of the ${what}.`, example.name),
    },
  )

export const pricing = oneOf(PRICING, "The product's own pricing.", 'FREEMIUM')
export const cost = oneOf(COST, 'What a submission costs.', 'Free')

export const questionSchema = titledObject('Question', 'A question and its answer.', {
  question: stringType('The question.', 'Is there a free plan?'),
  answer: stringType('Its answer.', 'Yes, with 20 documents a month.'),
})

/** The same for bodies, with bounds for the length of each text. */
export const questionBody = titledObject('QuestionBody', 'A question and its answer, as it is written.', {
  question: Type.String({ ...questionSchema.properties.question, maxLength: 1000 }),
  answer: Type.String({ ...questionSchema.properties.answer, maxLength: 20_000 }),
})

export const categoryName = named('category', { slug: 'writing', name: 'Writing' })
export const tagName = named('tag', { slug: 'api', name: 'API' })

const toolFields = {
  id: stringType('Stable identifier.', '0199d2c4-7a10-7c3e-9f51-2b1f0c6f2a11'),
  slug: stringType('Used in /tools/{slug}.', 'acme-writer'),
  name: stringType('Name of the tool.', 'Acme Writer'),
  tagline: stringType('What it does, in a line.', 'Drafts your mail in your own voice'),
  description: stringType('What it does, at length.', 'Acme Writer learns from your sent mail and …'),
  url: stringType("The listing page on this service's own site.", 'https://catalog.example.com/tools/acme-writer'),
  website: stringType("The product's own site.", 'https://acme-writer.example.com'),
  category: nullableObject(categoryName, 'The category, or null.'),
  tags: Type.Array(tagName, { description: 'The tags.' }),
  pricing,
  rating: numberType('Average rating; 0 when unrated.', 4.6),
  opens: numberType('Click-throughs; the sort key of /tools/top.', 1204),
  featured: booleanType('Whether the listing is featured. It does not affect the order.', false),
  icon: nullable(stringType('Address of the square logo.', 'https://acme-writer.example.com/icon.png')),
  frame: nullable(stringType('Address of the main picture.', 'https://acme-writer.example.com/frame.png')),
  founderName: nullable(stringType('Name of the founder.', 'Ada Example')),
  location: nullable(stringType('Place of the maker.', 'Lisbon, Portugal')),
  domainRating: nullable(numberType("Domain Rating of the product's site.", 58)),
  isForSale: booleanType('Whether the listing is marked for acquisition.', false),
  askingPrice: numberType('Asking price; 0 when none is given.', 0),
  discountCode: stringType('Discount code; empty when none is given.', 'ACME10'),
  affiliate: booleanType('Whether there is an affiliate program.', true),
  createdAt: nullable(timestamp('When the listing was created.')),
  updatedAt: nullable(timestamp('When the listing was last changed.')),
}

export const toolSchema = Type.Object(toolFields, { title: 'Tool', description: 'An AI tool listing.' })

/** The fields that only the answer for a single tool has. */
export const toolExtras = {
  screenshots: Type.Array(Type.String(), {
    description: 'Addresses of pictures.',
    examples: [['https://acme-writer.example.com/1.png']],
  }),
  video: nullable(stringType('Address of a video.', 'https://www.youtube.com/watch?v=abc')),
  socials: stringMap('Social profiles: network to address.', { x: 'https://x.com/acmewriter' }),
  faqs: Type.Array(questionSchema, { description: 'Questions and answers.' }),
  features: stringMap('Features: name to explanation.', { 'Style learning': 'Learns from your sent mail.' }),
  affiliateLink: nullable(stringType('Where to sign up as an affiliate.', 'https://acme-writer.example.com/partners')),
}

export const toolDetailSchema = titledObject('ToolDetail', 'An AI tool listing with everything about it.', {
  ...toolFields,
  ...toolExtras,
})

export const categorySchema = titledObject('Category', 'A category of AI tools.', {
  slug: stringType('Value for the category parameter of /tools.', 'writing'),
  name: stringType('Name of the category.', 'Writing'),
  description: stringType('What belongs into it.', 'Drafting, editing and translating text.'),
  icon: stringType('An emoji or the address of a picture.', '✍️'),
  toolsCount: numberType('Published listings in it.', 42),
})

export const tagSchema = titledObject('Tag', 'A tag of AI tools.', {
  slug: stringType('Value for the tag parameter of /tools.', 'api'),
  name: stringType('Name of the tag.', 'API'),
  toolsCount: numberType('Published listings that carry it.', 17),
})

const directoryFields = {
  id: stringType('Stable identifier.', '0199d2c4-8b21-7d4f-8a62-3c2a1d7e3b22'),
  slug: stringType('Used in /directories/{slug}.', 'launch-list'),
  name: stringType('Name of the directory.', 'Launch List'),
  url: stringType(
    "The directory's profile page on this service's site.",
    'https://catalog.example.com/directories/launch-list',
  ),
  website: stringType("The directory's own site.", 'https://launch-list.example.org'),
  icon: nullable(stringType('Address of the logo.', 'https://launch-list.example.org/icon.png')),
  cost,
  type: stringType('Link type.', 'DoFollow'),
  domainRating: nullable(numberType('Domain Rating, 0 to 100.', 71)),
  monthlyVisits: nullable(numberType('Visits a month.', 250000)),
  requiresBadge: booleanType('Whether a backlink badge is demanded.', false),
  minimumPrice: numberType('Lowest price of a submission; 0 when free.', 0),
  submissionExperience: nullable(stringType('Ease of submitting.', 'Good')),
  featured: booleanType('Whether the directory is featured.', false),
  categories: Type.Array(named('directory category', { slug: 'saas', name: 'SaaS' }), {
    description: 'The categories.',
  }),
  smallDescription: nullable(stringType('What it is, in a line.', 'A daily list of new products')),
  createdAt: timestamp('When the entry was created.'),
  updatedAt: timestamp('When the entry was last changed.'),
}

export const directorySchema = titledObject('Directory', 'A startup or SaaS submission directory.', directoryFields)

export const dealSchema = titledObject('Deal', 'A deal for submitters.', {
  text: stringType('What the deal is.', '20 % off'),
  code: stringType('Code to enter.', 'LAUNCH20'),
})

/** The same for bodies, with bounds for the length of each text. */
export const dealBody = titledObject('DealBody', 'A deal for submitters, as it is written.', {
  text: Type.String({ ...dealSchema.properties.text, maxLength: 1000 }),
  code: Type.String({ ...dealSchema.properties.code, maxLength: 100 }),
})

/** The fields that only the answer for a single directory has. */
export const directoryExtras = {
  fullDescription: nullable(stringType('What it is, at length.', 'Launch List shows ten new products a day …')),
  features: Type.Array(Type.String(), { description: 'What it offers.', examples: [['Weekly newsletter']] }),
  useCases: Type.Array(Type.String(), { description: 'What it is good for.', examples: [['Finding first users']] }),
  faq: Type.Array(questionSchema, { description: 'Questions and answers.' }),
  deal: nullableObject(dealSchema, 'A deal for submitters, or null.'),
  frame: nullable(stringType('Address of the main picture.', 'https://launch-list.example.org/frame.png')),
  socials: stringMap('Social profiles: network to address.', { x: 'https://x.com/launchlist' }),
}

export const directoryDetailSchema = titledObject(
  'DirectoryDetail',
  'A submission directory with everything about it.',
  { ...directoryFields, ...directoryExtras },
)

export const directoryCategorySchema = titledObject('DirectoryCategory', 'A category of submission directories.', {
  slug: stringType('Value for the category parameter of /directories.', 'saas'),
  name: stringType('Name of the category.', 'SaaS'),
})

export type Tool = Static<typeof toolDetailSchema>
export type Directory = Static<typeof directoryDetailSchema>
