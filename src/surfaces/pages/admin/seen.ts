// What a form showed when it was opened, as a mark that it carries: whoever saves it must not undo what somebody else changed meanwhile.
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { hiddenField } from '../kit/field.ts'
import { formOf } from '../kit/forms.ts'
import type { Markup } from '../kit/markup.ts'

const FIELD = 'seen'

const markOf = (values: object): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 16)

export const seenField = (values: object): Markup => hiddenField(FIELD, markOf(values))

export const STALE = 'Somebody changed this meanwhile. Compare what you typed with what is stored now, then save again.'

/** Whether what is stored is no longer what the form showed. */
export const isStale = (request: FastifyRequest, values: object): boolean => {
  const seen = formOf(request)[FIELD]
  return seen !== undefined && seen !== markOf(values)
}
