// What a product and a directory are about, as topics: a directory of design tools fits a logo maker and not an e-mail assistant. A topic
// is found by its words in names, categories, tags and texts (features/catalog/known-hosts/topics.ts) and, for well-known directories, by the host.
import { stemOf } from '../../search/words/word-forms.ts'
import { words } from '../../search/words/words.ts'
import { type GeneralList, knownHost } from '../catalog/known-hosts/known-hosts.rules.ts'
import { TOPICS, type Topic, type TopicDeclaration } from '../catalog/known-hosts/topics.ts'

const DECLARED: Readonly<Record<Topic, TopicDeclaration>> = TOPICS
export const topicLabel = (topic: Topic): string => DECLARED[topic].label
const isTopic = (name: string): name is Topic => Object.hasOwn(DECLARED, name)
const isExclusive = (topic: Topic): boolean => DECLARED[topic].isExclusive === true
/** Products of this topic alone are no business software. */
export const isNoBusiness = (topic: Topic): boolean => DECLARED[topic].isNoBusiness === true

const topicsByStem = (wordsOf: (declared: TopicDeclaration) => string): ReadonlyMap<string, Topic> =>
  new Map(
    Object.entries(DECLARED).flatMap(([topic, declared]) =>
      wordsOf(declared)
        .split(' ')
        .filter(Boolean)
        .map((word): [string, Topic] => [stemOf(word), topic as Topic]),
    ),
  )

const TOPIC_IN_PRODUCT_TEXT = topicsByStem((declared) => declared.words)
const TOPIC_IN_TERM = topicsByStem(({ words, termWords = '' }) => `${words} ${termWords}`)
const TOPIC_IN_DIRECTORY = topicsByStem(
  ({ words, termWords = '', directoryWords = '' }) => `${words} ${termWords} ${directoryWords}`,
)

// The first sentences say what a thing is; the bound also keeps hostile texts cheap.
const MAX_CHARS = 300

interface KnownWord {
  stem: string
  /** Its topic in a text about a product. */
  ofProducts: Topic | undefined
  /** Its topic in the name, the category and the tags of a product. */
  ofTerms: Topic | undefined
  ofDirectories: Topic | undefined
}

/** The words of a text. Names such as BestWebDesignTools are read as the words that they are made of. */
function wordsOf(text: string | null | undefined): KnownWord[] {
  if (!text) return []
  const apart = text.slice(0, MAX_CHARS).replace(CAMEL_CASE, '$1 $2').replace(NO_CODE, 'nocode').replace(SPEECH, 'tts')
  const found: KnownWord[] = []
  for (const word of words(apart)) if (!WITHOUT_MEANING.has(word)) found.push(knownWord(word))
  return found
}

/** Forms of topic words that say nothing about the topic: every product is designed for something. */
const WITHOUT_MEANING: ReadonlySet<string> = new Set(['designed', 'coded'])
const CAMEL_CASE = /([a-z])([A-Z])/g
const NO_CODE = /\b(?:no|low)[ -]code\b/gi
const SPEECH = /\btext[ -]to[ -]speech\b|\bspeech[ -]to[ -]text\b|\bspeech (?=synthesi|recogni)/gi

// A cache, because most words are common. It is emptied when full, because texts may have any number of words.
const knownWords = new Map<string, KnownWord>()
const MAX_CACHED = 20_000

function knownWord(word: string): KnownWord {
  const known = knownWords.get(word)
  if (known) return known
  if (knownWords.size >= MAX_CACHED) knownWords.clear()
  const stem = stemOf(word)
  const made = {
    stem,
    ofProducts: TOPIC_IN_PRODUCT_TEXT.get(stem),
    ofTerms: TOPIC_IN_TERM.get(stem),
    ofDirectories: TOPIC_IN_DIRECTORY.get(stem),
  }
  knownWords.set(word, made)
  return made
}

const topicsIn = (list: readonly KnownWord[], by: 'ofProducts' | 'ofTerms' | 'ofDirectories'): Topic[] => {
  const found: Topic[] = []
  for (const { [by]: topic } of list) if (topic !== undefined && !found.includes(topic)) found.push(topic)
  return found
}

/** What a directory is about. */
export interface DirectoryTopics {
  /** From its name, first category or host: a product about something else does not fit. */
  main: readonly Topic[]
  /** From its other categories and its texts. */
  side: readonly Topic[]
  /** A product must have one of these topics to be listed there. */
  exclusive: readonly Topic[]
  /** What a well-known host lists, regardless of topic. */
  general: GeneralList | undefined
  /** The stems of its words, to compare with those of a product. */
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
  const ofName = wordsOf(directory.name.slice(0, MAX_CHARS / 2))
  const ofFirst = wordsOf(first)
  const ofSmallDescription = wordsOf(directory.smallDescription)
  const ofOtherTexts = wordsOf(`${others.join('\n').slice(0, MAX_CHARS / 3)}\n${directory.fullDescription ?? ''}`)
  const named = [...ofName, ...ofFirst]
  const known = knownHost(directory.website)
  const { about = [] } = known
  // A first category that names a topic was chosen by the operator and counts most; otherwise a known host says more than the name.
  const isNamed = topicsIn(ofFirst, 'ofDirectories').length > 0 || (about.length === 0 && known.general === undefined)
  const main = isNamed ? topicsIn(named, 'ofDirectories') : about
  return {
    main: main.filter((topic) => !isExclusive(topic)),
    side: topicsIn([...ofSmallDescription, ...ofOtherTexts], 'ofDirectories'),
    // Not from descriptions: a word there ("no adult content", "for agencies") does not mean that the directory lists nothing else.
    exclusive: [...new Set([...main, ...about].filter(isExclusive))],
    general: isNamed && main.length > 0 ? undefined : known.general,
    stems: [...named, ...ofSmallDescription, ...ofOtherTexts].map(({ stem }) => stem),
  }
}

/** What a product is about. */
export interface ProductTopics {
  /** From its category, tags, name and tagline. */
  strong: ReadonlySet<Topic>
  /** Only from its description, or related to a strong topic. */
  weak: ReadonlySet<Topic>
  /** The words of its category and tags, as they are written, by stem. */
  wordOf: ReadonlyMap<string, string>
  /** Its texts say that it works with AI. */
  isAi: boolean
}

/** What the topics of a product are read from. */
export interface ProductTexts {
  name: string
  tagline: string
  description: string
  /** The name of its category. */
  category: string | null
  /** The names of its tags. */
  tags: readonly string[]
  isForSale: boolean
  isAdult: boolean
  /** Whether it offers a discount to those who come from a directory. */
  hasDeal: boolean
}

export function productTopics(product: ProductTexts): ProductTopics {
  const terms = [product.category ?? '', ...product.tags]
  const named = [...terms, product.name].flatMap((text) => wordsOf(text))
  const line = wordsOf(product.tagline)
  const strong = new Set([...topicsIn(named, 'ofTerms'), ...topicsIn(line, 'ofProducts')])
  if (product.isForSale) strong.add('forSale')
  else strong.delete('forSale')
  if (product.isAdult) strong.add('adult')
  else strong.delete('adult')
  if (product.hasDeal) strong.add('deals')
  const termWords = terms.flatMap((text) =>
    words(text.slice(0, MAX_CHARS)).map((word): [string, string] => [stemOf(word), word]),
  )
  const description = wordsOf(product.description)
  const touched = [...strong].flatMap((topic) => (DECLARED[topic].touches ?? []).filter(isTopic))
  const described = [...topicsIn(description, 'ofProducts'), ...touched]
  return {
    strong,
    weak: new Set(described.filter((topic) => !strong.has(topic) && !isExclusive(topic))),
    wordOf: new Map(termWords.filter(([stem, word]) => word.length > 2 && !GENERAL_STEMS.has(stem))),
    isAi: [...named, ...line, ...description].some(({ stem }) => stem === 'ai'),
  }
}

/** Words that any directory and any product may have: sharing them says nothing. */
const GENERAL_STEMS: ReadonlySet<string> = new Set(
  `ai app apps tool tools software product products startup startups saas service services platform site website web online
  directory list best top new free other others editors choice open source and the for with your all business generator
  generation assistant resources learning machine awesome related models model library libraries`
    .trim()
    .split(/\s+/)
    .map(stemOf),
)
