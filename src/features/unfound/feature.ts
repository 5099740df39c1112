// Counts questions for which search finds nothing or only parts, for operators.
import type { Feature } from '../../kernel/feature.ts'
import type { SearchLearning } from '../settings/rules.ts'
import { createUnfoundCounter, noUnfoundCounter } from './counter.ts'
import { unfoundOperations } from './operations.ts'
import { removeOldUnfound } from './queries.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureSettings {
    /** unfound: questions are counted, but nothing is learned from what visitors open. */
    SEARCH_LEARNING: SearchLearning
  }
}

declare module '../../kernel/context.ts' {
  interface Context {
    searchLearning: SearchLearning
  }
}

export const unfoundFeature = {
  operatorOperations: unfoundOperations,
  removals: { unfound: ({ sinceDay }) => removeOldUnfound(sinceDay('unfound')) },
  personalData: {
    keptAtDeletion: [{ table: 'unfound_questions', reason: 'Words that five different callers searched on one day.' }],
  },
  create(parts) {
    const searchLearning = parts.settings.SEARCH_LEARNING
    const unfound = searchLearning === 'off' ? noUnfoundCounter : createUnfoundCounter(parts)
    return { context: { unfound, searchLearning }, start: unfound.start, close: unfound.close }
  },
} satisfies Feature
