// The OAuth routes that programs call: metadata, registration and tokens. The page on which users allow or refuse access is in
// ../pages/oauth. Answers have the form that the RFCs demand, not the envelope.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { OAUTH_BUDGETS } from '../../features/keys/budgets.rules.ts'
import { registerClient } from '../../features/oauth/clients.ts'
import { exchange, revokeToken } from '../../features/oauth/exchange.ts'
import { OPERATOR_SCOPE, RESOURCE_PATHS, SCOPE } from '../../features/oauth/rules.ts'
import { badRequest, type Failure, tooManyRequests, unsupportedMediaType } from '../../kernel/errors.ts'
import { OAuthRefusal, type Parameters } from '../../kernel/interfaces/oauth-protocol.ts'
import {
  AUTHORIZE,
  MCP_PATH,
  metadataPathOf,
  OPERATOR_PATH,
  REGISTER,
  RESOURCE_METADATA,
  REVOKE,
  SERVER_METADATA,
  TOKEN,
} from '../http/addresses.ts'
import { refuseOtherMethods } from '../http/answers/answers.ts'
import { allowAnyOrigin } from '../http/answers/cors.ts'
import { logFailure, translate } from '../http/answers/failures.ts'
import { identifiedCaller, inTurn, setRateHeaders } from '../http/gate.ts'
import { visitorOf } from '../http/requests/callers.ts'
import type { Service } from '../http/service.ts'

// A registration contains only what a program says about itself, which is short.
const REGISTRATION_LIMIT = 16 * 1024
const FORM_LIMIT = 16 * 1024
const FORM_TYPE = 'application/x-www-form-urlencoded'
const METADATA_SECONDS = 300

export function addOAuth(server: FastifyInstance, service: Service): void {
  if (!service.agentsSignIn) return
  server.register(async (scope) => {
    scope.setErrorHandler(failureAnswer(service))
    addMetadata(scope, service)
    scope.post(REGISTER, {
      bodyLimit: REGISTRATION_LIMIT,
      onRequest: [allowAnyOrigin, chargeAddress(service, 'register')],
      handler: async (request, reply) => {
        const client = await registerClient(service.context(identifiedCaller(request)), request.body)
        return reply.code(201).header('cache-control', 'no-store').send(client)
      },
    })
    refuseOtherMethods(scope, service, REGISTER, {
      allowed: ['POST'],
      forPages: true,
      answerFailure: failureAnswer(service),
    })
  })
  server.register(async (scope) => {
    scope.setErrorHandler(failureAnswer(service))
    readTokenForms(scope)
    scope.post(TOKEN, {
      onRequest: [allowAnyOrigin, chargeAddress(service, 'token')],
      handler: async (request, reply) => {
        const ctx = service.context(identifiedCaller(request))
        const form = (request.body ?? {}) as Parameters
        const tokens = await exchange(ctx, form, request.headers.authorization)
        return reply.header('cache-control', 'no-store').send(tokens)
      },
    })
    scope.post(REVOKE, {
      onRequest: [allowAnyOrigin, chargeAddress(service, 'token')],
      handler: async (request, reply) => {
        await revokeToken(service.context(identifiedCaller(request)), (request.body ?? {}) as Parameters)
        return reply.header('cache-control', 'no-store').send()
      },
    })
    for (const path of [TOKEN, REVOKE])
      refuseOtherMethods(scope, service, path, {
        allowed: ['POST'],
        forPages: true,
        answerFailure: failureAnswer(service),
      })
  })
}

function addMetadata(scope: FastifyInstance, service: Service): void {
  const { publicUrl } = service
  const resourceAt = (path: string) => ({
    resource: `${publicUrl}${path}`,
    // A getter, because operators may change the name while the service runs.
    get resource_name() {
      return service.site.fields().name
    },
    authorization_servers: [publicUrl],
    scopes_supported: [path === OPERATOR_PATH ? OPERATOR_SCOPE : SCOPE],
    bearer_methods_supported: ['header'],
    resource_documentation: `${publicUrl}/developers`,
    resource_policy_uri: `${publicUrl}/policy`,
  })
  const authorizationServer = {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}${AUTHORIZE}`,
    token_endpoint: `${publicUrl}${TOKEN}`,
    revocation_endpoint: `${publicUrl}${REVOKE}`,
    registration_endpoint: `${publicUrl}${REGISTER}`,
    scopes_supported: [SCOPE, OPERATOR_SCOPE],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    service_documentation: `${publicUrl}/developers`,
    op_policy_uri: `${publicUrl}/policy`,
  }
  const documents: [path: string, document: object][] = [
    [RESOURCE_METADATA, resourceAt(MCP_PATH)],
    ...RESOURCE_PATHS.map((path): [string, object] => [metadataPathOf(path), resourceAt(path)]),
    [SERVER_METADATA, authorizationServer],
  ]
  for (const [path, document] of documents) {
    scope.get(path, {
      onRequest: [allowAnyOrigin, chargeAddress(service, 'metadata')],
      handler: async (_request, reply) =>
        reply.header('cache-control', `public, max-age=${METADATA_SECONDS}`).send(document),
    })
    refuseOtherMethods(scope, service, path, { forPages: true, answerFailure: failureAnswer(service) })
  }
}

/** Registrations, token requests and metadata have limits of their own, by network address. */
const chargeAddress =
  (service: Service, what: 'register' | 'token' | 'metadata') =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const visitor = visitorOf(service, request)
    request.caller = visitor
    const decision = await service.limiter.charge(`oauth-${what}:${visitor.id}`, service.scale(OAUTH_BUDGETS[what]))
    setRateHeaders(reply, decision)
    if (!decision.allowed) throw tooManyRequests(decision.retryAfter)
  }

function readTokenForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(FORM_TYPE, { parseAs: 'string', bodyLimit: FORM_LIMIT }, (request, text, done) =>
    inTurn(request, () => {
      const fields = [...new URLSearchParams(text as string)]
      const form = Object.fromEntries(fields)
      // If a parameter is repeated, two programs could read two different values (RFC 6749, 3.2).
      if (Object.keys(form).length < fields.length) return done(badRequest('Send each parameter once.'))
      done(null, form)
    }),
  )
  scope.addContentTypeParser('*', (_request, _payload, done) => done(unsupportedMediaType(FORM_TYPE)))
}

const failureAnswer =
  (service: Service) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    reply.header('cache-control', 'no-store')
    if (error instanceof OAuthRefusal) {
      if (error.status === 401) reply.header('www-authenticate', 'Basic realm="catalog"')
      return reply.code(error.status).send({ error: error.code, error_description: error.message })
    }
    const failure = translate(error)
    logFailure(service, failure, request)
    if (request.raw.readableDidRead && !request.raw.complete) reply.header('connection', 'close')
    return reply
      .code(failure.status)
      .headers(failure.headers)
      .send({ error: codeOf(failure), error_description: failure.message })
  }

/** The error code of OAuth for a failure of the service. */
function codeOf({ status }: Failure): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable'
  return status >= 500 ? 'server_error' : 'invalid_request'
}
