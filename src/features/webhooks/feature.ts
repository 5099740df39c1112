import type { Feature } from '../../kernel/feature.ts'
import { ownDeliveryOperations } from './account.operations.ts'
import { webhookMetrics } from './metrics.ts'
import { webhookOperations } from './operations.ts'
import { removeOldDeliveries } from './queries.ts'
import { testEvent } from './test-event.ts'
import { createDeliveryWorker } from './worker.ts'

export const webhooks = {
  operatorOperations: webhookOperations,
  accountOperations: ownDeliveryOperations,
  events: [testEvent],
  removals: { deliveries: ({ since }) => removeOldDeliveries(since('deliveries')) },
  create: (parts) => ({ workers: [createDeliveryWorker(parts)], metrics: webhookMetrics(parts.query) }),
} satisfies Feature
