// Forms with one file of any size, which is read as a stream. The fields before the file are parsed first, so that the CSRF token is
// checked before a byte of the file is read. Then the route's handler reads the file while it arrives.
import { pipeline, type Readable } from 'node:stream'
import { Busboy, type BusboyConfig, type BusboyHeaders } from '@fastify/busboy'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { badRequest } from '../../../../kernel/errors.ts'
import { allowSlowBody } from '../../../http/requests/request-bodies.ts'
import { readForms } from './forms.ts'

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
    pipeline(payload, parser, (error) => {
      // When the client disconnects, the stream of the file does not end by itself. The error ends it, and the handler gets the error.
      if (error) body[UPLOAD]?.content.destroy(error)
      finish(error ? badRequest('The form could not be read.') : null)
    })
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
export function multipartParser(headers: FastifyRequest['headers'], limits: BusboyConfig['limits']) {
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits })
  } catch {
    return null
  }
}
