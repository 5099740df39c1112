// The job that tells a founder by mail that the work of an order is done.
import { backgroundCaller } from '../../../kernel/caller.ts'
import type { Context } from '../../../kernel/context.ts'
import type { Job } from '../../../kernel/job.ts'
import { tellUser } from '../../mail/mail.ts'
import { ORDER_DONE_JOB } from '../../partners/rules.ts'
import { findOrderOfSubmission } from './queries.ts'

export const orderDoneCaller = backgroundCaller(ORDER_DONE_JOB)

export const orderDoneJob = (context: () => Context): Job<{ submissionId: string }> => ({
  name: ORDER_DONE_JOB,
  retries: 5,
  retryDelaySeconds: 60,
  timeoutSeconds: 30,
  run: ({ submissionId }) =>
    context().transaction(async (ctx) => {
      const found = await findOrderOfSubmission(ctx.db, submissionId)
      if (!found?.user || !found.tool) return
      const { order, user, tool, submittedCount } = found
      const details = { name: tool.name, id: order.id, count: String(submittedCount) }
      await tellUser(ctx, { event: order.id, kind: 'order-done', userId: user.id, details })
    }),
})
