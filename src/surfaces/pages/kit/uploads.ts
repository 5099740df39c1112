// Forms that carry a file. They are read whole, so each has its limit; what proves that a form is ours is checked as everywhere.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { badRequest, tooLarge } from '../../../kernel/errors.ts'
import { allowSlowBody } from '../../http/body-timeouts.ts'
import { readForms } from './forms.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Files of a form by the name of their field; only where `readUploads` reads. */
    uploads?: ReadonlyMap<string, Upload>
  }
}

export interface Upload {
  name: string
  type: string
  bytes: Buffer
}

// Besides the file: the text fields and what stands between the parts.
const FIELDS_ROOM = 64 * 1024

/** In a scope: bodies are forms, with or without files. Text fields are the body, as of any form. */
export const readUploads =
  (maxBytes: number) =>
  (scope: FastifyInstance): void => {
    readForms(scope)
    scope.addContentTypeParser(
      'multipart/form-data',
      async (request: FastifyRequest, payload: AsyncIterable<Buffer>) => {
        allowSlowBody(request)
        const chunks: Buffer[] = []
        let size = 0
        for await (const chunk of payload) {
          if ((size += chunk.length) > maxBytes + FIELDS_ROOM) throw tooLarge(`${maxBytes / 1024 / 1024} MiB`)
          chunks.push(chunk)
        }
        return readParts(request, Buffer.concat(chunks))
      },
    )
  }

async function readParts(request: FastifyRequest, body: Buffer): Promise<Record<string, string>> {
  const headers = { 'content-type': request.headers['content-type']! }
  const form = await new Response(new Uint8Array(body), { headers }).formData().catch(() => {
    throw badRequest('The form could not be read.')
  })
  const uploads = new Map<string, Upload>()
  const fields: [string, string][] = []
  for (const [field, value] of form) {
    if (typeof value === 'string') fields.push([field, value])
    // Nothing chosen is sent as a file without a byte.
    else if (value.size > 0)
      uploads.set(field, { name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) })
  }
  request.uploads = uploads
  return Object.fromEntries(fields)
}
