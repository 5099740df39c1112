// Click-throughs: one a visitor, tool and day.
import { createHmac } from 'node:crypto'
import type { Context, Database } from '../../kernel/context.ts'
import { deleteVisitsBefore, insertVisit, updateOpens } from './queries.ts'

/** Counts it unless this visitor was counted today. The address is stored only as a keyed hash that changes with the day. */
export async function countOpen(ctx: Context, toolId: string, visitor: string, secret: string): Promise<void> {
  const day = dayOf(ctx.now())
  const hash = createHmac('sha256', secret).update(`${day}\n${visitor}`).digest('base64url').slice(0, 22)
  await ctx.transaction(async (ctx) => {
    if (!(await insertVisit(ctx.db, { day, toolId, visitor: hash }))) return
    await updateOpens(ctx.db, toolId)
    await ctx.announce({ topic: 'opens', ids: [toolId] })
  })
}

/** Who came on an earlier day is counted and needs to be known no longer. */
export const forgetOldVisits = (db: Database, now: Date) => deleteVisitsBefore(db, dayOf(now))

const dayOf = (time: Date): string => time.toISOString().slice(0, 10)
