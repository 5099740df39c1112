// The one stylesheet and the one script, each under an address that changes with its content and may therefore be kept for good.
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

const own = (file: string) => readFileSync(new URL(file, import.meta.url))
const library = readFileSync(createRequire(import.meta.url).resolve('htmx.org/dist/htmx.min.js'))

const style = asset('style', 'css', 'text/css; charset=utf-8', own('./style.css'))
const script = asset(
  'script',
  'js',
  'text/javascript; charset=utf-8',
  // The library's map is not served, so the line that names it goes.
  Buffer.from(`${library.toString().replace(/\n?\/\/# sourceMappingURL=\S+\s*$/, '')}\n${own('./script.js')}`),
)

export const STYLESHEET = style.path
export const SCRIPT = script.path

/** Not charged to the visitor: a page's assets are part of the page. */
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
