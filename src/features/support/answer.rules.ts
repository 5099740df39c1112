// Whether a passage answers a question. It does if, for everything that is asked, one sentence of it speaks of what is asked, gives the
// kind of answer that is asked for, and agrees about "not". A wrong answer is worse than none, so a word of the question that the passage
// does not have means no. tests/support/near-misses.test.ts measures it.
import { gives, readKinds } from './answer-kinds.rules.ts'
import { clausesOf, contentWords, isNegated, readSentences, sentencesOfAnswer } from './question-words.rules.ts'

interface Ask {
  words: readonly string[]
  /** Words of "if …" and "when …" of the question. */
  condition: readonly string[]
  /** What an answer must have. */
  says: readonly RegExp[]
  isNegated: boolean
  /** "a published episode" is not an episode that is to be published. */
  participles: readonly string[]
  /** Words with a capital letter. */
  names: readonly string[]
  /** Words of the sentences around it, if the question refers to them. */
  context: readonly string[]
}

interface Sentence {
  text: string
  /** The sentence without its conditions, and its words. */
  main: string
  words: readonly string[]
  condition: readonly string[]
  /** What the sentences before it are about: a sentence that refers to them means these. */
  earlier: ReadonlySet<string>
  /** Words of the whole passage. */
  passage: ReadonlySet<string>
}

interface Topic {
  words: ReadonlySet<string>
  /** Whether the title names one topic. */
  isOne: boolean
}

// A question with more is not one that a passage answers; reading all of it would take long.
const TOPIC_WORDS = 3
const MAX_SENTENCES = 8
const MAX_WORDS = 30

/** This share of the words of a question need not be in the sentence itself, if it refers to them. */
const MAX_ELSEWHERE = 0.5

// What happens in some case is a question about the condition of a sentence.
const ABOUT_A_CASE = /\bwhat (?:happens|will happen|(?:should|do|can|must) (?:i|we) do)\b/i
// Asks what is the case with this customer, which no article says.
const ABOUT_THIS_CUSTOMER =
  /\b(?:did|have) (?:i|we)\b|\bdo (?:i|we) have\b(?! to\b)|\b(?:was|were|has|have) (?:my|our)\b|\bwh(?:at|ere)(?:'s|’s| is| are) (?:my|our)\b/i
// A sentence that refers to what was said before.
const REFERS = /\b(?:it|its|they|them|their|this|these|also)\b|\bones?\b(?= (?:back|of)\b|[.,;]|$)/i
const REFERS_BACK = /\b(?:it|its|they|them|their|this|these|that|those|one|ones)\b/i
const PARTICIPLE = /(?<=\b(?:an?|my|our|your|the) )\w+ed(?= \w)/gi
const NAMES = /(?<=[a-z,] )[A-Z]\w+/g
// Where something is that the question is about, and verbs that say little: left out where two other words remain.
const PLACE =
  /\b(?:in|on|from|for|to) (?:my|our|your|the) (?:account|workspace|website|site|product|listing|directory|dashboard|app|service|profile|page)\b/gi
const LIGHT = new Set(['use', 'put', 'bring', 'find', 'allow'])

/** Empty when nothing can be compared. `correct` corrects typing mistakes. */
export function readAsks(question: string, correct: (word: string) => string): Ask[] {
  const { asked, around } = readSentences(question)
  const wordsOf = (text: string) => [
    ...new Set(
      contentWords(text)
        .slice(0, MAX_WORDS + 1)
        .map(correct),
    ),
  ]
  const asks = asked.slice(0, MAX_SENTENCES + 1).map((sentence): Ask => {
    const { says, rest } = readKinds(sentence)
    const { main, condition } = ABOUT_A_CASE.test(sentence) ? { main: '', condition: rest } : clausesOf(rest)
    const all = wordsOf(main)
    const names = wordsOf((sentence.match(NAMES) ?? []).join(' '))
    const isOpen = says.length > 0 && !/\bwhich\b/i.test(sentence)
    const few = wordsOf(main.replace(PLACE, ' ')).filter((word) => isOpen || !LIGHT.has(word))
    return {
      // A plan that has a name is meant by the name alone.
      words: (few.length < 2 ? all : few).filter((word) => word !== 'plan' || names.length === 0),
      condition: wordsOf(condition),
      participles: sentence.match(PARTICIPLE) ?? [],
      says,
      isNegated: isNegated(sentence),
      names,
      context: REFERS_BACK.test(sentence) ? wordsOf(around.join('\n')) : [],
    }
  })
  const meant = asks.filter(({ words, condition }) => words.length + condition.length > 0)
  const isTooLong = meant.length > MAX_SENTENCES || meant.some(({ words }) => words.length > MAX_WORDS)
  return isTooLong || asked.some((sentence) => ABOUT_THIS_CUSTOMER.test(sentence)) ? [] : meant
}

/** 0 when the passage does not answer all that is asked, else up to 1. */
export function scoreOfAnswer(asks: readonly Ask[], text: string, title: string): number {
  const sentences = readPassage(text)
  const topic = {
    words: new Set(contentWords(title.replace(/\b\w+ing\b/g, ' '))),
    isOne: !/[,:&]|\b(?:and|or)\b/i.test(title),
  }
  const scores = asks.map((ask) => Math.max(...sentences.map((sentence) => scoreOfSentence(ask, sentence, topic))))
  return asks.length === 0 ? 0 : Math.min(...scores)
}

function readPassage(text: string): Sentence[] {
  const topics = new Set<string>()
  const passage = new Set<string>()
  return sentencesOfAnswer(text).map((sentence) => {
    const { main, condition } = clausesOf(sentence)
    const earlier = new Set(topics)
    const words = contentWords(main)
    for (const word of words.slice(0, TOPIC_WORDS)) topics.add(word)
    for (const word of words) passage.add(word)
    return { text: sentence, main, words, condition: contentWords(condition), earlier, passage }
  })
}

function scoreOfSentence(ask: Ask, sentence: Sentence, { words: title, isOne }: Topic): number {
  const { text, main, words, earlier, passage } = sentence
  const all = [...ask.words, ...ask.condition]
  const missing = [
    ...ask.words.filter((word) => !words.includes(word)),
    ...ask.condition.filter((word) => !words.includes(word) && !sentence.condition.includes(word)),
  ]
  if (missing.length > MAX_ELSEWHERE * all.length) return 0
  const refers = REFERS.test(text)
  const isMeant = (word: string) =>
    (refers && earlier.has(word)) || (title.has(word) && (refers || passage.has(word) || (isOne && all.length > 2)))
  if (!missing.every(isMeant)) return 0
  if (ask.isNegated && (missing.length > 0 || !isNegated(text))) return 0
  if (!ask.participles.every((word) => text.toLowerCase().includes(word.toLowerCase()))) return 0
  const names = ask.names.filter((name) => words.includes(name))
  if (!ask.says.every((says) => gives(main, says, all, names))) return 0
  const known = ask.context.filter((word) => passage.has(word) || title.has(word))
  if (known.length < ask.context.length / 2) return 0
  if (all.length === 1 && !all.some((word) => title.has(word) || isSubject(word, sentence, ask.says))) return 0
  // "Refunds take five days and are paid to the card" does not say whether one can pay by card.
  if (all.length === 2 && !all.some((word) => title.has(word) || words.slice(0, TOPIC_WORDS).includes(word))) return 0
  return 1 - missing.length / (2 * all.length)
}

/** Whether a sentence is about a word: it begins with it, or has it right beside the number that is asked for. */
const isSubject = (word: string, { words, main }: Sentence, says: readonly RegExp[]): boolean =>
  words.slice(0, 2).includes(word) ||
  (says.length > 0 &&
    main
      .split(/[,;]| and /)
      .some(
        (part) =>
          /\d/.test(part) && contentWords(part).includes(word) && says.every((one) => gives(part, one, [word], [])),
      ))
