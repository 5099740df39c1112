// Adds and sends pages for signed-in users, and the pages where visitors sign in. No cache keeps them, no site frames them, and every form
// is checked. Also performs operations for these pages.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import type { SessionUser } from '../../../../features/accounts/sign-in.ts'
import { mayUse } from '../../../../kernel/caller.ts'
import type { Context } from '../../../../kernel/context.ts'
import { Failure, forbidden, tooManyRequests } from '../../../../kernel/errors.ts'
import { charge, perform } from '../../../../kernel/invoke.ts'
import type { Operation, Unread, UnreadBody } from '../../../../kernel/operation.ts'
import { refuseOtherMethods } from '../../../http/answers/answers.ts'
import { noteWrite, prepareWriteAnswer } from '../../../http/answers/write-answers.ts'
import { identifiedCaller, rememberSpentSession, setRateHeaders, visitorGate } from '../../../http/gate.ts'
import { publicAddress } from '../../../http/requests/callers.ts'
import { checkOrigin, readSession, signedInUser } from '../../../http/requests/sessions.ts'
import type { Service } from '../../../http/service.ts'
import { NEW_PRODUCT } from '../../addresses.ts'
import { actionForm } from '../button.ts'
import { checkForm, csrfField, csrfTokenOf, csrfValues, formOf, readForms } from '../forms/forms.ts'
import { type AddressQuery, queryText } from '../lists/address-query.ts'
import type { Markup } from '../markup.ts'
import { failureAnswer, param, setPageHeaders } from './answers.ts'
import { type Page, renderPage } from './document.ts'
import { type PageMessage, readMessageOnce, redirectWith } from './messages.ts'

/** A request to a page, with the functions that pages need. */
export interface Visit {
  service: Service
  request: FastifyRequest
  reply: FastifyReply
  /** What operations find, with the caller of this request. */
  ctx: Context
  /** The signed-in user. Pages where visitors sign in have none. */
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
  /** Performs an operation as the user and returns its `data`. */
  perform<I extends TObject, B extends TSchema, D extends TSchema>(
    operation: Operation<I, B, D>,
    parameters: Unread<Static<I>>,
    body?: UnreadBody<B>,
  ): Promise<Static<D>>
  /** Sends a page in the frame of its area. */
  send(page: AreaPage, status?: number): Promise<FastifyReply>
  /** Redirects to a page, which shows the message. */
  redirect(path: string, message?: PageMessage): FastifyReply
  /** Does the work and returns its answer. A failure that the user can correct leads to the page `back`, which shows it. */
  orBack(back: string, work: () => Promise<FastifyReply>): Promise<FastifyReply>
}

/** What a page says; the frame of its area adds the menu. */
export type AreaPage = Pick<Page, 'title' | 'body'> & Partial<Page>

export type VisitHandler = (visit: Visit) => Promise<unknown> | unknown

export type VisitPages = Readonly<Record<string, { GET?: VisitHandler; POST?: VisitHandler }>>

/** Who may open the pages of an area, and how they are sent. `anyone` is for the pages where visitors sign in. */
export interface Area {
  audience: 'anyone' | 'user' | 'admin'
  send: (visit: Visit, page: AreaPage, status?: number) => FastifyReply | Promise<FastifyReply>
}

/** For pages without a menu of their own. */
export const forAnyone: Area = { audience: 'anyone', send: sendPrivate }

function visitOf(service: Service, request: FastifyRequest, reply: FastifyReply, area: Area): Visit {
  let ctx: Context | undefined
  const visit: Visit = {
    service,
    request,
    reply,
    get ctx() {
      ctx ??= service.context(identifiedCaller(request))
      return ctx
    },
    get user() {
      return signedInUser(request)
    },
    token: csrfField(request),
    values: csrfValues(request),
    form: formOf(request),
    param: (name) => param(request, name),
    query: (names) => queryTexts(request, names),
    perform: (operation, parameters, body) => performAs(service, request, operation, parameters, body),
    send: async (page, status) => area.send(visit, page, status),
    redirect: (path, message) => redirectWith(service, reply, path, message),
    async orBack(back, work) {
      try {
        return await work()
      } catch (error) {
        if (!isCorrectable(error)) throw error
        return redirectWith(service, reply, back, { kind: 'danger', text: error.message })
      }
    },
  }
  return visit
}

const queryTexts = <Name extends string>({ query }: FastifyRequest, names: readonly Name[]): Record<Name, string> =>
  Object.fromEntries(names.map((name) => [name, queryText(query as AddressQuery, name)])) as Record<Name, string>

/** `readBodies` makes the scope accept the bodies that these pages receive. */
export function addPrivatePages(
  server: FastifyInstance,
  service: Service,
  area: Area,
  pages: VisitPages,
  readBodies: (scope: FastifyInstance) => void = readForms,
): void {
  const { audience } = area
  const handler = (handle: VisitHandler) => (request: FastifyRequest, reply: FastifyReply) =>
    handle(visitOf(service, request, reply, area))
  server.register(async (scope) => {
    scope.addHook('onRequest', setPageHeaders)
    scope.addHook('onRequest', setPrivateHeaders)
    scope.addHook('onRequest', admitPageRequest(service))
    if (audience !== 'anyone') scope.addHook('onRequest', audience === 'admin' ? requireAdmin : requireUser)
    scope.addHook('onRequest', async (request) => checkOrigin(service, request))
    // The token of a form belongs to a session. A visitor who signs in has none yet, so on these pages only the origin is checked.
    if (audience !== 'anyone') scope.addHook('preHandler', checkForm)
    scope.setErrorHandler(failureAnswer(service))
    readBodies(scope)
    for (const [path, { GET, POST }] of Object.entries(pages)) {
      if (GET) scope.get(path, handler(GET))
      if (POST) scope.post(path, handler(POST))
    }
  })
  for (const [path, { GET, POST }] of Object.entries(pages))
    refuseOtherMethods(server, service, path, {
      allowed: [...(GET ? ['GET', 'HEAD'] : []), ...(POST ? ['POST'] : [])],
      // Who opens the address of a form's POST in a browser gets a page.
      answerFailure: failureAnswer(service),
    })
}

async function setPrivateHeaders(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  // Some addresses contain secrets, so browsers send the referrer to our own pages only. Forbidding it altogether would also remove the
  // origin from forms, which is checked.
  reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin', 'x-frame-options': 'DENY' })
}

/** Reads the session and charges the request to its user; a visitor without a session is charged as on any page. */
const admitPageRequest = (service: Service) => async (request: FastifyRequest, reply: FastifyReply) => {
  await readSession(service, request, reply)
  if (!request.caller || !request.sessionId) return visitorGate(service)(request, reply)
  request.caller.address = publicAddress(request.ip)
  request.formToken = csrfTokenOf(service, request.sessionId)
  const decision = await charge(service.limiter, request.caller, PAGE_BUCKET)
  setRateHeaders(reply, decision)
  if (!decision || decision.allowed) return
  rememberSpentSession(service, request, 'pages', decision)
  throw tooManyRequests(decision.retryAfter)
}

/** Opening a page is charged to this bucket; an operation on the page may be charged to its own bucket as well. */
const PAGE_BUCKET = 'rest'

/**
 * Redirects a visitor to the sign-in page, which leads back here afterwards. A visitor who begins with a product is sent to sign up
 * instead, because founders usually have no account yet.
 */
async function requireUser(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (request.user) return
  const [path = '/'] = request.url.split('?')
  // The sign-in page cannot send a form again, so after a POST it leads to the start page of the area.
  const startPage = path.startsWith('/admin') ? '/admin' : '/dashboard'
  const next = request.method === 'GET' ? request.url : startPage
  const entrance = request.method === 'GET' && path === NEW_PRODUCT ? '/sign-up' : '/sign-in'
  await reply
    .code(303)
    .header('location', `${entrance}?next=${encodeURIComponent(next)}`)
    .send()
}

async function requireAdmin(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  await requireUser(request, reply)
  if (request.user && request.user.role !== 'admin') throw forbidden('This is for administrators.')
}

/** Performs an operation as the signed-in user and returns its `data`. */
async function performAs<I extends TObject, B extends TSchema, D extends TSchema>(
  service: Service,
  request: FastifyRequest,
  operation: Operation<I, B, D>,
  parameters: Unread<Static<I>>,
  body?: UnreadBody<B>,
): Promise<Static<D>> {
  const caller = identifiedCaller(request)
  if (!mayUse(caller, operation.access)) throw forbidden('You may not do that.')
  if (operation.bucket !== PAGE_BUCKET) {
    const decision = await charge(service.limiter, caller, operation.bucket)
    if (decision && !decision.allowed) throw tooManyRequests(decision.retryAfter)
  }
  const ctx = service.context(caller)
  const answer = await perform(operation, ctx, parameters, body)
  noteWrite(request, ctx, answer)
  if (!('data' in answer)) throw new TypeError(`${operation.name} has no data for a page`)
  return answer.data
}

/** Does the work and redirects to the page `done`. After a failure that the user can correct it redirects to `back`, which shows it. */
export const act = (
  visit: Visit,
  { back, done = back, text }: { back: string; done?: string; text: string },
  work: () => Promise<unknown>,
): Promise<FastifyReply> =>
  visit.orBack(back, async () => {
    await work()
    return visit.redirect(done, { kind: 'good', text })
  })

/** Whether the user can do something about the error: correct a field, load the page again, or wait. */
export const isCorrectable = (error: unknown): error is Failure =>
  error instanceof Failure && [400, 409, 429].includes(error.status)

/** Sends a page with the user's navigation, the sign-out form and the message that the previous page set. */
export function sendPrivate({ service, request, reply }: Visit, page: AreaPage, status = 200): FastifyReply {
  prepareWriteAnswer(service, reply)
  const message = readMessageOnce(service, request, reply)
  const [path] = request.url.split('?')
  const fullPage: Page = {
    path,
    description: page.title,
    ...page,
    nav: request.user ? { ...navOf(request, request.user), ...page.nav } : page.nav,
    flash: [...(message ? [message] : []), ...(page.flash ?? [])],
  }
  return reply.code(status).type('text/html; charset=utf-8').send(renderPage(fullPage, service.site.fields()))
}

const navOf = (request: FastifyRequest, user: SessionUser) => ({
  user: { name: user.name || user.email, isAdministrator: user.role === 'admin' },
  end: actionForm({ action: '/sign-out', label: 'Sign out', kind: 'plain', slim: true, values: csrfValues(request) }),
})
