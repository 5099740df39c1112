// The entries as administrators write them, with public and private fields. Only operators get responses of these shapes.
import { type Static, type TSchema, Type } from 'typebox'
import {
  booleanType,
  boundedMap,
  integerType,
  LANGUAGE_PATTERN,
  NOT_BLANK_PATTERN,
  nullable,
  nullableObject,
  numberType,
  OPTIONAL_DAY_PATTERN,
  OPTIONAL_EMAIL_PATTERN,
  oneOf,
  patternOf,
  stringType,
  titledObject,
} from '../../kernel/schema.ts'
import { capitalised } from '../../kernel/values/text.ts'
import {
  AUTOMATION,
  COST,
  dealBody,
  FEATURES,
  HIDDEN_REASONS,
  type Kind,
  type ListedKind,
  PRICING,
  PRODUCT_KINDS,
  questionBody,
  SOCIALS,
} from '../catalog/schema.ts'

// The fields of the bodies. Each has a default, because an entry is put whole: an omitted field takes its empty value.
const text = (maxLength: number, description: string, example = '') =>
  stringType(description, example, { maxLength, default: '' })
const formLimit = (what: string, example: number) =>
  integerType(`${what} that its form takes; 0: not known.`, example, { minimum: 0, maximum: 100_000, default: 0 })
const optionalText = (maxLength: number, description: string, example: string) =>
  nullable(stringType(description, example, { maxLength, default: null }))
const count = (description: string, maximum = 1e12) => numberType(description, 0, { minimum: 0, maximum, default: 0 })
const optionalCount = (description: string, maximum = 1e12) =>
  nullable(numberType(description, 40, { minimum: 0, maximum, default: null }))
const flag = (description: string, byDefault = false) => booleanType(description, byDefault, { default: byDefault })
const list = <T extends Parameters<typeof Type.Array>[0]>(
  items: T,
  maxItems: number,
  description: string,
  example: unknown[],
) => Type.Array(items, { maxItems, default: [], description, examples: [example] })
/** Blank texts are removed, because real data has them and version 1.1 stored them. */
const listOfTexts = (description: string, example: string) => ({
  ...list(Type.String({ maxLength: 1000 }), 100, description, [example]),
  'x-blanks-left-out': true,
})

const URL_LENGTH = 2000
/** The most characters of the search words of a tool. */
export const SEARCH_WORDS_LENGTH = 400
const SEARCH_LINK_PATTERN = patternOf(
  '^(?:https?://[^/\\s{}]+/[^\\s{}]*\\{name\\}[^\\s{}]*)?$',
  'be an address with {name} once after the host, such as https://launch-list.example.org/search?q={name}',
)
const name = stringType('Name.', 'Acme Writer', { minLength: 1, maxLength: 200, pattern: NOT_BLANK_PATTERN })
const website = text(URL_LENGTH, 'Its own site, a complete http or https address.', 'https://acme-writer.example.com')
const picture = (of: string) =>
  optionalText(URL_LENGTH, `Address of the ${of}.`, 'https://acme-writer.example.com/picture.png')
const socials = {
  ...boundedMap('Social profiles: network to address.', { x: 'https://x.com/acme' }, SOCIALS),
  default: {},
}
// Longer than any slug, so that the answer to a mistyped slug says that it does not exist and not that it is too long.
const SLUG_LENGTH = 200
const slugs = (of: string, example: string) =>
  list(Type.String({ maxLength: SLUG_LENGTH }), 50, `Slugs of ${of}.`, [example])
const published = flag('Whether the world sees it.', true)
const hiddenReason = Type.Optional(
  nullable(
    oneOf(
      HIDDEN_REASONS,
      'Why the world does not see it; absent while it is published. draft: never published; taken-down: an administrator unpublished it, and nothing of its host is published unseen; review: submitted for such a host, waits for an administrator; withdrawn: the partner that made it withdrew its submission. As before when omitted, or taken-down when this unpublishes it.',
      'draft',
    ),
  ),
)
const createdAt = Type.Optional(
  Type.Unsafe<string | Date>({
    type: 'string',
    description: 'ISO 8601 time of its creation; now, or as before, when omitted.',
    examples: ['2026-03-01T09:30:00.000Z'],
  }),
)
const questions = (description: string) =>
  list(questionBody, 100, description, [{ question: 'Is there a free plan?', answer: 'Yes.' }])

const categoryBody = titledObject('CategoryBody', 'A category of AI tools.', {
  name,
  description: text(2000, 'What belongs into it.', 'Drafting, editing and translating text.'),
  icon: text(URL_LENGTH, 'An emoji or the address of a picture.', '✍️'),
  adult: flag('Whether its listings are adult.'),
})

const tagBody = titledObject('TagBody', 'A tag of AI tools.', {
  name,
  adult: flag('Whether listings that carry it are adult.'),
  submitted: Type.Optional(
    booleanType(
      'A submission made it: readers see it only while a published listing carries it. false when omitted.',
      false,
    ),
  ),
})

const directoryCategoryBody = titledObject('DirectoryCategoryBody', 'A category of submission directories.', { name })

const toolBody = titledObject('ToolBody', 'An AI tool listing as administrators write it.', {
  name,
  tagline: text(500, 'What it does, in a line.', 'Drafts your mail in your own voice'),
  description: text(20_000, 'What it does, at length.', 'Acme Writer learns from your sent mail and …'),
  website,
  category: nullable(
    stringType('Slug of an existing category, or null.', 'writing', { maxLength: SLUG_LENGTH, default: null }),
  ),
  tags: slugs('existing tags', 'api'),
  pricing: oneOf(PRICING, { default: 'FREE', description: "The product's own pricing.", examples: ['FREEMIUM'] }),
  rating: count('Average rating; 0 when unrated.', 100),
  opens: Type.Optional(
    integerType('Click-throughs; 0, or as before, when omitted.', 0, { minimum: 0, maximum: 2 ** 31 - 1 }),
  ),
  featured: flag('Whether the listing is featured.'),
  icon: picture('square logo'),
  frame: picture('main picture'),
  founderName: optionalText(200, 'Name of the founder.', 'Ada Example'),
  founderEmail: nullable(
    stringType('Private: never returned by catalog reads.', 'ada@example.com', {
      pattern: OPTIONAL_EMAIL_PATTERN,
      maxLength: 254,
      default: null,
    }),
  ),
  location: optionalText(200, 'Place of the maker.', 'Lisbon, Portugal'),
  domainRating: optionalCount("Domain Rating of the product's site, 0 to 100.", 100),
  isForSale: flag('Whether the listing is marked for acquisition.'),
  askingPrice: count('Asking price; 0 when none is given.'),
  discountCode: text(100, 'Discount code.', 'ACME10'),
  affiliate: flag('Whether there is an affiliate program.'),
  affiliateLink: optionalText(
    URL_LENGTH,
    'Where to sign up as an affiliate.',
    'https://acme-writer.example.com/partners',
  ),
  screenshots: list(Type.String({ maxLength: URL_LENGTH }), 50, 'Addresses of pictures.', [
    'https://acme-writer.example.com/1.png',
  ]),
  video: optionalText(URL_LENGTH, 'Address of a video.', 'https://www.youtube.com/watch?v=abc'),
  socials,
  faqs: questions('Questions and answers.'),
  features: {
    ...boundedMap('Features: name to explanation.', { 'Style learning': 'Learns from your sent mail.' }, FEATURES),
    default: {},
  },
  searchWords: Type.Optional(
    stringType(
      'Further words under which searches find it, beside its own texts. Private: no reader sees them. As before when omitted; empty: none.',
      'kanban backlog sprint',
      { maxLength: SEARCH_WORDS_LENGTH },
    ),
  ),
  published,
  hiddenReason,
  createdAt,
})

const directoryBody = titledObject('DirectoryBody', 'A submission directory as administrators write it.', {
  name,
  website,
  submissionLink: optionalText(
    URL_LENGTH,
    'Private: address of the submission form, never returned by catalog reads.',
    'https://launch-list.example.org/submit',
  ),
  icon: picture('logo'),
  frame: picture('main picture'),
  cost: oneOf(COST, { default: 'Free', description: 'What a submission costs.', examples: ['Free'] }),
  type: text(50, 'Link type.', 'DoFollow'),
  domainRating: optionalCount('Domain Rating, 0 to 100.', 100),
  monthlyVisits: optionalCount('Visits a month.'),
  requiresBadge: flag('Whether a backlink badge is demanded.'),
  minimumPrice: count('Lowest price of a submission; 0 when free.'),
  submissionExperience: optionalText(200, 'Ease of submitting.', 'Good'),
  featured: flag('Whether the directory is featured.'),
  categories: slugs('existing directory categories', 'saas'),
  smallDescription: optionalText(1000, 'What it is, in a line.', 'A daily list of new products'),
  fullDescription: optionalText(20_000, 'What it is, at length.', 'Launch List shows ten new products a day …'),
  features: listOfTexts('What it offers.', 'Weekly newsletter'),
  useCases: listOfTexts('What it is good for.', 'Finding first users'),
  faq: questions('Questions and answers.'),
  deal: { ...nullableObject(dealBody, 'A deal for submitters, or null.'), default: null },
  socials,
  accepts: list(oneOf(PRODUCT_KINDS), PRODUCT_KINDS.length, 'Kinds of product that it accepts; empty: any.', ['web']),
  languages: list(
    Type.String({ pattern: LANGUAGE_PATTERN, maxLength: 20 }),
    50,
    'Codes of the languages that it accepts; empty: any.',
    ['en'],
  ),
  minimumAge: integerType('Months since the founding of a product that it accepts; 0: any.', 0, {
    minimum: 0,
    maximum: 1200,
    default: 0,
  }),
  automation: oneOf(AUTOMATION, {
    default: 'unknown',
    description: 'Whether programs may enter products, as its terms or its robots.txt say.',
    examples: ['unknown'],
  }),
  automationQuote: optionalText(1000, 'The sentence that says so.', 'Automated submissions are not accepted.'),
  automationReadOn: nullable(
    stringType('The day on which it was read.', '2026-03-01', {
      pattern: OPTIONAL_DAY_PATTERN,
      maxLength: 10,
      default: null,
    }),
  ),
  searchLink: nullable(
    stringType(
      'Private: address of its search, with {name} for the name of a product. Before the work on a product begins, it is asked once whether the product is listed there already.',
      'https://launch-list.example.org/search?q={name}',
      { pattern: SEARCH_LINK_PATTERN, maxLength: URL_LENGTH, default: null },
    ),
  ),
  nameLimit: formLimit('The most characters of a name', 40),
  taglineLimit: formLimit('The most characters of a tagline', 60),
  shortLimit: formLimit('The most characters of a short description', 160),
  longLimit: formLimit('The most characters of a long description', 2000),
  tagsLimit: formLimit('The most tags', 5),
  published,
  createdAt,
})

export const bodies = {
  category: categoryBody,
  tag: tagBody,
  directoryCategory: directoryCategoryBody,
  tool: toolBody,
  directory: directoryBody,
} as const satisfies Record<Kind, TSchema>

/** The fields that can be changed one by one. Everything else is changed by putting the listing whole. */
const CHANGEABLE = {
  tool: ['name', 'tagline', 'description', 'category', 'tags', 'pricing', 'searchWords', 'published', 'featured'],
  // biome-ignore format: a list of names
  directory: [
    'name', 'smallDescription', 'fullDescription', 'categories', 'cost', 'type', 'requiresBadge', 'minimumPrice',
    'published', 'featured',
  ],
} as const satisfies { [K in ListedKind]: readonly (keyof (typeof bodies)[K]['properties'])[] }

/** The body of a change. An omitted field stays as it is, so the fields have no default here. */
export function listingChangeBody(kind: ListedKind) {
  const properties: Readonly<Record<string, TSchema & { default?: unknown }>> = bodies[kind].properties
  const fields = CHANGEABLE[kind].map((name): [string, TSchema] => {
    const { default: _, ...schema } = properties[name] ?? {}
    return [name, Type.Optional(Type.Unsafe<unknown>(schema))]
  })
  return titledObject(`${capitalised(kind)}Change`, `What to change of a ${kind}.`, Object.fromEntries(fields))
}

/** Fields that contain an address; a submission has the same ones as a tool. */
const TOOL_ADDRESSES = [
  'website',
  'icon',
  'frame',
  'video',
  'affiliateLink',
] as const satisfies readonly (keyof typeof toolBody.properties)[]
/** Fields that contain several addresses. */
export const ADDRESS_LISTS = ['screenshots', 'socials'] as const satisfies readonly (keyof typeof toolBody.properties)[]
const DIRECTORY_ADDRESSES: readonly (keyof typeof directoryBody.properties)[] = [
  'website',
  'icon',
  'frame',
  'submissionLink',
]
export const ADDRESSES: Partial<Record<Kind, readonly string[]>> = {
  tool: TOOL_ADDRESSES,
  directory: DIRECTORY_ADDRESSES,
}

/** An entry as it is stored, private fields included; only operators get it. */
export type StoredEntry<K extends Kind> = Static<(typeof bodies)[K]> & FieldsOfAll & FieldsOfKind<K>

type FieldsOfAll = {
  slug: string
  version: number
  /** Why the stored row is broken; absent when it is not. */
  broken?: string
}
type FieldsOfListings = { id: string; createdAt: Date; updatedAt: Date }
type FieldsOfKind<K extends Kind> = K extends 'tool'
  ? FieldsOfListings & { opens: number }
  : K extends 'directory'
    ? FieldsOfListings
    : unknown

const wordsFilter = (where: string) =>
  Type.Optional(stringType(`Words that stand in ${where}.`, 'acme', { maxLength: 200 }))
const booleanFilter = (description: string) => Type.Optional(booleanType(description, true))
const slugsFilter = (description: string, example: string) => Type.Optional(stringType(description, example))

/** What a look at the website of a listing may find, in the order of pages. unknown: not looked at yet, or not often enough to know. */
export const HEALTH_STATES = ['gone', 'parked', 'moved', 'alive', 'blocked', 'unreachable', 'unknown'] as const
export type HealthState = (typeof HEALTH_STATES)[number]

/** The stored text as a state; 'unknown' for any other text, which a row that was written to the database directly may have. */
export const healthStateOf = (stored: string): HealthState =>
  HEALTH_STATES.find((state) => state === stored) ?? 'unknown'

const sharedFilters = {
  published: booleanFilter('Only published ones, or with false only hidden ones.'),
  featured: booleanFilter('Only featured ones, or with false only others.'),
  health: Type.Optional(oneOf(HEALTH_STATES, 'Only those whose website was last found like this.', 'gone')),
}

/** The filters of the lists; the command line has an option for each. */
const listingFilters = {
  tool: {
    q: wordsFilter('the name, slug, tagline, website or the e-mail address of the founder'),
    ...sharedFilters,
    category: slugsFilter('Slugs or names of categories, with commas between them.', 'writing'),
    tag: slugsFilter('Slugs or names of tags, with commas between them.', 'api'),
    pricing: Type.Optional(oneOf(PRICING, 'Pricing.', 'FREE')),
    hiddenReason: Type.Optional(
      oneOf(
        HIDDEN_REASONS,
        'Only those that are hidden for this reason; review: those that wait for an administrator.',
        'review',
      ),
    ),
  },
  directory: {
    q: wordsFilter('the name, slug, description in a line or website'),
    ...sharedFilters,
    category: slugsFilter('Slugs or names of directory categories, with commas between them.', 'saas'),
    cost: Type.Optional(oneOf(COST, 'What a submission costs.', 'Free')),
  },
}

/** The filters of both kinds as one type, for code that lists tools and directories. */
export const filtersOfListings = (kind: ListedKind) =>
  listingFilters[kind] as (typeof listingFilters)['tool'] & (typeof listingFilters)['directory']

export const termFilters = {
  q: wordsFilter('the name or slug'),
  submitted: booleanFilter(
    'Of tags only those that a submission made and no operator has confirmed, or with false only others.',
  ),
}
