// `Visit` is a request to a console page with the functions that pages need. `ConsolePages` are the pages that a section declares.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import type { SessionUser } from '../../../../features/accounts/sign-in.ts'
import type { Operation, Unread, UnreadBody } from '../../../../kernel/operation.ts'
import { signedInUser } from '../../../http/requests/sessions.ts'
import type { Service } from '../../../http/service.ts'
import { csrfField, csrfValues, formOf } from '../../kit/forms/forms.ts'
import { type AddressQuery, queryText } from '../../kit/lists/address-query.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { param } from '../../kit/sending/answers.ts'
import { type PageMessage, redirectWith } from '../../kit/sending/messages.ts'
import { addPrivatePages, performAs } from '../../kit/sending/private-pages.ts'
import { type ConsolePage, sendAdmin } from './frame.ts'

export interface Visit {
  service: Service
  request: FastifyRequest
  reply: FastifyReply
  user: SessionUser
  /** The CSRF token that every form must contain: as a field, and as values for a form with a single button. */
  token: Markup
  values: Record<string, string>
  /** The fields of the form that was sent. */
  form: Readonly<Record<string, string | undefined>>
  /** A parameter of the path; '' if the path has none of this name. */
  param(name: string): string
  /** The named parameters of the query; '' for one that is missing. */
  query<Name extends string>(names: readonly Name[]): Record<Name, string>
  /** Performs an operation as the administrator and returns its `data`. */
  perform<I extends TObject, B extends TSchema, D extends TSchema>(
    operation: Operation<I, B, D>,
    parameters: Unread<Static<I>>,
    body?: UnreadBody<B>,
  ): Promise<Static<D>>
  send(page: ConsolePage, status?: number): Promise<FastifyReply>
  /** Redirects to a page, which shows the message. */
  redirect(path: string, message?: PageMessage): FastifyReply
}

const visitOf = (service: Service, request: FastifyRequest, reply: FastifyReply): Visit => ({
  service,
  request,
  reply,
  user: signedInUser(request),
  token: csrfField(request),
  values: csrfValues(request),
  form: formOf(request),
  param: (name) => param(request, name),
  query: (names) => queryTexts(request, names),
  perform: (operation, parameters, body) => performAs(service, request, operation, parameters, body),
  send: (page, status) => sendAdmin(service, request, reply, page, status),
  redirect: (path, message) => redirectWith(service, reply, path, message),
})

const queryTexts = <Name extends string>({ query }: FastifyRequest, names: readonly Name[]): Record<Name, string> =>
  Object.fromEntries(names.map((name) => [name, queryText(query as AddressQuery, name)])) as Record<Name, string>

export type VisitHandler = (visit: Visit) => Promise<unknown> | unknown

/** Pages by their address. */
export type ConsolePages = Readonly<Record<string, { GET?: VisitHandler; POST?: VisitHandler }>>

export function addConsolePages(
  server: FastifyInstance,
  service: Service,
  pages: ConsolePages,
  readBodies?: (scope: FastifyInstance) => void,
): void {
  const handler = (handle: VisitHandler | undefined) =>
    handle && ((request: FastifyRequest, reply: FastifyReply) => handle(visitOf(service, request, reply)))
  const routes = Object.entries(pages).map(([path, { GET, POST }]) => [
    path,
    { GET: handler(GET), POST: handler(POST) },
  ])
  addPrivatePages(server, service, 'admin', Object.fromEntries(routes), readBodies)
}

/** Whether this is the address of the administrator who made the request. */
export const isMe = (email: string | null, visit: Visit): boolean =>
  email?.toLowerCase() === visit.user.email.toLowerCase()

/**
 * The name of an administrator in a list, with the first letter of the e-mail address. By default it is the part of the address before the
 * @, because columns are narrow. `email` null: not assigned.
 */
export function administrator(
  email: string | null,
  visit: Visit,
  shown = email?.replace(/@.*/s, '') ?? 'No one',
): Markup {
  const name = isMe(email, visit) ? 'You' : shown
  return html`<span class="${email === null ? 'person none' : 'person'}"${email && html` title="${email}"`}><span aria-hidden="true">${email && name.charAt(0).toUpperCase()}</span><bdi>${name}</bdi></span>`
}
