// The kinds of answers that questions ask for and sentences give: a duration, a price, steps and so on. A sentence answers a question only
// if it gives every kind that the question asks for. The words that ask for a kind need not be in the answer ("cost": an amount).
import { contentWords } from '../knowledge/question-words.rules.ts'

const UNIT = '(?:second|minute|hour|day|night|week|month|quarter|year)s?'
// The number of digits is limited: on thousands of digits and dots the pattern would start again at each of them, which is slow.
const NUMBER = '(?:\\d{1,12}(?:[.,]\\d{1,12}){0,6}(?![.,]?\\d)|two|three|four|five|six|seven|eight|nine|ten|twelve)'
const DURATION = `\\b(?:${NUMBER}|one|few|within an?|up to an?|an(?= hour))[ -](?:(?:business|working|full|calendar|further) )?${UNIT}\\b|\\bfor ?(?:ever|good)\\b|\\buntil the (?:end|last)\\b`
const AT_ONCE = '\\b(?:immediately|instantly|right away|right after|at once|at any time|whenever)\\b'
const SIZE = '\\d\\s?(?:pixels|px|[kmg]b|characters|words|rows|by \\d)\\b'
const AUXILIARY = '(?:will|do|does|did|can|could|is|are|was|were|should|may|must|would|has|have)'

interface AnswerKind {
  /** The words of a question that ask for this kind of answer. */
  asks: RegExp
  /** Matches a sentence that gives this kind of answer. The group `of`: the words after a number; one of them must be in the question. */
  says: RegExp
}

const kind = (asks: string, says: string): AnswerKind => ({
  asks: new RegExp(asks, 'gi'),
  says: new RegExp(says, 'gi'),
})

/** What stands before an instruction such as "open the menu". */
const IMPERATIVE = '(?:^|[,;:] |\\b(?:and|then|or|please|before|after|if|when) +)'

/**
 * Special kinds come before general ones, because the words that ask for a kind are taken from the question before the next kind is looked
 * for. `>` is a path through menus. "More than 5" is no answer to "how many", but "no more than 5" is.
 */
const ANSWER_KINDS: readonly AnswerKind[] = [
  // "How long may a name be?" asks for a size, and no duration.
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
  // "Which" asks for a list, or for a name: a capital letter that does not begin the sentence.
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

/** A part of a sentence ends at a comma or a semicolon, at the end of a line, or before "and" with another name. */
const PART_END = /[,;] |\n| and (?:the )?(?=[A-Z])/

/** Whether a sentence matches `says`, in a part that has all `names`; what a number counts must be one of `words`. */
export function gives(sentence: string, says: RegExp, words: readonly string[], names: readonly string[]): boolean {
  const parts = names.length === 0 ? [sentence] : sentence.split(PART_END).filter((part) => hasAll(part, names))
  return parts.some((part) => part.matchAll(says).some(({ groups }) => countsOneOf(groups?.of ?? '', words)))
}

function hasAll(text: string, names: readonly string[]): boolean {
  const textWords = contentWords(text)
  return names.every((name) => textWords.includes(name))
}

/** `afterNumber`: the words after a number, which say what it counts; without such words the number counts anything. */
function countsOneOf(afterNumber: string, words: readonly string[]): boolean {
  const counted = contentWords(afterNumber)
  return counted.length === 0 || counted.some((word) => words.includes(word))
}
