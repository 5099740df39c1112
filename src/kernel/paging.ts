// Lists of the operator API: newest first, `limit` and `page`, no pagination object.
import { Type } from 'typebox'

export const listPage = {
  limit: Type.Integer({
    minimum: 1,
    default: 200,
    maximum: 1000,
    description: 'Items to return: 200 unless given, 1,000 at most.',
    examples: [200],
  }),
  // PostgreSQL counts rows in 64 bits; the largest offset must stay inside.
  page: Type.Integer({
    minimum: 1,
    default: 1,
    maximum: 1_000_000_000,
    description: 'Page, counted from 1.',
    examples: [1],
  }),
}

export const offsetOf = ({ page, limit }: { page: number; limit: number }): number => (page - 1) * limit
