// The address to which programs send users for access. The user signs in, then allows or denies; every form is bound to the session.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { OAUTH_BUDGETS } from '../../../features/keys/budgets.rules.ts'
import {
  type AccessRequest,
  allowAccess,
  denyAccess,
  hasGrant,
  needsAgreement,
  RefusedToProgram,
  readAccessRequest,
  readAuthorization,
} from '../../../features/oauth/authorize.ts'
import { isDocumentAddress } from '../../../features/oauth/clients.ts'
import { Failure, tooManyRequests } from '../../../kernel/errors.ts'
import { charge } from '../../../kernel/invoke.ts'
import { OAuthRefusal, type Parameters } from '../../../kernel/oauth-protocol.ts'
import { AUTHORIZE } from '../../http/addresses.ts'
import { identifiedCaller } from '../../http/gate.ts'
import type { Service } from '../../http/service.ts'
import { signedInUser } from '../../http/sessions.ts'
import { allowFormsTo } from '../kit/answers.ts'
import { csrfField, formOf } from '../kit/forms.ts'
import { addPrivatePages, sendPrivate } from '../kit/private-pages.ts'
import { consentPage, refusedPage } from './consent.ts'

/** `operatorTools`: what an agent that works as an operator can do. */
export function addConsentPages(server: FastifyInstance, service: Service, operatorTools: readonly string[]): void {
  addPrivatePages(server, service, 'user', {
    [AUTHORIZE]: {
      GET: (request, reply) =>
        handlingRefusals(service, request, reply, async () => {
          const asked = await readRequest(service, request, readAuthorization(request.query as Record<string, unknown>))
          return showConsent(service, request, reply, asked, operatorTools)
        }),
      POST: (request, reply) =>
        handlingRefusals(service, request, reply, () => decide(service, request, reply, operatorTools)),
    },
  })
}

/** Reads the request. A client id that is an address is fetched as a document, so the requests of each user are limited then. */
async function readRequest(service: Service, request: FastifyRequest, parameters: Parameters): Promise<AccessRequest> {
  if (isDocumentAddress(parameters.client_id ?? '')) {
    const budgets = service.scale(OAUTH_BUDGETS.document)
    const decision = await service.limiter.charge(`oauth-document:${signedInUser(request).id}`, budgets)
    if (!decision.allowed) throw tooManyRequests(decision.retryAfter)
  }
  return readAccessRequest(service.context(identifiedCaller(request)), parameters)
}

async function showConsent(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: AccessRequest,
  operatorTools: readonly string[],
  failure?: Failure,
): Promise<FastifyReply> {
  const page = consentPage({
    request: asked,
    user: signedInUser(request),
    asksAgreement: await needsAgreement(service.context(identifiedCaller(request))),
    operatorTools,
    token: csrfField(request),
    problem: failure?.message,
  })
  // Forms may lead anywhere, because the program's address may redirect to hosts that are not known here.
  allowFormsTo(reply, null)
  return sendPrivate(service, request, reply, page, failure?.status)
}

async function decide(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  operatorTools: readonly string[],
): Promise<FastifyReply> {
  const form = formOf(request)
  const asked = await readRequest(service, request, readAuthorization(form))
  const ctx = service.context(identifiedCaller(request))
  if (form.decision === 'allow') await chargeNewGrant(service, request, asked)
  try {
    const location =
      form.decision === 'allow'
        ? await allowAccess(ctx, asked, { agrees: form.agree === 'true', operator: form.operator === 'true' })
        : denyAccess(ctx, asked)
    return reply.code(303).header('location', location).send()
  } catch (error) {
    if (!(error instanceof Failure) || error.status !== 400) throw error
    return showConsent(service, request, reply, asked, operatorTools, error)
  }
}

/** A new grant has a new budget, as a new key has, so both are charged together. Otherwise users could evade limits by replacing grants. */
async function chargeNewGrant(service: Service, request: FastifyRequest, { client }: AccessRequest): Promise<void> {
  const caller = identifiedCaller(request)
  if (await hasGrant(service.context(caller), client.id)) return
  const decision = await charge(service.limiter, caller, 'keys')
  if (decision && !decision.allowed) throw tooManyRequests(decision.retryAfter)
}

/** Does the work. A refusal is sent to the program if the user has allowed it before; otherwise a page tells the user. */
async function handlingRefusals(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error
    const location = error instanceof RefusedToProgram ? error.location : null
    if (error instanceof RefusedToProgram && error.isTrusted && !cameFromForm(request))
      return reply.code(303).header('location', error.location).send()
    return sendPrivate(service, request, reply, refusedPage(error.message, location), 400)
  }
}

/**
 * Whether the sign-in form led here. The policy of its page forbids browsers to follow redirects of the form to other sites, so the user
 * gets a page with a link instead.
 */
const cameFromForm = ({ method, headers }: FastifyRequest): boolean =>
  method === 'GET' && headers['sec-fetch-site'] === 'same-origin'
