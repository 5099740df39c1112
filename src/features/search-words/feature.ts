// Words under which searches find a tool beside its own texts: a language model proposes them, and an administrator decides.
import type { Feature } from '../../kernel/feature.ts'
import { createPlanner, searchWordsJob } from './jobs.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureSettings {
    SEARCH_WORDS_PER_DAY: number
  }
}

export const searchWordsFeature = {
  create(parts) {
    const perDay = parts.settings.SEARCH_WORDS_PER_DAY
    if (!parts.shared.languageModel || perDay === 0) return {}
    return { jobs: [searchWordsJob(parts, perDay)], workers: [createPlanner(parts, perDay)] }
  },
} satisfies Feature
