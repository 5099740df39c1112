// The event submission.progress of a test submission.
import type { TransactionContext } from '../../kernel/context.ts'
import { progressEvent } from '../submissions/events.ts'
import { progressBody } from '../submissions/progress.ts'
import { storeWantedEvent } from '../webhooks/events.ts'
import type { TestRow } from './queries.ts'
import { recordedRows } from './rules.ts'

/** One event for each directory that was recorded, as for a live submission, or one for the new state. `before`: how many were on record. */
export async function storeTestProgress(ctx: TransactionContext, test: TestRow, before: number): Promise<void> {
  const rows = recordedRows(test)
  const store = (count: number, row?: (typeof rows)[number]) =>
    storeWantedEvent(
      ctx,
      test.partnerId,
      progressEvent.name,
      () =>
        progressBody({
          ...test,
          at: test.updatedAt,
          tool: { ...test, id: test.toolId },
          rows: rows.slice(0, count),
          row,
        }),
      true,
    )
  if (rows.length <= before) return store(rows.length)
  for (const [at, row] of rows.entries()) if (at >= before) await store(at + 1, row)
}
