// Decides whether a passage answers a question: for each asking sentence, one sentence of the passage must be about the same words, give
// the kind of answer asked for, and be negated if the question is. A wrong answer is worse than none, so a word of the question that the
// passage does not have means no answer. tests/support/near-misses.test.ts measures the results.
import { clausesOf, contentWords, isNegated, readSentences, sentencesOfAnswer } from './question-words.rules.ts'

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

/** A sentence of a passage. */
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

// The kinds of answers that questions ask for and sentences give: a duration, a price, steps and so on. A sentence answers a question only
// if it gives every kind that the question asks for. The words that ask for a kind need not be in the answer ("cost": an amount).

const UNIT = '(?:second|minute|hour|day|night|week|month|quarter|year)s?'
// The number of digits is limited: on thousands of digits and dots the pattern would start again at each of them, which is slow.
const NUMBER = '(?:\\d{1,12}(?:[.,]\\d{1,12}){0,6}(?![.,]?\\d)|two|three|four|five|six|seven|eight|nine|ten|twelve)'
const DURATION = `\\b(?:${NUMBER}|one|few|within an?|up to an?|an(?= hour))[ -](?:(?:business|working|full|calendar|further) )?${UNIT}\\b|\\bfor ?(?:ever|good)\\b|\\buntil the (?:end|last)\\b`
const AT_ONCE = '\\b(?:immediately|instantly|right away|right after|at once|at any time|whenever)\\b'
const SIZE = '\\d\\s?(?:pixels|px|[kmg]b|characters|words|rows|by \\d)\\b'
const AUXILIARY = '(?:will|do|does|did|can|could|is|are|was|were|should|may|must|would|has|have)'

interface AnswerKind {
  asks: RegExp
  /** A group `of` has the words after a number, one of which must be a word of the question. */
  says: RegExp
}

const kind = (asks: string, says: string): AnswerKind => ({
  asks: new RegExp(asks, 'gi'),
  says: new RegExp(says, 'gi'),
})

const IMPERATIVE = '(?:^|[,;:] |\\b(?:and|then|or|please|before|after|if|when) +)'

const ANSWER_KINDS: readonly AnswerKind[] = [
  kind('\\bhow long (?:may|can|should|must)\\b(?=.{1,80}\\bbe\\b)', SIZE),
  kind(
    `\\bhow (?:long|soon|fast|quickly)\\b|\\bhow many ${UNIT}\\b`,
    `(?:${DURATION})(?! (?:ahead|before|in advance|old)\\b)|${AT_ONCE}`,
  ),
  kind('\\bhow (?:late|old|far (?:ahead|back|in advance))\\b', `${DURATION}|${AT_ONCE}`),
  kind(
    `\\b(?:until |by |from |at |on )?(?:when|what time|what day|which day)\\b(?= ${AUXILIARY}\\b)|\\b(?:opening|office|business) (?:hours|times)\\b`,
    `${DURATION}|${AT_ONCE}|\\d:\\d\\d|[a-z]days?\\b|\\b(?:midnight|noon|morning|evening|when|after|before|until|as soon as|at the end)\\b`,
  ),
  kind(
    '\\bhow (?:often|frequently|many times)\\b',
    `\\b(?:every|each|per|an?) (?:${NUMBER} )?${UNIT}\\b|\\b(?:once|twice|${NUMBER} times|as often|daily|hourly|weekly|monthly|nightly|yearly|${UNIT} to ${UNIT})\\b`,
  ),
  kind(
    '\\bhow much\\b|\\b(?:prices?|pricing|costs?|fees?)\\b',
    '[$€£]\\s?\\d|\\d\\s?(?:%|percent\\b)|\\bfree\\b(?! plan)|\\b(?:euros?|dollars?|no (?:extra|charge|cost|(?:\\w+ )?fee))\\b',
  ),
  kind(
    '\\bhow many\\b',
    `(?<!(?<!\\bno )\\b(?:more|fewer|less) than )\\b(?:${NUMBER}|(?:up to|at most|exactly|only) one|unlimited|any number)\\b(?! (?:per|an?|each)\\b)(?<of>(?: [\\w-]+){0,2})|\\bno limit\\b`,
  ),
  kind('\\bfile sizes?\\b', '\\d\\s?[kmg]b\\b'),
  kind('\\bhow (?:large|big)\\b|\\b(?:sizes?|dimensions|length|resolution)\\b', SIZE),
  kind('\\b(?:max(?:imum)?|min(?:imum)?|number of)\\b', `\\b${NUMBER}\\b`),
  kind('\\bwhich\\b', ':|\\w, [\\w ]+ (?:and|or) |(?<=[a-z,] )(?-i:[A-Z])'),
  kind(
    `\\bwhere ${AUXILIARY}\\b(?: (?:i|we) (?:find|see|get|look)\\b)?`,
    `>|\\b(?:under|in|on|at|from|visit|see) (?:the |our |your |my )?(?:(?:\\w+ ){0,2}(?:page|dashboard|menu|settings|profile|field|bar|report)|(?-i:(?!\\w+day\\b)[A-Z])\\w+)|${IMPERATIVE}(?:open|go to)\\b`,
  ),
  kind(
    `\\bhow (?:${AUXILIARY}|to)\\b|\\bwhat (?:should|do|can|must) (?:i|we) (?:do|need)\\b`,
    `>|\\b(?:by|with the|cannot be|under (?-i:[A-Z])\\w+)\\b|${IMPERATIVE}(?:click|choose|select|open|press|go to|turn|tick|scan|enter|write to|fill in|copy|paste|set|use|visit|sign in with|type|point|add|create|send|upload|make|buy|connect)\\b`,
  ),
  // "Who is" asks for a name, which no pattern recognises, so nothing matches.
  kind("\\bwho(?:’s|'s| is| are| was| were)\\b", '(?!)'),
  kind(
    '\\bwho(?:m|se)?\\b',
    '\\b(?:owners?|admins?|administrators?|managers?|moderators?|editors?|members?|everyone|anyone|no one|employees|officer|engineer)\\b',
  ),
  kind('\\bwhy\\b|\\bhow come\\b|\\breasons?\\b', '\\b(?:because|reason|causes?|due to|so that)\\b'),
]

/** The patterns that an answer must match, and the question without the words that ask for these kinds of answers. */
export function readKinds(question: string): { says: RegExp[]; rest: string } {
  const says: RegExp[] = []
  let rest = question
  for (const kind of ANSWER_KINDS) {
    const without = rest.replace(kind.asks, ' ')
    if (without !== rest) says.push(kind.says)
    rest = without
  }
  return { says, rest }
}

/** Whether a sentence matches `says`, in a part that has all `names`; what a number counts must be one of `words`. */
export const gives = (sentence: string, says: RegExp, words: readonly string[], names: readonly string[]): boolean =>
  (names.length === 0 ? [sentence] : sentence.split(PART_END)).some((part) => {
    const partWords = names.length === 0 ? [] : contentWords(part)
    return (
      names.every((name) => partWords.includes(name)) &&
      part.matchAll(says).some(({ groups }) => {
        const counted = contentWords(groups?.of ?? '')
        return counted.length === 0 || counted.some((word) => words.includes(word))
      })
    )
  })
const PART_END = /[,;] |\n| and (?:the )?(?=[A-Z])/
