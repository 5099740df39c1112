// The routes of import and export. Files are streamed in both directions, so they may have any size. `table-import.ts` imports tables.
import type { FastifyReply } from 'fastify'
import { importedWords } from '../../../../features/listings/import/imported.rules.ts'
import { exportCatalog, importCatalog } from '../../../../features/listings/operations.ts'
import { exportTableOperation } from '../../../../features/listings/spreadsheets/table.operations.ts'
import { CSV } from '../../../../features/listings/spreadsheets/table.schema.ts'
import { perform } from '../../../../kernel/invoke.ts'
import { NDJSON } from '../../../../kernel/operation.ts'
import type { Answer } from '../../../../kernel/output.ts'
import { dayOf } from '../../../../kernel/values/days.ts'
import { sendStream } from '../../../http/answers/answers.ts'
import { streamedFileOf } from '../../kit/forms/uploads.ts'
import type { Visit, VisitPages } from '../../kit/sending/private-pages.ts'
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

/** Files are sent with their forms, and read as streams. */
export const importPages: VisitPages = {
  [IMPORT]: { GET: (visit) => visit.send(importPage({ token: visit.token })), POST: importFile },
  [EXPORT]: {
    GET: async ({ ctx, reply }) => sendFile(reply, await perform(exportCatalog, ctx, {}), 'catalog', NDJSON),
  },
  [EXPORT_TABLE]: {
    GET: async ({ ctx, request, reply }) => {
      const { kind } = request.query as { kind?: string }
      return sendFile(reply, await perform(exportTableOperation, ctx, { kind }), kind ?? 'tool', CSV)
    },
  },
}

async function importFile(visit: Visit): Promise<FastifyReply> {
  const upload = streamedFileOf(visit.request)
  if (upload?.name && (await isTable(visit.form, upload))) return importTableFile(visit, upload)
  const skipInvalid = visit.form.skipInvalid === 'true'
  const showPageAgain = (given: { problem?: string; outcome?: ImportOutcome }, status: number) =>
    visit.send(importPage({ token: visit.token, skipInvalid, ...given }), status)
  if (!upload?.name) return showPageAgain({ problem: 'Choose a file first.' }, 400)
  const outcome = await outcomeOf(visit.perform(importCatalog, { skipInvalid }, upload.content))
  if (outcome.rejectedCount > 0) return showPageAgain({ outcome }, outcome.imported === 0 ? 400 : 200)
  if (outcome.imported === 0) return showPageAgain({ problem: 'There is no entry in this file.' }, 400)
  return visit.redirect(IMPORT, { kind: 'good', text: `${importedWords(outcome)}.` })
}
