// The event submission.progress of a test submission.
import type { TransactionContext } from '../../kernel/context.ts'
import { progressEvent } from '../submissions/events.ts'
import { progressBody } from '../submissions/progress.ts'
import { storeWantedEvent } from '../webhooks/events.ts'
import type { TestRow } from './queries.ts'
import { recordedRows } from './rules.ts'

/** One event for each step: directories that were recorded together are not told one by one, and the event has the last of them. */
export const storeTestProgress = (ctx: TransactionContext, test: TestRow, hasRecorded: boolean): Promise<void> =>
  storeWantedEvent(
    ctx,
    test.partnerId,
    progressEvent.name,
    () => {
      const rows = recordedRows(test)
      const row = hasRecorded ? rows.at(-1) : undefined
      return progressBody({ ...test, at: test.updatedAt, tool: { ...test, id: test.toolId }, rows, row })
    },
    true,
  )
