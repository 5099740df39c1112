// Answers that every surface gives in the same way: 405 for a wrong method, preflight requests, and streams.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Router from 'find-my-way'
import { methodNotAllowed } from '../../../kernel/errors.ts'
import { showBudget, unmatchedRouteGate } from '../gate.ts'
import { visitorOf } from '../requests/callers.ts'
import type { Service } from '../service.ts'
import { allowAnyOrigin, preflight } from './cors.ts'

/** An address on which only some methods are allowed; every other method gets a 405 with `Allow`. */
interface KnownAddress {
  allow: string
  /** Web pages of other origins may call it. */
  forPages: boolean
  /** Answers failures of a surface on which they do not have the envelope. */
  answerFailure?: (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply
  charge(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

declare module 'fastify' {
  interface FastifyInstance {
    /** A router of its own: a Fastify route for each address and each of Node's 34 methods made 9,000 routes, half a second of a start. */
    knownAddresses: Router.Instance<Router.HTTPVersion.V1>
  }
}

export const createKnownAddresses = (
  options: Router.Config<Router.HTTPVersion.V1>,
): FastifyInstance['knownAddresses'] => Router(options)

/** The address of a request whose method has no route. */
export const knownAddress = ({ server, url }: FastifyRequest): KnownAddress | undefined =>
  server.knownAddresses.find('GET', url)?.store

/** Charges a request whose method is not allowed on its address, and throws the 405. */
export async function refuseMethod(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const known = knownAddress(request)
  if (!known) return
  if (known.forPages) allowAnyOrigin(request, reply, () => {})
  await known.charge(request, reply)
  throw methodNotAllowed(request.method, known.allow)
}

/** Answers every method that is not `allowed` with 405 and `Allow`, and the preflight request if the pages of other sites may call it. */
export function refuseOtherMethods(
  server: FastifyInstance,
  service: Service,
  url: string,
  {
    allowed = ['GET', 'HEAD'],
    forPages = false,
    charge = unmatchedRouteGate(service),
    answerFailure,
  }: Partial<Omit<KnownAddress, 'allow'>> & { allowed?: readonly string[] } = {},
): void {
  const allow = allowed.join(', ')
  server.knownAddresses.on('GET', url, () => {}, { allow, forPages, charge, answerFailure } satisfies KnownAddress)
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
