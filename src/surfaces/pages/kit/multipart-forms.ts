// Forms with a file. The fields before the file are read as those of any form, so that its token is checked before a byte of the
// file is looked at; the file itself is handed on as it arrives, whatever its size.
import { pipeline, type Readable } from 'node:stream'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { badRequest } from '../../../kernel/errors.ts'
import { allowSlowBody } from '../../http/body-timeouts.ts'
import { readForms } from './forms.ts'

export interface Upload {
  /** As the browser calls it; empty when no file was chosen. */
  name: string
  content: Readable
}

const UPLOAD = Symbol('upload')
type Body = Record<string, string> & { [UPLOAD]?: Upload }

// A token and a few choices.
const LIMITS = { fields: 20, fieldSize: 64 * 1024, fieldNameSize: 100, files: 1, parts: 25 }

/** In a scope: bodies are forms, with or without a file. */
export function readFileForms(scope: FastifyInstance): void {
  readForms(scope)
  scope.addContentTypeParser('multipart/form-data', (request, payload, done) => {
    allowSlowBody(request)
    const body: Body = {}
    let isRead = false
    const finish = (error: Error | null) => {
      if (isRead) return
      isRead = true
      if (error) done(error)
      else done(null, body)
    }
    const parser = parserFor(request.headers)
    if (!parser) return finish(badRequest('The form could not be read.'))
    parser.on('field', (name, value) => {
      // Read while the file is: too late to mean anything.
      if (!isRead) body[name] = value
    })
    parser.on('file', (_field, content, filename) => {
      // A body that ends in the middle of a file is an error of the file, and nobody else may be listening.
      content.on('error', () => {})
      if (isRead) return content.resume()
      body[UPLOAD] = { name: filename ?? '', content }
      finish(null)
    })
    pipeline(payload, parser, (error) => {
      // A sender who went away leaves a file without an end.
      if (error) body[UPLOAD]?.content.destroy(error)
      finish(error ? badRequest('The form could not be read.') : null)
    })
  })
  // A refused one is sent to its end all the same, or the browser would not read why.
  scope.addHook('onResponse', async (request) => {
    fileOf(request)?.content.resume()
  })
}

export const fileOf = (request: FastifyRequest): Upload | null =>
  (request.body as Body | null | undefined)?.[UPLOAD] ?? null

function parserFor(headers: FastifyRequest['headers']) {
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits: LIMITS })
  } catch {
    return null
  }
}
