// Submissions: products that partners submit, the queue of the work to enter them into directories, and what is recorded of that work.
import type { Feature } from '../../kernel/feature.ts'
import { benchOperations } from './bench/bench.operations.ts'
import { completedEvent, progressEvent, waitingEvent } from './events.ts'
import { getToolStatus, listOwnTools, submitTool } from './operations.ts'
import { ownSubmissionOperations } from './partner/account.operations.ts'
import { correctionOperations } from './partner/correct.operations.ts'
import { removeOldWithdrawals } from './partner/withdrawals.queries.ts'
import { queueOperations } from './queue/queue.operations.ts'
import { viewOperations } from './queue/views.operations.ts'
import { listWaiting, submissionReadOperations } from './read/read.operations.ts'
import { renewKeys } from './submit/renew-website-keys.ts'
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
  create: ({ db }) => ({ renewRows: () => renewKeys(db) }),
} satisfies Feature
