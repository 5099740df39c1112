// The built-in search in articles: splits them into passages, and finds the passages that have words of a question, best first, and the one
// that answers it. The shares, bonuses and weights only order the passages; they were tuned with the questions of tests/support/knowledge.
import { letterMask, maskDifference, typosAllowed, withinTypos } from '../../../search/words/typos.ts'
import { loadVectors } from '../../catalog/word-vectors.ts'
import { readAsks, scoreOfAnswer } from '../answers/answer.rules.ts'
import { MAX_ARTICLE_BODY, MAX_TITLE } from './knowledge.schema.ts'
import { contentWords, readSentences } from './question-words.rules.ts'

interface FoundPassage {
  passage: Passage
  /** The share of the question's words that the passage has, by weight: 0 to 1. */
  coverage: number
}

export interface Knowledge {
  passages: readonly Passage[]
  /** Passages with at least one word of the question, best first. */
  find(question: string): FoundPassage[]
  /** The passage that answers the question, or null when none is certain enough. */
  answer(question: string): Passage | null
}

/** A word in the passage itself counts fully; one that only the title or the rest of the article has counts this share. */
const TITLE_SHARE = 0.8
const ARTICLE_SHARE = 0.24
/** Bonus for a word that is repeated, and for one that the title has too, because the passage is then about it. */
const REPEATED_BONUS = 0.2
const ALSO_IN_TITLE_BONUS = 0.18
/** Bonus for two neighbouring words of the question that the passage both has. */
const NEIGHBOURS_BONUS = 0.22
/** Words of sentences around the question count less than those of the question itself. */
const CONTEXT_WEIGHT = 0.35
/** A word that no passage has gets this share of the highest weight. */
const UNKNOWN_WORD_WEIGHT = 0.6

/** At most this many passages are compared with a question, because more would block all other requests. */
const MAX_SCORED = 2_000
/** This many of the best passages are checked whether they answer the question. */
const MAX_CHECKED = 20

/** Only this many words of a question are used, because a very long text would block all other requests. */
const MAX_WORDS = 30

/**
 * To correct the words of a question, at most this many steps are made: one for each word of the articles that cannot be meant by its
 * letters, and one for each letter of a word that is compared with it. Words of the same letters in another order would take seconds.
 */
const MOST_STEPS = 200_000

// Twice the limit for operators, because a character may count as two UTF-16 units here.
const MAX_ARTICLE_LENGTH = 2 * (MAX_TITLE + MAX_ARTICLE_BODY)

interface Article {
  id: string
  title: string
  body: string
}

interface IndexedPassage {
  passage: Passage
  /** How often the passage has each of its words. */
  words: ReadonlyMap<string, number>
  titleWords: ReadonlySet<string>
  articleWords: ReadonlySet<string>
}

interface ScoredPassage extends FoundPassage {
  score: number
}

/** Articles are added one by one, so that the caller can pause in between: indexing a megabyte takes half a second. */
export function createKnowledge(): Knowledge & { add(article: Article): void } {
  const passages: Passage[] = []
  const vocabulary = createVocabulary()
  // A rare word has a higher weight than a common one.
  const weightOf = (term: string): number => {
    const count = vocabulary.passagesWith(term).length
    return count > 0 ? Math.log(1 + passages.length / count) : UNKNOWN_WORD_WEIGHT * Math.log(1 + passages.length)
  }

  function find(question: string, correct = vocabulary.correction()): ScoredPassage[] {
    const { asked, around } = readSentences(question)
    const contextWords = around.flatMap(contentWords).slice(0, MAX_WORDS).map(correct)
    const askedWords = asked.flatMap(contentWords).slice(0, MAX_WORDS).map(correct)
    const weights = new Map<string, number>()
    for (const term of contextWords) weights.set(term, CONTEXT_WEIGHT * weightOf(term))
    for (const term of askedWords) weights.set(term, weightOf(term))
    const candidates = new Set<IndexedPassage>()
    // Passages with rare words first, because those with a common word may be more than the limit.
    for (const [term] of [...weights].sort(([, a], [, b]) => b - a))
      for (const one of vocabulary.passagesWith(term).slice(0, MAX_SCORED - candidates.size)) candidates.add(one)
    return [...candidates]
      .map((passage) => scoreOf(passage, weights, [...contextWords, ...askedWords]))
      .filter((found) => found.score > 0)
      .sort((a, b) => b.score - a.score)
  }

  return {
    passages,
    find: (question) => find(question),
    answer(question) {
      const correct = vocabulary.correction()
      const asks = readAsks(question, correct)
      if (asks.length === 0) return null
      const answers = find(question, correct)
        .slice(0, MAX_CHECKED)
        .map(({ passage }) => ({ passage, score: scoreOfAnswer(asks, passage.text, passage.title) }))
        .filter(({ score }) => score > 0)
      return answers.sort((a, b) => b.score - a.score)[0]?.passage ?? null
    },
    add(article) {
      for (const one of indexArticle(article)) {
        passages.push(one.passage)
        vocabulary.add(one)
      }
    },
  }
}

/** The words of all passages and their titles, with the passages that have them. */
function createVocabulary() {
  const passagesByWord = new Map<string, IndexedPassage[]>()
  // Candidates for typos, by first letter (people rarely mistype it) and length.
  const byStartAndLength = new Map<string, { term: string; mask: number }[]>()
  const startAndLength = (first: string | undefined, length: number) => `${first}${length}`

  const passagesWith = (word: string): readonly IndexedPassage[] => passagesByWord.get(word) ?? []

  return {
    passagesWith,
    /**
     * The result corrects the words of one question: a word that no article has, because it may be a typo, is replaced by the most common of
     * the similar ones that some have. Each word is looked up once, only a limited number of words, and only with a limited number of steps.
     */
    correction(): (word: string) => string {
      const corrected = new Map<string, string>()
      let steps = 0
      const correctTypo = (word: string): string => {
        const limit = passagesByWord.has(word) ? 0 : typosAllowed(word)
        // A word of the language is no typo: "slow" does not mean "show".
        if (limit === 0 || loadVectors().isWord(word)) return word
        const mask = letterMask(word)
        let likely = word
        for (let length = word.length - limit; length <= word.length + limit; length++)
          for (const { term, mask: other } of byStartAndLength.get(startAndLength(word[0], length)) ?? []) {
            const isNear = maskDifference(mask, other) <= 2 * limit
            steps += isNear ? word.length : 1
            if (steps > MOST_STEPS) return likely
            if (isNear && withinTypos(word, term, limit) && passagesWith(term).length > passagesWith(likely).length)
              likely = term
          }
        return likely
      }
      return (word) => {
        const known = corrected.get(word)
        if (known !== undefined || corrected.size >= 2 * MAX_WORDS) return known ?? word
        const found = correctTypo(word)
        corrected.set(word, found)
        return found
      }
    },
    add(one: IndexedPassage): void {
      for (const word of new Set([...one.words.keys(), ...one.titleWords])) {
        const known = passagesByWord.get(word)
        if (known) known.push(one)
        else {
          passagesByWord.set(word, [one])
          const key = startAndLength(word[0], word.length)
          const words = byStartAndLength.get(key)
          if (words) words.push({ term: word, mask: letterMask(word) })
          else byStartAndLength.set(key, [{ term: word, mask: letterMask(word) }])
        }
      }
    },
  }
}

/** How well a passage fits a question. `weights`: the words of the question with their weights. */
function scoreOf(
  { passage, words, titleWords, articleWords }: IndexedPassage,
  weights: ReadonlyMap<string, number>,
  questionWords: readonly string[],
): ScoredPassage {
  let totalWeight = 0
  let coveredWeight = 0
  let score = 0
  for (const [term, weight] of weights) {
    const times = words.get(term) ?? 0
    const inTitle = titleWords.has(term)
    const shareElsewhere = articleWords.has(term) ? ARTICLE_SHARE : 0
    const shareOutside = inTitle ? TITLE_SHARE : shareElsewhere
    const share = times > 0 ? 1 : shareOutside
    totalWeight += weight
    coveredWeight += weight * share
    score += weight * (share + (times > 1 ? REPEATED_BONUS : 0) + (times > 0 && inTitle ? ALSO_IN_TITLE_BONUS : 0))
  }
  let neighbours = 0
  let previous: string | undefined
  for (const word of questionWords) {
    if (previous !== undefined && words.has(previous) && words.has(word)) neighbours += 1 / (questionWords.length - 1)
    previous = word
  }
  return {
    passage,
    coverage: totalWeight === 0 ? 0 : coveredWeight / totalWeight,
    score: score * (1 + NEIGHBOURS_BONUS * neighbours),
  }
}

/** Why a stored article is not indexed, in a sentence; undefined when it is. Indexing a very long article would block all requests. */
export const articleProblem = ({ title, body }: Pick<Article, 'title' | 'body'>): string | undefined =>
  title.length + body.length > MAX_ARTICLE_LENGTH
    ? `It is longer than ${MAX_ARTICLE_LENGTH.toLocaleString('en')} characters.`
    : undefined

function indexArticle({ id: articleId, title, body }: Article): IndexedPassage[] {
  const titleWords = new Set(contentWords(title))
  const articleWords = new Set<string>()
  return passagesOf(body).map((text) => {
    const words = new Map<string, number>()
    for (const word of contentWords(text)) {
      articleWords.add(word)
      words.set(word, (words.get(word) ?? 0) + 1)
    }
    return { passage: { articleId, title, text }, words, titleWords, articleWords }
  })
}

/** A piece of an article that is short enough to be an answer. */
export interface Passage {
  articleId: string
  title: string
  text: string
}

// In characters. A shorter text, such as a heading, says too little alone; a longer one is too long for an answer.
const MIN_LENGTH = 60
const MAX_LENGTH = 700

/** One passage for each paragraph: short paragraphs are joined with the next, long ones are split between sentences. */
export function passagesOf(body: string): string[] {
  const passages: string[] = []
  let unfinished = ''
  for (const paragraph of body.replace(/\r\n?/g, '\n').split(/\n\s*\n/)) {
    const text = unfinished === '' ? paragraph.trim() : `${unfinished}\n${paragraph.trim()}`
    if (text.length < MIN_LENGTH) unfinished = text
    else {
      passages.push(...splitLong(text))
      unfinished = ''
    }
  }
  return unfinished.trim() === '' ? passages : [...passages, unfinished.trim()]
}

function splitLong(text: string): string[] {
  if (text.length <= MAX_LENGTH) return [text]
  const found: string[] = []
  let piece = ''
  for (const sentence of text.split(/(?<=[.!?])\s+|\n/).flatMap(cutSentence)) {
    if (piece !== '' && piece.length + sentence.length > MAX_LENGTH) {
      found.push(piece)
      piece = ''
    }
    piece = piece === '' ? sentence : `${piece} ${sentence}`
  }
  return piece.trim() === '' ? found : [...found, piece]
}

/** A sentence that is too long is split between words, and a word that is too long is split too. */
const cutSentence = (sentence: string): string[] =>
  sentence.length <= MAX_LENGTH ? [sentence] : (sentence.match(CUT) ?? [])
const CUT = new RegExp(`\\S.{0,${MAX_LENGTH - 1}}(?=\\s|$)|\\S.{0,${MAX_LENGTH - 1}}`, 'gsu')
