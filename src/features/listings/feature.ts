// What operators do with listings, categories and tags: write, import, export, and find out why a search shows what it shows.
// Also the counts of visits, and the list of changes for programs that mirror the catalog.
import { backgroundCaller } from '../../kernel/caller.ts'
import type { Feature } from '../../kernel/feature.ts'
import { DAY_MS, dayOf } from '../../kernel/values/days.ts'
import { GONE_DAYS, listChanges } from './changes/changes.operations.ts'
import { removeOldMarks } from './changes/changes.queries.ts'
import { explainSearch } from './explain/explain-search.operations.ts'
import { createLineChecks } from './import/check-lines.ts'
import { listingOperations } from './operations.ts'
import { tableOperations } from './spreadsheets/table.operations.ts'
import { removeOldToolDays, removeOldVisits } from './visits/visits.queries.ts'
import { createToolDayCounter, createVisitCounter } from './visits/visits.ts'

const visitCaller = backgroundCaller('visits')

/** At least 60, because owners see the last 30 days of their listings and the sums of the 30 days before. */
const TOOL_DAYS_KEPT = 90

export const listingsFeature = {
  operatorOperations: [...listingOperations, ...tableOperations, listChanges, explainSearch],
  removals: {
    visits: ({ now }) => removeOldVisits(dayOf(now.getTime())),
    toolDays: ({ now }) => removeOldToolDays(dayOf(now.getTime() - TOOL_DAYS_KEPT * DAY_MS)),
    goneEntries: ({ now }) => removeOldMarks(new Date(now.getTime() - GONE_DAYS * DAY_MS)),
  },
  personalData: {
    keptAtDeletion: [
      { table: 'picture_copies', reason: 'Names of copied pictures of products.' },
      { table: 'visits', reason: 'A hash that changes every day and cannot be traced to a person.' },
      { table: 'tool_days', reason: 'How many people viewed a listing on a day.' },
      { table: 'catalog_marks', reason: 'Slugs of listings, and when they changed.' },
      { table: 'catalog_feed', reason: 'How many changes there were.' },
      { table: 'listing_health', reason: 'Addresses of products, and what was found there.' },
    ],
  },
  create({ contextOf, pepper, createThreads, db, log }) {
    const visits = createVisitCounter(() => contextOf(visitCaller), pepper)
    const toolDays = createToolDayCounter({ db, log })
    return {
      context: { visits, toolDays, checkLines: createLineChecks(createThreads) },
      start: toolDays.start,
      close: async () => {
        await visits.close()
        await toolDays.close()
      },
    }
  },
} satisfies Feature
