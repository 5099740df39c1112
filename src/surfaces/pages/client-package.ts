// GET /client.tgz: the typed client as an npm package. npm can install it from this address, so it always fits this service's version.
import { readdirSync, readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { type TarSource, writeTar } from '../../kernel/formats/tar.ts'
import { refuseOtherMethods } from '../http/answers/answers.ts'
import { visitorGate } from '../http/gate.ts'
import type { Service } from '../http/service.ts'
import { setPageHeaders } from './kit/sending/answers.ts'

export const CLIENT_PACKAGE = '/client.tgz'

const FOLDER = new URL('../../../packages/client/', import.meta.url)
// The same files that `npm pack` would pack.
const PACKED = /^(package\.json|README\.md|LICENSE|.+\.js|.+\.d\.ts)$/

/** Constant, because npm's integrity check compares bytes: every process must make the same package. */
const MODIFIED_AT = new Date('2026-01-01T00:00:00Z')

async function makePackage(): Promise<Buffer> {
  const names = readdirSync(FOLDER).filter((name) => PACKED.test(name))
  return gzipSync(await buffer(writeTar(entriesOf(names.sort()))), { level: 9 })
}

async function* entriesOf(names: readonly string[]): AsyncGenerator<TarSource> {
  for (const name of names) {
    const content = readFileSync(new URL(name, FOLDER))
    yield {
      name: `package/${name}`,
      isFolder: false,
      size: content.length,
      modifiedAt: MODIFIED_AT,
      content: [content],
    }
  }
}

export function addClientPackage(server: FastifyInstance, service: Service): void {
  let packageBytes: Buffer | undefined
  server.get(CLIENT_PACKAGE, {
    onRequest: [setPageHeaders, visitorGate(service)],
    handler: async (_request, reply) => {
      packageBytes ??= await makePackage()
      return reply.header('cache-control', 'public, max-age=60').type('application/gzip').send(packageBytes)
    },
  })
  refuseOtherMethods(server, service, CLIENT_PACKAGE)
}
