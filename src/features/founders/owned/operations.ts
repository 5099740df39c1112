// Operator API: the numbers that owners see of their listings.
import { Type } from 'typebox'
import { orNotFound } from '../../../kernel/errors.ts'
import { operation } from '../../../kernel/operation.ts'
import { exampleOf, stringType } from '../../../kernel/schema.ts'
import { findRecord } from '../../listings/queries.ts'
import { readNumbers } from './numbers.ts'
import { numbersSchema } from './schema.ts'

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
  failures: [404],
  example: { success: true, data: exampleOf(numbersSchema) },
  run: async (ctx, { slug }) => {
    const tool = orNotFound(await findRecord(ctx.db, 'tool', slug), 'Tool')
    return { data: await readNumbers(ctx, String(tool.id)) }
  },
})

export const toolNumberOperations = [getToolNumbers]
