// The routes of the queue and of one submission (its plan, checks and bench have files of their own). When the script of the
// page sends the form of one directory, the answer is only the row of that directory and the progress.
import type { FastifyReply } from 'fastify'
import {
  changeSubmission,
  completeSubmission,
  recordDirectory,
} from '../../../../features/submissions/queue/queue.operations.ts'
import { getSubmission, listSubmissionDirectories } from '../../../../features/submissions/read/read.operations.ts'
import { Failure, notFound } from '../../../../kernel/errors.ts'
import { expectedVersionOf, failureText, problemsByField } from '../../kit/forms/forms.ts'
import { pageNumberOf } from '../../kit/lists/paged-lists.ts'
import { html, normaliseLineBreaks, oneLine } from '../../kit/markup.ts'
import { isCorrectable, type Visit, type VisitPages } from '../../kit/sending/private-pages.ts'
import { publicDirectoryCategories } from '../../site/catalog-reads.ts'
import * as records from './directories.ts'
import { goToNext, showDone } from './done.ts'
import { changeChosen, SUBMISSIONS, showSubmissions } from './list.ts'
import { changeViews, ownAddress, VIEWS } from './views.ts'
import { progressBar, type SubmissionWork, type TypedChange, textHash, workPage } from './work.ts'

/** How many directories a page has. Each has a form, so more would be a very long page. */
const LIMIT = 20

export const submissionPages: VisitPages = {
  [`${SUBMISSIONS}/bulk`]: { POST: (visit) => changeChosen(visit) },
  [SUBMISSIONS]: { GET: (visit) => showSubmissions(visit) },
  [`${SUBMISSIONS}/:id/directories`]: { GET: (visit) => showWork(visit) },
  [`${SUBMISSIONS}/:id/change`]: { POST: (visit) => change(visit) },
  [VIEWS]: { POST: (visit) => changeViews(visit) },
  [`${SUBMISSIONS}/:id/next`]: { POST: (visit) => goToNext(visit) },
  [`${SUBMISSIONS}/:id/done`]: {
    GET: async (visit) => {
      const work = await workOf(visit)
      if (work.state === null || work.state === 'DONE') return visit.redirect(pathOf(work))
      return showDone(visit, work)
    },
    POST: (visit) => markDone(visit),
  },
}

/** The address whose form may contain a picture (a screenshot as proof), so it is read with uploads. */
export const directoryUploads: VisitPages = {
  [`${SUBMISSIONS}/:id/directories/:slug`]: { POST: (visit) => recordRow(visit) },
}

const workOf = (visit: Visit): Promise<SubmissionWork> => visit.perform(getSubmission, { id: visit.param('id') })

const pathOf = ({ id }: Pick<SubmissionWork, 'id'>): string => `${SUBMISSIONS}/${id}`

async function showWork(
  visit: Visit,
  returned: { typed?: records.TypedRecord; change?: TypedChange; error?: Failure } = {},
): Promise<FastifyReply> {
  const work = await workOf(visit)
  const filters = visit.query(records.FILTERS)
  const page = pageNumberOf(visit)
  const candidates = await visit.perform(listSubmissionDirectories, { ...filters, id: work.id, limit: LIMIT, page })
  // The directory whose form was refused may no longer be on this page of the list. Then it is put first.
  const { typed, change, error } = returned
  if (typed && !candidates.some(({ slug }) => slug === typed.slug))
    candidates.unshift(...(await findCandidates(visit, work.id, typed.slug)))
  const view = {
    work,
    candidates,
    categories: publicDirectoryCategories(visit.ctx),
    filters,
    page,
    isFull: candidates.length >= LIMIT,
    typed,
    change,
  }
  const flash = error ? [{ kind: 'danger' as const, text: error.message }] : []
  return visit.send({ ...workPage(visit, view), flash }, error?.status)
}

const findCandidates = (visit: Visit, id: string, slug: string) =>
  visit.perform(listSubmissionDirectories, { id, slug })

async function change(visit: Visit): Promise<FastifyReply> {
  const form = visit.form
  const work = await workOf(visit)
  // The list that the form was sent from; null: the page of the submission.
  const back = ownAddress(form.back)
  const body = changesOf(form)
  if (Object.keys(body).length === 0)
    return visit.redirect(back ?? pathOf(work), { kind: 'info', text: 'Nothing was changed.' })
  const save = (guard: object) => visit.perform(changeSubmission, { id: work.id, ...guard }, body)
  try {
    await save(expectedVersionOf(visit)).catch(async (error) => {
      const now = error instanceof Failure && error.status === 409 ? await workOf(visit) : null
      // If only other fields were changed in the meantime, this change is saved on top of them.
      if (!now || Object.keys(body).some((name) => !isAsShown(form, name, now))) throw error
      await save({ ifVersion: now.version })
    })
  } catch (error) {
    if (!isCorrectable(error)) throw error
    if (back) return visit.redirect(back, { kind: 'danger', text: error.message })
    // Fields that the user did not change show the stored values, so that sending the form again does not undo another change.
    const typed = Object.entries(body).map(([name, value]) => [name, value ?? ''])
    return showWork(visit, { change: Object.fromEntries(typed), error })
  }
  return visit.redirect(back ?? pathOf(work), { kind: 'good', text: 'Saved.' })
}

/** The fields that the user changed in the form, which also has the values that it was opened with (`was-…`). */
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
    if (given !== undefined && textHash(normaliseLineBreaks(given)) !== form[`was-${name}`])
      body[name] = normaliseLineBreaks(given)
  }
  return body
}

/** Whether the stored value is still the one that the form was opened with. False for a form that has no `was-` fields. */
function isAsShown(form: Readonly<Record<string, string | undefined>>, name: string, work: SubmissionWork): boolean {
  const stored = work[name as keyof TypedChange] ?? ''
  return form[`was-${name}`] === (name === 'notes' || name === 'internalNotes' ? textHash(stored) : stored)
}

async function markDone(visit: Visit): Promise<FastifyReply> {
  const work = await workOf(visit)
  const given = visit.form.notes
  const body = given === undefined ? {} : { notes: normaliseLineBreaks(given) }
  try {
    await visit.perform(completeSubmission, { id: work.id, ...expectedVersionOf(visit) }, body)
  } catch (error) {
    if (!isCorrectable(error)) throw error
    const now = await workOf(visit)
    // If another administrator has marked it Done, the notes can still be saved on the page of the submission.
    return now.state === null || now.state === 'DONE'
      ? showWork(visit, { change: body, error })
      : showDone(visit, now, { ...body, error })
  }
  const text = work.client.webhookUrl ? `Done. ${work.client.name} gets a webhook.` : 'Done.'
  if (visit.form.after === 'next') return goToNext(visit, `${oneLine(work.tool.name, 60)}: ${text}`)
  return visit.redirect(pathOf(work), { kind: 'good', text })
}

async function recordRow(visit: Visit): Promise<FastifyReply> {
  const form = visit.form
  const slug = visit.param('slug')
  const isFromScript = visit.request.headers['hx-request'] === 'true'
  const typed = records.typedRecord(slug, form)
  try {
    // A form that is shown again has the address of the stored picture, so that the picture need not be sent again.
    typed.proofUrl = (await records.storeProof(visit)) ?? typed.proofUrl
    await visit.perform(
      recordDirectory,
      { id: visit.param('id'), slug, ...expectedVersionOf(visit) },
      records.recordOf(form, typed),
    )
  } catch (error) {
    if (!isCorrectable(error)) throw error
    typed.error = failureText(error, records.RECORD_LABELS)
    typed.marked = problemsByField(error.problems, records.RECORD_LABELS).marked
    if (!isFromScript) return showWork(visit, { typed, error: new Failure(error.status, typed.error) })
  }
  if (isFromScript) return sendRow(visit, typed.error ? typed : null)
  // The slug of the row below this one, to which the browser scrolls.
  const next = form.next ?? ''
  const pageAddress = records.filteredAddress(
    `${SUBMISSIONS}/${encodeURIComponent(visit.param('id'))}/directories`,
    visit.query(records.FILTERS),
    pageNumberOf(visit),
  )
  return visit.redirect(`${pageAddress}#${/^[a-z0-9-]+$/.test(next) ? records.rowId(next) : 'directories'}`)
}

/** Sends the row and the progress, which the script puts into the page that is already shown. */
async function sendRow(visit: Visit, typed: records.TypedRecord | null) {
  const work = await workOf(visit)
  const slug = visit.param('slug')
  const [candidate] = await findCandidates(visit, work.id, slug)
  if (!candidate) throw notFound('Directory')
  const action = () => visit.request.url
  const row = records.directoryRow(candidate, { visit, action, typed }, visit.form.next ?? '')
  return visit.reply
    .type('text/html; charset=utf-8')
    .send(String(html`${row}${progressBar(work, { isOutOfBand: true })}`))
}
