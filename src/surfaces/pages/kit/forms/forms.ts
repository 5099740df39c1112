// Forms: reading what they send, their CSRF token, which proves that a page of ours sent the form, the version of the row that a form shows,
// and the sentences for what an operation found wrong.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { badRequest, type Failure, forbidden, unsupportedMediaType } from '../../../../kernel/errors.ts'
import { type Problem, sentencesOf } from '../../../../kernel/problem.ts'
import { inTurn } from '../../../http/gate.ts'
import { BODY_LIMIT } from '../../../http/requests/request-bodies.ts'
import type { Service } from '../../../http/service.ts'
import type { Flash } from '../components.ts'
import { html, type Markup } from '../markup.ts'
import type { Visit } from '../sending/private-pages.ts'
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
export const csrfTokenOf = (service: Pick<Service, 'formSecret'>, sessionId: string): string =>
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

const VERSION_FIELD = 'version'

interface Versioned {
  version: number
}

/**
 * The hidden field with the version of the row that a form shows. Saving an older version is refused, so that a form does not undo a change
 * that another user has saved in the meantime.
 */
export const versionField = ({ version }: Versioned): Markup => hiddenField(VERSION_FIELD, String(version))

export const versionValue = ({ version }: Versioned): Record<string, string> => ({ [VERSION_FIELD]: String(version) })

/** The version in the sent form, as the parameter of the operation; {} if the form has none. */
export const expectedVersionOf = ({ form }: Pick<Visit, 'form'>): { ifVersion?: string } => {
  const version = form[VERSION_FIELD]
  return version === undefined ? {} : { ifVersion: version }
}

/** Shown with a form after a 409: the stored value of each field in which the user typed another one. `typed` is undefined if the form did not send the field. */
export const storedValuesSection = (
  fields: readonly (readonly [label: string, typed: string | undefined, stored: string])[],
): Markup => {
  const different = fields.filter(([, typed, stored]) => typed !== undefined && typed.trim() !== stored.trim())
  return html`${
    different.length > 0 &&
    html`<section class="card" aria-label="Stored now"><h2>Stored now</h2><dl class="facts">${different.map(
      ([label, , stored]) =>
        html`<div><dt>${label}</dt><dd class="text" dir="auto">${stored || '(empty)'}</dd></div>\n`,
    )}</dl></section>`
  }`
}

/** The labels of a form by the path of the field in the body; '' stands for the body itself. */
type FieldLabels = Readonly<Record<string, string>>

/** Why a form was refused: the text above the form, and in `marked` the problem of each field. */
export interface Refusal {
  text: Markup | string
  marked: Readonly<Record<string, string>>
}

export const refusalOf = (failure: Failure, labels: FieldLabels): Refusal & { text: string } => ({
  text: failureText(failure, labels),
  marked: problemsByField(failure.problems, labels).marked,
})

/** The message above a form that was refused; none if it was not. */
export const refusalFlash = (refusal: Pick<Refusal, 'text'> | undefined): readonly Flash[] =>
  refusal ? [{ kind: 'danger', text: refusal.text, isPermanent: true }] : []

/** All problems of the failure as one text; its message if it has none. */
export const failureText = ({ problems, message }: Failure, labels: FieldLabels): string =>
  problems.length > 0 ? sentencesOf(problems, (field) => labelFor(field, labels)) : message

/** In `marked` the problems of each labelled field, and in `others` those of fields without a label. */
export function problemsByField(
  problems: readonly Problem[],
  labels: FieldLabels,
): { marked: Record<string, string>; others: string } {
  const nameOf = (field: string) => labelFor(field, labels)
  const groups = Map.groupBy(problems, ({ field }) => labelledField(field, labels))
  const marked: Record<string, string> = {}
  for (const [field, found] of groups) if (field !== undefined) marked[field] = sentencesOf(found, nameOf)
  return { marked, others: sentencesOf(groups.get(undefined) ?? [], nameOf) }
}

/** The label of a field, or of the labelled field that contains it with the rest of the path: "Questions.0.answer". */
const labelFor = (field: string, labels: FieldLabels): string => {
  const part = labelledField(field, labels)
  return part === undefined ? field || 'The body' : `${labels[part]}${field.slice(part.length)}`
}

const labelledField = (field: string, labels: FieldLabels): string | undefined =>
  Object.keys(labels).find((name) => name === field || (name !== '' && field.startsWith(`${name}.`)))
