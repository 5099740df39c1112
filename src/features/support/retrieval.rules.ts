// Finds the passage that answers a question. The numbers below were tuned with the tuning questions of tests/support/knowledge;
// tests/support/held-back-questions.test.ts measures them with other questions and fails when the results get worse.
import { letterMask, maskDifference, typosAllowed, withinTypos } from '../../search/typos.ts'
import { isAnswerKind, kindsGivenIn } from './answer-kinds.rules.ts'
import { MAX_ARTICLE_BODY, MAX_TITLE } from './knowledge.schema.ts'
import { type Passage, passagesOf } from './passages.rules.ts'
import { contentWords, questionWords } from './question-words.rules.ts'

export interface FoundPassage {
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
/** Shares of the highest weight: for a word that no passage has, and for the kind of answer that the question asks for. */
const UNKNOWN_WORD_WEIGHT = 0.6
const ANSWER_KIND_WEIGHT = 0.23

/** Two neighbouring passages whose scores are within this factor are returned together, because the question may be about either. */
const CLOSE_SCORES = 1.18
/** The minimum for an answer: coverage, plus a share of the lead over the next best passage, minus a share of the heaviest missing word. */
const MIN_CONFIDENCE = 0.82
const LEAD_SHARE = 0.25
const MISSING_SHARE = 0.4
/** An answer must not depend on one common word. With few passages every word is common, so less evidence is required. */
const MIN_EVIDENCE = 0.88
const MANY_PASSAGES = 100

/** Only this many words of a question are used, because a very long text would block all other requests. */
const MAX_WORDS = 30

// Twice the limit for operators, because a character may count as two UTF-16 units here.
const MAX_ARTICLE_LENGTH = 2 * (MAX_TITLE + MAX_ARTICLE_BODY)

interface Article {
  id: string
  title: string
  body: string
}

export interface IndexedPassage {
  passage: Passage
  /** The index of the passage in its article. */
  at: number
  text: ReadonlyMap<string, number>
  title: ReadonlySet<string>
  article: ReadonlySet<string>
}

interface ScoredPassage extends FoundPassage {
  at: number
  score: number
  /** The weight of the question's words that were found. */
  evidence: number
  /** The weight of the heaviest word that was not found, as a share of the whole question. */
  missing: number
}

export const knowledgeOfArticles = (articles: readonly Article[]): Knowledge =>
  knowledgeOfPassages(articles.flatMap(indexArticle))

/** `indexed` are the passages of all articles. */
export function knowledgeOfPassages(indexed: readonly IndexedPassage[]): Knowledge {
  const postings = postingsOf(indexed)
  // A rare word has a higher weight than a common one.
  const weights = new Map(postings.entries().map(([word, { length }]) => [word, Math.log(1 + indexed.length / length)]))
  // Grouped by first letter, because people rarely mistype it.
  const vocabulary = Map.groupBy(
    weights.entries().map(([term, weight]) => ({ term, weight, mask: letterMask(term) })),
    ({ term }) => term[0],
  )
  // The weight of a word that only one passage has.
  const highestWeight = Math.log(1 + indexed.length)

  /** Replaces a word that no article has by a similar one that some have, because it may be a typo. */
  function withoutTypo(word: string): string {
    const limit = weights.has(word) || isAnswerKind(word) ? 0 : typosAllowed(word)
    if (limit === 0) return word
    const mask = letterMask(word)
    const near = (vocabulary.get(word[0]) ?? []).filter(
      ({ term, mask: other }) =>
        Math.abs(term.length - word.length) <= limit &&
        maskDifference(mask, other) <= 2 * limit &&
        withinTypos(word, term, limit),
    )
    // The most common candidate is the most likely one.
    return near.sort((a, b) => a.weight - b.weight)[0]?.term ?? word
  }

  const weightOf = (term: string): number =>
    isAnswerKind(term) ? ANSWER_KIND_WEIGHT * highestWeight : (weights.get(term) ?? UNKNOWN_WORD_WEIGHT * highestWeight)

  function find(question: string): ScoredPassage[] {
    const words = questionWords(question)
    const contextWords = words.around.slice(0, MAX_WORDS).map(withoutTypo)
    const askedWords = words.asked.slice(0, MAX_WORDS).map(withoutTypo)
    const terms = new Map<string, number>()
    for (const term of contextWords) terms.set(term, CONTEXT_WEIGHT * weightOf(term))
    for (const term of askedWords) terms.set(term, weightOf(term))
    const concerned = new Set(terms.keys().flatMap((term) => postings.get(term) ?? []))
    return [...concerned]
      .map((passage) => scoreOf(passage, terms, [...contextWords, ...askedWords]))
      .filter((found) => found.score > 0)
      .sort((a, b) => b.score - a.score)
  }

  return {
    passages: indexed.map((one) => one.passage),
    find,
    answer(question) {
      // The same text in another article does not make the answer less certain.
      const [best, second, third] = withoutRepeatedTexts(find(question))
      if (!best || best.evidence < MIN_EVIDENCE * highestWeight * Math.min(1, indexed.length / MANY_PASSAGES))
        return null
      const pair =
        second && areNeighbours(best, second) && best.score < second.score * CLOSE_SCORES ? second : undefined
      const rival = pair ? third : second
      const lead = rival ? Math.min(1, best.score / rival.score - 1) : 1
      if (best.coverage + LEAD_SHARE * lead - MISSING_SHARE * best.missing < MIN_CONFIDENCE) return null
      return pair ? joined(best, pair) : best.passage
    },
  }
}

function scoreOf(
  { passage, at, text, title, article }: IndexedPassage,
  terms: ReadonlyMap<string, number>,
  sequence: readonly string[],
): ScoredPassage {
  let whole = 0
  let evidence = 0
  let score = 0
  let missing = 0
  for (const [term, weight] of terms) {
    const times = text.get(term) ?? 0
    const inTitle = title.has(term)
    const share = times > 0 ? 1 : inTitle ? TITLE_SHARE : article.has(term) ? ARTICLE_SHARE : 0
    whole += weight
    evidence += weight * share
    score += weight * (share + (times > 1 ? REPEATED_BONUS : 0) + (times > 0 && inTitle ? ALSO_IN_TITLE_BONUS : 0))
    if (times === 0 && !inTitle && !isAnswerKind(term)) missing = Math.max(missing, weight)
  }
  let neighbours = 0
  let previous: string | undefined
  for (const word of sequence) {
    if (previous !== undefined && text.has(previous) && text.has(word)) neighbours += 1 / (sequence.length - 1)
    previous = word
  }
  return {
    passage,
    at,
    evidence,
    coverage: whole === 0 ? 0 : evidence / whole,
    missing: whole === 0 ? 0 : missing / whole,
    score: score * (1 + NEIGHBOURS_BONUS * neighbours),
  }
}

function withoutRepeatedTexts(found: readonly ScoredPassage[]): ScoredPassage[] {
  const texts = new Set<string>()
  return found.slice(0, 20).filter(({ passage: { text } }) => !texts.has(text) && texts.add(text))
}

const areNeighbours = (a: ScoredPassage, b: ScoredPassage): boolean =>
  a.passage.articleId === b.passage.articleId && Math.abs(a.at - b.at) === 1

function joined(a: ScoredPassage, b: ScoredPassage): Passage {
  const [first, then] = a.at < b.at ? [a, b] : [b, a]
  return { ...first.passage, text: `${first.passage.text}\n\n${then.passage.text}` }
}

/** For each word the passages that have it in the text or the title. */
function postingsOf(indexed: readonly IndexedPassage[]): Map<string, IndexedPassage[]> {
  const postings = new Map<string, IndexedPassage[]>()
  for (const one of indexed)
    for (const word of new Set([...one.text.keys(), ...one.title])) {
      const passages = postings.get(word)
      if (passages) passages.push(one)
      else postings.set(word, [one])
    }
  return postings
}

/** Why a stored article cannot be searched, in a sentence; undefined when it can. Indexing a very long article would block all requests. */
export const articleProblem = ({ title, body }: Pick<Article, 'title' | 'body'>): string | undefined =>
  title.length + body.length > MAX_ARTICLE_LENGTH
    ? `It is longer than ${MAX_ARTICLE_LENGTH.toLocaleString('en')} characters.`
    : undefined

export function indexArticle({ id: articleId, title, body }: Article): IndexedPassage[] {
  const titleWords = new Set(contentWords(title))
  const article = new Set(contentWords(body))
  return passagesOf(body).map((text, at) => {
    const counted = new Map<string, number>()
    for (const word of [...contentWords(text), ...kindsGivenIn(text)]) counted.set(word, (counted.get(word) ?? 0) + 1)
    return { passage: { articleId, title, text }, at, text: counted, title: titleWords, article }
  })
}
