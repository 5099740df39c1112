// Learns from the listings that visitors open after a question on the site, and moves them a little in the results of that question.
import { backgroundCaller } from '../../kernel/caller.ts'
import type { Feature } from '../../kernel/feature.ts'
import { createLearned, nothingLearned, OPENINGS_TOPIC } from './learned.ts'
import { createOpeningCounter, noOpeningCounter } from './openings.ts'
import { openingOperations } from './operations.ts'
import { insertOpenings, type NewOpening, removeOldOpenings } from './queries.ts'

const openingsCaller = backgroundCaller('openings')

export const learningFeature = {
  operatorOperations: openingOperations,
  removals: { openings: ({ sinceDay }) => removeOldOpenings(sinceDay('unfound')) },
  personalData: {
    stays: [{ table: 'search_openings', reason: 'Words after which five different callers opened a listing.' }],
  },
  create(parts) {
    if (parts.settings.SEARCH_LEARNING !== 'on')
      return { context: { learned: nothingLearned, openings: noOpeningCounter } }
    const store = (rows: readonly NewOpening[]) =>
      parts.contextOf(openingsCaller).transaction(async (ctx) => {
        await insertOpenings(ctx.db, rows)
        await ctx.announce({ topic: OPENINGS_TOPIC })
      })
    const learned = createLearned(parts)
    const openings = createOpeningCounter({ store, log: parts.log })
    return { context: { learned, openings }, views: [learned], start: openings.start, close: openings.close }
  },
} satisfies Feature
