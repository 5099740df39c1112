// Routes for signing up, in and out, with a password, with GitHub or with a one-time link.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { localPath, normalizeEmail } from '../../../features/accounts/rules.ts'
import { enterFromGithub, type NewSession, readAddress, signIn, signUp } from '../../../features/accounts/sign-in.ts'
import { requestLink } from '../../../features/mail/mail.ts'
import type { LinkKind } from '../../../features/mail/schema.ts'
import { describeLink, useLink } from '../../../features/people/mailed-links.ts'
import { Failure } from '../../../kernel/errors.ts'
import { setCookies } from '../../http/requests/sessions.ts'
import type { Service } from '../../http/service.ts'
import { allowFormsTo } from '../kit/sending/answers.ts'
import type { Page } from '../kit/sending/document.ts'
import { setMessage } from '../kit/sending/messages.ts'
import { addPrivatePages, forAnyone, type Visit, type VisitPages } from '../kit/sending/private-pages.ts'
import { addConsentPages } from '../oauth/routes.ts'
import { chargeAttempt, mayMail, signUpCharge } from './attempts.ts'
import * as pages from './sign-in-pages.ts'

const HOME = '/dashboard'
const SIGNED_IN = '/signed-in'
// Unknown addresses and wrong passwords get the same sentence, so that it does not reveal which addresses have an account.
const WRONG_CREDENTIALS = 'The e-mail address or the password is wrong.'

/** `operatorTools`: what an agent can do that the user lets work as an operator; the consent page lists it. */
export function addAccountPages(server: FastifyInstance, service: Service, operatorTools: readonly string[]): void {
  addPrivatePages(server, service, forAnyone, {
    '/sign-in': {
      GET: (visit) => showAccountForm(visit, pages.signInPage),
      POST: (visit) =>
        signInWithForm(visit, pages.signInPage, async ({ email, password }) => {
          const session = await signIn(visit.ctx, email, password)
          if (!session) throw new Failure(400, WRONG_CREDENTIALS)
          return session
        }),
    },
    '/sign-up': {
      GET: (visit) => showAccountForm(visit, pages.signUpPage),
      POST: (visit) =>
        service.sendsMail
          ? sendLink(visit, 'sign-up', pages.signUpPage)
          : signInWithForm(visit, pages.signUpPage, ({ email, password }) =>
              signUp(visit.ctx, email, password, signUpCharge(visit)),
            ),
    },
    ...(service.sendsMail && {
      '/forgot': {
        GET: (visit) => showAccountForm(visit, pages.forgotPage),
        POST: (visit) => sendLink(visit, 'reset', pages.forgotPage),
      },
    }),
    // Public pages are the same for every visitor, so their script asks here who is signed in.
    [SIGNED_IN]: {
      GET: ({ request: { user }, reply }) =>
        user
          ? reply.send({ name: user.name || user.email, isAdministrator: user.role === 'admin' })
          : reply.code(204).send(),
    },
    '/link': { GET: showLink, POST: setPassword },
    ...(service.signIn.github && githubRoutes(service.signIn.github)),
  })
  addPrivatePages(
    server,
    service,
    { ...forAnyone, audience: 'user' },
    {
      '/sign-out': {
        POST: async (visit) => {
          setCookies(visit.reply, await service.signIn.signOut(visit.request.headers.cookie ?? ''))
          return visit.redirect('/sign-in', { kind: 'info', text: 'You are signed out.' })
        },
      },
    },
  )
  if (service.agentsSignIn) addConsentPages(server, service, operatorTools)
}

type MakeFormPage = (given: pages.AccountForm) => Page

function showAccountForm(visit: Visit, page: MakeFormPage) {
  const next = localPath(visit.query(['next']).next, HOME)
  return visit.request.user ? visit.redirect(next) : sendAccountForm(visit, page, { next })
}

/** Sends the form; after a refusal with what was typed and the problem. */
function sendAccountForm(
  { service, reply, send }: Visit,
  page: MakeFormPage,
  given: Pick<pages.AccountForm, 'next' | 'email' | 'problem'>,
  status = 200,
): Promise<FastifyReply> {
  const github = service.signIn.github !== null
  // The form for GitHub is sent to this service, which redirects to GitHub.
  if (github) allowFormsTo(reply, 'https://github.com')
  return send(page({ ...given, github, sendsMail: service.sendsMail }), status)
}

/** Sends a link to the address of the form. The answer is the same whether the address has an account or not. */
async function sendLink(visit: Visit, kind: LinkKind, page: MakeFormPage): Promise<FastifyReply> {
  const form = visit.form
  const next = localPath(form.next, HOME)
  try {
    const email = readAddress(form.email ?? '')
    await chargeAttempt(visit, null)
    if (await mayMail(visit, email)) await requestLink(visit.ctx, kind, email, next === HOME ? '' : next)
    return visit.send(pages.mailSentPage(kind, email))
  } catch (error) {
    const { status, message } = shownFailure(error, visit.reply)
    return sendAccountForm(visit, page, { next, email: form.email, problem: message }, status)
  }
}

interface Credentials {
  email: string
  password: string
}

/** Signs in with the values of the form and redirects; a failure is shown above the same form. */
async function signInWithForm(
  visit: Visit,
  page: MakeFormPage,
  work: (credentials: Credentials) => Promise<NewSession>,
): Promise<FastifyReply> {
  const form = visit.form
  const next = localPath(form.next, HOME)
  try {
    const credentials = credentialsOf(form)
    await chargeAttempt(visit, credentials.email)
    const { cookies } = await work(credentials)
    return await startSession(visit, cookies, next)
  } catch (error) {
    const { status, message } = shownFailure(error, visit.reply)
    return sendAccountForm(visit, page, { next, email: form.email, problem: message }, status)
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
async function startSession(visit: Visit, cookies: string[], next: string): Promise<FastifyReply> {
  if (visit.request.sessionId) await visit.service.signIn.signOut(visit.request.headers.cookie ?? '')
  setCookies(visit.reply, cookies)
  return visit.redirect(next)
}

async function showLink(visit: Visit): Promise<FastifyReply> {
  const { token, next } = visit.query(['token', 'next'])
  const link = await describeLink(visit.ctx, token)
  return link
    ? visit.send(pages.linkPage(token, link, { next: localPath(next, '') }))
    : visit.send(pages.unusableLinkPage(visit.service.sendsMail), 410)
}

async function setPassword(visit: Visit) {
  const form = visit.form
  const token = form.link ?? ''
  const ctx = visit.ctx
  const link = await describeLink(ctx, token)
  try {
    // Only the network address is charged. The holder of a link need not guess, so the attempts of others at this account must not count.
    await chargeAttempt(visit, null)
    const { email, password } = credentialsOf(form)
    const checkAllowed = signUpCharge(visit)
    const keepsAccess = form.keep === 'true'
    const { cookies, user, ended } = await useLink(ctx, token, { email, password, checkAllowed, keepsAccess })
    if (ended) setMessage(visit.service, visit.reply, { kind: 'info', text: pages.endedText(ended) })
    const next = localPath(form.next, user.role === 'admin' ? '/admin' : HOME)
    return await startSession(visit, cookies, next)
  } catch (error) {
    const { status, message } = shownFailure(error, visit.reply)
    const page =
      link && status !== 403
        ? pages.linkPage(token, link, { next: form.next, typedEmail: form.email, problem: message })
        : pages.unusableLinkPage(visit.service.sendsMail)
    return visit.send(page, status === 403 ? 410 : status)
  }
}

const githubRoutes = (github: NonNullable<Service['signIn']['github']>): VisitPages => ({
  '/sign-in/github': {
    POST: async (visit) => {
      await chargeAttempt(visit, null)
      const { url, cookies } = await github.begin(localPath(visit.form.next, HOME))
      setCookies(visit.reply, cookies)
      return visit.reply.code(303).header('location', url).send()
    },
  },
  '/sign-in/callback/github': {
    GET: async (visit) => {
      const query = visit.request.url.split('?').slice(1).join('?')
      try {
        const outcome = await github.finish(query, visit.request.headers.cookie ?? '', signUpCharge(visit))
        if ('problem' in outcome) throw new Failure(403, githubProblem(outcome.problem))
        await enterFromGithub(visit.ctx, outcome)
        return await startSession(visit, outcome.cookies, localPath(outcome.next, HOME))
      } catch (error) {
        const { status, message } = shownFailure(error, visit.reply)
        if (status !== 429) return visit.redirect('/sign-in', { kind: 'danger', text: message })
        return sendAccountForm(visit, pages.signInPage, { next: HOME, problem: message }, status)
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
