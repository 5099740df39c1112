// Forms without a script: what they send is read here, and what proves that a form is ours.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { badRequest, forbidden, unsupportedMediaType } from '../../../kernel/errors.ts'
import { inTurn } from '../../http/gate.ts'
import type { Service } from '../../http/service.ts'
import { hiddenField } from './field.ts'
import type { Markup } from './markup.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the forms of this session carry; null while nobody is signed in. */
    formToken: string | null
  }
}

const TOKEN = 'token'
const FORM_TYPE = 'application/x-www-form-urlencoded'
// As the bodies of the API: the longest texts that it takes fit into a form, too.
const FORM_LIMIT = 256 * 1024

// A listing with as many features, questions and tags as it may have is sent with about two thousand.
const MOST_FIELDS = 5_000

/** Counted before they are read: what is done with a form is done with each of its fields. */
function hasTooManyFields(text: string): boolean {
  let fields = 1
  for (let at = text.indexOf('&'); at !== -1 && fields <= MOST_FIELDS; at = text.indexOf('&', at + 1)) fields++
  return fields > MOST_FIELDS
}

/** In a scope: bodies are forms, and nothing else. */
export function readForms(scope: FastifyInstance, limit = FORM_LIMIT): void {
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

/** The fields of a form that was sent; one that is missing is empty. */
export const formOf = (request: FastifyRequest): Readonly<Record<string, string | undefined>> =>
  (request.body as Record<string, string> | null | undefined) ?? {}

/** Bound to the session: nobody else's form works, and none after signing out. */
export const formToken = (service: Pick<Service, 'formSecret'>, sessionId: string): string =>
  createHmac('sha256', service.formSecret).update(`form:${sessionId}`).digest('base64url')

/** Stands in every form of somebody who is signed in. */
export const csrfField = (request: FastifyRequest): Markup => hiddenField(TOKEN, request.formToken ?? '')

/** The same for `actionForm` and its kind. */
export const csrfValues = (request: FastifyRequest): Record<string, string> => ({ [TOKEN]: request.formToken ?? '' })

/** A preHandler: refuses a form that does not carry the token of this session. */
export async function checkForm(request: FastifyRequest, _reply: FastifyReply): Promise<void> {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const given = Buffer.from(formOf(request)[TOKEN] ?? '')
  const expected = Buffer.from(request.formToken ?? '')
  if (expected.length === 0 || given.length !== expected.length || !timingSafeEqual(given, expected))
    throw forbidden('This form is out of date. Go back, load the page again and send it once more.')
}
