// Decides whether a passage answers a question: for each asking sentence, one sentence of the passage must be about the same words, give
// the kind of answer asked for, and be negated if the question is. A wrong answer is worse than none, so a word of the question that the
// passage does not have means no answer. tests/support/near-misses.test.ts measures the results. When the answer of a language model goes to
// a person instead, `answerers.ts` decides.
import {
  clausesOf,
  contentWords,
  isNegated,
  readSentences,
  sentencesOfAnswer,
} from '../knowledge/question-words.rules.ts'
import { gives, readKinds } from './answer-kinds.rules.ts'

/** What one sentence of a question asks. */
interface Ask {
  words: readonly string[]
  /** Words of its clauses with "if …" or "when …". */
  condition: readonly string[]
  /** The patterns that an answer must match, one for each kind of answer asked for. */
  says: readonly RegExp[]
  isNegated: boolean
  /** Participles that the answer must have, too: "a published episode" is not an episode to be published. */
  participles: readonly string[]
  /** Words with a capital letter. */
  names: readonly string[]
  /** Words of the sentences around it, if this one refers to them ("it", "this"). */
  context: readonly string[]
}

interface Sentence {
  text: string
  /** The sentence without its conditions; `words` are its words. */
  main: string
  words: readonly string[]
  condition: readonly string[]
  /** The first words of each sentence before it: "it" or "this" may mean one of them. */
  earlier: ReadonlySet<string>
  /** Words of the whole passage. */
  passage: ReadonlySet<string>
}

/** What the title of the article is about. */
interface Topic {
  words: ReadonlySet<string>
  /** Whether the title names only one topic. */
  isOne: boolean
}

// The first words of a sentence, which say what it is about.
const TOPIC_WORDS = 3
// No passage answers a longer question, and reading all of it would take long.
const MAX_SENTENCES = 8
const MAX_WORDS = 30

/** At most this share of the question's words may be missing in the sentence, if the title or the sentences before it have them. */
const MAX_ELSEWHERE = 0.5

// "What happens if …": all words of such a question may be in the condition of the sentence that answers it.
const ABOUT_A_CASE = /\bwhat (?:happens|will happen|(?:should|do|can|must) (?:i|we) do)\b/i
// Asks about this customer's own data, which no article knows.
const ABOUT_THIS_CUSTOMER =
  /\b(?:did|have) (?:i|we)\b|\bdo (?:i|we) have\b(?! to\b)|\b(?:was|were|has|have) (?:my|our)\b|\bwh(?:at|ere)(?:'s|’s| is| are) (?:my|our)\b/i
// Words of an answer, and of a question, that refer to what was said before.
const REFERS_IN_ANSWER = /\b(?:it|its|they|them|their|this|these|also)\b|\bones?\b(?= (?:back|of)\b|[.,;]|$)/i
const REFERS_IN_QUESTION = /\b(?:it|its|they|them|their|this|these|that|those|one|ones)\b/i
const PARTICIPLE = /(?<=\b(?:an?|my|our|your|the) )\w+ed(?= \w)/gi
const NAMES = /(?<=[a-z,] )[A-Z]\w+/g
// Places such as "in my account", and verbs that say little. They are dropped from a question if two other words remain.
const PLACE =
  /\b(?:in|on|from|for|to) (?:my|our|your|the) (?:account|workspace|website|site|product|listing|directory|dashboard|app|service|profile|page)\b/gi
const LIGHT_VERBS = new Set(['use', 'put', 'bring', 'find', 'allow'])

/** What the sentences of a question ask; empty if no passage can answer it. `correct` corrects typing mistakes. */
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
    const keepsLightVerbs = says.length > 0 && !/\bwhich\b/i.test(sentence)
    const few = wordsOf(main.replace(PLACE, ' ')).filter((word) => keepsLightVerbs || !LIGHT_VERBS.has(word))
    return {
      // "the Pro plan": an answer may say only "Pro".
      words: (few.length < 2 ? all : few).filter((word) => word !== 'plan' || names.length === 0),
      condition: wordsOf(condition),
      participles: sentence.match(PARTICIPLE) ?? [],
      says,
      isNegated: isNegated(sentence),
      names,
      context: REFERS_IN_QUESTION.test(sentence) ? wordsOf(around.join('\n')) : [],
    }
  })
  const comparable = asks.filter(({ words, condition }) => words.length + condition.length > 0)
  const isTooLong = comparable.length > MAX_SENTENCES || comparable.some(({ words }) => words.length > MAX_WORDS)
  return isTooLong || asked.some((sentence) => ABOUT_THIS_CUSTOMER.test(sentence)) ? [] : comparable
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

/** 0 when the sentence does not answer what is asked. A word that only the title or an earlier sentence has lowers the score. */
function scoreOfSentence(ask: Ask, sentence: Sentence, { words: title, isOne }: Topic): number {
  const { text, main, words, earlier, passage } = sentence
  const all = [...ask.words, ...ask.condition]
  const missing = [
    ...ask.words.filter((word) => !words.includes(word)),
    ...ask.condition.filter((word) => !words.includes(word) && !sentence.condition.includes(word)),
  ]
  if (missing.length > MAX_ELSEWHERE * all.length) return 0
  const refers = REFERS_IN_ANSWER.test(text)
  const isReferredTo = (word: string) =>
    (refers && earlier.has(word)) || (title.has(word) && (refers || passage.has(word) || (isOne && all.length > 2)))
  if (!missing.every(isReferredTo)) return 0
  if (ask.isNegated && (missing.length > 0 || !isNegated(text))) return 0
  if (!ask.participles.every((word) => text.toLowerCase().includes(word.toLowerCase()))) return 0
  const names = ask.names.filter((name) => words.includes(name))
  if (!ask.says.every((says) => gives(main, says, all, names))) return 0
  const known = ask.context.filter((word) => passage.has(word) || title.has(word))
  if (known.length < ask.context.length / 2) return 0
  // A question of one or two words is answered only by a sentence, or an article, that is about one of them.
  if (all.length === 1 && !all.some((word) => title.has(word) || isSubject(word, sentence, ask.says))) return 0
  // "Refunds take five days and are paid to the card" does not say whether one can pay by card.
  if (all.length === 2 && !all.some((word) => title.has(word) || words.slice(0, TOPIC_WORDS).includes(word))) return 0
  return 1 - missing.length / (2 * all.length)
}

/** Whether a sentence is about a word: the sentence begins with it, or has it in the same part as the number that is asked for. */
const isSubject = (word: string, { words, main }: Sentence, says: readonly RegExp[]): boolean =>
  words.slice(0, 2).includes(word) ||
  (says.length > 0 &&
    main
      .split(/[,;]| and /)
      .some(
        (part) =>
          /\d/.test(part) && contentWords(part).includes(word) && says.every((one) => gives(part, one, [word], [])),
      ))
