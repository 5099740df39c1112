import { Type } from 'typebox'
import type { Database } from '../../kernel/context.ts'
import { NDJSON, operationsFor } from '../../kernel/operation.ts'
import { writer } from '../../kernel/output.ts'
import { listPage, offsetOf } from '../../kernel/schema.ts'
import { listUnfound } from './queries.ts'
import { searched, unfoundQuestionSchema } from './schema.ts'

const operation = operationsFor('operator', 'Search')

const unfoundFilters = { searched: Type.Optional(searched) }

export const listUnfoundQuestions = operation({
  name: 'list_unfound_questions',
  summary: 'What people look for and do not find',
  description:
    'Questions of at least five different callers of one day that found nothing, or only partial matches, the most asked first. A question is its sorted words; nothing about the callers is stored. Kept for 90 days after it was last asked.',
  method: 'GET',
  path: '/unfound-questions',
  parameters: Type.Object({ ...unfoundFilters, ...listPage }),
  data: Type.Array(unfoundQuestionSchema),
  run: async (ctx, input) => ({ data: await listUnfound(ctx.db, input.searched, input.limit, offsetOf(input)) }),
})

export const exportUnfoundQuestions = operation({
  name: 'export_unfound_questions',
  summary: 'Export what people do not find',
  description: 'All questions of the list as NDJSON, the most asked first.',
  method: 'GET',
  path: '/unfound-questions/export',
  data: unfoundQuestionSchema,
  streams: NDJSON,
  run: (ctx) => ({ lines: unfoundLines(ctx.db) }),
})

const writeLine = writer(unfoundQuestionSchema)
/** How many rows of an export are read at once. */
const PAGE = 1_000

async function* unfoundLines(db: Database): AsyncGenerator<string> {
  for (let offset = 0; ; offset += PAGE) {
    const rows = await listUnfound(db, undefined, PAGE, offset)
    if (rows.length > 0) yield rows.map((row) => `${writeLine(row)}\n`).join('')
    if (rows.length < PAGE) return
  }
}

export const unfoundOperations = [listUnfoundQuestions, exportUnfoundQuestions]
