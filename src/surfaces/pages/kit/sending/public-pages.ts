// Adds the routes of pages that need no sign-in, and of pictures and files beside them. Each request is charged to the visitor, and a
// failure is answered with a page.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuseOtherMethods } from '../../../http/answers/answers.ts'
import { visitorGate } from '../../../http/gate.ts'
import { crawlerGate } from '../../../http/requests/crawler-check.ts'
import type { Service } from '../../../http/service.ts'
import { failureAnswer, setPageHeaders } from './answers.ts'

export type PublicRoutes = Record<string, (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> | unknown>

/**
 * Adds pages by path. `gate`: charges another budget than that of visitors. `headers`: also sent with refusals. `checksCrawlers`: whether a
 * visitor that calls itself a known crawler is checked.
 */
export function addPublicPages(
  server: FastifyInstance,
  service: Service,
  routes: PublicRoutes,
  {
    gate = visitorGate(service),
    headers,
    checksCrawlers = true,
  }: {
    gate?: ReturnType<typeof visitorGate>
    headers?: Readonly<Record<string, string>>
    checksCrawlers?: boolean
  } = {},
): void {
  server.register(async (scope) => {
    scope.addHook('onRequest', setPageHeaders)
    if (headers) scope.addHook('onRequest', async (_request, reply) => void reply.headers(headers))
    scope.addHook('onRequest', gate)
    if (checksCrawlers) scope.addHook('onRequest', crawlerGate(service.crawlers))
    scope.setErrorHandler(failureAnswer(service))
    for (const [path, send] of Object.entries(routes)) scope.get(path, send)
  })
  for (const path of Object.keys(routes)) refuseOtherMethods(server, service, path)
}
