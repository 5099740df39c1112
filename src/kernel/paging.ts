// Parameters of lists that have `limit` and `page` and no pagination object.
import { integerType } from './schema.ts'

export const pageParameters = (limit: number, maximum: number) => ({
  limit: integerType(`Items to return: ${limit} by default, ${maximum.toLocaleString('en')} at most.`, limit, {
    minimum: 1,
    default: limit,
    maximum,
  }),
  // PostgreSQL's offset has 64 bits; the largest page must not exceed it.
  page: integerType('Page, counted from 1.', 1, { minimum: 1, default: 1, maximum: 1_000_000_000 }),
})

/** Sort orders of the operator's work lists, such as submissions and conversations. */
export const WORK_ORDERS = ['newest', 'oldest', 'changed'] as const
export type WorkOrder = (typeof WORK_ORDERS)[number]

/** For lists of the operator API. */
export const listPage = pageParameters(200, 1000)

export const offsetOf = ({ page, limit }: { page: number; limit: number }): number => (page - 1) * limit
