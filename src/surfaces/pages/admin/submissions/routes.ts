// The pages for work on submissions. A row that the script sends is answered with the row and the progress alone, otherwise with a page.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MAX_PICTURE_BYTES } from '../../../../features/enrichment/operations.ts'
import {
  changeSubmission,
  completeSubmission,
  recordDirectory,
} from '../../../../features/submissions/queue.operations.ts'
import { getSubmission, listSubmissionDirectories } from '../../../../features/submissions/read.operations.ts'
import { Failure, notFound } from '../../../../kernel/errors.ts'
import { identifiedCaller } from '../../../http/gate.ts'
import type { Service } from '../../../http/service.ts'
import { readBufferedUploads } from '../../kit/buffered-uploads.ts'
import { csrfField, formOf } from '../../kit/forms.ts'
import { html } from '../../kit/markup.ts'
import { redirectWith } from '../../kit/messages.ts'
import { pageNumberOf } from '../../kit/paged-lists.ts'
import { param } from '../../kit/parameters.ts'
import { addPrivatePages, isCorrectable, performAs } from '../../kit/private-pages.ts'
import { failureText, problemsByField } from '../../kit/problems.ts'
import { publicDirectoryCategories } from '../../site/terms.ts'
import { filtersOf } from '../filtered-lists.ts'
import { sendAdmin } from '../frame.ts'
import { expectedVersionOf } from '../version-field.ts'
import { directoryRow, FILTERS, filteredAddress, rowId, type TypedRecord } from './directories.ts'
import { goToNext, showDone } from './done.ts'
import { SUBMISSIONS, showSubmissions } from './list.ts'
import { ownAddress } from './own-address.ts'
import { changeChosen } from './queue-bulk.ts'
import { RECORD_LABELS, recordOf, storeProof, typedRecord } from './record.ts'
import { changeViews, VIEWS } from './views.ts'
import { hashOf, progressBar, type SubmissionWork, type TypedChange, workPage } from './work.ts'

const LIMIT = 50

export function addSubmissionPages(server: FastifyInstance, service: Service): void {
  addPrivatePages(server, service, 'admin', {
    [`${SUBMISSIONS}/bulk`]: { POST: (request, reply) => changeChosen(service, request, reply) },
    [SUBMISSIONS]: { GET: (request, reply) => showSubmissions(service, request, reply) },
    [`${SUBMISSIONS}/:id/directories`]: { GET: (request, reply) => showWork(service, request, reply) },
    [`${SUBMISSIONS}/:id/change`]: { POST: (request, reply) => change(service, request, reply) },
    [VIEWS]: { POST: (request, reply) => changeViews(service, request, reply) },
    [`${SUBMISSIONS}/:id/next`]: { POST: (request, reply) => goToNext(service, request, reply) },
    [`${SUBMISSIONS}/:id/done`]: {
      GET: async (request, reply) => {
        const work = await workOf(service, request)
        if (work.state === null || work.state === 'DONE') return redirectWith(service, reply, pathOf(work))
        return showDone(service, request, reply, work)
      },
      POST: (request, reply) => markDone(service, request, reply),
    },
  })
  const record = { POST: (request: FastifyRequest, reply: FastifyReply) => recordRow(service, request, reply) }
  addPrivatePages(
    server,
    service,
    'admin',
    { [`${SUBMISSIONS}/:id/directories/:slug`]: record },
    readBufferedUploads(MAX_PICTURE_BYTES),
  )
}

const workOf = (service: Service, request: FastifyRequest): Promise<SubmissionWork> =>
  performAs(service, request, getSubmission, { id: param(request, 'id') })

const pathOf = ({ id }: Pick<SubmissionWork, 'id'>): string => `${SUBMISSIONS}/${id}`

async function showWork(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  returned: { typed?: TypedRecord; change?: TypedChange; error?: Failure } = {},
): Promise<FastifyReply> {
  const work = await workOf(service, request)
  const filters = filtersOf(request, FILTERS)
  const page = pageNumberOf(request)
  const candidates = await performAs(service, request, listSubmissionDirectories, {
    ...filters,
    id: work.id,
    limit: LIMIT,
    page,
  })
  // A row whose form was refused may not be on this page of the list any more.
  const { typed, change, error } = returned
  if (typed && !candidates.some(({ slug }) => slug === typed.slug))
    candidates.unshift(...(await findCandidates(service, request, work.id, typed.slug)))
  const view = {
    work,
    candidates,
    categories: publicDirectoryCategories(service.context(identifiedCaller(request))),
    filters,
    page,
    isFull: candidates.length >= LIMIT,
    typed,
    change,
  }
  const flash = error ? [{ kind: 'danger' as const, text: error.message }] : []
  return sendAdmin(service, request, reply, { ...workPage(request, view), flash }, error?.status)
}

const findCandidates = (service: Service, request: FastifyRequest, id: string, slug: string) =>
  performAs(service, request, listSubmissionDirectories, { id, slug })

async function change(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const form = formOf(request)
  const work = await workOf(service, request)
  const back = ownAddress(form.back)
  const body = changesOf(form)
  if (Object.keys(body).length === 0)
    return redirectWith(service, reply, back ?? pathOf(work), { kind: 'info', text: 'Nothing was changed.' })
  const save = (guard: object) => performAs(service, request, changeSubmission, { id: work.id, ...guard }, body)
  try {
    await save(expectedVersionOf(request)).catch(async (error) => {
      const now = error instanceof Failure && error.status === 409 ? await workOf(service, request) : null
      // If only other fields were changed in the meantime, this change is saved on top of them.
      if (!now || Object.keys(body).some((name) => !isAsShown(form, name, now))) throw error
      await save({ ifVersion: now.version })
    })
  } catch (error) {
    if (!isCorrectable(error)) throw error
    if (back) return redirectWith(service, reply, back, { kind: 'danger', text: error.message })
    // Fields that the user did not change show the stored values, so that sending the form again does not undo another change.
    const typed = Object.entries(body).map(([name, value]) => [name, value ?? ''])
    return showWork(service, request, reply, { change: Object.fromEntries(typed), error })
  }
  return redirectWith(service, reply, back ?? pathOf(work), { kind: 'good', text: 'Saved.' })
}

/** The fields of the form that the user changed. */
function changesOf(form: Readonly<Record<string, string | undefined>>): Record<string, string | null> {
  const body: Record<string, string | null> = {}
  for (const name of ['state', 'assignee', 'paymentType'] as const) {
    const given = form[name]?.trim()
    // An empty package means that the submission had none and still has none.
    if (given === '' && name === 'paymentType') continue
    if (given !== undefined && given !== form[`was-${name}`]) body[name] = given || null
  }
  for (const name of ['notes', 'internalNotes'] as const) {
    const given = form[name]
    if (given !== undefined && hashOf(normaliseLineBreaks(given)) !== form[`was-${name}`])
      body[name] = normaliseLineBreaks(given)
  }
  return body
}

/** Whether the stored value is the one that the form showed. A form with a single button does not carry it, and then the answer is no. */
function isAsShown(form: Readonly<Record<string, string | undefined>>, name: string, work: SubmissionWork): boolean {
  const stored = work[name as keyof TypedChange] ?? ''
  return form[`was-${name}`] === (name === 'notes' || name === 'internalNotes' ? hashOf(stored) : stored)
}

/** Browsers send line breaks as two characters. */
const normaliseLineBreaks = (text: string): string => text.replace(/\r\n/g, '\n')

async function markDone(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const work = await workOf(service, request)
  const given = formOf(request).notes
  const body = given === undefined ? {} : { notes: normaliseLineBreaks(given) }
  try {
    await performAs(service, request, completeSubmission, { id: work.id, ...expectedVersionOf(request) }, body)
  } catch (error) {
    if (!isCorrectable(error)) throw error
    const now = await workOf(service, request)
    // When another administrator has marked it Done, the notes can still be saved on the page of the work.
    return now.state === null || now.state === 'DONE'
      ? showWork(service, request, reply, { change: body, error })
      : showDone(service, request, reply, now, { ...body, error })
  }
  const text = work.client.webhookUrl ? `Done. ${work.client.name} gets a webhook.` : 'Done.'
  return redirectWith(service, reply, pathOf(work), { kind: 'good', text })
}

async function recordRow(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const form = formOf(request)
  const slug = param(request, 'slug')
  const isFromScript = request.headers['hx-request'] === 'true'
  const typed = typedRecord(slug, form)
  try {
    // The address of the stored picture goes back into the form: if another field is wrong, the picture need not be sent again.
    typed.proofUrl = (await storeProof(service, request)) ?? typed.proofUrl
    await performAs(
      service,
      request,
      recordDirectory,
      { id: param(request, 'id'), slug, ...expectedVersionOf(request) },
      recordOf(form, typed),
    )
  } catch (error) {
    if (!isCorrectable(error)) throw error
    typed.error = failureText(error, RECORD_LABELS)
    typed.marked = problemsByField(error.problems, RECORD_LABELS).marked
    if (!isFromScript)
      return showWork(service, request, reply, { typed, error: new Failure(error.status, typed.error) })
  }
  if (isFromScript) return sendRow(service, request, reply, typed.error ? typed : null)
  const next = form.next ?? ''
  const pageAddress = filteredAddress(
    `${SUBMISSIONS}/${encodeURIComponent(param(request, 'id'))}/directories`,
    filtersOf(request, FILTERS),
    pageNumberOf(request),
  )
  return redirectWith(service, reply, `${pageAddress}#${/^[a-z0-9-]+$/.test(next) ? rowId(next) : 'directories'}`)
}

/** Sends the row and the progress, which the script puts into the page that is already shown. */
async function sendRow(service: Service, request: FastifyRequest, reply: FastifyReply, typed: TypedRecord | null) {
  const work = await workOf(service, request)
  const slug = param(request, 'slug')
  const [candidate] = await findCandidates(service, request, work.id, slug)
  if (!candidate) throw notFound('Directory')
  const action = () => request.url
  const row = directoryRow(candidate, { action, token: csrfField(request), typed }, formOf(request).next ?? '')
  return reply.type('text/html; charset=utf-8').send(String(html`${row}${progressBar(work, true)}`))
}
