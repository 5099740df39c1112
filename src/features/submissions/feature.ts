// Submissions: products that partners submit, the queue of the work to enter them into directories, and what is recorded of that work.
import type { Feature } from '../../kernel/feature.ts'
import { ownSubmissionOperations } from './account.operations.ts'
import { benchOperations } from './bench.operations.ts'
import { correctionOperations } from './correct.operations.ts'
import { completedEvent, progressEvent, waitingEvent } from './events.ts'
import { getToolStatus, listOwnTools, submitTool } from './operations.ts'
import { queueOperations } from './queue.operations.ts'
import { listWaiting, submissionReadOperations } from './read.operations.ts'
import { renewKeys } from './renew-website-keys.ts'
import { tagOperations } from './tags.operations.ts'
import { viewOperations } from './views.operations.ts'
import { removeOldWithdrawals } from './withdrawals.queries.ts'

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
