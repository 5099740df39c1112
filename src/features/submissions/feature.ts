// Submissions: products that partners submit, the queue of the work to enter them into directories, and what is recorded of that work.

import { parseUrl } from '../../kernel/addresses/web-address.ts'
import type { Database } from '../../kernel/context.ts'
import type { Feature } from '../../kernel/feature.ts'
import { websiteKey } from '../listings/website-key.ts'
import { benchOperations } from './bench/bench.operations.ts'
import { completedEvent, progressEvent, waitingEvent } from './events.ts'
import { getToolStatus, listOwnTools, submitTool } from './operations.ts'
import { correctionOperations, ownSubmissionOperations } from './partner/correct.operations.ts'
import { removeOldWithdrawals } from './partner/withdrawals.queries.ts'
import { forUnusualKeys, KEYED_TABLES, updateWebsiteKeys } from './queries.ts'
import { queueOperations } from './queue/queue.operations.ts'
import { viewOperations } from './queue/views.operations.ts'
import { listWaiting, submissionReadOperations } from './read/read.operations.ts'
import { fillNameKeys } from './submit/terms.queries.ts'
import { tagOperations } from './tags/tags.operations.ts'

export const submissionsFeature = {
  operations: [submitTool, listOwnTools, ...correctionOperations, getToolStatus],
  operatorOperations: [
    ...tagOperations,
    ...queueOperations,
    ...submissionReadOperations,
    ...benchOperations,
    ...viewOperations,
    listWaiting,
  ],
  accountOperations: ownSubmissionOperations,
  // Withdrawals of test submissions are kept as long as sandboxes, live ones as long as the audit log.
  removals: { withdrawals: ({ since }) => removeOldWithdrawals(since('tests'), since('audit')) },
  events: [completedEvent, progressEvent, waitingEvent],
  personalData: {
    labels: { submissions: ['assignee'] },
    texts: {
      queue_views: ['query'],
      submission_details: ['affiliate_text'],
      submission_tags: ['written'],
      submissions: ['notes', 'internal_notes'],
    },
    keptAtDeletion: [
      { table: 'withdrawals', reason: 'The address of a product that was withdrawn.' },
      { table: 'submission_rows', reason: 'Addresses of public pages about a product.', countedAtDeletion: true },
      {
        table: 'listing_links',
        reason: 'Addresses and words of public pages about a product.',
        countedAtDeletion: true,
      },
      {
        table: 'submissions',
        columns: ['website_key', 'slug', 'report_token'],
        reason: 'The address of a product and of its report.',
      },
      { table: 'queue_views', columns: ['name'], reason: 'A name that an administrator gave to a filter.' },
    ],
  },
  create: ({ db }) => ({
    // What every start does before the service takes submissions.
    renewRows: async () => {
      await renewWebsiteKeys(db)
      await fillNameKeys(db)
    },
  }),
} satisfies Feature

/**
 * Renews stored website keys. Their rule may have changed since they were written, and a process of an older version may still write keys
 * by the older rule. Only keys that an older rule may have written differently are read, and only keys that differ are written.
 *
 * Returns how many keys were changed. A row that another process changes meanwhile may be missed; the next start renews its key. Reading
 * all rows in one snapshot would miss none, but would hold the only connection of the embedded database.
 */
export async function renewWebsiteKeys(db: Database): Promise<number> {
  let changed = 0
  for (const table of KEYED_TABLES)
    await forUnusualKeys(db, table, async (rows) => {
      const renewed = rows.flatMap(({ id, key }) => {
        const now = renew(key)
        return now === key ? [] : [{ id, was: key, now }]
      })
      if (renewed.length > 0) await updateWebsiteKeys(db, table, renewed)
      changed += renewed.length
    })
  return changed
}

/** A key is an address without its scheme, so its own key can be computed again. */
const renew = (key: string): string => (parseUrl(`https://${key}`) ? websiteKey(`https://${key}`) : key)
