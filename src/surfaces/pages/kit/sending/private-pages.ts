// Adds and sends pages for signed-in users, and the pages where visitors sign in. No cache keeps them, no site frames them, and every form
// is checked. Also performs operations for these pages.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import type { SessionUser } from '../../../../features/accounts/sign-in.ts'
import { mayUse } from '../../../../kernel/caller.ts'
import { Failure, forbidden, tooManyRequests } from '../../../../kernel/errors.ts'
import { charge, perform } from '../../../../kernel/invoke.ts'
import type { Operation, Unread, UnreadBody } from '../../../../kernel/operation.ts'
import { refuseOtherMethods } from '../../../http/answers/answers.ts'
import { noteWrite, prepareWriteAnswer } from '../../../http/answers/write-answers.ts'
import { identifiedCaller, rememberSpentSession, setRateHeaders, visitorGate } from '../../../http/gate.ts'
import { publicAddress } from '../../../http/requests/callers.ts'
import { checkOrigin, readSession } from '../../../http/requests/sessions.ts'
import type { Service } from '../../../http/service.ts'
import { NEW_PRODUCT } from '../../addresses.ts'
import { actionForm } from '../button.ts'
import { checkForm, csrfValues, formToken, readForms } from '../forms/forms.ts'
import { failureAnswer, setPageHeaders } from './answers.ts'
import { type Page, renderPage } from './document.ts'
import { readMessageOnce, redirectWith } from './messages.ts'

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> | unknown

export interface PrivateRoute {
  GET?: Handler
  POST?: Handler
}

/** Who may open the pages. `anyone` is for the pages where visitors sign in. */
type Audience = 'anyone' | 'user' | 'admin'

/** Adds pages by path. Handlers find the signed-in user in `request.user` and the caller of operations in `request.caller`. */
export function addPrivatePages(
  server: FastifyInstance,
  service: Service,
  audience: Audience,
  routes: Readonly<Record<string, PrivateRoute>>,
  /** Makes the scope accept the bodies that these pages receive. */
  readBodies: (scope: FastifyInstance) => void = readForms,
): void {
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
    for (const [path, { GET, POST }] of Object.entries(routes)) {
      if (GET) scope.get(path, GET)
      if (POST) scope.post(path, POST)
    }
  })
  for (const [path, { GET, POST }] of Object.entries(routes))
    refuseOtherMethods(server, service, path, { allowed: [...(GET ? ['GET', 'HEAD'] : []), ...(POST ? ['POST'] : [])] })
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
  request.formToken = formToken(service, request.sessionId)
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
export async function performAs<I extends TObject, B extends TSchema, D extends TSchema>(
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
export async function actAndRedirect(
  service: Service,
  reply: FastifyReply,
  { back, done, successText }: { back: string; done: string; successText: string },
  work: () => Promise<unknown>,
): Promise<FastifyReply> {
  try {
    await work()
  } catch (error) {
    if (!isCorrectable(error)) throw error
    return redirectWith(service, reply, back, { kind: 'danger', text: error.message })
  }
  return redirectWith(service, reply, done, { kind: 'good', text: successText })
}

/** Whether the user can do something about the error: correct a field, load the page again, or wait. */
export const isCorrectable = (error: unknown): error is Failure =>
  error instanceof Failure && [400, 409, 429].includes(error.status)

/** Sends a page with the user's navigation, the sign-out form and the message that the previous page set. */
export function sendPrivate(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page,
  status = 200,
): FastifyReply {
  prepareWriteAnswer(service, reply)
  const message = readMessageOnce(service, request, reply)
  const [path] = request.url.split('?')
  const fullPage: Page = {
    path,
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
