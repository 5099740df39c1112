// Click-throughs: one a visitor, tool and day.
import { createHmac } from 'node:crypto'
import type { Context } from '../../kernel/context.ts'
import { insertVisit, updateOpens } from './queries.ts'

/** Counts it unless this visitor was counted today. The address is stored only as a keyed hash that changes with the day. */
export async function countOpen(ctx: Context, toolId: string, visitor: string, secret: string): Promise<void> {
  const day = ctx.now().toISOString().slice(0, 10)
  const hash = createHmac('sha256', secret).update(`${day}\n${visitor}`).digest('base64url').slice(0, 22)
  await ctx.transaction(async (ctx) => {
    if (!(await insertVisit(ctx.db, { day, toolId, visitor: hash }))) return
    await updateOpens(ctx.db, toolId)
    await ctx.announce({ topic: 'opens', ids: [toolId] })
  })
}
