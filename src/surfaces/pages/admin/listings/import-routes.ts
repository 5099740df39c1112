// The routes of import and export. Files are streamed in both directions, so they may have any size. `table-import.ts` imports tables.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { importedWords } from '../../../../features/listings/import/imported.rules.ts'
import { exportCatalog, importCatalog } from '../../../../features/listings/operations.ts'
import { exportTableOperation } from '../../../../features/listings/spreadsheets/table.operations.ts'
import { CSV } from '../../../../features/listings/spreadsheets/table.schema.ts'
import { perform } from '../../../../kernel/invoke.ts'
import { NDJSON } from '../../../../kernel/operation.ts'
import type { Answer } from '../../../../kernel/output.ts'
import { dayOf } from '../../../../kernel/values/days.ts'
import { sendStream } from '../../../http/answers/answers.ts'
import { identifiedCaller } from '../../../http/gate.ts'
import type { Service } from '../../../http/service.ts'
import { csrfField, formOf } from '../../kit/forms/forms.ts'
import { readStreamedUploads, streamedFileOf } from '../../kit/forms/uploads.ts'
import { redirectWith } from '../../kit/sending/messages.ts'
import { addPrivatePages, performAs } from '../../kit/sending/private-pages.ts'
import { sendAdmin } from '../kit/frame.ts'
import { EXPORT, EXPORT_TABLE, IMPORT, type ImportOutcome, importPage, outcomeOf } from './import-page.ts'
import { importTableFile, isTable } from './table-import.ts'

/** Sends the lines of an export as a download. */
function sendFile(
  reply: FastifyReply,
  answer: Answer<unknown>,
  name: string,
  { type, extension }: { type: string; extension: string },
): FastifyReply {
  if (!('lines' in answer)) throw new TypeError('an export has lines')
  reply.header('content-disposition', `attachment; filename="${name}-${dayOf(Date.now())}.${extension}"`)
  return sendStream(reply, type, answer.lines)
}

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
          return sendFile(reply, answer, 'catalog', NDJSON)
        },
      },
      [EXPORT_TABLE]: {
        GET: async (request, reply) => {
          const { kind } = request.query as { kind?: string }
          const answer = await perform(exportTableOperation, service.context(identifiedCaller(request)), { kind })
          return sendFile(reply, answer, kind ?? 'tool', CSV)
        },
      },
    },
    readStreamedUploads,
  )

  async function importFile(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const upload = streamedFileOf(request)
    if (upload?.name && (await isTable(request, upload))) return importTableFile(service, request, reply, upload)
    const skipInvalid = formOf(request).skipInvalid === 'true'
    const showPageAgain = (given: { problem?: string; outcome?: ImportOutcome }, status: number) =>
      sendAdmin(service, request, reply, importPage({ token: csrfField(request), skipInvalid, ...given }), status)
    if (!upload?.name) return showPageAgain({ problem: 'Choose a file first.' }, 400)
    const outcome = await outcomeOf(performAs(service, request, importCatalog, { skipInvalid }, upload.content))
    if (outcome.rejectedCount > 0) return showPageAgain({ outcome }, outcome.imported === 0 ? 400 : 200)
    if (outcome.imported === 0) return showPageAgain({ problem: 'There is no entry in this file.' }, 400)
    return redirectWith(service, reply, IMPORT, { kind: 'good', text: `${importedWords(outcome)}.` })
  }
}
