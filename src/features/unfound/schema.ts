import type { Static } from 'typebox'
import { integerType, objectType, oneOf, stringType } from '../../kernel/schema.ts'

export const SEARCHED = ['tools', 'directories', 'both'] as const
export type SearchedCatalog = (typeof SEARCHED)[number]

export const searched = oneOf(SEARCHED, 'The catalog that was searched; both: the search of the home page.', 'tools')

const count = (description: string, example: number) => integerType(description, example, { minimum: 0 })

export const unfoundQuestionSchema = objectType('A question that found nothing, or only partial matches.', {
  words: stringType('The words of the question that say what was looked for, sorted.', 'clips podcast'),
  searched,
  times: count('How often it was asked; a caller counts once a day.', 12),
  nothing: count('How often nothing was found.', 4),
  partial: count('How often only partial matches were found.', 8),
  lastDay: stringType('The last day on which it was asked (UTC).', '2026-03-01'),
})

export type UnfoundQuestion = Static<typeof unfoundQuestionSchema>
