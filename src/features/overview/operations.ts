// What waits for somebody: the first thing an administrator looks at in the morning.
import { Type } from 'typebox'
import { operation } from '../../kernel/operation.ts'
import { countFailedEnrichments } from '../enrichment/queries.ts'
import { countSubmissions } from '../submissions/queries.ts'
import { countPending } from '../support/queries.ts'
import { countOpenDeliveries } from '../webhooks/queries.ts'
import { overviewSchema } from './schema.ts'

export const getOverview = operation({
  name: 'get_overview',
  summary: 'What waits for somebody',
  description: 'How many submissions there are in each state, and how much else an administrator should look at.',
  group: 'Overview',
  access: 'operator',
  method: 'GET',
  path: '/overview',
  parameters: Type.Object({}),
  data: overviewSchema,
  example: {
    success: true,
    data: {
      submissions: { WAITING: 2, IN_QUEUE: 5, ASSIGNED: 1, IN_PROGRESS: 3, REVIEW: 0, DONE: 40 },
      pendingConversations: 4,
      openWebhooks: 1,
      failedEnrichments: 0,
    },
  },
  run: async (ctx) => {
    const counts = await countSubmissions(ctx.db)
    const inState = (state: string | null) => counts.find((row) => row.state === state)?.count ?? 0
    return {
      data: {
        submissions: {
          WAITING: inState(null),
          IN_QUEUE: inState('IN_QUEUE'),
          ASSIGNED: inState('ASSIGNED'),
          IN_PROGRESS: inState('IN_PROGRESS'),
          REVIEW: inState('REVIEW'),
          DONE: inState('DONE'),
        },
        pendingConversations: await countPending(ctx.db),
        openWebhooks: await countOpenDeliveries(ctx.db),
        failedEnrichments: await countFailedEnrichments(ctx.db),
      },
    }
  },
})
