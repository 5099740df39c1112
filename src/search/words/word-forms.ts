// Forms of English words only, and their British and American spelling; words of the same meaning are a matter of `by-meaning.ts`.
import { stem } from 'porter2'

/**
 * The stem that the English forms of a word share: "story" and "stories", "child" and "children", "colour" and "color".
 * Words with other characters than plain English letters, and words of one or two letters, are their own stem.
 */
export function stemOf(word: string): string {
  const known = stems.get(word)
  if (known !== undefined) return known
  if (!ENGLISH.test(word)) return word
  const found = IRREGULAR.get(word) ?? stem(american(word))
  if (word.length <= LONGEST_KEPT) {
    if (stems.size >= MOST_STEMS) stems.clear()
    stems.set(word, found)
  }
  return found
}

/** Words of hot questions are asked for again after every change, to compare their answers with it. */
const stems = new Map<string, string>()
const MOST_STEMS = 10_000
/** A longer word may be a piece of a text that the engine then keeps in memory as a whole. */
const LONGEST_KEPT = 12

export const hasForms = (word: string) => ENGLISH.test(word)

/** Equal for two texts whose words have the same stems in the same order, however the words are joined ("chat gpt", "ChatGPT"). */
export const nameStems = (words: readonly string[]): string => words.map(stemOf).join('')

const ENGLISH = /^[a-z]{3,}$/

// The stemmer knows only endings. Each line has the plain word, then the forms that no ending explains. Forms that are
// mostly used as other words (saw, left, felt, led, rose, leaves) are left out.
const IRREGULAR_FORMS = `
  analysis analyses
  begin began begun
  break broke broken
  bring brought
  build built
  buy bought
  catch caught
  child children childrens
  choose chose chosen
  come came
  crisis crises
  criterion criteria
  deal dealt
  draw drew drawn
  drive drove driven
  eat ate eaten
  fall fell fallen
  feed fed
  fight fought
  find found
  fly flew flown
  foot feet
  forget forgot forgotten
  freeze froze frozen
  get got gotten
  give gave given
  goose geese
  grow grew grown
  half halves
  hide hid hidden
  hold held
  hypothesis hypotheses
  index indices
  keep kept
  knife knives
  know knew known
  learn learnt
  lend lent
  life lives
  lose lost
  make made
  man men mens
  matrix matrices
  mean meant
  meet met
  mouse mice
  person people peoples
  pay paid
  ride rode ridden
  rise risen
  run ran
  say said
  see seen
  seek sought
  sell sold
  send sent
  shake shook shaken
  shelf shelves
  shoot shot
  sing sang sung
  sleep slept
  speak spoke spoken
  spend spent
  steal stole stolen
  swim swam swum
  take took taken
  teach taught
  tell told
  think thought
  thesis theses
  throw threw thrown
  tooth teeth
  understand understood
  vertex vertices
  wake woke woken
  wear wore worn
  wife wives
  win won
  wolf wolves
  woman women womens
  write wrote written
`

const IRREGULAR: ReadonlyMap<string, string> = new Map(
  IRREGULAR_FORMS.trim()
    .split('\n')
    .flatMap((line) => {
      const [plain = '', ...forms] = line.trim().split(' ')
      return forms.map((form): [string, string] => [form, stem(plain)])
    }),
)

/** The American spelling of a British word, or the word itself. The word must be plain lower-case English letters. */
export function american(word: string): string {
  for (const [pattern, replacement] of RULES) {
    if (pattern.test(word)) return EXCEPTIONS.test(word) ? word : word.replace(pattern, replacement)
  }
  return word
}

// Words whose "ise" is not the British form of "ize".
const EXCEPTIONS =
  /^(?:adv|ar|compr|compro?m|conc|dem|dev|desp|disgu|enterpr|ex?c|exerc|expert|franch|improv|inc|l[iae]+|merchand|no|otherw|parad|po|pra|prec|prem|pr|prom|ra|re?v|r|superv|surpr|telev|treat|w|likew|appra|advert|cru|bru|apprais|chast|anis|tortoi|turquoi)is/

const RULES: readonly (readonly [RegExp, string])[] = [
  // organise, organising, organisation; analyse, analysing
  [/(?<=\w{3})is(?=(?:e[sdr]?|ers|ing|ations?|able)$)/, 'iz'],
  [/(?<=^(?:anal|paral|catal|electrol))ys(?=(?:e[sdr]?|ers|ing)$)/, 'yz'],
  [/(?<=^(?:arm|behavi|col|endeav|fav|flav|harb|hon|hum|lab|neighb|od|parl|rum|sav|vap|vig))our/, 'or'],
  [/(?<=^(?:cent|fib|lit|theat|met|kilomet|centimet|millimet|calib))re(?=s?$)/, 'er'],
  [/(?<=^(?:cata|dia|ana|mono|pro|epi))logue(?=s?$)/, 'log'],
  // modelling, labelled, traveller
  [
    /(?<=^(?:cancel|channel|counsel|dial|fuel|label|level|model|panel|signal|travel|tunnel|duel))l(?=ed$|ing$|ings$|ers?$)/,
    '',
  ],
  [/(?<=^(?:def|lic|off|pret))enc(?=es?$|ed$)/, 'ens'],
  [/^practis/, 'practic'],
  [/^programmes?$/, 'program'],
  [/^grey/, 'gray'],
  [/^jewellery$/, 'jewelry'],
  [/^artefact/, 'artifact'],
  [/(?<=^(?:fulfi|enro))l(?=$|s$|ment)/, 'll'],
  [/^paediatric/, 'pediatric'],
  [/^enquir/, 'inquir'],
  [/^ageing$/, 'aging'],
  [/(?<=^(?:judg|acknowledg))ement/, 'ment'],
]
