// The facts that a question may state about the fields of listings, and the filter that each means in tools and in directories. A new fact
// needs only a row here; `find-facts.ts` reads the rows, and tests/catalog/facts.test.ts checks spellings of each.
//
// A spelling is a sequence of words. `#` stands for a number, `-#` for one that a hyphen joins to the number before it, and `{name}` for
// each of the wordings of WORDINGS. The longest spelling that fits counts, so "free trial" is not "free". A sign of the question is a word
// here: $ is "dollars", + after a number "plus", > "over".
import { BADGES, COST, PRICING, USUAL_LINK_TYPES } from '../schema.ts'

/** The filters for which a fact gives values, with all values of each: after "not", a fact means the other values. */
export const CLOSED_LISTS = { pricing: PRICING, cost: COST, type: USUAL_LINK_TYPES, badge: BADGES } as const
export type ListFilter = keyof typeof CLOSED_LISTS

/** The highest Domain Rating. No fact names a higher one, because the filters refuse it. */
export const HIGHEST_RATING = 100

/**
 * The filters for which a fact gives a number. `filter`: the page shows all facts about the same number under this filter. `otherwise`: the
 * filter that the fact means after "not". `most`: the highest value that the filter accepts.
 */
export const BOUNDS = {
  minDomainRating: { filter: 'minDomainRating', otherwise: 'maxDomainRating', most: HIGHEST_RATING },
  maxDomainRating: { filter: 'minDomainRating', otherwise: 'minDomainRating', most: HIGHEST_RATING },
  maxPrice: { filter: 'maxPrice', otherwise: 'minPrice', most: Number.POSITIVE_INFINITY },
  minPrice: { filter: 'maxPrice', otherwise: 'maxPrice', most: Number.POSITIVE_INFINITY },
} as const
export type Bound = keyof typeof BOUNDS

/**
 * What a fact means in one catalog: values of a filter, or one or two bounds of a number. `first`: listings with this value come before
 * those with the others. `isBelow`: less than the bound. `upTo`: the bound for the larger of two numbers.
 */
export type Meaning =
  | { filter: ListFilter; values: readonly string[]; first?: string }
  | { bound: Bound; isBelow?: boolean; upTo?: Bound }

export interface FactRow {
  fact: string
  said: readonly string[]
  /** Spellings that count only after "not", "no" or "without", with which they mean the opposite. */
  saidAfterNot?: readonly string[]
  tool?: Meaning
  directory?: Meaning
  /** What it means right after a fact about the Domain Rating: "DR over 40 and under 80". */
  afterRating?: Meaning
  /** The words are no fact when one of these follows. */
  notBefore?: readonly string[]
}

/** The texts between commas. */
const spellings = (text: string): readonly string[] => text.split(',').map((one) => one.trim())

export const WORDINGS: Readonly<Record<string, readonly string[]>> = {
  dr: ['dr', 'domain rating', 'domain ratings', 'ahrefs dr', 'domain authority', 'da'],
  least: spellings(`
    above, over, at least, more than, higher than, greater than, from, min, minimum, or over, not below, not under,
    not less than, no less than, not lower than, no lower than
  `),
  most: ['at most', 'up to', 'max', 'maximum', 'no more than', 'not more than', 'not over', 'not above'],
  below: ['below', 'under', 'less than', 'lower than', 'beneath'],
  range: ['between # and #', 'between # -#', 'from # to #', '# to #', '# -#'],
  of: ['', 'of', 'is', 'a', 'of a', 'that is'],
  money: ['dollars', 'dollar', 'usd', 'bucks', 'euros', 'euro', 'eur'],
  link: ['link', 'links', 'backlink', 'backlinks'],
  badge: ['badge', 'badges', 'a badge', 'backlink badge', 'a backlink badge'],
}

export const FACTS: readonly FactRow[] = [
  {
    fact: 'free',
    said: spellings(`
      free, for free, free of charge, free of cost, costs nothing, cost nothing, costing nothing, no cost,
      at no cost, without cost, without any cost, zero cost, without costs, no charge, gratis, without paying,
      without paying anything, without payment, no payment, no fee, no fees, without a fee, without spending money,
      without money, nothing to pay, 0 dollars, dollars 0
    `),
    tool: { filter: 'pricing', values: ['FREE', 'FREEMIUM'], first: 'FREE' },
    directory: { filter: 'cost', values: ['Free', 'Freemium'], first: 'Free' },
  },
  {
    fact: 'freemium',
    said: spellings(`
      freemium, free plan, free plans, a free plan, free tier, free tiers, free trial, free trials, free version,
      free to start, free to try
    `),
    tool: { filter: 'pricing', values: ['FREEMIUM'] },
    directory: { filter: 'cost', values: ['Freemium'] },
  },
  {
    fact: 'paid',
    said: spellings(`
      paid, premium, for a fee, for money, paid only, premium only, paid plan, costs money, nonfree
    `),
    tool: { filter: 'pricing', values: ['PAID'] },
    directory: { filter: 'cost', values: ['Paid'] },
  },
  {
    fact: 'dofollow',
    said: spellings(`
      dofollow, do follow, dofollow {link}, do follow {link}, dofollowed, follow {link}, followed {link},
      dofollowed {link}, {link} that are followed, {link} followed
    `),
    directory: { filter: 'type', values: ['DoFollow'] },
  },
  {
    fact: 'nofollow',
    said: spellings(`
      nofollow, no follow, nofollow {link}, no follow {link}, nofollowed, nofollowed {link}, unfollowed {link},
      {link} that are not followed, no followed {link}
    `),
    directory: { filter: 'type', values: ['NoFollow'] },
  },
  {
    fact: 'badge',
    said: spellings(`
      with {badge}, badge required, badge needed, requires {badge}, require {badge}, requiring {badge},
      needs {badge}, need {badge}, demands {badge}, demand {badge}, badge is required, wants {badge}
    `),
    saidAfterNot: ['{badge}', '{badge} required', '{badge} needed', '{badge} is required'],
    directory: { filter: 'badge', values: ['required'] },
  },
  {
    fact: 'no badge',
    said: spellings(`
      badge free, badgeless, badge not required, badge is not required, badge not needed, badge optional
    `),
    directory: { filter: 'badge', values: ['none'] },
  },
  {
    fact: 'least domain rating',
    said: spellings(`
      {dr} {of} #, {dr} {of} # plus, {dr} {of} {least} #, {dr} {of} # or more, {dr} {of} # or higher,
      {dr} {of} # or above, {dr} {of} # and above, {dr} {of} # or better, {dr} {of} # and up, {dr} {of} # or over,
      {least} {dr} #, {least} # {dr}, # plus {dr}, # {dr}, {dr} # at least
    `),
    directory: { bound: 'minDomainRating' },
  },
  {
    fact: 'domain rating below',
    said: ['{dr} {of} {below} #', '{below} {dr} #', '{below} # {dr}', '{dr} {of} # or less', '{dr} {of} # or lower'],
    directory: { bound: 'maxDomainRating', isBelow: true },
  },
  {
    fact: 'highest domain rating',
    said: ['{dr} {of} {most} #', '{most} {dr} #', '{most} # {dr}'],
    directory: { bound: 'maxDomainRating' },
  },
  {
    fact: 'domain rating between',
    said: spellings(`
      {dr} {of} {range}, {range} {dr}, between {dr} # and #, between {dr} # and {dr} #, from {dr} # to #,
      from {dr} # to {dr} #, {dr} # to {dr} #
    `),
    directory: { bound: 'minDomainRating', upTo: 'maxDomainRating' },
  },
  {
    fact: 'highest price',
    said: spellings(`
      {below} dollars #, {most} dollars #, {below} # {money}, {most} # {money}, dollars #, # {money},
      dollars # or less, # {money} or less, for dollars #, for # {money}, cheaper than #, cheaper than dollars #,
      costs {below} dollars #, costing {below} dollars #, price {below} #, price {most} #, budget of #,
      budget of dollars #, budget #, budget dollars #, cheaper than # {money}, within dollars #
    `),
    directory: { bound: 'maxPrice' },
  },
  {
    fact: 'highest price without a sign',
    said: ['{below} #', '{most} #'],
    directory: { bound: 'maxPrice' },
    afterRating: { bound: 'maxDomainRating', isBelow: true },
    notBefore: spellings(`
      minute, minutes, hour, hours, day, days, week, weeks, month, months, year, years, word, words, user, users,
      visit, visits, visitor, visitors, product, products, people, percent, mb, gb, k, m, page, pages, item, items,
      employees, characters, listings
    `),
  },
  {
    fact: 'lowest price',
    said: ['{least} dollars #', '{least} # {money}', 'dollars # plus', 'dollars # or more'],
    directory: { bound: 'minPrice' },
  },
  {
    fact: 'price between',
    said: spellings(`
      {range} {money}, between dollars # and dollars #, between dollars # and #, between dollars # -#,
      dollars # to dollars #, dollars # to #, dollars # dollars #, dollars # -#, price {of} {range},
      from dollars # to dollars #, from dollars # to #, between dollars # dollars #, between # {money} and # {money},
      # {money} to # {money}, costs {range}, costing {range}
    `),
    directory: { bound: 'minPrice', upTo: 'maxPrice' },
  },
  {
    // These words mean something else together than the facts that they contain.
    fact: 'none',
    said: spellings(`
      royalty free, copyright free, ad free, ads free, hands free, risk free, stress free, hassle free,
      distraction free, watermark free, error free, bug free, gluten free, sugar free, duty free, tax free,
      toll free, commission free, code free, feel free, free from, free form, free text, free hand, free time,
      free up, free speech, free space, free will, trial and error, clinical trial, clinical trials, paid ads,
      paid ad, paid advertising, paid media, paid search, paid social, paid traffic, get paid, getting paid,
      paid newsletter, paid newsletters, insurance premium, insurance premiums, do follow up, do follow ups,
      no follow up, no follow ups, up to date
    `),
  },
]

/** The words that turn the fact after them round. */
export const NEGATIONS: ReadonlySet<string> = new Set(
  'not no without non isnt arent doesnt dont never neither nor except excluding'.split(' '),
)
/** The words that may stand between a negation and its fact. */
export const WORDS_AFTER_NEGATION: ReadonlySet<string> = new Set(
  'a an any the be being that which it to for of in about require requires requiring need needs needing demand demands demanding ask asks asking want wants wanting have having'.split(
    ' ',
  ),
)
