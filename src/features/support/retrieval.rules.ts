// The search for the passage that answers a question. The figures below were found by trying on the tuning questions of
// tests/support/knowledge, not by thinking; tests/unit/support prints and guards what they do on questions that were held back.
import { letterMask, maskDifference, typosAllowed, withinTypos } from '../../search/typos.ts'
import { MAX_ARTICLE_BODY, MAX_TITLE } from './knowledge.schema.ts'
import { type Passage, passagesOf } from './passages.rules.ts'
import { questionWords, tellingWords } from './question-words.rules.ts'
import { isWant, toldBy } from './wanted.rules.ts'

export interface FoundPassage {
  passage: Passage
  /** How much of the question it speaks of, by weight: 0 to 1. */
  coverage: number
}

export interface Knowledge {
  passages: readonly Passage[]
  /** Passages that have a word of the question, best first. */
  find(question: string): FoundPassage[]
  /** The passage that answers the question, or null when none does beyond doubt. */
  answer(question: string): Passage | null
}

/** What a word is worth by where it is found; that in the passage itself is worth 1. */
const IN_TITLE = 0.8
const IN_ARTICLE = 0.24
/** More for a word that comes again, and for one that the title has too: it is what the passage is about. */
const REPEATED = 0.2
const ALSO_IN_TITLE = 0.18
/** More for neighbours in the question that the passage has both. */
const NEIGHBOURS = 0.22
/** The story around a question says less than the question. */
const AROUND = 0.35
/** Of the most that a word can weigh: a word that no passage has, and what the question wants to know. */
const UNKNOWN_WORD = 0.6
const WANT = 0.23

/** Two passages that follow each other and are this close are given together: the question may be about either. */
const CLOSE = 1.18
/** An answer must have this much: coverage, plus a share of the lead before the next best, less a share of the weightiest word missing. */
const LEAST = 0.82
const LEAD = 0.25
const MISSING = 0.4
/** And must not rest on one common word. Where there are few passages every word is common, so less is asked. */
const LEAST_EVIDENCE = 0.88
const MANY_PASSAGES = 100

/** Of a text that is no question any more the beginning must do, or whoever sends it keeps everybody waiting. */
const MOST_WORDS = 30

// Twice what operators may write: a character may count as two here.
const LONGEST = 2 * (MAX_TITLE + MAX_ARTICLE_BODY)

interface Article {
  id: string
  title: string
  body: string
}

export interface Indexed {
  passage: Passage
  /** Its place in the article. */
  at: number
  text: ReadonlyMap<string, number>
  title: ReadonlySet<string>
  article: ReadonlySet<string>
}

interface Scored extends FoundPassage {
  at: number
  score: number
  /** Weight of the question's words that were found, and of the weightiest that was not, as a share. */
  evidence: number
  missing: number
}

export const knowledgeOf = (articles: readonly Article[]): Knowledge => knowledgeIn(articles.flatMap(indexArticle))

/** `indexed`: the passages of all articles. */
export function knowledgeIn(indexed: readonly Indexed[]): Knowledge {
  const postings = postingsOf(indexed)
  // The rarer a word is among the passages, the more it says.
  const weights = new Map(postings.entries().map(([word, { length }]) => [word, Math.log(1 + indexed.length / length)]))
  // Hardly anybody mistypes the first letter.
  const vocabulary = Map.groupBy(
    weights.keys().map((term) => ({ term, mask: letterMask(term) })),
    ({ term }) => term[0],
  )
  // The weight of a word that one passage has.
  const most = Math.log(1 + indexed.length)

  /** A word that no article has may be a slip of one that some have. */
  function meant(word: string): string {
    const limit = weights.has(word) || isWant(word) ? 0 : typosAllowed(word)
    if (limit === 0) return word
    const mask = letterMask(word)
    const near = (vocabulary.get(word[0]) ?? []).filter(
      ({ term, mask: other }) =>
        Math.abs(term.length - word.length) <= limit &&
        maskDifference(mask, other) <= 2 * limit &&
        withinTypos(word, term, limit),
    )
    // A common word is mistyped more often than a rare one.
    return near.sort((a, b) => weights.get(a.term)! - weights.get(b.term)!)[0]?.term ?? word
  }

  const weightOf = (term: string): number => (isWant(term) ? WANT * most : (weights.get(term) ?? UNKNOWN_WORD * most))

  function find(question: string): Scored[] {
    const words = questionWords(question)
    const around = words.around.slice(0, MOST_WORDS).map(meant)
    const asked = words.asked.slice(0, MOST_WORDS).map(meant)
    const terms = new Map<string, number>()
    for (const term of around) terms.set(term, AROUND * weightOf(term))
    for (const term of asked) terms.set(term, weightOf(term))
    const concerned = new Set(terms.keys().flatMap((term) => postings.get(term) ?? []))
    return [...concerned]
      .map((at) => scoreOf(indexed[at]!, terms, [...around, ...asked]))
      .filter((found) => found.score > 0)
      .sort((a, b) => b.score - a.score)
  }

  return {
    passages: indexed.map((one) => one.passage),
    find,
    answer(question) {
      // The same text in another article is no rival.
      const [best, second, third] = withoutTwins(find(question))
      if (!best || best.evidence < LEAST_EVIDENCE * most * Math.min(1, indexed.length / MANY_PASSAGES)) return null
      const pair = second && isNext(best, second) && best.score < second.score * CLOSE ? second : undefined
      const rival = pair ? third : second
      const lead = rival ? Math.min(1, best.score / rival.score - 1) : 1
      if (best.coverage + LEAD * lead - MISSING * best.missing < LEAST) return null
      return pair ? joined(best, pair) : best.passage
    },
  }
}

function scoreOf(
  { passage, at, text, title, article }: Indexed,
  terms: ReadonlyMap<string, number>,
  sequence: readonly string[],
): Scored {
  let whole = 0
  let evidence = 0
  let score = 0
  let missing = 0
  for (const [term, weight] of terms) {
    const times = text.get(term) ?? 0
    const inTitle = title.has(term)
    const share = times > 0 ? 1 : inTitle ? IN_TITLE : article.has(term) ? IN_ARTICLE : 0
    whole += weight
    evidence += weight * share
    score += weight * (share + (times > 1 ? REPEATED : 0) + (times > 0 && inTitle ? ALSO_IN_TITLE : 0))
    if (times === 0 && !inTitle && !isWant(term)) missing = Math.max(missing, weight)
  }
  let neighbours = 0
  for (let i = 1; i < sequence.length; i++)
    if (text.has(sequence[i - 1]!) && text.has(sequence[i]!)) neighbours += 1 / (sequence.length - 1)
  return {
    passage,
    at,
    evidence,
    coverage: whole === 0 ? 0 : evidence / whole,
    missing: whole === 0 ? 0 : missing / whole,
    score: score * (1 + NEIGHBOURS * neighbours),
  }
}

function withoutTwins(found: readonly Scored[]): Scored[] {
  const texts = new Set<string>()
  return found.slice(0, 20).filter(({ passage: { text } }) => !texts.has(text) && texts.add(text))
}

const isNext = (a: Scored, b: Scored): boolean =>
  a.passage.articleId === b.passage.articleId && Math.abs(a.at - b.at) === 1

function joined(a: Scored, b: Scored): Passage {
  const [first, then] = a.at < b.at ? [a, b] : [b, a]
  return { ...first.passage, text: `${first.passage.text}\n\n${then.passage.text}` }
}

/** The passages that have a word, in the text or the title. */
function postingsOf(indexed: readonly Indexed[]): Map<string, number[]> {
  const postings = new Map<string, number[]>()
  for (const [at, { text, title }] of indexed.entries())
    for (const word of new Set([...text.keys(), ...title])) {
      const places = postings.get(word)
      if (places) places.push(at)
      else postings.set(word, [at])
    }
  return postings
}

/** What keeps a stored article from being searched, in a sentence; undefined when nothing does. It holds up everybody while it is read. */
export const articleProblem = ({ title, body }: Pick<Article, 'title' | 'body'>): string | undefined =>
  title.length + body.length > LONGEST ? `It is longer than ${LONGEST.toLocaleString('en')} characters.` : undefined

export function indexArticle({ id: articleId, title, body }: Article): Indexed[] {
  const titleWords = new Set(tellingWords(title))
  const article = new Set(tellingWords(body))
  return passagesOf(body).map((text, at) => {
    const counted = new Map<string, number>()
    for (const word of [...tellingWords(text), ...toldBy(text)]) counted.set(word, (counted.get(word) ?? 0) + 1)
    return { passage: { articleId, title, text }, at, text: counted, title: titleWords, article }
  })
}
