// Adds the routes of pages that need no sign-in, and of pictures and files beside them. Each request is charged to the visitor, and a
// failure is answered with a page. Also keeps the bodies of these pages.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuseOtherMethods } from '../../../http/answers/answers.ts'
import { visitorGate } from '../../../http/gate.ts'
import { crawlerGate } from '../../../http/requests/crawler-check.ts'
import type { Service } from '../../../http/service.ts'
import { failureAnswer, type PublicBody, publicBody, setPageHeaders } from './answers.ts'

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

// Enough for a few thousand listing pages, or for the sitemaps of a million listings.
const MOST_BYTES = 64 * 2 ** 20
// The memory that one byte of a body takes, with its compressed form, its ETag and its key (an estimate).
const MEMORY_FACTOR = 1.5

/** Returns the body kept under `key` for this version of the catalog, or makes it. */
type BodyCache = (version: number, key: string, make: () => Buffer | Promise<Buffer>) => Promise<PublicBody>

/**
 * Keeps the bodies of public pages, with their ETags and compressed forms, until the version of the catalog changes. A full cache is
 * emptied. When two requests ask for the same body at once, it is made once and both get it.
 */
export function createBodyCache(mostBytes = MOST_BYTES): BodyCache {
  let version = -1
  let bytes = 0
  let bodies = new Map<string, Promise<PublicBody>>()

  const clear = () => {
    bytes = 0
    bodies = new Map()
  }

  return (currentVersion, key, make) => {
    if (currentVersion !== version) clear()
    version = currentVersion
    const cached = bodies.get(key)
    if (cached) return cached
    const bodiesAtStart = bodies
    const making = (async () => publicBody(await make()))()
    bodiesAtStart.set(key, making)
    making.then(
      (body) => {
        // The cache was emptied while the body was made, so the body is no longer in it.
        if (bodiesAtStart !== bodies) return
        const size = body.bytes.length * MEMORY_FACTOR
        if (bytes + size > mostBytes) {
          clear()
          bodies.set(key, making)
        }
        bytes += size
      },
      () => bodiesAtStart.delete(key),
    )
    return making
  }
}
