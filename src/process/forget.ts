// What is deleted every hour because its time is over.
import { forgetExpired } from '../features/accounts/sign-in.ts'
import { forgetOldUsage } from '../features/keys/usage.ts'
import { forgetOldVisits } from '../features/listings/visits.ts'
import { forgetOldGrants } from '../features/oauth/exchange.ts'
import { forgetOldSecrets } from '../features/partners/operations.ts'
import { forgetOldTests } from '../features/sandbox/steps.ts'
import { forgetOldAnswers } from '../features/submissions/idempotency.ts'
import { forgetOldUnfound } from '../features/unfound/counter.ts'
import type { Database } from '../kernel/context.ts'

export const FORGET_HOURLY: readonly ((db: Database, now: Date) => Promise<unknown>)[] = [
  forgetOldVisits,
  forgetOldAnswers,
  forgetExpired,
  forgetOldUsage,
  forgetOldUnfound,
  forgetOldGrants,
  forgetOldSecrets,
  forgetOldTests,
]
