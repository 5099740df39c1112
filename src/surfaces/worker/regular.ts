// The workers of the background work beside jobs.
import type { Caller } from '../../kernel/caller.ts'
import type { Context } from '../../kernel/context.ts'
import { type BackgroundWorker, longestWait } from '../../kernel/due-work.ts'
import { operator } from '../http/callers.ts'
import { createBillingWorker } from './billing.ts'
import { createLinkCheckWorker } from './link-checks.ts'
import { createRemovalWorker } from './removals.ts'
import { createSandboxWorker } from './sandbox.ts'
import { createDeliveryWorker } from './webhooks.ts'

const remover: Caller = { ...operator, label: 'retention' }
const deliverer: Caller = { ...operator, label: 'webhooks' }

/** `isAlone`: no other process uses this database, so no announcement can be lost. `billingMs`: tests look more often. */
export function regularWorkers(
  contextOf: (caller: Caller) => Context,
  isAlone: boolean,
  billingMs: number | undefined,
): BackgroundWorker[] {
  const longestMs = longestWait(isAlone)
  return [
    createDeliveryWorker(contextOf(deliverer), isAlone),
    createSandboxWorker(contextOf, longestMs),
    createLinkCheckWorker(contextOf, longestMs),
    createBillingWorker(contextOf, longestMs, billingMs),
    createRemovalWorker(contextOf, remover),
  ]
}
