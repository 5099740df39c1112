// Pictures that are kept here. Each is of our own making and stands under the hash of its content, so it may be kept for good.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure, notFound } from '../../kernel/errors.ts'
import { MEDIA_PATH, PICTURE_NAME } from '../../kernel/own-addresses.ts'
import { refuseOtherMethods } from '../http/answers.ts'
import { visitorOf } from '../http/callers.ts'
import { matchesEtag } from '../http/etag.ts'
import { sendFailure } from '../http/failures.ts'
import type { Service } from '../http/service.ts'

const YEAR_SECONDS = 365 * 24 * 3600

const SAFE = {
  // Opened by itself, it is a picture and nothing else, whatever a browser might take it for.
  'content-security-policy': "default-src 'none'; sandbox",
}

/** Not charged to the visitor: a page's pictures are part of the page. */
export function addMedia(server: FastifyInstance, service: Service): void {
  const url = `${MEDIA_PATH}/:name`
  const held = holdPictures()
  server.get(url, {
    onRequest: async (_request, reply) => void reply.headers(SAFE),
    errorHandler: (error, request, reply) => {
      reply.header('cache-control', 'no-store')
      sendFailure(service, error, request, reply)
    },
    handler: (request, reply) => send(service, held, request, reply),
  })
  refuseOtherMethods(server, service, url, ['GET', 'HEAD'], false)
}

async function send(
  service: Service,
  held: HeldPictures,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { name } = request.params as { name: string }
  const [, hash, type] = PICTURE_NAME.exec(name) ?? []
  if (!hash) throw notFound('This picture was')
  const bytes = held.get(name) ?? (await read(service, request, name))
  if (!bytes) throw notFound('This picture was')
  held.put(name, bytes)
  const etag = `"${hash}"`
  reply.headers({
    etag,
    'cache-control': `public, max-age=${YEAR_SECONDS}, immutable`,
    'content-disposition': 'inline',
    // Partners show them on their own pages.
    'cross-origin-resource-policy': 'cross-origin',
  })
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type(`image/${type}`).send(bytes)
}

interface HeldPictures {
  get(name: string): Buffer | undefined
  put(name: string, bytes: Buffer): void
}

/** Room for the pictures that are on every other page; from the disk, a picture takes longer than the page it is on. */
const HELD_BYTES = 32 * 2 ** 20

/** The ones that were asked for last. A picture never changes under its name. */
function holdPictures(): HeldPictures {
  const pictures = new Map<string, Buffer>()
  let size = 0
  return {
    get: (name) => pictures.get(name),
    put(name, bytes) {
      if (!pictures.delete(name)) size += bytes.length
      pictures.set(name, bytes)
      for (const [oldest, { length }] of pictures) {
        if (size <= HELD_BYTES) return
        pictures.delete(oldest)
        size -= length
      }
    },
  }
}

async function read(service: Service, request: FastifyRequest, name: string): Promise<Buffer | null> {
  try {
    return await service.context(visitorOf(service, request)).pictureStore.read(name)
  } catch (cause) {
    throw new Failure(503, 'The picture cannot be read at the moment. Try again shortly.', {
      headers: { 'retry-after': '5' },
      cause,
    })
  }
}
