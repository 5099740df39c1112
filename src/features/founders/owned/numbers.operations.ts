// How often people found, viewed and opened a listing: the numbers that owners see, and the operation that gives them to operators.
import { Type } from 'typebox'
import type { Context } from '../../../kernel/context.ts'
import { orNotFound } from '../../../kernel/errors.ts'
import { operation } from '../../../kernel/operation.ts'
import { stringType } from '../../../kernel/schema.ts'
import { DAY_MS, dayOf } from '../../../kernel/values/days.ts'
import { listOpeningsOf } from '../../learning/queries.ts'
import { leastWeightAt, roundedCount, weightAt } from '../../learning/rules.ts'
import { findRecord } from '../../listings/queries.ts'
import { listToolDays } from '../../listings/visits/visits.queries.ts'
import { numbersSchema, type ToolNumbers } from './schema.ts'

export const getToolNumbers = operation({
  name: 'get_tool_numbers',
  summary: 'How often people found, viewed and opened a tool',
  description:
    'What the owners of the tool see: by day, to how many people a search of the site showed it, how many viewed its page and how many opened its website, and the questions that led there. Programs are not counted, and nothing is stored about people.',
  group: 'Founders',
  access: 'operator',
  method: 'GET',
  path: '/tools/:slug/numbers',
  parameters: Type.Object({ slug: stringType('Slug of the tool.', 'acme-writer') }),
  data: numbersSchema,
  run: async (ctx, { slug }) => {
    const tool = orNotFound(await findRecord(ctx.db, 'tool', slug), 'Tool')
    return { data: await readNumbers(ctx, String(tool.id)) }
  },
})

export const SHOWN_DAYS = 30
const MOST_QUESTIONS = 20

export const firstShownDay = ({ now }: Pick<Context, 'now'>): string =>
  dayOf(now().getTime() - (SHOWN_DAYS - 1) * DAY_MS)

export async function readNumbers(ctx: Context, toolId: string): Promise<ToolNumbers> {
  const now = ctx.now().getTime()
  const daysAgo = (days: number) => dayOf(now - days * DAY_MS)
  const rows = await listToolDays(ctx.db, toolId, daysAgo(2 * SHOWN_DAYS - 1))
  const firstShown = firstShownDay(ctx)
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

export const toolNumberOperations = [getToolNumbers]
