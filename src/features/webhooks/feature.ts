// Events for partners: stored, listed in their order, signed and delivered to the partner's webhook address.
import type { Feature } from '../../kernel/feature.ts'
import { type MetricQuery, metricOfRows } from '../../kernel/interfaces/metrics.ts'
import { DAY_MS } from '../../kernel/values/days.ts'
import { createDeliveryWorker } from './delivery/deliver.ts'
import { removeOldPartnerEvents } from './events.queries.ts'
import { testEvent } from './events.ts'
import { webhookOperations } from './operations.ts'
import { EVENT_DAYS, ownDeliveryOperations, partnerWebhookOperations } from './partner.operations.ts'
import { removeOldDeliveries, SHOWN_STATE } from './queries.ts'

/** At most this many events of a partner's sandbox are kept. */
const MOST_TEST_EVENTS = 1_000

export const webhooksFeature = {
  operations: partnerWebhookOperations,
  operatorOperations: webhookOperations,
  accountOperations: ownDeliveryOperations,
  events: [testEvent],
  removals: {
    deliveries: ({ since }) => removeOldDeliveries(since('deliveries')),
    events: ({ now }) => removeOldPartnerEvents(new Date(now.getTime() - EVENT_DAYS * DAY_MS), MOST_TEST_EVENTS),
  },
  personalData: { texts: { webhook_deliveries: ['body', 'error', 'answer'], partner_events: ['body'] } },
  create: (parts) => ({ workers: [createDeliveryWorker(parts)], metrics: webhookMetrics(parts.query) }),
} satisfies Feature

export const webhookMetrics = (query: MetricQuery) => [
  metricOfRows(
    query,
    'catalog_webhook_deliveries',
    'Deliveries of events by state.',
    `select ${SHOWN_STATE} as state, count(*) as value from webhook_deliveries where not test group by 1`,
    ['state'],
  ),
]
