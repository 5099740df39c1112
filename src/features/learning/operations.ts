// Operator API: which listings visitors open after which question, where this moves the listings.
import { Type } from 'typebox'
import type { Context } from '../../kernel/context.ts'
import { orNotFound } from '../../kernel/errors.ts'
import { operationsFor } from '../../kernel/operation.ts'
import { integerType, listPage, nullable, numberType, offsetOf, stringType, titledObject } from '../../kernel/schema.ts'
import { writeAudit } from '../audit/write-audit.ts'
import { OPENINGS_TOPIC } from './learned.ts'
import { deleteOpening, listOpenings, type OpeningRow } from './queries.ts'
import { leastWeightAt, roundedCount, weightAt } from './rules.ts'

const operation = operationsFor('operator', 'Search')

const id = integerType('Number of the entry.', 17, { minimum: 1 })

const openingSchema = titledObject('Opening', 'A listing that visitors open after a question.', {
  id,
  words: stringType('The words of the question that say what was looked for, sorted.', 'clips podcast'),
  page: nullable(
    stringType('The page of the listing that was opened; null when it is not published.', '/tools/acme-writer'),
  ),
  callers: numberType('How many callers opened it, one a month each; those of 30 days ago count half.', 7.5),
  lastDay: stringType('The last day on which it was opened (UTC).', '2026-03-01'),
})

export const listSearchOpenings = operation({
  name: 'list_openings',
  summary: 'What visitors open after which question',
  description:
    'The listings that at least five different callers opened after a question on the site, the most opened first, as long as this moves them in the results of that question. Nothing about the callers is stored.',
  method: 'GET',
  path: '/openings',
  parameters: Type.Object(listPage),
  data: Type.Array(openingSchema),
  run: async (ctx, input) => {
    const rows = await listOpenings(ctx.db, leastWeightAt(ctx.now().getTime()), input.limit, offsetOf(input))
    return { data: rows.map((row) => shown(ctx, row)) }
  },
})

export const forgetSearchOpening = operation({
  name: 'forget_opening',
  summary: 'Forget what visitors open after a question',
  description:
    'Deletes what was learned about one listing and one question. It is learned again when enough callers open the listing after that question.',
  method: 'DELETE',
  path: '/openings/:id',
  parameters: Type.Object({ id }),
  data: openingSchema,
  failures: [400, 404],
  run: (ctx, input) =>
    ctx.transaction(async (ctx) => {
      const deleted = orNotFound(await deleteOpening(ctx.db, input.id), 'Opening')
      await ctx.announce({ topic: OPENINGS_TOPIC })
      await writeAudit(ctx, 'opening.forget', `opening:${deleted.words}`)
      return { data: shown(ctx, deleted) }
    }),
})

function shown({ catalog, now }: Context, { id, words, listingId, weight, lastDay }: OpeningRow) {
  const { tools, directories } = catalog.snapshot()
  const tool = tools.index.get(listingId)
  const directory = directories.index.get(listingId)
  const directoryPage = directory ? `/directories/${directory.slug}` : null
  const page = tool ? `/tools/${tool.slug}` : directoryPage
  return { id, words, page, callers: roundedCount(weight / weightAt(now().getTime())), lastDay }
}

export const openingOperations = [listSearchOpenings, forgetSearchOpening]
