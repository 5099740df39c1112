// Reads what forms send, and makes and checks their CSRF token, which proves that a page of ours sent the form.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { badRequest, forbidden, unsupportedMediaType } from '../../../../kernel/errors.ts'
import { inTurn } from '../../../http/gate.ts'
import { BODY_LIMIT } from '../../../http/requests/request-bodies.ts'
import type { Service } from '../../../http/service.ts'
import type { Markup } from '../markup.ts'
import { hiddenField } from './field.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The CSRF token of this session; null while the visitor is not signed in. */
    formToken: string | null
  }
}

const TOKEN = 'token'
const FORM_TYPE = 'application/x-www-form-urlencoded'

// Our largest form, a listing with as many features, questions and tags as it may have, sends about two thousand fields.
export const MOST_FIELDS = 5_000

/** Counts the fields before they are parsed, because parsing takes longer with every field. */
function hasTooManyFields(text: string): boolean {
  let fields = 1
  for (let at = text.indexOf('&'); at !== -1 && fields <= MOST_FIELDS; at = text.indexOf('&', at + 1)) fields++
  return fields > MOST_FIELDS
}

/** Makes a scope accept form bodies only. */
export function readForms(scope: FastifyInstance, limit = BODY_LIMIT): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(FORM_TYPE, { parseAs: 'string', bodyLimit: limit }, (request, text, done) =>
    inTurn(request, () =>
      hasTooManyFields(text as string)
        ? done(badRequest(`The form has more than ${MOST_FIELDS.toLocaleString('en')} fields, which none of ours has.`))
        : done(null, Object.fromEntries(new URLSearchParams(text as string))),
    ),
  )
  scope.addContentTypeParser('*', (_request, _payload, done) => done(unsupportedMediaType(FORM_TYPE)))
}

/** The fields of the form in the request; none when the request has no body. */
export const formOf = (request: FastifyRequest): Readonly<Record<string, string | undefined>> =>
  (request.body as Record<string, string> | null | undefined) ?? {}

/** The CSRF token of a session. A form from another session, or from before signing out, is refused. */
export const formToken = (service: Pick<Service, 'formSecret'>, sessionId: string): string =>
  createHmac('sha256', service.formSecret).update(`form:${sessionId}`).digest('base64url')

/** Every form of a signed-in user must contain this field. */
export const csrfField = (request: FastifyRequest): Markup => hiddenField(TOKEN, request.formToken ?? '')

/** The same token as a value for `actionForm` and `confirmedAction`. */
export const csrfValues = (request: FastifyRequest): Record<string, string> => ({ [TOKEN]: request.formToken ?? '' })

/** A preHandler hook that refuses a form without the token of this session. */
export async function checkForm(request: FastifyRequest, _reply: FastifyReply): Promise<void> {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const given = Buffer.from(formOf(request)[TOKEN] ?? '')
  const expected = Buffer.from(request.formToken ?? '')
  if (expected.length === 0 || given.length !== expected.length || !timingSafeEqual(given, expected))
    throw forbidden('This form is out of date. Go back, load the page again and send it once more.')
}
