// The words of a question or a passage that carry its topic: without function words and polite phrases, stemmed, and with synonyms
// replaced by one of them.
import { FUNCTION_WORDS } from '../../search/query-words.ts'
import { typosAllowed, withinTypos } from '../../search/typos.ts'
import { stemOf } from '../../search/word-forms.ts'
import { words } from '../../search/words.ts'
import { loadVectors } from '../catalog/listing-states.ts'

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

/** The words are in the order of the text, with repetitions. */
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

// Recognises questions in which the customer asks for a person. No answerer gets such a question; it waits for an administrator.

const SOMEONE = '(?:human(?: being)?|person|someone|somebody|live support)'
const ROLE = '(?:agent|representative|rep|operator|employee|advis[eo]r|manager|supervisor)'
const GROUP = '(?:people|persons|human(?: being)?s|staff)'
const PERSON = `(?:${SOMEONE}|${GROUP}|${ROLE}s?)`
const DETERMINER =
  '(?:an?|the|any|some|your|one of your|actual|real|live|living|human|proper|support|service|customer) '
const DETERMINERS = `(?:${DETERMINER}){0,4}`
// A product may have agents or a manager role, so such a word counts only at the end of the text or before a word of a request.
const AT_END =
  '(?= (?:please|now|here|not|instead|about|regarding|because|asap|today|tomorrow|for|and|or|but|right|immediately|directly|at|if|from|i|we|(?:in|on|of) (?:your|phone|the (?:phone|team|support)))\\b|$)'
const REQUESTED_PERSON = `(?:${DETERMINERS}(?:${SOMEONE}|(?:${GROUP}|${ROLE})${AT_END})|(?:${DETERMINER}){1,4}${ROLE}s${AT_END})`
// After a verb that clearly asks for a person ("talk to"), a role with a determiner is enough.
const PERSON_OR_ROLE = `(?:${REQUESTED_PERSON}|(?:${DETERMINER}){1,4}${ROLE})`
// "support" is a person in "talk to support", and a place in "how do I contact support?".
const TEAM = '(?:support|team|customer (?:service|care|support)|help ?desk)'
const HAND_OVER = '(?:connect|transfer|put|pass|forward|escalate|hand|switch)'
const TO = '(?:over |through |on )?(?:to|with)'

// Matched against the words of the question, in lower case and with single spaces.
const REQUESTS = [
  `(?:talk|talking|speak|speaking) (?:to|with|w|2) (?:${PERSON_OR_ROLE}|${DETERMINERS}${TEAM})`,
  `(?:chat|chatting) (?:to|with|w|2) (?:${REQUESTED_PERSON}|${DETERMINERS}${TEAM})`,
  `${HAND_OVER} (?:me|us|this|it|my \\w+) ${TO} (?:${PERSON_OR_ROLE}|${DETERMINERS}${TEAM})`,
  `${HAND_OVER} ${TO} (?:${REQUESTED_PERSON}|${DETERMINERS}${TEAM})`,
  `(?:contact|reach|call|get hold of|hear from|deal with|write to|message) ${REQUESTED_PERSON}`,
  `(?:want|need|prefer|get|give|send|find|demand|request|like|have|asking for|ask for)(?: me| us)? (?:to have )?${DETERMINERS}(?:human(?: being)?|real person|live person|person|agent|representative|operator)(?= (?:please|now|here|to|who|not|instead|for|and|asap|on)\\b|$)`,
  '(?:real|actual|live|living) (?:human|person|people|agent|representative|operator|staff)',
  'human (?:please|being|support|help|agent|assistance|operator|representative|now)',
  `^(?:please )?${DETERMINERS}${PERSON}(?: please)?$`,
  `${PERSON} (?:from (?:your|the) (?:team|company|support) )?(?:please )?(?:call|phone|ring|contact|get back to|reply to|answer|help) (?:me|us)`,
  '(?:call|phone|ring) (?:me|us)(?: back)?(?= (?:back|please|on|at|under|today|tomorrow|asap|now|as)\\b|$)',
  '(?:give (?:me|us)|need|want|request) an? (?:phone )?(?:call|callback|call back)(?: please)?',
  '(?:not|no|stop|instead of) (?:an? |the |this |your |with an? |more )?(?:bots?|chatbots?|robots?|ai|machines?)(?= please| answers?| repl(?:y|ies)|$)',
  // German, French, Spanish, Italian, Portuguese, Dutch.
  '(?:mit|an) (?:einem|einer|einen|jemandem) ?(?:echten |richtigen )?(?:menschen?|mitarbeiter(?:in)?|person)',
  'parler (?:a|avec) (?:une? )?(?:vraie? )?(?:personne|humain|conseiller|quelqu ?un)',
  'hablar con (?:una? )?(?:persona|humano|agente|alguien)',
  'parlare con (?:una? |un )?(?:persona|operatore?|qualcuno)',
  'falar com (?:uma? )?(?:pessoa|humano|atendente|alguem)',
  '(?:met|aan) een (?:echt )?(?:mens|persoon|medewerker)',
]
const REQUEST = new RegExp(`\\b(?:${REQUESTS.join('|')})(?!\\w)`)

// Words of these patterns that customers often mistype.
const MISTYPED =
  'human person someone somebody agent representative operator people speak connect transfer support staff'.split(' ')

export const asksForPerson = (question: string): boolean => REQUEST.test(words(question).map(correctTypo).join(' '))

function correctTypo(word: string): string {
  if (typosAllowed(word) === 0 || loadVectors().isWord(word)) return word
  return MISTYPED.find((known) => known[0] === word[0] && withinTypos(word, known, typosAllowed(known))) ?? word
}
