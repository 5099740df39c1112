import { backgroundCaller } from '../../kernel/caller.ts'
import { DAY_MS, dayOf } from '../../kernel/days.ts'
import type { Feature } from '../../kernel/feature.ts'
import { GONE_DAYS, listChanges } from './changes.operations.ts'
import { removeOldMarks } from './changes.queries.ts'
import { createLineChecks } from './check-lines.ts'
import { listingOperations } from './operations.ts'
import { removeOldVisits } from './queries.ts'
import { explainSearch } from './search.operations.ts'
import { tableOperations } from './table.operations.ts'
import { createVisitCounter } from './visits.ts'

const visitCaller = backgroundCaller('visits')

export const listingsFeature = {
  operatorOperations: [...listingOperations, ...tableOperations, listChanges, explainSearch],
  removals: {
    visits: ({ now }) => removeOldVisits(dayOf(now.getTime())),
    goneEntries: ({ now }) => removeOldMarks(new Date(now.getTime() - GONE_DAYS * DAY_MS)),
  },
  personalData: {
    stays: [
      { table: 'picture_copies', reason: 'Names of copied pictures of products.' },
      { table: 'visits', reason: 'A hash that changes every day and cannot be traced to a person.' },
      { table: 'catalog_marks', reason: 'Slugs of listings, and when they changed.' },
      { table: 'catalog_feed', reason: 'How many changes there were.' },
      { table: 'listing_health', reason: 'Addresses of products, and what was found there.' },
    ],
  },
  create({ contextOf, pepper, createThreads }) {
    const visits = createVisitCounter(() => contextOf(visitCaller), pepper)
    return { context: { visits, checkLines: createLineChecks(createThreads) }, close: visits.close }
  },
} satisfies Feature
