// Answers that every surface gives in the same way.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { methodNotAllowed } from '../../kernel/errors.ts'
import { visitorOf } from './callers.ts'
import { allowAnyOrigin, preflight } from './cors.ts'
import { showBudget, unmatchedRouteGate } from './gate.ts'
import type { Service } from './service.ts'

/** Answers every other method with 405 and `Allow`, and the preflight request if web pages may call the address. */
export function refuseOtherMethods(
  server: FastifyInstance,
  service: Service,
  url: string,
  allowed: readonly string[],
  forPages: boolean,
  refusalGate = unmatchedRouteGate(service),
): void {
  const allow = allowed.join(', ')
  const others = server.supportedMethods.filter(
    (method) => !allowed.includes(method) && !(forPages && method === 'OPTIONS'),
  )
  server.route({
    method: others as 'GET'[],
    url,
    config: { isRefusal: true },
    // Refused before the body is read, because the method is wrong with any body.
    onRequest: [
      ...(forPages ? [allowAnyOrigin] : []),
      refusalGate,
      async (request: FastifyRequest) => {
        throw methodNotAllowed(request.method, allow)
      },
    ],
    handler: () => {},
  })
  if (forPages)
    server.options(url, {
      onRequest: [
        allowAnyOrigin,
        async (request, reply) => showBudget(service, reply, visitorOf(service, request), 'rest'),
      ],
      handler: preflight(`${allow}, OPTIONS`),
    })
}

/** Sends the texts of a stream as they are made. */
export const sendStream = (reply: FastifyReply, mediaType: string, texts: AsyncIterable<string>): FastifyReply =>
  reply.type(`${mediaType}; charset=utf-8`).send(ReadableStream.from<Uint8Array>(encoded(texts)))

async function* encoded(lines: AsyncIterable<string>) {
  for await (const piece of lines) yield Buffer.from(piece)
}
