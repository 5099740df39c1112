// Lists without a pagination object: newest first, `limit` and `page`.
import { Type } from 'typebox'

export const pageOf = (limit: number, maximum: number) => ({
  limit: Type.Integer({
    minimum: 1,
    default: limit,
    maximum,
    description: `Items to return: ${limit} unless given, ${maximum.toLocaleString('en')} at most.`,
    examples: [limit],
  }),
  // PostgreSQL counts rows in 64 bits; the largest offset must stay inside.
  page: Type.Integer({
    minimum: 1,
    default: 1,
    maximum: 1_000_000_000,
    description: 'Page, counted from 1.',
    examples: [1],
  }),
})

/** Orders of lists that operators work off. */
export const WORK_ORDERS = ['newest', 'oldest', 'changed'] as const
export type WorkOrder = (typeof WORK_ORDERS)[number]

/** Lists of the operator API. */
export const listPage = pageOf(200, 1000)

export const offsetOf = ({ page, limit }: { page: number; limit: number }): number => (page - 1) * limit
