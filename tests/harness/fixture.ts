// A small catalog that has one of everything the specification names. Tests compute what they expect from these lines.

/** Is in every private field; must never appear outside the operator API, and no search may find it. */
export const CANARY = 'zqxcanary'

export const CATEGORIES = [
  { slug: 'writing', name: 'writing', description: 'Drafting and editing.', icon: '✍️', adult: false },
  { slug: 'image', name: 'Image', description: 'Pictures.', icon: 'https://icons.example.com/image.png', adult: false },
  { slug: 'code', name: 'Code', description: 'Programs.', icon: '', adult: false },
  { slug: 'audio', name: 'Audio', description: '', icon: '🎧', adult: false },
  { slug: 'nsfw', name: 'NSFW', description: 'For adults.', icon: '🔞', adult: true },
  // It has no tools, and its accent must not sort it behind Z.
  { slug: 'editors', name: 'Éditeurs', description: '', icon: '', adult: false },
]

export const TAGS = [
  { slug: 'api', name: 'API', adult: false },
  { slug: 'open-source', name: 'Open Source', adult: false },
  { slug: 'wombat', name: 'Wombat', adult: false },
  { slug: 'adult-content', name: 'Adult content', adult: true },
  { slug: 'francais', name: 'Français', adult: false },
  { slug: 'unused', name: 'unused', adult: false },
]

export const DIRECTORY_CATEGORIES = [
  { slug: 'saas', name: 'SaaS' },
  { slug: 'ai', name: 'AI' },
  { slug: 'ecology', name: 'Écologie' },
  { slug: 'nothing', name: 'Nothing here' },
]

interface ToolLine {
  slug: string
  name: string
  tagline: string
  description: string
  category: string | null
  tags: string[]
  pricing: 'FREE' | 'FREEMIUM' | 'PAID'
  opens: number
  featured: boolean
  published: boolean
  createdAt: string
  founderEmail: string
  [field: string]: unknown
}

let day = 0
const tool = (slug: string, name: string, more: Partial<ToolLine> = {}): ToolLine => ({
  slug,
  name,
  tagline: '',
  description: '',
  website: `https://${slug}.example.com`,
  category: null,
  tags: [],
  pricing: 'FREE',
  opens: 0,
  featured: false,
  published: true,
  // Later lines are newer.
  createdAt: new Date(Date.UTC(2026, 0, 1 + ++day)).toISOString(),
  founderEmail: `${CANARY}-${slug}@private.example`,
  ...more,
})

const TWIN_TIME = '2026-02-20T12:00:00.000Z'

export const FULL_TOOL = {
  tagline: 'Everything filled in',
  description: 'A listing with every field filled in.',
  website: 'https://full-house.example.com',
  category: 'writing',
  tags: ['api', 'open-source'],
  pricing: 'FREEMIUM' as const,
  rating: 4.5,
  opens: 321,
  icon: 'https://full-house.example.com/icon.png',
  frame: 'https://full-house.example.com/frame.png',
  founderName: 'Ada Example',
  location: 'Lisbon, Portugal',
  domainRating: 58.5,
  isForSale: true,
  askingPrice: 25_000,
  discountCode: 'FULL10',
  affiliate: true,
  affiliateLink: 'https://full-house.example.com/partners',
  screenshots: ['https://full-house.example.com/1.png', 'https://full-house.example.com/2.png'],
  video: 'https://www.youtube.com/watch?v=abc',
  socials: { x: 'https://x.com/fullhouse' },
  faqs: [{ question: 'Is it free?', answer: 'Partly.' }],
  features: { Export: 'To every format.' },
}

export const TOOLS: ToolLine[] = [
  // The oldest and least opened tool is featured: it must still come last wherever age or opens decide.
  tool('ancient-lamp', 'Ancient Lamp', { featured: true, opens: 1, pricing: 'PAID', category: 'code' }),
  tool('full-house', 'Full House', FULL_TOOL),
  tool('bare-bones', 'Bare Bones'),
  // One word in the name, in the tagline, as a tag and in the description. The weaker the match, the more opens the tool has.
  tool('wombat-desk', 'Wombat Desk', { opens: 5, category: 'writing', pricing: 'PAID' }),
  tool('page-turner', 'Page Turner', { opens: 900, tagline: 'Made with wombat patience' }),
  tool('burrow', 'Burrow', { opens: 800, tags: ['wombat'], category: 'code' }),
  tool('plain-notes', 'Plain Notes', { opens: 5000, description: 'Notes that even a wombat can read.' }),
  // Equally relevant: opens decide, then age, then id.
  tool('twin-alpha', 'Twin Alpha', { opens: 10, createdAt: '2026-02-21T12:00:00.000Z' }),
  tool('twin-beta', 'Twin Beta', { opens: 20, createdAt: '2026-02-10T12:00:00.000Z' }),
  tool('twin-gamma', 'Twin Gamma', { opens: 20, createdAt: TWIN_TIME }),
  tool('twin-delta', 'Twin Delta', { opens: 20, createdAt: TWIN_TIME }),
  tool('twin-kappa', 'Twin Kappa', { opens: 20, createdAt: TWIN_TIME }),
  tool('story-teller', 'Story Teller', { opens: 44, category: 'writing', tags: ['francais'], featured: true }),
  tool('cafe-noir', 'Café Noir', { opens: 43, tagline: 'Crème brûlée für Ærø', pricing: 'FREEMIUM' }),
  // Adult by category, by tag and by both, and tools beside them that are not adult.
  tool('red-room', 'Red Room', { opens: 7000, category: 'nsfw' }),
  tool('velvet', 'Velvet', { opens: 60, category: 'nsfw', tags: ['adult-content', 'api'], pricing: 'PAID' }),
  tool('boudoir', 'Boudoir', { opens: 6000, category: 'image', tags: ['adult-content'] }),
  tool('after-dark', 'After Dark', { opens: 61, tags: ['adult-content'] }),
  tool('pixel-garden', 'Pixel Garden', { opens: 62, category: 'image', tags: ['api'] }),
  tool('photo-barn', 'Photo Barn', { opens: 63, category: 'image', pricing: 'FREEMIUM' }),
  tool('hidden-draft', 'Hidden Wombat Draft', {
    opens: 99_999,
    category: 'code',
    tags: ['api', 'wombat'],
    published: false,
  }),
  ...Array.from({ length: 12 }, (_, i) =>
    tool(`filler-${String(i + 1).padStart(2, '0')}`, `Filler ${i + 1}`, {
      category: i % 2 ? 'audio' : 'code',
      tags: i % 3 ? [] : ['api'],
      pricing: (['FREE', 'FREEMIUM', 'PAID'] as const)[i % 3],
      opens: 100 + (i % 4),
      featured: i === 5,
    }),
  ),
]

interface DirectoryLine {
  slug: string
  name: string
  cost: 'Free' | 'Paid' | 'Freemium'
  domainRating: number | null
  featured: boolean
  categories: string[]
  published: boolean
  submissionLink: string
  [field: string]: unknown
}

const directory = (
  slug: string,
  name: string,
  domainRating: number | null,
  more: Partial<DirectoryLine> = {},
): DirectoryLine => ({
  slug,
  name,
  domainRating,
  cost: 'Free',
  featured: false,
  categories: [],
  published: true,
  website: `https://${slug}.example.org`,
  submissionLink: `https://${CANARY}.example/${slug}`,
  createdAt: '2026-02-01T08:00:00.000Z',
  ...more,
})

export const FULL_DIRECTORY = {
  website: 'https://launch-list.example.org',
  icon: 'https://launch-list.example.org/icon.png',
  frame: 'https://launch-list.example.org/frame.png',
  cost: 'Freemium' as const,
  type: 'DoFollow',
  domainRating: 70.5,
  monthlyVisits: 250_000,
  requiresBadge: true,
  minimumPrice: 49,
  submissionExperience: 'Good',
  categories: ['saas', 'ai'],
  smallDescription: 'A daily list of products',
  fullDescription: 'Launch List shows ten products a day.',
  features: ['Newsletter'],
  useCases: ['Finding first users'],
  faq: [{ question: 'How long?', answer: 'Two days.' }],
  deal: { text: '20 % off', code: 'LAUNCH20' },
  socials: { x: 'https://x.com/launchlist' },
}

export const DIRECTORIES: DirectoryLine[] = [
  directory('no-rating-b', 'Bottom', null, { featured: true }),
  directory('no-rating-a', 'Abyss', null, { cost: 'Paid' }),
  directory('zero', 'Zero', 0),
  directory('launch-list', 'Launch List', 70.5, FULL_DIRECTORY),
  directory('bare-directory', 'Bare Directory', 12),
  directory('peak', 'Peak', 95, { cost: 'Paid', minimumPrice: 99, categories: ['saas'] }),
  // Equal Domain Rating: ordered by name without regard to case and accents, then by id.
  directory('tie-zebra', 'Zebra Board', 60, { categories: ['ai'] }),
  directory('tie-emu', 'Émeu Board', 60, { featured: true, categories: ['ecology'] }),
  directory('tie-ant', 'ant Board', 60, { cost: 'Freemium' }),
  directory('tie-same-1', 'Same Board', 60),
  directory('tie-same-2', 'Same Board', 60, { categories: ['saas'] }),
  directory('tie-same-3', 'Same Board', 60),
  // One word in the name, in the small description, in the full description, and as a category.
  directory('kiwi-hunt', 'Kiwi Hunt', 5),
  directory('fruit-list', 'Fruit List', 40, { smallDescription: 'Every kiwi counts' }),
  directory('long-read', 'Long Read', 90, { fullDescription: 'Somewhere in here is a kiwi.' }),
  directory('hidden-directory', 'Hidden Kiwi Directory', 99, { published: false, categories: ['saas'] }),
]

export const FIXTURE: object[] = [
  ...CATEGORIES.map((line) => ({ kind: 'category', ...line })),
  ...TAGS.map((line) => ({ kind: 'tag', ...line })),
  ...DIRECTORY_CATEGORIES.map((line) => ({ kind: 'directoryCategory', ...line })),
  ...TOOLS.map((line) => ({ kind: 'tool', ...line })),
  ...DIRECTORIES.map((line) => ({ kind: 'directory', ...line })),
]

export const publishedTools = TOOLS.filter((line) => line.published)
export const isAdult = (line: ToolLine): boolean => line.category === 'nsfw' || line.tags.includes('adult-content')
/** What a reader sees who does not ask for adult listings. */
export const visibleTools = publishedTools.filter((line) => !isAdult(line))
export const publishedDirectories = DIRECTORIES.filter((line) => line.published)
export const slugsOf = (items: readonly { slug: string }[]): string[] => items.map((item) => item.slug)
/** For comparing without regard to order. */
export const sortedSlugs = (items: readonly { slug: string }[]): string[] => slugsOf(items).sort()
