import { bigint, doublePrecision, index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { timeColumn } from '../../kernel/database/tables.ts'
import { MODEL_PURPOSES } from '../../kernel/interfaces/language-model.ts'

/** Calls of the language model, without their texts. They show administrators whether the model works. */
export const modelCalls = pgTable(
  'model_calls',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    purpose: text({ enum: MODEL_PURPOSES }).notNull(),
    model: text().notNull(),
    /** null: the model answered. */
    failure: text(),
    milliseconds: integer().notNull(),
    inputTokens: integer('input_tokens'),
    outputTokens: integer('output_tokens'),
    cost: doublePrecision(),
    createdAt: timeColumn('created_at').notNull(),
  },
  (table) => [index('model_calls_created').on(table.createdAt)],
)
