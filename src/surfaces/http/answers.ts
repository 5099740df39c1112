// Answers that every surface gives in the same way.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { methodNotAllowed } from '../../kernel/errors.ts'
import { visitorOf } from './callers.ts'
import { allowAnyOrigin, preflight } from './cors.ts'
import { showBudget, strayGate } from './gate.ts'
import type { Service } from './service.ts'

/** 405 with `Allow` for every other method, and the preflight answer where pages may call. */
export function refuseOtherMethods(
  server: FastifyInstance,
  service: Service,
  url: string,
  allowed: readonly string[],
  forPages: boolean,
  stray = strayGate(service),
): void {
  const allow = allowed.join(', ')
  const others = server.supportedMethods.filter(
    (method) => !allowed.includes(method) && !(forPages && method === 'OPTIONS'),
  )
  server.route({
    method: others as 'GET'[],
    url,
    config: { isRefusal: true },
    // Before the body is looked at: whatever it is, the method is wrong.
    onRequest: [
      ...(forPages ? [allowAnyOrigin] : []),
      stray,
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

/** An answer of lines, as it is made. */
export const streamOf = (lines: AsyncIterable<string>) => ReadableStream.from<Uint8Array>(encoded(lines))

async function* encoded(lines: AsyncIterable<string>) {
  for await (const piece of lines) yield Buffer.from(piece)
}
