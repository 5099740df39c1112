// Routes for signing up, in and out, with a password, with GitHub or with a one-time link.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { localPath, normalizeEmail } from '../../../features/accounts/rules.ts'
import { enterFromGithub, type NewSession, readAddress, signIn, signUp } from '../../../features/accounts/sign-in.ts'
import { requestLink } from '../../../features/mail/mail.ts'
import type { LinkKind } from '../../../features/mail/schema.ts'
import { describeLink, useLink } from '../../../features/people/mailed-links.ts'
import { Failure } from '../../../kernel/errors.ts'
import { identifiedCaller } from '../../http/gate.ts'
import { setCookies } from '../../http/requests/sessions.ts'
import type { Service } from '../../http/service.ts'
import { formOf } from '../kit/forms/forms.ts'
import { allowFormsTo } from '../kit/sending/answers.ts'
import type { Page } from '../kit/sending/document.ts'
import { redirectWith, setMessage } from '../kit/sending/messages.ts'
import { addPrivatePages, type PrivateRoute, sendPrivate } from '../kit/sending/private-pages.ts'
import { addConsentPages } from '../oauth/routes.ts'
import { chargeAttempt, chargeSignUp, mayMail } from './attempts.ts'
import {
  type AccountForm,
  endedText,
  forgotPage,
  linkPage,
  mailSentPage,
  signInPage,
  signUpPage,
  unusableLinkPage,
} from './sign-in-pages.ts'

const HOME = '/dashboard'
const SIGNED_IN = '/signed-in'
// Unknown addresses and wrong passwords get the same sentence, so that it does not reveal which addresses have an account.
const WRONG_CREDENTIALS = 'The e-mail address or the password is wrong.'

/** `operatorTools`: what an agent can do that the user lets work as an operator; the consent page lists it. */
export function addAccountPages(server: FastifyInstance, service: Service, operatorTools: readonly string[]): void {
  addPrivatePages(server, service, 'anyone', {
    '/sign-in': {
      GET: (request, reply) => showAccountForm(service, request, reply, signInPage),
      POST: (request, reply) =>
        signInWithForm(service, request, reply, signInPage, async ({ email, password }) => {
          const session = await signIn(service.context(identifiedCaller(request)), email, password)
          if (!session) throw new Failure(400, WRONG_CREDENTIALS)
          return session
        }),
    },
    '/sign-up': {
      GET: (request, reply) => showAccountForm(service, request, reply, signUpPage),
      POST: (request, reply) =>
        service.sendsMail
          ? sendLink(service, request, reply, 'sign-up', signUpPage)
          : signInWithForm(service, request, reply, signUpPage, ({ email, password }) =>
              signUp(service.context(identifiedCaller(request)), email, password, chargeSignUp(service, request)),
            ),
    },
    ...(service.sendsMail ? resetRoutes(service) : {}),
    // Public pages are the same for every visitor, so their script asks here who is signed in.
    [SIGNED_IN]: {
      GET: ({ user }, reply) =>
        user
          ? reply.send({ name: user.name || user.email, isAdministrator: user.role === 'admin' })
          : reply.code(204).send(),
    },
    '/link': {
      GET: (request, reply) => showLink(service, request, reply, queryOf(request)),
      POST: (request, reply) => setPassword(service, request, reply),
    },
    ...(service.signIn.github ? githubRoutes(service, service.signIn.github) : {}),
  })
  addPrivatePages(server, service, 'user', {
    '/sign-out': {
      POST: async (request, reply) => {
        setCookies(reply, await service.signIn.signOut(request.headers.cookie ?? ''))
        return redirectWith(service, reply, '/sign-in', { kind: 'info', text: 'You are signed out.' })
      },
    },
  })
  if (service.agentsSignIn) addConsentPages(server, service, operatorTools)
}

type MakeFormPage = (given: AccountForm) => Page

function showAccountForm(service: Service, request: FastifyRequest, reply: FastifyReply, page: MakeFormPage) {
  const next = localPath(queryOf(request).next, HOME)
  if (request.user) return reply.code(303).header('location', next).send()
  allowGithub(service, reply)
  return sendPrivate(service, request, reply, page(formOptions(service, next)))
}

const formOptions = (service: Service, next: string): AccountForm => ({
  next,
  github: service.signIn.github !== null,
  sendsMail: service.sendsMail,
})

const resetRoutes = (service: Service): Record<string, PrivateRoute> => ({
  '/forgot': {
    GET: (request, reply) => showAccountForm(service, request, reply, forgotPage),
    POST: (request, reply) => sendLink(service, request, reply, 'reset', forgotPage),
  },
})

/** Sends a link to the address of the form. The answer is the same whether the address has an account or not. */
async function sendLink(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: LinkKind,
  page: MakeFormPage,
): Promise<FastifyReply> {
  const form = formOf(request)
  const next = localPath(form.next, HOME)
  try {
    const email = readAddress(form.email ?? '')
    await chargeAttempt(service, request, null)
    if (await mayMail(service, request, email))
      await requestLink(service.context(identifiedCaller(request)), kind, email, next === HOME ? '' : next)
    return sendPrivate(service, request, reply, mailSentPage(kind, email))
  } catch (error) {
    const { status, message } = shownFailure(error, reply)
    allowGithub(service, reply)
    const given = { ...formOptions(service, next), email: form.email, problem: message }
    return sendPrivate(service, request, reply, page(given), status)
  }
}

interface Credentials {
  email: string
  password: string
}

/** Signs in with the values of the form and redirects; a failure is shown above the same form. */
async function signInWithForm(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  page: MakeFormPage,
  work: (credentials: Credentials) => Promise<NewSession>,
): Promise<FastifyReply> {
  const form = formOf(request)
  const next = localPath(form.next, HOME)
  try {
    const credentials = credentialsOf(form)
    await chargeAttempt(service, request, credentials.email)
    const { cookies } = await work(credentials)
    return await startSession(service, request, reply, cookies, next)
  } catch (error) {
    const { status, message } = shownFailure(error, reply)
    allowGithub(service, reply)
    const given = { ...formOptions(service, next), email: form.email, problem: message }
    return sendPrivate(service, request, reply, page(given), status)
  }
}

const credentialsOf = (form: Readonly<Record<string, string | undefined>>): Credentials => ({
  // Normalised like stored addresses, so that attempts at one account are counted together however the address is written.
  email: normalizeEmail(form.email ?? ''),
  password: form.password ?? '',
})

/** Returns a failure that the form can show. Any other error is thrown again and becomes an error page. */
function shownFailure(error: unknown, reply: FastifyReply): Failure {
  if (!(error instanceof Failure) || error.status >= 500) throw error
  reply.headers(error.headers)
  return error
}

/** Sets the cookies of the new session and redirects to `next`. A session that the browser had before ends. */
async function startSession(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  cookies: string[],
  next: string,
): Promise<FastifyReply> {
  if (request.sessionId) await service.signIn.signOut(request.headers.cookie ?? '')
  setCookies(reply, cookies)
  return reply.code(303).header('location', next).send()
}

async function showLink(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  { token = '', next }: Record<string, string | undefined>,
) {
  const link = await describeLink(service.context(identifiedCaller(request)), token)
  return link
    ? sendPrivate(service, request, reply, linkPage(token, link, { next: localPath(next, '') }))
    : sendPrivate(service, request, reply, unusableLinkPage(service.sendsMail), 410)
}

async function setPassword(service: Service, request: FastifyRequest, reply: FastifyReply) {
  const form = formOf(request)
  const token = form.link ?? ''
  const ctx = service.context(identifiedCaller(request))
  const link = await describeLink(ctx, token)
  try {
    // Only the network address is charged. The holder of a link need not guess, so the attempts of others at this account must not count.
    await chargeAttempt(service, request, null)
    const { email, password } = credentialsOf(form)
    const checkAllowed = chargeSignUp(service, request)
    const keepsAccess = form.keep === 'true'
    const { cookies, user, ended } = await useLink(ctx, token, { email, password, checkAllowed, keepsAccess })
    if (ended) setMessage(service, reply, { kind: 'info', text: endedText(ended) })
    const next = localPath(form.next, user.role === 'admin' ? '/admin' : HOME)
    return await startSession(service, request, reply, cookies, next)
  } catch (error) {
    const { status, message } = shownFailure(error, reply)
    const page =
      link && status !== 403
        ? linkPage(token, link, { next: form.next, typedEmail: form.email, problem: message })
        : unusableLinkPage(service.sendsMail)
    return sendPrivate(service, request, reply, page, status === 403 ? 410 : status)
  }
}

const githubRoutes = (service: Service, github: NonNullable<Service['signIn']['github']>) => ({
  '/sign-in/github': {
    POST: async (request: FastifyRequest, reply: FastifyReply) => {
      await chargeAttempt(service, request, null)
      const { url, cookies } = await github.begin(localPath(formOf(request).next, HOME))
      setCookies(reply, cookies)
      return reply.code(303).header('location', url).send()
    },
  },
  '/sign-in/callback/github': {
    GET: async (request: FastifyRequest, reply: FastifyReply) => {
      const query = request.url.split('?').slice(1).join('?')
      try {
        const outcome = await github.finish(query, request.headers.cookie ?? '', chargeSignUp(service, request))
        if ('problem' in outcome) throw new Failure(403, githubProblem(outcome.problem))
        await enterFromGithub(service.context(identifiedCaller(request)), outcome)
        return await startSession(service, request, reply, outcome.cookies, localPath(outcome.next, HOME))
      } catch (error) {
        const { status, message } = shownFailure(error, reply)
        if (status !== 429) return redirectWith(service, reply, '/sign-in', { kind: 'danger', text: message })
        allowGithub(service, reply)
        return sendPrivate(
          service,
          request,
          reply,
          signInPage({ ...formOptions(service, HOME), problem: message }),
          status,
        )
      }
    },
  },
})

function githubProblem(problem: string): string {
  if (problem === 'account_not_linked')
    return 'There is an account with the e-mail address that GitHub knows you by. Sign in with its password, or ask the operator of this service for a sign-in link.'
  return problem === 'access_denied'
    ? 'GitHub was told not to sign you in.'
    : 'Signing in with GitHub did not work. Try again.'
}

/** Lets the forms of this page lead to GitHub: the form is sent to this service, which redirects to GitHub. */
function allowGithub(service: Service, reply: FastifyReply): void {
  if (service.signIn.github) allowFormsTo(reply, 'https://github.com')
}

/** The parameters of the query. A parameter that is given more than once counts as missing. */
const queryOf = ({ query }: FastifyRequest): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(query as Record<string, unknown>).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : undefined,
    ]),
  )
