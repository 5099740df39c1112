// Pages for people who are signed in, and those they sign in at: never stored, never framed, every form checked.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import type { SessionUser } from '../../../features/accounts/sign-in.ts'
import { mayUse } from '../../../kernel/caller.ts'
import { Failure, forbidden, tooManyRequests } from '../../../kernel/errors.ts'
import { charge, perform } from '../../../kernel/invoke.ts'
import type { Operation, Unread, UnreadBody } from '../../../kernel/operation.ts'
import { refuseOtherMethods } from '../../http/answers.ts'
import { rememberSpentSession, setRateHeaders, visitorGate } from '../../http/gate.ts'
import type { Service } from '../../http/service.ts'
import { checkOrigin, readSession } from '../../http/sessions.ts'
import { noteWrite, prepareWriteAnswer } from '../../http/write-answers.ts'
import { failureAnswer, setPageHeaders } from './answers.ts'
import { actionForm } from './button.ts'
import { type Page, renderPage } from './document.ts'
import { checkForm, csrfValues, formToken, readForms } from './forms.ts'
import { redirectWith, takeMessage } from './messages.ts'

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> | unknown

export interface PrivateRoute {
  GET?: Handler
  POST?: Handler
}

/** Who may open the pages; `anyone`: somebody who is about to sign in. */
export type Who = 'anyone' | 'user' | 'admin'

/** Adds pages by path. Whoever is signed in is `request.user`; `request.caller` is made for `perform`. */
export function addPrivatePages(
  server: FastifyInstance,
  service: Service,
  who: Who,
  routes: Readonly<Record<string, PrivateRoute>>,
  /** Makes a scope read the bodies that these pages are sent. */
  readBodies: (scope: FastifyInstance) => void = readForms,
): void {
  server.register(async (scope) => {
    scope.addHook('onRequest', setPageHeaders)
    scope.addHook('onRequest', setPrivateHeaders)
    scope.addHook('onRequest', enter(service))
    if (who !== 'anyone') scope.addHook('onRequest', who === 'admin' ? requireAdmin : requireUser)
    scope.addHook('onRequest', async (request) => checkOrigin(service, request))
    // Somebody who is about to sign in has no session that a form could be bound to; there the check of the origin suffices.
    if (who !== 'anyone') scope.addHook('preHandler', checkForm)
    scope.setErrorHandler(failureAnswer(service))
    readBodies(scope)
    for (const [path, { GET, POST }] of Object.entries(routes)) {
      if (GET) scope.get(path, GET)
      if (POST) scope.post(path, POST)
    }
  })
  for (const [path, { GET, POST }] of Object.entries(routes))
    refuseOtherMethods(server, service, path, [...(GET ? ['GET', 'HEAD'] : []), ...(POST ? ['POST'] : [])], false)
}

async function setPrivateHeaders(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  // The referrer stays among our own pages, because some addresses are secrets; without any, forms would have no origin.
  reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin', 'x-frame-options': 'DENY' })
}

/** Reads the session and charges whoever it is; a visitor without one is charged as on any page. */
const enter = (service: Service) => async (request: FastifyRequest, reply: FastifyReply) => {
  await readSession(service, request, reply)
  if (!request.caller || !request.sessionId) return visitorGate(service)(request, reply)
  request.formToken = formToken(service, request.sessionId)
  const decision = await charge(service.limiter, request.caller, PAGES)
  setRateHeaders(reply, decision)
  if (!decision || decision.allowed) return
  rememberSpentSession(service, request, 'pages', decision)
  throw tooManyRequests(decision.retryAfter)
}

/** The budget of every page; what is done on it may have one of its own. */
const PAGES = 'rest'

/** Sends a visitor to sign in and back here afterwards. */
export async function requireUser(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (request.user) return
  // A form that was sent cannot be sent again from the sign-in page; its area can be opened.
  const [path = '/'] = request.url.split('?')
  const next = request.method === 'GET' ? request.url : `/${path.split('/')[1] ?? ''}`
  await reply
    .code(303)
    .header('location', `/sign-in?next=${encodeURIComponent(next)}`)
    .send()
}

export async function requireAdmin(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  await requireUser(request, reply)
  if (request.user && request.user.role !== 'admin') throw forbidden('This is for administrators.')
}

/** `data` of an operation, done as whoever is signed in. */
export async function performAs<I extends TObject, B extends TSchema, D extends TSchema>(
  service: Service,
  request: FastifyRequest,
  operation: Operation<I, B, D>,
  parameters: Unread<Static<I>>,
  body?: UnreadBody<B>,
): Promise<Static<D>> {
  if (!mayUse(request.caller!, operation.access)) throw forbidden('You may not do that.')
  if (operation.bucket !== PAGES) {
    const decision = await charge(service.limiter, request.caller!, operation.bucket)
    if (decision && !decision.allowed) throw tooManyRequests(decision.retryAfter)
  }
  const ctx = service.context(request.caller!)
  const answer = await perform(operation, ctx, parameters, body)
  noteWrite(request, ctx, answer)
  if (!('data' in answer)) throw new TypeError(`${operation.name} has no data for a page`)
  return answer.data
}

/** Does it and goes on to `done`; what the person can mend is said on the page they are sent back to. */
export async function act(
  service: Service,
  reply: FastifyReply,
  { back, done, says }: { back: string; done: string; says: string },
  work: () => Promise<unknown>,
): Promise<FastifyReply> {
  try {
    await work()
  } catch (error) {
    if (!isMendable(error)) throw error
    return redirectWith(service, reply, back, { kind: 'danger', text: error.message })
  }
  return redirectWith(service, reply, done, { kind: 'good', text: says })
}

export const isMendable = (error: unknown): error is Failure =>
  error instanceof Failure && [400, 409, 429].includes(error.status)

/** A page with the name of whoever is signed in, the way out, and the message that was left for it. */
export function sendPrivate(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page,
  status = 200,
): FastifyReply {
  prepareWriteAnswer(service, reply)
  const message = takeMessage(service, request, reply)
  const [path] = request.url.split('?')
  const whole: Page = {
    path,
    ...page,
    nav: request.user ? { ...navOf(request, request.user), ...page.nav } : page.nav,
    flash: [...(message ? [message] : []), ...(page.flash ?? [])],
  }
  return reply.code(status).type('text/html; charset=utf-8').send(renderPage(whole))
}

const navOf = (request: FastifyRequest, user: SessionUser) => ({
  user: { name: user.name || user.email, isAdministrator: user.role === 'admin' },
  end: actionForm({
    action: '/sign-out',
    label: 'Sign out',
    kind: 'plain',
    slim: true,
    values: csrfValues(request),
  }),
})
