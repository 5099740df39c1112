// Reads JSON bodies strictly, with our own error messages.
import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { badRequest } from '../../../kernel/errors.ts'
import { parsedJson } from '../../../kernel/values/text.ts'
import { inTurn } from '../gate.ts'

/** An empty body counts as no body. */
export function readJsonBodies(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error')
  server.removeContentTypeParser('application/json')
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    // The body has arrived. Reading it waits for the caller's next turn.
    inTurn(request, () => {
      // Many clients send the content type without a body. An operation that needs a body says which fields are missing.
      if (bytes.length === 0) return done(null, undefined)
      if (!isUtf8(bytes)) return done(badRequest('The body is not valid UTF-8. Send JSON in UTF-8.'))
      const text = bytes.toString()
      void parse(request, text, (error, value) => done(error && refusal(text), value))
    })
  })
}

/** The parser reports invalid JSON and a forbidden name alike, so the text is parsed again to tell which it was. */
function refusal(text: string): Error {
  if (parsedJson(text) === undefined) return badRequest('The body could not be read. Send valid JSON.')
  return badRequest('The body must not contain the names __proto__ and constructor.prototype. Leave them out.')
}
