// The setting SEARCH_LEARNING. This file imports nothing, because every command reads the settings.

/** What is learned from searches: also from what visitors open, only what is not found, or nothing. */
export const LEARNING = ['on', 'unfound', 'off'] as const
export type SearchLearning = (typeof LEARNING)[number]
