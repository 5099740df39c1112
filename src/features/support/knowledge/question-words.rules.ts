// The words of a question or a passage that carry its topic: without function words and polite phrases, stemmed, and with synonyms
// replaced by one of them.
import { FUNCTION_WORDS } from '../../../search/words/query-words.ts'
import { stemOf } from '../../../search/words/word-forms.ts'
import { words } from '../../../search/words/words.ts'

const WORDS_WITHOUT_TOPIC = new Set(
  (
    'hi hello hey dear thanks thank please sorry cheers regards team guys folks kindly help question questions wonder wondering ' +
    'know tell want wants wanted need needs like likes would could should might may must shall able possible way ways ' +
    'how what when where which who whom whose why if whether there here some any anything something everything also just only ' +
    'really actually exactly already still yet now then so too very much many lot lots get gets getting got go going gone ' +
    'say says said make makes made let lets im ive id youre dont doesnt didnt isnt arent wasnt cant couldnt wont wouldnt ' +
    'havent hasnt thats whats theres its not no yes ok okay one ones thing things stuff kind sort happen happens happened ' +
    'long give gives given several out up off over under again own all every each both other another else bit etc re vs via per until without before after while unless although because provided ' +
    'offer offers policy policies info information detail details today tomorrow yesterday soon later'
  ).split(' '),
)

// Each line has words that mean the same in questions to support, in all their forms.
const SYNONYMS = `
  take last
  request ask
  refund reimburse reimbursement moneyback
  cancel cancellation unsubscribe terminate quit
  price cost fee rate
  pay payment charge
  invoice receipt
  login signin logon
  password passphrase
  delete deletion remove removal erase wipe
  change edit modify update alter adjust refresh
  add additional extra invite
  teammate member colleague coworker collaborator
  buy purchase order
  plan subscription tier package
  discount coupon promo reduction
  limit maximum max quota cap
  picture image photo screenshot thumbnail
  logo icon
  begin start
  end finish complete
  error fail failure broken problem issue
  find locate
  show shown display appear visible see
  email mail
  contact reach
  fix repair
  website site webpage homepage
  twofactor 2fa mfa
  export download
  import upload
  person people user
  company business organisation
  send deliver delivery
  allow permit accept support
  fast quick speed
  hour time
  student university college
  retry resend
  switch move
  replace exchange swap
  file document
  size dimension large big
  statistic stats analytics metrics traffic visitor visit view
  key token
  connect integrate integration
  schedule postpone reschedule
  expire expiry valid
  mandatory compulsory required
  yearly annual annually year
  monthly month
  daily day
  weekly week
  offline disconnected
  2 two
  3 three
  4 four
  5 five
  6 six
  7 seven
  8 eight
  9 nine
  10 ten
`

// Replaced before a text is split into words.
const PHRASES: readonly [RegExp, string][] = [
  [/\b(?:can|could|may|might|to) (?:i |we )?ask (?=you|if|about|whether|how|what|when|where|why|who)/g, ' '],
  [/\beuropean union\b/g, ' eu '],
  [/\bmoney[ -]back\b|\b(?:my|the|your|our) money back\b/g, ' refund '],
  [/\b(?:log|logs|logging|logged|sign|signs|signing|signed)[ -]?(?:in|on|into)\b/g, ' login '],
  [
    /\btwo[ -](?:factor|step)(?: (?:authentication|verification|sign[ -]in|login))?\b|\b2[ -]?(?:fa|step)\b/g,
    ' twofactor ',
  ],
  [/\be-mail/g, 'email'],
  [/\btime[ -]zone/g, 'timezone'],
  [/\bget rid of\b/g, ' delete '],
  [/\ba new one\b/g, ' '],
  // The stemmer would take these for forms of "account" and "person".
  [/\baccountant/g, 'bookkeeper'],
  [/\bpersonal\b/g, 'private'],
  [/\b(?:switch(?:ed)?|turn(?:ed)?) (?:(?:it|them) )?off\b/g, ' disable '],
  [/\b(?:switch(?:ed)?|turn(?:ed)?) (?:(?:it|them) )?on\b/g, ' enable '],
  [/\b(?:percent|%) off\b/g, ' percent discount '],
  [/\bwithout a connection\b/g, ' offline '],
]

const FIRST_SYNONYM = new Map(
  SYNONYMS.trim()
    .split('\n')
    .flatMap((line) => {
      const [first = '', ...others] = line.trim().split(' ').map(stemOf)
      return others.map((word): [string, string] => [word, first])
    }),
)

/** The stems of the words that carry the topic, in the order of the text, with repetitions. */
export function contentWords(text: string): string[] {
  let plain = text.toLowerCase()
  for (const [phrase, meaning] of PHRASES) plain = plain.replace(phrase, meaning)
  return words(plain).flatMap((word) => {
    if (FUNCTION_WORDS.has(word) || WORDS_WITHOUT_TOPIC.has(word)) return []
    const stem = stemOf(word)
    return FIRST_SYNONYM.get(stem) ?? stem
  })
}

const SENTENCE_END = /(?<=[.?!;])\s+/

/** Sentences of a passage; the lines of a list belong to the sentence before it. */
export const sentencesOfAnswer = (text: string): string[] => text.split(SENTENCE_END)

const ASKS =
  /\?|^(?:(?:and|but|so|also|ok|hi|hello|hey)\b[ ,]*)*(?:how|what|when|where|which|who|why|can|could|do|does|did|is|are|was|will|would|should|may|am|has|have|any|tell|please)\b/i

/** The sentences of a question that ask something, and those around them. */
export function readSentences(question: string): { asked: string[]; around: string[] } {
  const sentences = question.split(/(?<=[.?!])\s+|\n+/)
  const asked = sentences.filter((text) => ASKS.test(text.trim()))
  return asked.some((text) => contentWords(text).length > 0)
    ? { asked, around: sentences.filter((text) => !asked.includes(text)) }
    : { asked: [question], around: [] }
}

const SUBJECT = '(?:you|we|they|it|i|he|she|the|this|that|your|our|my|their|an?|all|someone|people)'
const CONDITION = new RegExp(
  `(?<![^\\s,;:(])(?:if|when|unless|while|although|as long as|provided|(?:after|before|until|because|once)(?= ${SUBJECT}\\b))\\b[^,;:.!?]*[,;:.!?]?`,
  'gi',
)

/** Separates the conditions of a sentence ("if …", "after we …") from its main clause, which alone says something for certain. */
export function clausesOf(sentence: string): { main: string; condition: string } {
  const conditions: string[] = []
  const main = sentence.replace(CONDITION, (clause, at: number) => {
    // Without a comma it is unknown where a condition at the beginning ends.
    if (at === 0 && !/[,;:]$/.test(clause)) return clause
    conditions.push(clause)
    // The first word of the condition stays in the main clause: "two hours before" is not "two hours".
    return `${clause.slice(0, clause.search(/\s|$/))} `
  })
  return { main, condition: conditions.join(' ') }
}

const NEGATION =
  /\b(?:no|not|never|none|nothing|nobody|neither|nor|without|cannot|unable|instead|only|except)\b|n['’]t\b/i
export const isNegated = (text: string): boolean => NEGATION.test(text)
