// The fields of the site that an operator can change: its name, sentences, accent colour, logo, links and text pages.
import { type Static, Type } from 'typebox'
import {
  booleanType,
  NAME_PATTERN,
  nullable,
  OPTIONAL_EMAIL_PATTERN,
  OPTIONAL_NAME_PATTERN,
  oneOf,
  patternOf,
  stringType,
  titledObject,
} from '../../kernel/schema.ts'
import { version } from '../audit/schema.ts'

export const MOST_SELLERS = 12

/** The texts that have a page of their own, with what each page is called. */
export const TEXT_PAGES = {
  about: 'About',
  contact: 'Contact',
  privacy: 'Privacy',
  terms: 'Terms',
  submit: 'Submit a product',
} as const
export type TextName = keyof typeof TEXT_PAGES

export const DEFAULT_ACCENT = '#0a6a51'

/** Accents to choose from, with names. Tests hold that every text in their colours can be read. */
export const PALETTES = {
  Evergreen: DEFAULT_ACCENT,
  Ocean: '#0b5cad',
  Indigo: '#4a3fc4',
  Plum: '#86308a',
  Brick: '#a8382b',
  Graphite: '#46525c',
} as const

/** The sections of the home page below its search, in their usual order, with the heading of each. */
export const HOME_SECTIONS = {
  categories: 'Browse by job',
  opened: 'Most opened',
  new: 'New this week',
  lists: 'Also opened often, and strongest directories',
  tags: 'Tags',
  collections: 'Collections',
  plan: 'Where should I launch?',
  developers: 'For code and agents',
} as const
export type HomeSection = keyof typeof HOME_SECTIONS
const HOME_SECTION_NAMES = Object.keys(HOME_SECTIONS) as [HomeSection, ...HomeSection[]]

export const DEFAULT_SITE = {
  name: 'Catalog Service',
  tagline: 'AI tools and startup directories',
  headline: 'Find the AI tool. Find where to launch yours.',
  description: 'A catalog of AI tools and of startup and SaaS submission directories, over REST and MCP.',
  accentColor: DEFAULT_ACCENT,
  logo: null,
  contactEmail: '',
  currency: 'USD',
  adultSwitch: true,
  submissionForms: false,
  links: [],
  sellers: [],
  examples: [],
  navigation: [
    { label: 'Tools', href: '/tools' },
    { label: 'Directories', href: '/directories' },
    { label: 'Launch plan', href: '/plan' },
    { label: 'Developers', href: '/developers' },
  ],
  home: HOME_SECTION_NAMES,
  socialCard: { title: '', text: '', picture: null },
  texts: { about: '', contact: '', privacy: '', terms: '', submit: '' },
} satisfies SiteFields

/** A text of one line that must not be empty. `value` is its default and its example. */
const line = (maxLength: number, description: string, value: string) =>
  Type.String({ maxLength, pattern: NAME_PATTERN, description, examples: [value], default: value })
/** The most characters of a text page. */
export const MAX_TEXT = 20_000
const text = (page: string, more: { default?: string } = {}) =>
  Type.String({
    maxLength: MAX_TEXT,
    description: `The page ${page}, in Markdown; empty: there is no such page.`,
    examples: ['Run by **Example Ltd.**'],
    ...more,
  })

const texts = (more?: { default: string }) => ({
  about: text('/about', more),
  contact: text('/contact', more),
  privacy: text('/privacy', more),
  terms: text('/terms', more),
  submit: text('/submit', more),
})

const socialCardFields = (options: { default?: string } = {}) => ({
  title: Type.String({
    maxLength: 100,
    pattern: OPTIONAL_NAME_PATTERN,
    description: 'The large line; empty: the heading of the home page.',
    examples: ['Find the tool. Find where to launch.'],
    ...options,
  }),
  text: Type.String({
    maxLength: 160,
    pattern: OPTIONAL_NAME_PATTERN,
    description: 'The line below it; empty: the tagline.',
    examples: ['AI tools and startup directories'],
    ...options,
  }),
  picture: nullable(
    Type.String({
      maxLength: 300,
      description:
        'Address of a picture that this service stores (POST /media), best 1,200 by 630 pixels, or null for a drawn one.',
      examples: [null],
    }),
  ),
})

const fields = {
  name: line(
    60,
    'Name of the site, in the head of every page, in titles and wherever programs ask for it.',
    'Catalog Service',
  ),
  tagline: line(120, 'What the site is, in a few words.', 'AI tools and startup directories'),
  headline: line(120, 'The heading of the home page.', 'Find the AI tool. Find where to launch yours.'),
  description: line(
    300,
    'What the site is, in a sentence, for search engines and programs.',
    'A catalog of AI tools and of startup and SaaS submission directories, over REST and MCP.',
  ),
  accentColor: Type.String({
    pattern: patternOf('^#[0-9a-fA-F]{6}$', 'be a colour such as #1a73e8: # and six digits from 0 to f'),
    description:
      'Colour of links and buttons. Pages use the nearest shade of it that can be read: a darker one in light mode, a lighter one in dark mode.',
    examples: [DEFAULT_ACCENT],
    default: DEFAULT_ACCENT,
  }),
  logo: nullable(
    stringType(
      'Address of a picture that this service stores (POST /media), or null for the built-in mark.',
      'https://catalog.example.com/media/3f786850e387550fdab836ed7e6dc881de23001b.webp',
      { maxLength: 300 },
    ),
  ),
  contactEmail: Type.String({
    maxLength: 254,
    pattern: OPTIONAL_EMAIL_PATTERN,
    description: 'Address for visitors, shown on the contact page; empty: none is shown.',
    examples: ['hello@example.com'],
    default: '',
  }),
  currency: Type.String({
    pattern: patternOf('^[A-Z]{3}$', 'be a currency such as USD: three capital letters'),
    description: 'Currency of the prices on pages, as a code of three letters.',
    examples: ['USD'],
    default: 'USD',
  }),
  adultSwitch: Type.Boolean({
    description:
      'Whether visitors find a switch that includes adult listings in a list. It is shown only while there are such listings.',
    examples: [true],
    default: true,
  }),
  submissionForms: Type.Boolean({
    description:
      "Whether the pages of directories link to the directories' own forms. No answer of the API has these links.",
    examples: [false],
    default: false,
  }),
  links: Type.Array(
    titledObject('SiteLink', 'A link in the foot of every page.', {
      label: stringType('What the link says.', 'Blog', { maxLength: 40, pattern: NAME_PATTERN }),
      href: stringType('Where it leads: a complete http or https address.', 'https://example.com/blog', {
        maxLength: 500,
      }),
    }),
    { maxItems: 8, description: 'Links in the foot of every page.', default: [] },
  ),
  sellers: Type.Array(
    titledObject('Seller', 'A partner that sells packages.', {
      name: stringType('Name of the seller.', 'Launch Platform', { maxLength: 60, pattern: NAME_PATTERN }),
      href: stringType(
        'Where visitors order: a complete http or https address.',
        'https://launch.example.com/packages',
        { maxLength: 500 },
      ),
      text: stringType(
        'What the seller offers, in a line.',
        'Packages from 30 directories, with a call before the launch.',
        { maxLength: 300, pattern: OPTIONAL_NAME_PATTERN },
      ),
      logo: nullable(
        Type.String({
          maxLength: 300,
          description: 'Address of a picture that this service stores (POST /media), or null.',
          examples: [null],
        }),
      ),
    }),
    { maxItems: MOST_SELLERS, description: 'Partners that sell packages, on /submit and /pricing.', default: [] },
  ),
  examples: Type.Array(
    stringType('A question for visitors to try.', 'free tools for writing', { maxLength: 100, pattern: NAME_PATTERN }),
    {
      maxItems: 5,
      description:
        'Questions for visitors to try, on the home page. Empty: they are made from the catalog. One that finds fewer than three full matches is not shown.',
      default: [],
    },
  ),
  navigation: Type.Array(
    titledObject('NavigationLink', 'A link in the head of every page.', {
      label: stringType('What the link says.', 'Tools', { maxLength: 24, pattern: NAME_PATTERN }),
      href: stringType('Where it leads: a path of this site, or a complete http or https address.', '/tools', {
        maxLength: 500,
      }),
    }),
    { maxItems: 6, description: 'Links in the head of every page.' },
  ),
  home: Type.Array(oneOf(HOME_SECTION_NAMES, 'A section of the home page.', 'categories'), {
    maxItems: HOME_SECTION_NAMES.length,
    description:
      'The sections of the home page below its search, in their order. One that has nothing to show is left out.',
  }),
  socialCard: titledObject(
    'SocialCard',
    'The picture that other sites show with a link to the home page and to pages that have none of their own.',
    socialCardFields(),
  ),
  texts: Type.Object(texts(), { title: 'SiteTexts', description: 'Pages in your own words.' }),
}

export const siteFieldsSchema = Type.Object(fields)
export type SiteFields = Static<typeof siteFieldsSchema>

export const siteSchema = titledObject('Site', 'The site as visitors see it.', { ...fields, version })
export type Site = Static<typeof siteSchema>

export const agentsSchema = titledObject('Agents', 'Whether agents of administrators may work.', {
  stopped: booleanType('true: no agent may work at /mcp/operator, whatever token it has.', false),
})

export const agentsBody = titledObject('NewAgents', 'Whether agents may work from now on.', agentsSchema.properties)

/** Replaces everything: what is omitted gets its default. */
export const siteBody = titledObject('NewSite', 'The site as it should be.', {
  ...Type.Partial(Type.Object({ ...fields })).properties,
  socialCard: Type.Optional(
    Type.Partial(Type.Object(socialCardFields({ default: '' })), {
      title: 'NewSocialCard',
      description: 'The picture with links to the home page.',
    }),
  ),
  texts: Type.Optional(
    Type.Partial(Type.Object(texts({ default: '' })), {
      title: 'NewSiteTexts',
      description: 'Pages in your own words.',
    }),
  ),
})
