import { removeOld } from '../../src/features/retention/removals.ts'
import type { DaysKept } from '../../src/features/retention/rules.ts'
import { removals } from '../../src/features.ts'
import type { TestService } from './service.ts'

/** Runs the job that deletes what is old once, as if it were that time. */
export const forgetOld = (service: TestService, now = new Date(), kept: Partial<DaysKept> = {}) => {
  const ctx = service.context()
  return removeOld({ removals, db: ctx.db, log: ctx.log, kept: { ...ctx.kept, ...kept }, now })
}
