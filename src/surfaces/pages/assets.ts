// The stylesheet, under an address that changes with its content and may therefore be kept for good.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import type { Service } from '../http/service.ts'
import { refuseOtherMethods } from '../rest/routes.ts'

const stylesheet = readFileSync(new URL('./style.css', import.meta.url))
const hash = createHash('sha256').update(stylesheet).digest('base64url').slice(0, 16)

export const STYLESHEET = `/assets/style.${hash}.css`

/** Not charged to the visitor: a page's assets are part of the page. */
export function addAssets(server: FastifyInstance, service: Service): void {
  server.get(STYLESHEET, (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('x-content-type-options', 'nosniff')
      .type('text/css; charset=utf-8')
      .send(stylesheet),
  )
  refuseOtherMethods(server, service, STYLESHEET, ['GET', 'HEAD'], false)
}
