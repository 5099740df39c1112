// The HTTP server without its routes: who is believed, what is logged, what an error looks like, health.
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { notFound } from '../../kernel/errors.ts'
import { BODY_LIMIT, sendFailure } from './failures.ts'
import { strayGate } from './gate.ts'
import type { Service } from './service.ts'

type AnswerFailure = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply

/** `strayAnswer`: what a browser is told at an address that is neither a page nor part of an API. */
export function createServer(service: Service, strayAnswer: AnswerFailure): FastifyInstance {
  const server = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    trustProxy: service.trustedProxies.length > 0 ? [...service.trustedProxies] : false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 512 },
    frameworkErrors: (error, request, reply) => {
      sendFailure(service, error, request, reply as never)
    },
  })
  // A text body is no JSON: without this parser it is a 415.
  server.removeContentTypeParser('text/plain')
  server.decorateRequest('caller', null)
  server.setErrorHandler((error, request, reply) =>
    request.is404 && !API.test(request.url)
      ? strayAnswer(error, request, reply)
      : sendFailure(service, error, request, reply),
  )
  // Before the body is looked at: whatever it is, there is nothing here to take it.
  const stray = strayGate(service)
  server.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return
    await stray(request, reply)
    throw notFound('This address was')
  })
  server.setNotFoundHandler(() => {})
  server.addHook('onResponse', async (request, reply) => {
    if (isQuiet(request)) return
    service.log.info(
      {
        method: request.method,
        path: loggablePath(request.url),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        caller: request.caller?.label ?? 'visitor',
      },
      'request',
    )
  })
  server.get('/healthz', { logLevel: 'silent' }, async () => ({ success: true, data: { status: 'ok' } }))
  server.get('/readyz', async (_request, reply) => {
    const ready = service.isReady()
    return reply
      .code(ready ? 200 : 503)
      .send(
        ready
          ? { success: true, data: { status: 'ready' } }
          : { success: false, error: 'Still loading. Try again shortly.' },
      )
  })
  return server
}

const API = /^\/(api|mcp)(\/|\?|$)/

const isQuiet = (request: FastifyRequest): boolean => request.url === '/healthz' || request.url === '/readyz'

/** The path without its query (people put keys there), with anything that looks like a key blotted out. */
export function loggablePath(url: string): string {
  const path = url.split('?', 1)[0]!
  if (!path.includes('aid')) return path
  try {
    return decodeURIComponent(path).includes('aid_') ? path.replace(/aid(_|%5f).*$/i, 'aid_…') : path
  } catch {
    return path.replace(/aid.*$/i, 'aid…')
  }
}
