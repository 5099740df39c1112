// Forms with small files, read into memory up to a limit. The CSRF token is checked as for any form.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { badRequest, tooLarge } from '../../../kernel/errors.ts'
import { allowSlowBody } from '../../http/body-timeouts.ts'
import { MOST_FIELDS, readForms } from './forms.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The files of the form by field name; set only in scopes of `readBufferedUploads`. */
    uploads?: ReadonlyMap<string, readonly UploadedFile[]>
  }
}

export interface UploadedFile {
  name: string
  type: string
  bytes: Buffer
}

// Room for the text fields and the boundaries between the parts, in addition to the file.
const FIELDS_ROOM = 64 * 1024
/** More files than any of our forms takes. */
const MOST_FILES = 50

/** Makes a scope accept forms with or without files. The text fields are the body, as in any form. `formLimit`: for a form without files. */
export const readBufferedUploads =
  (maxBytes: number, formLimit?: number) =>
  (scope: FastifyInstance): void => {
    readForms(scope, formLimit)
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
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  const form = await new Response(new Uint8Array(body), { headers }).formData().catch(() => {
    throw badRequest('The form could not be read.')
  })
  const uploads = new Map<string, UploadedFile[]>()
  let files = 0
  const fields: [string, string][] = []
  for (const [field, value] of form) {
    if (typeof value === 'string') fields.push([field, value])
    // Browsers send an empty file when the user chose none.
    else if (value.size > 0) {
      if (++files > MOST_FILES) throw badRequest(`A form takes at most ${MOST_FILES} files.`)
      const file = { name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) }
      uploads.set(field, [...(uploads.get(field) ?? []), file])
    }
    if (fields.length > MOST_FIELDS) throw badRequest('The form has too many fields.')
  }
  request.uploads = uploads
  return Object.fromEntries(fields)
}
