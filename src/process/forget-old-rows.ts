// Deletes rows that are no longer needed, feature by feature. What cannot be deleted now is deleted an hour later.
import { forgetExpired } from '../features/accounts/sign-in.ts'
import { forgetOldUsage } from '../features/keys/usage.ts'
import { forgetOldVisits } from '../features/listings/visits.ts'
import { forgetOldGrants } from '../features/oauth/exchange.ts'
import { forgetOldAnswers } from '../features/submissions/operations.ts'
import { forgetOldUnfound } from '../features/unfound/counter.ts'
import type { Database } from '../kernel/context.ts'

const FORGETTING = [forgetOldVisits, forgetOldAnswers, forgetExpired, forgetOldUsage, forgetOldUnfound, forgetOldGrants]

export function forgetOldRows(db: Database, now: Date): void {
  for (const forget of FORGETTING) forget(db, now).catch(() => {})
}
