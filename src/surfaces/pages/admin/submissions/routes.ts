// Working the submissions. A tick by script is answered with its row and the progress alone; without one the page comes back.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MAX_PICTURE_BYTES, uploadPicture } from '../../../../features/enrichment/operations.ts'
import { getSubmission, listSubmissionDirectories } from '../../../../features/submissions/work.operations.ts'
import {
  changeSubmission,
  completeSubmission,
  recordDirectory,
} from '../../../../features/submissions/workflow.operations.ts'
import { Failure } from '../../../../kernel/errors.ts'
import type { Service } from '../../../http/service.ts'
import { readBufferedUploads } from '../../kit/buffered-uploads.ts'
import { csrfField, formOf } from '../../kit/forms.ts'
import { html } from '../../kit/markup.ts'
import { redirectWith } from '../../kit/messages.ts'
import { pageNumberOf } from '../../kit/paged-lists.ts'
import { param } from '../../kit/parameters.ts'
import { actAndRedirect, addPrivatePages, isCorrectable, performAs } from '../../kit/private-pages.ts'
import { failureText, problemsByField } from '../../kit/problems.ts'
import { directoryCategories } from '../../site/terms.ts'
import { filtersOf } from '../filtered-lists.ts'
import { sendAdmin } from '../frame.ts'
import { expectedVersionOf } from '../version-field.ts'
import { chosenAddress, directoryRow, FILTERS, rowId, type Typed } from './directories.ts'
import { SUBMISSIONS, showSubmissions } from './list.ts'
import { digest, donePage, progressBar, type TypedChange, type Work, workPage } from './work.ts'

const LIMIT = 50

export function addSubmissionPages(server: FastifyInstance, service: Service): void {
  addPrivatePages(server, service, 'admin', {
    [SUBMISSIONS]: { GET: (request, reply) => showSubmissions(service, request, reply) },
    [`${SUBMISSIONS}/:id`]: { GET: (request, reply) => showWork(service, request, reply) },
    [`${SUBMISSIONS}/:id/change`]: { POST: (request, reply) => change(service, request, reply) },
    [`${SUBMISSIONS}/:id/done`]: {
      GET: async (request, reply) => {
        const work = await workOf(service, request)
        if (work.state === null || work.state === 'DONE') return redirectWith(service, reply, pathOf(work))
        return sendAdmin(service, request, reply, donePage(request, work))
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

const workOf = (service: Service, request: FastifyRequest): Promise<Work> =>
  performAs(service, request, getSubmission, { id: param(request, 'id') })

const pathOf = ({ id }: Pick<Work, 'id'>): string => `${SUBMISSIONS}/${id}`

async function showWork(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  came: { typed?: Typed; change?: TypedChange; error?: Failure } = {},
): Promise<FastifyReply> {
  const work = await workOf(service, request)
  const chosen = filtersOf(request, FILTERS)
  const page = pageNumberOf(request)
  const candidates = await performAs(service, request, listSubmissionDirectories, {
    ...chosen,
    id: work.id,
    limit: LIMIT,
    page,
  })
  // A row whose form came back may stand elsewhere by now.
  const { typed, change, error } = came
  if (typed && !candidates.some(({ slug }) => slug === typed.slug))
    candidates.unshift(...(await candidatesNamed(service, request, work.id, typed.slug)))
  const view = {
    work,
    candidates,
    categories: directoryCategories(service.context(request.caller!)),
    chosen,
    page,
    isFull: candidates.length >= LIMIT,
    typed,
    change,
  }
  const flash = error ? [{ kind: 'danger' as const, text: error.message }] : []
  return sendAdmin(service, request, reply, { ...workPage(request, view), flash }, error?.status)
}

const candidatesNamed = (service: Service, request: FastifyRequest, id: string, slug: string) =>
  performAs(service, request, listSubmissionDirectories, { id, slug })

// Only places of this section: what a form says may come from anywhere.
const OWN_PLACE = /^\/admin\/submissions(\/[\w-]+)?(\?[\w%&=+.~*-]*)?$/

async function change(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const form = formOf(request)
  const work = await workOf(service, request)
  const back = form.back && OWN_PLACE.test(form.back) ? form.back : null
  const body = changeIn(form)
  if (Object.keys(body).length === 0)
    return redirectWith(service, reply, back ?? pathOf(work), { kind: 'info', text: 'Nothing was changed.' })
  const save = (guard: object) => performAs(service, request, changeSubmission, { id: work.id, ...guard }, body)
  try {
    await save(expectedVersionOf(request)).catch(async (error) => {
      const now = error instanceof Failure && error.status === 409 ? await workOf(service, request) : null
      // Where only other fields were changed meanwhile, both changes hold.
      if (!now || Object.keys(body).some((name) => !isAsShown(form, name, now))) throw error
      await save({ ifVersion: now.version })
    })
  } catch (error) {
    if (!isCorrectable(error)) throw error
    if (back) return redirectWith(service, reply, back, { kind: 'danger', text: error.message })
    // What was not touched here is shown as it is stored now: sent again, the form must not change it back.
    const typed = Object.entries(body).map(([name, value]) => [name, value ?? ''])
    return showWork(service, request, reply, { change: Object.fromEntries(typed), error })
  }
  return redirectWith(service, reply, back ?? pathOf(work), { kind: 'good', text: 'Saved.' })
}

/** Only what the form has and what is not as the form showed it. */
function changeIn(form: Readonly<Record<string, string | undefined>>): Record<string, string | null> {
  const body: Record<string, string | null> = {}
  for (const name of ['state', 'assignee', 'paymentType'] as const) {
    const given = form[name]?.trim()
    if (given !== undefined && given !== form[`was-${name}`]) body[name] = given || null
  }
  // An empty choice of a package is none: it was waiting and still is.
  if (body.paymentType === null) delete body.paymentType
  for (const name of ['notes', 'internalNotes'] as const) {
    const given = form[name]
    if (given !== undefined && digest(lineBreaks(given)) !== form[`was-${name}`]) body[name] = lineBreaks(given)
  }
  return body
}

/** Whether a field is stored as the form showed it. A form that is one button does not say, and then it is not. */
function isAsShown(form: Readonly<Record<string, string | undefined>>, name: string, work: Work): boolean {
  const stored = work[name as keyof TypedChange] ?? ''
  return form[`was-${name}`] === (name === 'notes' || name === 'internalNotes' ? digest(stored) : stored)
}

/** Forms send line breaks as two characters. */
const lineBreaks = (text: string): string => text.replace(/\r\n/g, '\n')

async function markDone(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const work = await workOf(service, request)
  const successText = work.client.webhookUrl ? `Done. ${work.client.name} is being told.` : 'Done.'
  return actAndRedirect(service, reply, { back: `${pathOf(work)}/done`, done: pathOf(work), successText }, () =>
    performAs(service, request, completeSubmission, { id: work.id, ...expectedVersionOf(request) }, {}),
  )
}

async function recordRow(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const form = formOf(request)
  const slug = param(request, 'slug')
  const isScript = request.headers['hx-request'] === 'true'
  const typed: Typed = {
    slug,
    listingUrl: (form.listingUrl ?? '').trim(),
    proofUrl: (form.proofUrl ?? '').trim(),
    error: '',
    marked: {},
  }
  try {
    // Kept in what was typed: should the rest be wrong, the picture need not be sent again.
    typed.proofUrl = (await keepProof(service, request)) ?? typed.proofUrl
    const body = {
      isSubmitted: form.isSubmitted !== 'false',
      listingUrl: typed.listingUrl || null,
      proofUrl: typed.proofUrl || null,
      submittedBy: form.owner === 'true' ? 'OWNER' : 'ADMIN',
    }
    await performAs(
      service,
      request,
      recordDirectory,
      { id: param(request, 'id'), slug, ...expectedVersionOf(request) },
      body,
    )
  } catch (error) {
    if (!isCorrectable(error)) throw error
    typed.error = failureText(error, LABELS)
    typed.marked = problemsByField(error.problems, LABELS).marked
    if (!isScript) return showWork(service, request, reply, { typed, error: new Failure(error.status, typed.error) })
  }
  if (isScript) return sendRow(service, request, reply, typed.error ? typed : null)
  const next = form.next ?? ''
  const here = chosenAddress(
    `${SUBMISSIONS}/${encodeURIComponent(param(request, 'id'))}`,
    filtersOf(request, FILTERS),
    pageNumberOf(request),
  )
  return redirectWith(service, reply, `${here}#${/^[a-z0-9-]+$/.test(next) ? rowId(next) : 'directories'}`)
}

/** The row as it is now, and the progress, for the page that is already there. */
async function sendRow(service: Service, request: FastifyRequest, reply: FastifyReply, typed: Typed | null) {
  const work = await workOf(service, request)
  const slug = param(request, 'slug')
  const [candidate] = await candidatesNamed(service, request, work.id, slug)
  const action = () => request.url
  const row = directoryRow(candidate!, { action, token: csrfField(request), typed }, formOf(request).next ?? '')
  return reply.type('text/html; charset=utf-8').send(String(html`${row}${progressBar(work, true)}`))
}

async function keepProof(service: Service, request: FastifyRequest): Promise<string | null> {
  const proof = request.uploads?.get('proof')
  if (!proof) return null
  return (await performAs(service, request, uploadPicture, {}, proof.bytes)).url
}

/** Fields as they are called on the page; the body is that of an upload. */
const LABELS = {
  listingUrl: 'The address of the listing',
  proofUrl: 'The address of the proof picture',
  '': 'The picture',
}
