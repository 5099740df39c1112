// Learns from the listings that visitors open after a question on the site, and moves them a little in the results of that question.
import { backgroundCaller } from '../../kernel/caller.ts'
import type { Feature } from '../../kernel/feature.ts'
import { createLearned, nothingLearned, OPENINGS_TOPIC } from './learned.ts'
import { createOpeningCounter, noOpeningCounter, type Opened, storeOpenings } from './openings.ts'
import { openingOperations } from './operations.ts'
import { removeOldOpeningCallers, removeOldOpenings } from './queries.ts'
import { monthOf } from './rules.ts'

const openingsCaller = backgroundCaller('openings')

export const learningFeature = {
  operatorOperations: openingOperations,
  removals: {
    openings: ({ sinceDay }) => removeOldOpenings(sinceDay('unfound')),
    openingCallers: ({ now }) => removeOldOpeningCallers(monthOf(now.getTime())),
  },
  personalData: {
    keptAtDeletion: [
      { table: 'search_openings', reason: 'Words after which five different callers opened a listing.' },
      {
        table: 'search_opening_callers',
        reason: 'Hashes that change every month and for every pair, and cannot be traced to a person.',
      },
    ],
  },
  create(parts) {
    if (parts.settings.SEARCH_LEARNING !== 'on')
      return { context: { learned: nothingLearned, openings: noOpeningCounter } }
    const store = (opened: readonly Opened[]) =>
      parts.contextOf(openingsCaller).transaction(async (ctx) => {
        if (await storeOpenings(ctx.db, opened)) await ctx.announce({ topic: OPENINGS_TOPIC })
      })
    const learned = createLearned(parts)
    const openings = createOpeningCounter({ store, secret: parts.pepper, log: parts.log })
    return { context: { learned, openings }, views: [learned], start: openings.start, close: openings.close }
  },
} satisfies Feature
