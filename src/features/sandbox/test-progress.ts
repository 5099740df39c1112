// Stores the webhook event submission.progress of a test submission.
import type { TransactionContext } from '../../kernel/context.ts'
import { progressEvent } from '../submissions/events.ts'
import { progressBody } from '../submissions/progress.ts'
import { storeWantedEvent } from '../webhooks/events.ts'
import type { TestRow } from './queries.ts'
import { recordedRows } from './rules.ts'

/** One event for each newly recorded directory, as for a live submission, or a single one when only the state changed. */
export async function storeTestProgress(ctx: TransactionContext, test: TestRow, recordedBefore: number): Promise<void> {
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
  if (rows.length <= recordedBefore) return store(rows.length)
  for (const [index, row] of rows.entries()) if (index >= recordedBefore) await store(index + 1, row)
}
