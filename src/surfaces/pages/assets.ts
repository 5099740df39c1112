// The stylesheet and the script. The address of each contains a hash of its content, so browsers may keep it for a year.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { FastifyInstance } from 'fastify'
import { refuseOtherMethods } from '../http/answers.ts'
import { compressWell, type Encoding, encodingFor } from '../http/compression.ts'
import type { Service } from '../http/service.ts'

interface Asset {
  path: string
  type: string
  bytes: Buffer
  compressed: Record<Encoding, Buffer>
}

const readOwnFile = (file: string) => readFileSync(new URL(file, import.meta.url))
const library = readFileSync(createRequire(import.meta.url).resolve('htmx.org/dist/htmx.min.js'))

const style = asset('style', 'css', 'text/css; charset=utf-8', readOwnFile('./style.css'))
const script = asset(
  'script',
  'js',
  'text/javascript; charset=utf-8',
  // The source map of the library is not served, so the comment that names it is removed.
  Buffer.from(`${library.toString().replace(/\n?\/\/# sourceMappingURL=\S+\s*$/, '')}\n${readOwnFile('./script.js')}`),
)

export const STYLESHEET = style.path
export const SCRIPT = script.path

/** Requests for assets are not charged, because the visitor was charged for the page that they belong to. */
export function addAssets(server: FastifyInstance, service: Service): void {
  for (const { path, type, bytes, compressed } of [style, script]) {
    server.get(path, (request, reply) => {
      const encoding = encodingFor(request.headers['accept-encoding'], ['br', 'gzip'])
      if (encoding) reply.header('content-encoding', encoding)
      return reply
        .headers({
          'cache-control': 'public, max-age=31536000, immutable',
          vary: 'Accept-Encoding',
        })
        .type(type)
        .send(encoding ? compressed[encoding] : bytes)
    })
    refuseOtherMethods(server, service, path, ['GET', 'HEAD'], false)
  }
}

function asset(name: string, extension: string, type: string, bytes: Buffer): Asset {
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 16)
  return {
    path: `/assets/${name}.${hash}.${extension}`,
    type,
    bytes,
    compressed: { br: compressWell.br(bytes), gzip: compressWell.gzip(bytes) },
  }
}
