// The words of a question or a passage that carry its topic: without function words and polite phrases, stemmed, and with synonyms
// replaced by one of them.
import { FUNCTION_WORDS } from '../../search/query-words.ts'
import { stemOf } from '../../search/word-forms.ts'
import { words } from '../../search/words.ts'
import { kindsAskedFor } from './answer-kinds.rules.ts'

const WORDS_WITHOUT_TOPIC = new Set(
  (
    'hi hello hey dear thanks thank please sorry cheers regards team guys folks kindly help question questions ask asking wonder wondering ' +
    'know tell want wants wanted need needs like likes would could should might may must shall able possible way ways ' +
    'how what when where which who whom whose why if whether there here some any anything something everything also just only ' +
    'really actually exactly already still yet now then so too very much many lot lots get gets getting got go going gone come ' +
    'see seen say says said make makes made let lets im ive id youre dont doesnt didnt isnt arent wasnt cant couldnt wont wouldnt ' +
    'havent hasnt thats whats theres its not no yes ok okay one ones thing things stuff kind sort use using used happen happens happened ' +
    'long take takes out up off over under again own all every each both other another else bit etc re vs via per ' +
    'policy policies info information detail details'
  ).split(' '),
)

// Each line has words that mean the same in questions to support. Phrases are replaced by one word before a text is split.
const SYNONYMS = `
  refund refunds refunded reimburse reimbursed reimbursement moneyback
  cancel cancels cancelled canceled cancelling cancellation unsubscribe terminate quit
  price prices pricing cost costs fee fees charge charges charged charging rate pay pays paid paying payment payments
  invoice invoices receipt receipts bill bills
  login signin logon
  password passphrase
  delete deletes deleted deleting deletion remove removes removed removing removal erase erased wipe
  change changes changed changing edit edits edited editing modify modified update updates updated updating alter adjust refresh refreshed refreshes
  add adds added adding invite invites invited inviting
  teammate teammates member members colleague colleagues coworker coworkers collaborator collaborators
  buy bought purchase purchased purchasing order ordered
  upgrade upgrades upgrading upgraded
  downgrade downgrades downgrading downgraded
  plan plans subscription subscriptions tier tiers package packages
  discount discounts coupon coupons promo reduction cheaper
  limit limits maximum max quota cap caps
  picture pictures image images photo photos screenshot screenshots thumbnail
  logo logos icon icons
  begin begins start starts started starting
  end ends ended stop stops stopped stopping
  error errors fail fails failed failing failure broken problem problems issue issues
  find finds locate
  show shows shown display displays displayed appear appears visible
  email emails mail mails e-mail
  contact contacts contacting reach reaching
  fix fixes fixed repair
  website websites site sites webpage homepage
  twofactor 2fa mfa authenticator
  export exports exporting exported download downloads downloading downloaded
  import imports importing imported upload uploads uploading uploaded
  person people user users
  company companies business organisation organization
  send sends sent sending deliver delivers delivered delivery
  allow allows allowed permit permitted
  fast quick quickly quickest speed
  hour hours time times
  student students university college
  retry retries retried retrying resend
  listing listings
  switch switches switching move moves moving
  file files document documents
  size sizes dimension dimensions large big
  statistic statistics stats analytics metrics traffic visitor visitors visit visits view views
  timezone timezones
  key keys token tokens
  connect connects connecting connected integrate integrates integration integrations
  schedule schedules scheduled scheduling postpone reschedule
  code codes
  expire expires expired expiry valid
  domain domains
  partner partners
`

const PHRASES: readonly [RegExp, string][] = [
  [/\bmoney[ -]back\b|\b(my|the|your|our) money back\b/g, ' refund '],
  [/\b(log|logs|logging|logged|sign|signs|signing|signed)[ -]?(in|on|into)\b/g, ' login '],
  [/\btwo[ -](factor|step)( (authentication|verification|sign[ -]in))?\b|\b2[ -]?(fa|step)\b/g, ' twofactor '],
  [/\be-mail/g, 'email'],
  [/\btime[ -]zone/g, 'timezone'],
  [/\bhow (much|many|long|soon|often|far|fast|quickly)\b/g, ' '],
  [/\bget rid of\b/g, ' delete '],
]

const MEANING = new Map(
  SYNONYMS.trim()
    .split('\n')
    .flatMap((line) => {
      const [first = '', ...others] = line.trim().split(' ')
      return [first, ...others].map((word): [string, string] => [word, first])
    }),
)

/** The words are in the order of the text, with repetitions. */
export function contentWords(text: string): string[] {
  let plain = text.toLowerCase()
  for (const [phrase, meaning] of PHRASES) plain = plain.replace(phrase, meaning)
  return words(plain)
    .filter((word) => !FUNCTION_WORDS.has(word) && !WORDS_WITHOUT_TOPIC.has(word))
    .map((word) => stemOf(MEANING.get(word) ?? word))
}

const ASKS =
  /\?|^(?:(?:and|but|so|also|ok|hi|hello|hey)\b[ ,]*)*(?:how|what|when|where|which|who|why|can|could|do|does|did|is|are|was|will|would|should|may|am|has|have|any|tell|please)\b/i

/** The words of the sentences that ask something, and the words of the sentences around them. */
export function questionWords(question: string): { asked: string[]; around: string[] } {
  const sentences = question.split(/(?<=[.?!])\s+|\n+/).map((text) => ({ text, asks: ASKS.test(text.trim()) }))
  const asking = sentences.some(({ asks }) => asks)
  const of = (asks: boolean) => sentences.filter((one) => one.asks === asks).flatMap(({ text }) => contentWords(text))
  const kinds = sentences.filter(({ asks }) => asks || !asking).flatMap(({ text }) => kindsAskedFor(text))
  return asking
    ? { asked: [...of(true), ...kinds], around: of(false) }
    : { asked: [...of(false), ...kinds], around: [] }
}
