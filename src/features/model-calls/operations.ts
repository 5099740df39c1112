import { Type } from 'typebox'
import { MODEL_PURPOSES } from '../../kernel/interfaces/language-model.ts'
import { operation } from '../../kernel/operation.ts'
import {
  integerType,
  listPage,
  nullable,
  numberType,
  objectType,
  offsetOf,
  oneOf,
  stringType,
  timestamp,
  titledObject,
} from '../../kernel/schema.ts'
import { DAY_MS } from '../../kernel/values/days.ts'
import { listModelCalls, summariseModelCalls } from './queries.ts'

const count = (description: string, example: number) => integerType(description, example, { minimum: 0 })
const cost = nullable(numberType("In the endpoint's currency; null: it does not say.", 0.0021))

export const modelCallSchema = titledObject('ModelCall', 'A question to the language model, without its texts.', {
  purpose: oneOf(
    MODEL_PURPOSES,
    'support: a question of a customer. enrichment: texts of a submitted tool. search-words: words under which a tool is found, too.',
    'support',
  ),
  model: stringType('Name of the model.', 'small-model'),
  failure: nullable(stringType('Why it gave no answer; null: it answered.', 'It answered 429: Slow down.')),
  milliseconds: count('How long the question took, with all attempts.', 840),
  inputTokens: nullable(count('Tokens that were read, as the endpoint says.', 900)),
  outputTokens: nullable(count('Tokens that were written.', 60)),
  cost,
  createdAt: timestamp('When it ended.'),
})

export const modelHealthSchema = titledObject('ModelHealth', 'Whether the language model works.', {
  model: nullable(stringType('Name of the model that is asked; null: none is set up.', 'small-model')),
  day: objectType('The last 24 hours.', {
    answered: count('Questions that it answered.', 212),
    failed: count('Questions that it did not answer.', 3),
    median: nullable(count('Median of the milliseconds that a question took.', 840)),
    slowest: nullable(count('The longest, in milliseconds.', 4200)),
    inputTokens: count('Tokens that were read.', 190000),
    outputTokens: count('Tokens that were written.', 13000),
    cost,
  }),
  calls: Type.Array(modelCallSchema, { description: 'The last questions, newest first.' }),
})

export const getModelHealth = operation({
  name: 'get_model_health',
  summary: 'Whether the language model works',
  description:
    'Questions of the last 24 hours and the last calls with their failures, durations, tokens and cost where the endpoint tells it. Texts are not kept; calls are kept for 30 days.',
  group: 'Support',
  access: 'operator',
  method: 'GET',
  path: '/support/model',
  parameters: Type.Object(listPage),
  failures: [],
  data: modelHealthSchema,
  run: async (ctx, input) => ({
    data: {
      model: ctx.languageModel?.name ?? null,
      day: await summariseModelCalls(ctx.db, new Date(ctx.now().getTime() - DAY_MS)),
      calls: await listModelCalls(ctx.db, input.limit, offsetOf(input)),
    },
  }),
})

export const modelCallOperations = [getModelHealth]
