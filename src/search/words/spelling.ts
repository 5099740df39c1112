// British and American spelling of English words.

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
