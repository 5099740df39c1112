import { desc } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { inState, ofPartner } from './queries.ts'
import type { QueueState } from './rules.ts'
import { submissions } from './tables.ts'

/** The submissions of a partner, newest first. */
export const listSubmissionsOfPartner = (
  db: Database,
  partnerId: string,
  state: QueueState | undefined,
  limit: number,
  offset: number,
) =>
  ofPartner(db, partnerId, inState(state))
    .orderBy(desc(submissions.createdAt), desc(submissions.id))
    .limit(limit)
    .offset(offset)
