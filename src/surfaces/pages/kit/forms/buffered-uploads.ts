// Forms with small files, such as pictures, which are read into memory up to a limit. The CSRF token is checked as for any form.
import { pipeline } from 'node:stream/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { badRequest, Failure, tooLarge } from '../../../../kernel/errors.ts'
import { allowSlowBody } from '../../../http/requests/request-bodies.ts'
import { MOST_FIELDS, readForms } from './forms.ts'
import { multipartParser } from './streamed-uploads.ts'

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

// Room for the text fields and the boundaries between the parts, in addition to the files.
const FIELDS_ROOM = 64 * 1024
/** No form of ours takes that many files. */
const MOST_FILES = 50
const MOST_PARTS = MOST_FIELDS + MOST_FILES

/**
 * Makes a scope accept forms with or without files. The text fields become the body, as in any form, and the files `request.uploads`.
 * `maxBytes`: of all files together. `formLimit`: the bytes of a form without files.
 */
export const readBufferedUploads =
  (maxBytes: number, formLimit?: number) =>
  (scope: FastifyInstance): void => {
    readForms(scope, formLimit)
    scope.addContentTypeParser('multipart/form-data', (request: FastifyRequest, payload: AsyncIterable<Buffer>) => {
      allowSlowBody(request)
      return readParts(request, bounded(payload, maxBytes))
    })
  }

/** Passes the body on, and throws a 413 when it is too large. */
async function* bounded(payload: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of payload) {
    if ((size += chunk.length) > maxBytes + FIELDS_ROOM) throw tooLarge(`${maxBytes / 1024 / 1024} MiB`)
    yield chunk
  }
}

async function readParts(request: FastifyRequest, body: AsyncIterable<Buffer>): Promise<Record<string, string>> {
  const uploads = new Map<string, UploadedFile[]>()
  const fields: [string, string][] = []
  const parser = multipartParser(request.headers, { fields: MOST_FIELDS, files: MOST_FILES, parts: MOST_PARTS })
  if (!parser) throw badRequest('The form could not be read.')
  const refuse = (why: string) => parser.destroy(badRequest(why))
  parser.on('field', (field, value, _nameIsCut, isCut) => {
    if (isCut) refuse('A field of the form is longer than 1 MiB.')
    else if (field !== undefined) fields.push([field, value])
  })
  parser.on('file', (field, content, name = '', _encoding, type) => {
    const chunks: Buffer[] = []
    // Without a listener, an error here would end the process. `pipeline` below throws the same error.
    content.on('error', () => {})
    content.on('data', (chunk: Buffer) => chunks.push(chunk))
    content.on('end', () => {
      const file = { name, type, bytes: Buffer.concat(chunks) }
      // Browsers send an empty file when the user chose none.
      if (file.bytes.length > 0) uploads.set(field, [...(uploads.get(field) ?? []), file])
    })
  })
  parser.on('filesLimit', () => refuse(`A form takes at most ${MOST_FILES} files.`))
  for (const limit of ['fieldsLimit', 'partsLimit'] as const)
    parser.on(limit, () => refuse('The form has too many fields.'))
  await pipeline(body, parser).catch((error) => {
    throw error instanceof Failure ? error : badRequest('The form could not be read.')
  })
  request.uploads = uploads
  return Object.fromEntries(fields)
}
