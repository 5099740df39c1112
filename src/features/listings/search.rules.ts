// The words in which a search is explained to operators.
import type { NotFoundReason } from '../../search/index.ts'

export const FIELDS = ['name', 'tagline', 'description'] as const
export const QUALITIES = ['typo', 'longer', 'form', 'exact'] as const

const inThousands = (points: number): string => (points / 1000).toFixed(2)

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
      : `The search leaves it out because it ${has ? 'is' : 'is not'} ${label.replace(':', ' ')}.`,
  no_words: () => 'The question has no word.',
  words_missing: ({ words }) => `It is no full match, because it lacks: ${words.join(', ')}.`,
  partial_not_wanted: () => 'The search asks for full matches only.',
  full_matches_enough: ({ full, because }) =>
    `No partial matches are added, because ${ENOUGH_BECAUSE[because]} (full matches: ${full}).`,
  no_counted_word: () => 'It has none of the words that count in a partial match.',
  words_too_common: ({ rarity, least }) =>
    `Its words are too common: together their rarity is ${inThousands(rarity)}, and ${inThousands(least)} is needed.`,
  score_too_low: ({ score, least }) =>
    `Its words score ${inThousands(score)}, and 0.3 of the best score, ${inThousands(least)}, is needed.`,
  beyond_compared: ({ most }) => `It is not among the ${most} best by words.`,
  other_sense: ({ cosine, least }) =>
    `Its meaning is too far from the question (${cosine.toFixed(2)}, needed ${least}), so its words are probably used in another sense.`,
  meaning_not_compared: () => 'It was not compared by meaning, because no word of the question has a vector.',
  meaning_too_far: ({ cosine, least }) =>
    `Its meaning is too far from the question to be found without those words: ${cosine.toFixed(2)}, needed ${least}.`,
  not_among_nearest: ({ cosine }) =>
    `Its meaning is near the question (${cosine.toFixed(2)}), but others are nearer and only the nearest are compared.`,
  beyond_most: ({ place, most }) => `It would be at place ${place}, and the result has the first ${most}.`,
}

export const NOT_FOUND_REASONS = [
  'unpublished',
  'broken',
  ...(Object.keys(SENTENCES) as NotFoundReason['reason'][]),
] as const

export const sentenceOf = (reason: NotFoundReason): string =>
  (SENTENCES[reason.reason] as (one: NotFoundReason) => string)(reason)
