// Recognises questions in which the customer asks for a person. No answerer gets such a question; it waits for an administrator.
import { typosAllowed, withinTypos } from '../../../search/words/typos.ts'
import { words } from '../../../search/words/words.ts'
import { loadVectors } from '../../catalog/word-vectors.ts'

const SOMEONE = '(?:human(?: being)?|person|someone|somebody|live support)'
const ROLE = '(?:agent|representative|rep|operator|employee|advis[eo]r|manager|supervisor)'
const GROUP = '(?:people|persons|human(?: being)?s|staff)'
const PERSON = `(?:${SOMEONE}|${GROUP}|${ROLE}s?)`
const DETERMINER =
  '(?:an?|the|any|some|your|one of your|actual|real|live|living|human|proper|support|service|customer) '
const OPTIONAL_DETERMINERS = `(?:${DETERMINER}){0,4}`
// A product may have agents or a manager role, so such a word counts only before this.
const AT_END_OR_BEFORE_REQUEST =
  '(?= (?:please|now|here|not|instead|about|regarding|because|asap|today|tomorrow|for|and|or|but|right|immediately|directly|at|if|from|i|we|(?:in|on|of) (?:your|phone|the (?:phone|team|support)))\\b|$)'
const REQUESTED_PERSON = `(?:${OPTIONAL_DETERMINERS}(?:${SOMEONE}|(?:${GROUP}|${ROLE})${AT_END_OR_BEFORE_REQUEST})|(?:${DETERMINER}){1,4}${ROLE}s${AT_END_OR_BEFORE_REQUEST})`
// After a verb that clearly asks for a person ("talk to"), a role with a determiner is enough.
const PERSON_OR_ROLE = `(?:${REQUESTED_PERSON}|(?:${DETERMINER}){1,4}${ROLE})`
// "support" is a person in "talk to support", and a place in "how do I contact support?".
const TEAM = '(?:support|team|customer (?:service|care|support)|help ?desk)'
const HAND_OVER = '(?:connect|transfer|put|pass|forward|escalate|hand|switch)'
const TO = '(?:over |through |on )?(?:to|with)'

// Matched against the words of the question, in lower case and with single spaces.
const REQUESTS = [
  `(?:talk|talking|speak|speaking) (?:to|with|w|2) (?:${PERSON_OR_ROLE}|${OPTIONAL_DETERMINERS}${TEAM})`,
  `(?:chat|chatting) (?:to|with|w|2) (?:${REQUESTED_PERSON}|${OPTIONAL_DETERMINERS}${TEAM})`,
  `${HAND_OVER} (?:me|us|this|it|my \\w+) ${TO} (?:${PERSON_OR_ROLE}|${OPTIONAL_DETERMINERS}${TEAM})`,
  `${HAND_OVER} ${TO} (?:${REQUESTED_PERSON}|${OPTIONAL_DETERMINERS}${TEAM})`,
  `(?:contact|reach|call|get hold of|hear from|deal with|write to|message) ${REQUESTED_PERSON}`,
  `(?:want|need|prefer|get|give|send|find|demand|request|like|have|asking for|ask for)(?: me| us)? (?:to have )?${OPTIONAL_DETERMINERS}(?:human(?: being)?|real person|live person|person|agent|representative|operator)(?= (?:please|now|here|to|who|not|instead|for|and|asap|on)\\b|$)`,
  '(?:real|actual|live|living) (?:human|person|people|agent|representative|operator|staff)',
  'human (?:please|being|support|help|agent|assistance|operator|representative|now)',
  `^(?:please )?${OPTIONAL_DETERMINERS}${PERSON}(?: please)?$`,
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
const OFTEN_MISTYPED =
  'human person someone somebody agent representative operator people speak connect transfer support staff'.split(' ')

export const asksForPerson = (question: string): boolean => REQUEST.test(words(question).map(correctTypo).join(' '))

function correctTypo(word: string): string {
  // An English word (`isWord`) is no typo.
  if (typosAllowed(word) === 0 || loadVectors().isWord(word)) return word
  return OFTEN_MISTYPED.find((known) => known[0] === word[0] && withinTypos(word, known, typosAllowed(known))) ?? word
}
