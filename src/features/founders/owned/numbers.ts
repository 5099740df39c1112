// How often people found, viewed and opened a listing, for its owners and for operators.
import type { Context } from '../../../kernel/context.ts'
import { DAY_MS, dayOf } from '../../../kernel/days.ts'
import { listOpeningsOf } from '../../learning/queries.ts'
import { leastWeightAt, roundedCount, weightAt } from '../../learning/rules.ts'
import { listToolDays } from '../../listings/tool-days.queries.ts'
import type { ToolNumbers } from './schema.ts'

const SHOWN_DAYS = 30
const MOST_QUESTIONS = 20

export async function readNumbers(ctx: Context, toolId: string): Promise<ToolNumbers> {
  const now = ctx.now().getTime()
  const daysAgo = (days: number) => dayOf(now - days * DAY_MS)
  const rows = await listToolDays(ctx.db, toolId, daysAgo(2 * SHOWN_DAYS - 1))
  const firstShown = daysAgo(SHOWN_DAYS - 1)
  const byDay = new Map(rows.map((row) => [row.day, row]))
  const earlier = rows.filter(({ day }) => day < firstShown)
  const sum = (of: keyof typeof NONE) => earlier.reduce((all, row) => all + row[of], 0)
  const openings = await listOpeningsOf(ctx.db, toolId, leastWeightAt(now), MOST_QUESTIONS)
  return {
    days: Array.from({ length: SHOWN_DAYS }, (_, i) => {
      const day = daysAgo(SHOWN_DAYS - 1 - i)
      return { ...NONE, ...byDay.get(day), day }
    }),
    before: { appearances: sum('appearances'), views: sum('views'), opens: sum('opens') },
    questions: openings.map(({ words, weight }) => ({ words, callers: roundedCount(weight / weightAt(now)) })),
  }
}

const NONE = { appearances: 0, views: 0, opens: 0 }
