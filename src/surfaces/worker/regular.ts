// The workers that look for work by the clock alone.
import type { Caller } from '../../kernel/caller.ts'
import type { Context } from '../../kernel/context.ts'
import { operator } from '../http/callers.ts'
import { createBillingWorker } from './billing.ts'
import { createLinkCheckWorker } from './link-checks.ts'
import { createRemovalWorker } from './removals.ts'

const remover: Caller = { ...operator, label: 'retention' }

/** `billingMs`: tests look more often. */
export const regularWorkers = (contextOf: (caller: Caller) => Context, billingMs: number | undefined) => [
  createLinkCheckWorker(contextOf),
  createBillingWorker(contextOf, billingMs),
  createRemovalWorker(contextOf, remover),
]
