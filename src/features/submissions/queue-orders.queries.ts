// The sort orders of the queue, for the live submissions and for those of sandboxes, which have columns of their own.
import { asc, desc, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { QueueOrder } from './queue.schema.ts'
import { PAYMENT_TYPES, STATES } from './rules.ts'

interface QueueColumns {
  id: SQLWrapper
  createdAt: SQLWrapper
  updatedAt: SQLWrapper
  toolName: SQLWrapper
  partnerName: SQLWrapper
  state: SQLWrapper
  assignee: SQLWrapper
  paymentType: SQLWrapper
  submittedCount: SQLWrapper
  /** Whether an administrator can do something now. */
  isReady: SQLWrapper
}

const placeIn = (values: readonly string[], value: SQLWrapper) =>
  sql`coalesce(array_position(${sql.param([...values])}::text[], ${value}), 0)`

export function queueOrders(columns: QueueColumns): Record<QueueOrder, SQL[]> {
  const { id, createdAt, updatedAt } = columns
  const tool = sql`lower(${columns.toolName})`
  const state = placeIn(STATES, columns.state)
  const assignee = sql`lower(coalesce(${columns.assignee}, ''))`
  const partner = sql`lower(${columns.partnerName})`
  const paymentType = placeIn(PAYMENT_TYPES, columns.paymentType)
  // Rows that are equal in the column come oldest first.
  const up = (value: SQLWrapper) => [asc(value), asc(createdAt), asc(id)]
  const down = (value: SQLWrapper) => [desc(value), asc(createdAt), asc(id)]
  return {
    newest: [desc(createdAt), desc(id)],
    oldest: [asc(createdAt), asc(id)],
    changed: [desc(updatedAt), desc(id)],
    ready: down(columns.isReady),
    tool: up(tool),
    '-tool': down(tool),
    state: up(state),
    '-state': down(state),
    entered: up(columns.submittedCount),
    '-entered': down(columns.submittedCount),
    assignee: up(assignee),
    '-assignee': down(assignee),
    partner: up(partner),
    '-partner': down(partner),
    package: up(paymentType),
    '-package': down(paymentType),
  }
}
