import type { ExplainedWord, NotFoundReason } from '../../../search/index.ts'

export const FIELDS = ['name', 'tagline', 'description'] as const
export const QUALITIES = ['typo', 'longer', 'form', 'exact'] as const

/** Points are stored in thousandths. */
const asDecimal = (points: number): string => (points / 1000).toFixed(2)

type Sentences = {
  [Name in NotFoundReason['reason']]: (reason: Extract<NotFoundReason, { reason: Name }>) => string
}

const ENOUGH_BECAUSE = {
  count: 'five full matches are enough',
  one_word: 'the question is one word that listings have',
  name: 'the question is the whole name of a listing',
}

const SENTENCES: Sentences = {
  filter: ({ label, has }) =>
    label === 'adult'
      ? 'It is adult, and adult listings are left out unless includeAdult is true or category nsfw or an adult tag is named.'
      : `The search leaves it out because it ${has ? 'is' : 'is not'} ${label.replaceAll(':', ' ')}.`,
  number: ({ range: { least, most, below } }) => {
    const bounds = [
      ...(least === undefined ? [] : [`at least ${least}`]),
      ...(most === undefined ? [] : [`at most ${most}`]),
      ...(below === undefined ? [] : [`below ${below}`]),
    ]
    return `The search leaves it out because its number is not ${bounds.join(' and ')}.`
  },
  no_words: () => 'The question has no word.',
  words_missing: ({ words }) => `It is no full match, because it lacks: ${words.join(', ')}.`,
  partial_not_wanted: () => 'The search asks for full matches only.',
  full_matches_enough: ({ full, because }) =>
    `No partial matches are added, because ${ENOUGH_BECAUSE[because]} (full matches: ${full}).`,
  no_counted_word: () => 'It has none of the words that count in a partial match.',
  words_too_common: ({ rarity, least }) =>
    `Its words are too common: together their rarity is ${asDecimal(rarity)}, and ${asDecimal(least)} is needed.`,
  score_too_low: ({ score, least }) =>
    `Its words score ${asDecimal(score)}, and 0.3 of the best score, ${asDecimal(least)}, is needed.`,
  beyond_compared: ({ most }) => `It is not among the ${most} best by words.`,
  other_sense: ({ cosine, least }) =>
    `Its meaning is too far from the question (${cosine.toFixed(2)}, needed ${least}), so its words are probably used in another sense.`,
  meaning_not_compared: () => 'It was not compared by meaning, because no word of the question has a vector.',
  meaning_too_far: ({ cosine, least }) =>
    `Its meaning is too far from the question to be found without those words: ${cosine.toFixed(2)}, needed ${least}.`,
  not_among_nearest: ({ cosine }) =>
    `Its meaning is near the question (${cosine.toFixed(2)}), but others are nearer and only the nearest are compared.`,
  little_of_question: ({ part, enough, most }) => {
    const shown =
      most === 0 ? 'none is shown, because none of them is near the question' : `only the best ${most} are shown`
    return `It has ${part.toFixed(2)} of what is asked for, by the rarity of the words. Of listings with less than ${enough}, ${shown}.`
  },
  beyond_most: ({ place, most }) => `It would be at place ${place}, and the result has the first ${most}.`,
}

/** Shown after a listing was published, until this process has read it. */
export const NOT_LOADED =
  'It is published, but the process that answered has not loaded it yet. Search again in a few seconds.'

/** Shown when `ranking` is `words`. */
export const RANKED_WITHOUT_ENDPOINT =
  'The embedding endpoint gave no vector of this question in time, so the partial matches are ranked without it. Readers who ask now get the same order.'

export const NOT_FOUND_REASONS = [
  'unpublished',
  'not_loaded',
  'broken',
  ...(Object.keys(SENTENCES) as NotFoundReason['reason'][]),
] as const

export const sentenceOf = (reason: NotFoundReason): string =>
  (SENTENCES[reason.reason] as (one: NotFoundReason) => string)(reason)

/** How the search uses a word of the question, for the console and the command line. */
export const WORD_USE_TEXTS: Readonly<Record<ExplainedWord['use'], string>> = {
  counted: 'Counts.',
  function: 'A function word: left out.',
  asking: 'A word of asking: no match needs it.',
  common: 'Too many listings have it: only a full match needs it.',
  short: 'Too short for the longer words that begin with it: only a full match needs it.',
  unknown: 'No listing has it: only a full match needs it.',
}

const FIELD_TEXTS: Readonly<Record<(typeof FIELDS)[number], string>> = {
  name: 'in the name',
  tagline: 'in tagline, category or tags',
  description: 'in the description or the search words',
}

export const QUALITY_TEXTS: Readonly<Record<(typeof QUALITIES)[number], string>> = {
  exact: 'exact',
  form: 'another form',
  longer: 'a longer word',
  typo: 'a typo',
}

interface Meaning {
  cosine: number
  points: number
}

/** A listing as `explain_search` returns it. */
export interface ScoredListing {
  match: 'full' | 'partial' | 'none'
  score?: number
  words?: readonly {
    word: string
    term: string
    field: (typeof FIELDS)[number]
    quality: (typeof QUALITIES)[number]
    points: number
  }[]
  wholeName?: number
  preferred?: number
  meaning?: Meaning
  endpoint?: Meaning
  opened?: number
}

/** One part of a score, as text; `word` is the word of the question that it is about, if any. */
interface ScorePart {
  word?: string
  text: string
  points: string
}

/** Points of full matches are whole numbers; all others are stored in thousandths. */
export const pointsText = ({ match }: Pick<ScoredListing, 'match'>, points: number): string =>
  match === 'full' ? String(points) : asDecimal(points)

export function scoreParts(listing: ScoredListing): ScorePart[] {
  const { words = [], wholeName = 0, preferred = 0, meaning, endpoint, opened } = listing
  const part = (text: string, points: number): ScorePart => ({ text, points: pointsText(listing, points) })
  const byMeaning = (what: string, { cosine, points }: Meaning) => part(`${what} (cosine ${cosine.toFixed(2)})`, points)
  return [
    ...words.map(({ word, term, field, quality, points }) => {
      const asTerm = term === word ? '' : `as “${term}”, ${QUALITY_TEXTS[quality]}, `
      return { word, ...part(`${asTerm}${FIELD_TEXTS[field]}`, points) }
    }),
    ...(wholeName > 0 ? [part('The question is its whole name', wholeName)] : []),
    ...(preferred > 0 ? [part('It is what the question prefers', preferred)] : []),
    ...(meaning ? [byMeaning('Meaning', meaning)] : []),
    ...(endpoint ? [byMeaning('Meaning by the embedding endpoint', endpoint)] : []),
    ...(opened ? [{ text: 'Visitors open it after this question, callers', points: String(opened) }] : []),
  ]
}

/** At which place the search finds the listing that the operator asked about, or why it does not find it. */
export const placeText = ({
  place,
  match,
  reasons,
}: {
  place?: number
  match: ScoredListing['match']
  reasons: readonly { detail: string }[]
}): string =>
  place === undefined ? reasons.map(({ detail }) => detail).join(' ') : `It is at place ${place}, a ${match} match.`
