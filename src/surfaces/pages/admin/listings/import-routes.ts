// Import and export of the whole catalog. Both are streams, so neither has a maximum size.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { exportCatalog, importCatalog } from '../../../../features/listings/operations.ts'
import { dayOf } from '../../../../kernel/days.ts'
import { Failure } from '../../../../kernel/errors.ts'
import { perform } from '../../../../kernel/invoke.ts'
import { NDJSON } from '../../../../kernel/operation.ts'
import { sendStream } from '../../../http/answers.ts'
import { identifiedCaller } from '../../../http/gate.ts'
import type { Service } from '../../../http/service.ts'
import { csrfField, formOf } from '../../kit/forms.ts'
import { redirectWith } from '../../kit/messages.ts'
import { addPrivatePages, performAs } from '../../kit/private-pages.ts'
import { readStreamedUploads, streamedFileOf } from '../../kit/streamed-uploads.ts'
import { number } from '../../kit/values.ts'
import { sendAdmin } from '../frame.ts'
import { EXPORT, IMPORT, type ImportOutcome, importPage } from './import-page.ts'

export function addImportPages(server: FastifyInstance, service: Service): void {
  addPrivatePages(
    server,
    service,
    'admin',
    {
      [IMPORT]: {
        GET: (request, reply) => sendAdmin(service, request, reply, importPage({ token: csrfField(request) })),
        POST: (request, reply) => importFile(request, reply),
      },
      [EXPORT]: {
        GET: async (request, reply) => {
          const answer = await perform(exportCatalog, service.context(identifiedCaller(request)), {})
          if (!('lines' in answer)) throw new TypeError('an export has lines')
          const day = dayOf(Date.now())
          const name = `catalog-${day}.${NDJSON.extension}`
          reply.header('content-disposition', `attachment; filename="${name}"`)
          return sendStream(reply, NDJSON.type, answer.lines)
        },
      },
    },
    readStreamedUploads,
  )

  async function importFile(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const upload = streamedFileOf(request)
    const skipInvalid = formOf(request).skipInvalid === 'true'
    const showPageAgain = (given: { problem?: string; outcome?: ImportOutcome }, status: number) =>
      sendAdmin(service, request, reply, importPage({ token: csrfField(request), skipInvalid, ...given }), status)
    if (!upload?.name) return showPageAgain({ problem: 'Choose a file first.' }, 400)
    const outcome = await importLines(request, upload.content, skipInvalid)
    if (outcome.rejectedCount > 0) return showPageAgain({ outcome }, outcome.imported === 0 ? 400 : 200)
    if (outcome.imported === 0) return showPageAgain({ problem: 'There is no entry in this file.' }, 400)
    const text = `Imported ${number(outcome.imported)} ${outcome.imported === 1 ? 'entry' : 'entries'}.`
    return redirectWith(service, reply, IMPORT, { kind: 'good', text })
  }

  async function importLines(
    request: FastifyRequest,
    content: AsyncIterable<Uint8Array>,
    skipInvalid: boolean,
  ): Promise<ImportOutcome> {
    try {
      return await performAs(service, request, importCatalog, { skipInvalid }, content)
    } catch (error) {
      // The details of the failure name the wrong lines.
      if (!(error instanceof Failure) || error.status !== 400 || !Array.isArray(error.details.rejected)) throw error
      return error.details as Record<string, unknown> & ImportOutcome
    }
  }
}
