// What is done at intervals in every process: deleting what is old.
import { forgetExpired } from '../features/accounts/sign-in.ts'
import { forgetOldBilling } from '../features/billing/due.ts'
import { forgetOldCalls } from '../features/keys/calls.ts'
import { forgetOldUsage } from '../features/keys/usage.ts'
import { forgetOldVisits } from '../features/listings/visits.ts'
import { forgetOldMails } from '../features/mail/mail.ts'
import { forgetOldModelCalls } from '../features/model-calls/store.ts'
import { forgetOldGrants } from '../features/oauth/exchange.ts'
import { forgetOldSecrets } from '../features/partners/operations.ts'
import { forgetOldTests } from '../features/sandbox/steps.ts'
import { forgetOldAnswers } from '../features/submissions/idempotency.ts'
import { forgetOldUnfound } from '../features/unfound/counter.ts'
import type { Database } from '../kernel/context.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const FORGET_HOURLY: readonly ((db: Database, now: Date) => Promise<unknown>)[] = [
  forgetOldVisits,
  forgetOldAnswers,
  forgetExpired,
  forgetOldUsage,
  forgetOldCalls,
  forgetOldUnfound,
  forgetOldModelCalls,
  forgetOldGrants,
  forgetOldSecrets,
  forgetOldTests,
  forgetOldBilling,
  forgetOldMails,
]

/** Starts the timers and returns them, so that they can be stopped. */
export function startForgetting(
  store: { db: Database; forgetChanges(): Promise<void> },
  memory: { sweep(): void },
): NodeJS.Timeout[] {
  const timers = [
    setInterval(memory.sweep, MINUTE_MS),
    setInterval(() => store.forgetChanges().catch(() => {}), HOUR_MS),
    ...FORGET_HOURLY.map((forget) => setInterval(() => forget(store.db, new Date()).catch(() => {}), HOUR_MS)),
  ]
  for (const timer of timers) timer.unref()
  return timers
}
