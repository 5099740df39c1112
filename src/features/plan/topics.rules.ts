// What a product and a directory are about, as topics: a directory of design tools fits a logo maker and not an e-mail assistant. A topic
// is found by its words in names, categories, tags and texts. The table is small and in plain words on purpose: every topic can be told
// to a person as the reason for a place in the plan, and every operator can say which word is missing.
import { stemOf } from '../../search/word-forms.ts'
import { words } from '../../search/words.ts'
import { hostOf } from '../catalog/accepted-kinds.rules.ts'

interface TopicDeclaration {
  /** Completes "lists …". */
  label: string
  words: string
  /** Words that only tell it of a directory: a product that uses GPT-4 is not a custom GPT. */
  directoryWords?: string
  /**
   * The directory lists something else than products of every kind: without this topic a product cannot be entered at all. It is found in
   * the description in a line, too.
   */
  isExclusive?: true
}

const TOPICS = {
  writing: {
    label: 'writing tools',
    words: 'writing writer write copywriting copywriter grammar essay paraphrasing fiction',
  },
  images: {
    label: 'image tools',
    words: 'image images photo photos picture avatar illustration diffusion midjourney wallpaper artwork artist',
  },
  video: { label: 'video tools', words: 'video videos film filmmaking animation clip movie youtube' },
  audio: {
    label: 'audio and voice tools',
    words: 'audio voice speech music sound podcast song tts transcription voiceover',
  },
  developers: {
    label: 'developer tools',
    words:
      'developer dev code coding programming programmer sdk github ide debugging devops devtools frontend backend hackathon',
  },
  design: { label: 'design tools', words: 'design designer ui ux graphic logo figma branding webflow infographic' },
  marketing: {
    label: 'marketing tools',
    words: 'marketing marketer seo ads advertising campaign affiliate influencer linkedin backlink',
  },
  sales: { label: 'sales tools', words: 'sales crm prospecting outreach' },
  education: {
    label: 'education tools',
    words: 'education student teacher course school study academia academic exam tutoring academy elearning',
  },
  research: { label: 'research tools', words: 'research researcher science scientific paper citation literature' },
  finance: {
    label: 'finance tools',
    words: 'finance finances financial fintech investing investor trading bookkeeping payment payments stocks',
  },
  health: { label: 'health tools', words: 'health healthcare medical fitness wellness therapy' },
  law: { label: 'legal tools', words: 'legal law lawyer contract contracts' },
  hiring: {
    label: 'hiring and job tools',
    words: 'hiring recruiting recruitment resume cv job jobs interview interviews',
  },
  shops: { label: 'tools for online shops', words: 'ecommerce shopify woocommerce dropshipping' },
  games: { label: 'games', words: 'game games gaming' },
  security: { label: 'security tools', words: 'security cybersecurity pentesting exploit exploits' },
  data: { label: 'data tools', words: 'data analytics database spreadsheet sql dashboard bigdata' },
  nocode: { label: 'no-code tools', words: 'nocode lowcode' },
  chatbots: { label: 'chatbots', words: 'chatbot chatbots bot bots' },
  agents: { label: 'AI agents', words: 'agent agents agentic' },
  sustainability: { label: 'sustainability software', words: 'sustainability sustainable climate carbon' },
  web3: { label: 'web3 products', words: 'web3 crypto blockchain nft' },
  deals: { label: 'lifetime deals', words: 'deal deals lifetime' },
  gpts: { label: 'custom GPTs', words: 'gpts', directoryWords: 'gpt 1000gpt', isExclusive: true },
  mcp: { label: 'MCP servers', words: 'mcp', isExclusive: true },
  agencies: { label: 'agencies', words: 'agency agencies', isExclusive: true },
  forSale: { label: 'businesses for sale', words: 'acquire acquisition auction auctions selling', isExclusive: true },
  adult: { label: 'adult products', words: 'adult nsfw porn xxx hentai', isExclusive: true },
} as const satisfies Record<string, TopicDeclaration>

export type Topic = keyof typeof TOPICS

/** Topics of well-known directories whose name does not tell them, by host. */
const KNOWN_TOPICS: ReadonlyMap<string, Topic> = new Map([
  ['devpost.com', 'developers'],
  ['stackshare.io', 'developers'],
  ['kitploit.com', 'security'],
  ['sidebar.io', 'design'],
  ['dribbble.com', 'design'],
  ['behance.net', 'design'],
  ['appsumo.com', 'deals'],
  ['clutch.co', 'agencies'],
  ['flippa.com', 'forSale'],
  ['microns.io', 'forSale'],
])

const DECLARED: Readonly<Record<Topic, TopicDeclaration>> = TOPICS
export const topicLabel = (topic: Topic): string => DECLARED[topic].label
const isExclusive = (topic: Topic): boolean => DECLARED[topic].isExclusive === true

const topicsByStem = (wordsOf: (declared: TopicDeclaration) => string): ReadonlyMap<string, Topic> =>
  new Map(
    Object.entries(DECLARED).flatMap(([topic, declared]) =>
      wordsOf(declared)
        .split(' ')
        .map((word): [string, Topic] => [stemOf(word), topic as Topic]),
    ),
  )

const OF_PRODUCTS = topicsByStem((declared) => declared.words)
const OF_DIRECTORIES = topicsByStem(({ words, directoryWords = '' }) => `${words} ${directoryWords}`.trim())

// The first sentences say what a thing is; the bound also keeps hostile texts cheap.
const MOST_READ = 300

interface KnownWord {
  stem: string
  ofProducts: Topic | undefined
  ofDirectories: Topic | undefined
}

/** The words of a text. Names such as BestWebDesignTools are read as the words that they are made of. */
function wordsOf(text: string | null | undefined): KnownWord[] {
  if (!text) return []
  const apart = text.slice(0, MOST_READ).replace(HUMP, '$1 $2').replace(NO_CODE, 'nocode')
  const found: KnownWord[] = []
  for (const word of words(apart)) if (!NOT_TELLING.has(word)) found.push(knownWord(word))
  return found
}

/** Forms of telling words that say nothing: everything is designed for something. */
const NOT_TELLING: ReadonlySet<string> = new Set(['designed', 'coded'])
const HUMP = /([a-z])([A-Z])/g
const NO_CODE = /\b(?:no|low)[ -]code\b/gi

// Common words are looked up again and again. A full cache is emptied, because texts may have any number of words.
const knownWords = new Map<string, KnownWord>()
const MOST_KNOWN = 20_000

function knownWord(word: string): KnownWord {
  const known = knownWords.get(word)
  if (known) return known
  if (knownWords.size >= MOST_KNOWN) knownWords.clear()
  const stem = stemOf(word)
  const made = { stem, ofProducts: OF_PRODUCTS.get(stem), ofDirectories: OF_DIRECTORIES.get(stem) }
  knownWords.set(word, made)
  return made
}

const productTopicsIn = (list: readonly KnownWord[]): Topic[] => [
  ...new Set(list.flatMap((word) => word.ofProducts ?? [])),
]

function directoryTopicsIn(list: readonly KnownWord[]): Topic[] {
  const found: Topic[] = []
  for (const { ofDirectories: topic } of list) if (topic !== undefined && !found.includes(topic)) found.push(topic)
  return found
}

/** What a directory is about. */
export interface DirectoryTopics {
  /** Its name or first category says so: products about something else are out of place. */
  main: readonly Topic[]
  /** Its other categories and its texts say so. */
  side: readonly Topic[]
  /** Topics without which a product cannot be entered. */
  exclusive: readonly Topic[]
  /** Words that tell something about it, to compare with those of a product. */
  stems: readonly string[]
}

export function directoryTopics(directory: {
  name: string
  website: string
  categories: readonly string[]
  smallDescription: string | null
  fullDescription: string | null
}): DirectoryTopics {
  const [first = '', ...others] = directory.categories
  const named = wordsOf(`${directory.name.slice(0, MOST_READ / 2)}\n${first}`)
  const line = wordsOf(directory.smallDescription)
  const rest = wordsOf(`${others.join('\n').slice(0, MOST_READ / 3)}\n${directory.fullDescription ?? ''}`)
  const ofName = directoryTopicsIn(named)
  const known = KNOWN_TOPICS.get(hostOf(directory.website))
  const main = known === undefined || ofName.includes(known) ? ofName : [known, ...ofName]
  const ofLine = directoryTopicsIn(line)
  return {
    main: main.filter((topic) => !isExclusive(topic)),
    side: [...ofLine, ...directoryTopicsIn(rest)],
    // Only what it is in the first place: one word of a description ("no adult content", "for agencies") does not say that it lists
    // nothing else.
    exclusive: [...new Set(main.filter(isExclusive))],
    stems: [...named, ...line, ...rest].map(({ stem }) => stem),
  }
}

/** What a product is about. */
export interface ProductTopics {
  /** Its category, tags, name and tagline say so. */
  strong: ReadonlySet<Topic>
  /** Only its description says so. */
  weak: ReadonlySet<Topic>
  /** The words of its category and tags, as they are written, by stem. */
  wordOf: ReadonlyMap<string, string>
}

export function productTopics(product: {
  name: string
  tagline: string
  description: string
  category: string | null
  tags: readonly string[]
  isForSale: boolean
  isAdult: boolean
  hasDeal: boolean
}): ProductTopics {
  const terms = [product.category ?? '', ...product.tags]
  const strong = new Set(productTopicsIn([...terms, product.name, product.tagline].flatMap((text) => wordsOf(text))))
  if (product.isForSale) strong.add('forSale')
  else strong.delete('forSale')
  if (product.isAdult) strong.add('adult')
  else strong.delete('adult')
  if (product.hasDeal) strong.add('deals')
  const told = terms.flatMap((text) =>
    words(text.slice(0, MOST_READ)).map((word): [string, string] => [stemOf(word), word]),
  )
  const described = productTopicsIn(wordsOf(product.description))
  return {
    strong,
    weak: new Set(described.filter((topic) => !strong.has(topic) && !isExclusive(topic))),
    wordOf: new Map(told.filter(([stem, word]) => word.length > 2 && !GENERAL.has(stem))),
  }
}

/** Stems of words that every directory and every product may have: having them in common says nothing. */
const GENERAL: ReadonlySet<string> = new Set(
  `ai app apps tool tools software product products startup startups saas service services platform site website web online
  directory list best top new free other others editors choice open source and the for with your all business generator
  generation assistant resources learning machine awesome related models model library libraries`
    .trim()
    .split(/\s+/)
    .map(stemOf),
)
