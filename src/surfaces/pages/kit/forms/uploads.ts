// Forms with files. Small files, such as pictures, are read into memory up to a limit; one file of any size is read as a stream. The CSRF
// token is checked as for any form.
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyConfig, type BusboyHeaders } from '@fastify/busboy'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { badRequest, Failure, tooLarge } from '../../../../kernel/errors.ts'
import { allowSlowBody } from '../../../http/requests/request-bodies.ts'
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

// A form with one file of any size is read as a stream. The fields before the file are parsed first, so that the CSRF token is checked before
// a byte of the file is read. Then the route's handler reads the file while it arrives.
export interface StreamedFile {
  /** The file name that the browser sent; empty when the user chose no file. */
  name: string
  content: Readable
}

const UPLOAD = Symbol('upload')
type Body = Record<string, string> & { [UPLOAD]?: StreamedFile }

// A form with a file has a token and a few choices. The form that imports a table has a choice for each column, at most 200.
const LIMITS = { fields: 220, fieldSize: 64 * 1024, fieldNameSize: 100, files: 1, parts: 225 }

/** Makes a scope accept forms with or without one file, which handlers get by `streamedFileOf`. */
export function readStreamedUploads(scope: FastifyInstance): void {
  readForms(scope)
  scope.addContentTypeParser('multipart/form-data', (request, payload, done) => {
    allowSlowBody(request)
    const body: Body = {}
    let isFinished = false
    const finish = (error: Error | null) => {
      if (isFinished) return
      isFinished = true
      if (error) done(error)
      else done(null, body)
    }
    const parser = multipartParser(request.headers, LIMITS)
    if (!parser) return finish(badRequest('The form could not be read.'))
    parser.on('field', (name, value) => {
      // A field after the file arrives when the handler already runs, so it is ignored.
      if (!isFinished) body[name] = value
    })
    parser.on('file', (_field, content, filename) => {
      // A body that ends inside the file emits an error on the file. Without a listener that error would end the process.
      content.on('error', () => {})
      if (isFinished) return content.resume()
      body[UPLOAD] = { name: filename ?? '', content }
      finish(null)
    })
    pipeline(payload, parser).then(
      () => finish(null),
      (error) => {
        // When the client disconnects, the stream of the file does not end by itself. The error ends it, and the handler gets the error.
        body[UPLOAD]?.content.destroy(error)
        finish(badRequest('The form could not be read.'))
      },
    )
  })
  // When a file is refused, its rest is read and dropped: browsers read the answer only after they have sent the whole body.
  scope.addHook('onResponse', async (request) => {
    streamedFileOf(request)?.content.resume()
  })
}

/** The file of the form in the request; null if the form has none. */
export const streamedFileOf = (request: FastifyRequest): StreamedFile | null =>
  (request.body as Body | null | undefined)?.[UPLOAD] ?? null

/** A parser of forms with files, which reads the body chunk by chunk; null if the content type of the request names no boundary. */
function multipartParser(headers: FastifyRequest['headers'], limits: BusboyConfig['limits']) {
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits })
  } catch {
    return null
  }
}
