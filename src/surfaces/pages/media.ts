// Serves stored pictures. The service encodes each itself and names it by the hash of its content, so browsers may keep it for a year.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { MEDIA_PATH, PICTURE_NAME } from '../../kernel/addresses/own-addresses.ts'
import { Failure, thisNotFound } from '../../kernel/errors.ts'
import { refuseOtherMethods } from '../http/answers/answers.ts'
import { matchesEtag } from '../http/answers/compression.ts'
import { sendFailure } from '../http/answers/failures.ts'
import { visitorOf } from '../http/requests/callers.ts'
import type { Service } from '../http/service.ts'

const YEAR_SECONDS = 365 * 24 * 3600

const PICTURE_HEADERS = {
  // A browser that opens a picture as a page must not run anything in it, even if it guesses another type than the one we send.
  'content-security-policy': "default-src 'none'; sandbox",
}

/** Requests for pictures are not charged, because the visitor was charged for the page that shows them. */
export function addMedia(server: FastifyInstance, service: Service): void {
  const url = `${MEDIA_PATH}/:name`
  // The content under a name never changes, so entries never become stale.
  const pictureCache: PictureCache = new LRUCache({
    maxSize: CACHE_BYTES,
    // The cache refuses entries of size 0.
    sizeCalculation: ({ length }) => length || 1,
  })
  server.get(url, {
    onRequest: async (_request, reply) => void reply.headers(PICTURE_HEADERS),
    errorHandler: (error, request, reply) => {
      reply.header('cache-control', 'no-store')
      sendFailure(service, error, request, reply)
    },
    handler: (request, reply) => sendPicture(service, pictureCache, request, reply),
  })
  refuseOtherMethods(server, service, url)
}

async function sendPicture(
  service: Service,
  pictureCache: PictureCache,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { name } = request.params as { name: string }
  const [, hash, type] = PICTURE_NAME.exec(name) ?? []
  if (!hash) throw thisNotFound('picture')
  const bytes = pictureCache.get(name) ?? (await readPicture(service, request, name))
  if (!bytes) throw thisNotFound('picture')
  pictureCache.set(name, bytes)
  const etag = `"${hash}"`
  reply.headers({
    etag,
    'cache-control': `public, max-age=${YEAR_SECONDS}, immutable`,
    'content-disposition': 'inline',
    // Partners show our pictures on their own pages.
    'cross-origin-resource-policy': 'cross-origin',
  })
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type(`image/${type}`).send(bytes)
}

/** Enough for the pictures that many pages show. Reading one from the disk takes longer than making the page that shows it. */
const CACHE_BYTES = 32 * 2 ** 20

type PictureCache = LRUCache<string, Buffer>

async function readPicture(service: Service, request: FastifyRequest, name: string): Promise<Buffer | null> {
  try {
    return await service.context(visitorOf(service, request)).pictureStore.read(name)
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure(503, 'The picture cannot be read at the moment. Try again shortly.', {
      headers: { 'retry-after': '5' },
      cause,
    })
  }
}
