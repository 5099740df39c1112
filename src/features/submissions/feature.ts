import type { Feature } from '../../kernel/feature.ts'
import { ownSubmissionOperations } from './account.operations.ts'
import { benchOperations } from './bench.operations.ts'
import { correctionOperations } from './correct.operations.ts'
import { completedEvent, progressEvent } from './events.ts'
import { getToolStatus, listOwnTools, submitTool } from './operations.ts'
import { queueOperations } from './queue.operations.ts'
import { submissionReadOperations } from './read.operations.ts'
import { tagOperations } from './tags.operations.ts'
import { viewOperations } from './views.operations.ts'
import { renewKeys } from './website-keys.ts'
import { removeOldWithdrawals } from './withdrawals.queries.ts'

export const submissionsFeature = {
  operations: [submitTool, listOwnTools, ...correctionOperations, getToolStatus],
  operatorOperations: [
    ...tagOperations,
    ...queueOperations,
    ...submissionReadOperations,
    ...benchOperations,
    ...viewOperations,
  ],
  accountOperations: ownSubmissionOperations,
  removals: { withdrawals: ({ since }) => removeOldWithdrawals(since('tests'), since('audit')) },
  events: [completedEvent, progressEvent],
  create: ({ db }) => ({ renewRows: () => renewKeys(db) }),
} satisfies Feature
