import type { DaysKept } from '../../src/features/retention/rules.ts'
import { removeOld } from '../../src/surfaces/worker/removals.ts'
import type { TestService } from './service.ts'

/** Runs the job that deletes what is old once, as if it were that time. */
export const forgetOld = (service: TestService, now = new Date(), kept: Partial<DaysKept> = {}) => {
  const ctx = service.context()
  return removeOld({ db: ctx.db, log: ctx.log, kept: { ...ctx.kept, ...kept }, now })
}
