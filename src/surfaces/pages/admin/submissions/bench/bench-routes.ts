// The routes of the bench, the page on which an administrator enters a submission into directories. A form that the script sent is answered
// with the part of the page that has the next directory, any other form with a redirect.
import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { decidePlan, getBench, getBenchRecords, listPlanDecisions } from '../../../../../features/plan/operations.ts'
import { stateOnRecord } from '../../../../../features/plan/schema.ts'
import { getKit, undoDirectory } from '../../../../../features/submissions/bench/bench.operations.ts'
import { recordDirectory } from '../../../../../features/submissions/queue/queue.operations.ts'
import { getSubmission } from '../../../../../features/submissions/read/read.operations.ts'
import { Failure } from '../../../../../kernel/errors.ts'
import { expectedVersionOf, failureText, problemsByField } from '../../../kit/forms/forms.ts'
import { type AddressQuery, addressWith, queryText } from '../../../kit/lists/address-query.ts'
import { html } from '../../../kit/markup.ts'
import { isCorrectable, type Visit, type VisitPages } from '../../../kit/sending/private-pages.ts'
import { RECORD_LABELS, recordOf, storeProof, type TypedRecord, typedRecord } from '../directories.ts'
import { SUBMISSIONS } from '../list.ts'
import { progressBar, type SubmissionWork } from '../work.ts'
import * as pages from './bench.ts'

export const benchPages: VisitPages = {
  [`${SUBMISSIONS}/:id`]: { GET: (visit) => showBench(visit) },
  [`${SUBMISSIONS}/:id/records`]: { GET: (visit) => sendRecords(visit) },
  [`${SUBMISSIONS}/:id/bench/:slug/skip`]: { POST: (visit) => skip(visit) },
  [`${SUBMISSIONS}/:id/bench/:slug/undo`]: { POST: (visit) => undo(visit) },
}

/** The page whose form may contain a picture. */
export const benchUploads: VisitPages = {
  [`${SUBMISSIONS}/:id/bench/:slug`]: { POST: (visit) => record(visit) },
}

/** Whether the bench shows the failure. After a 404 the directory or its record was deleted in the meantime, and it shows another one. */
const isShownOnBench = (error: unknown): error is Failure =>
  isCorrectable(error) || (error instanceof Failure && error.status === 404)

const isFromScript = (visit: Visit): boolean => visit.request.headers['hx-request'] === 'true'

/** What the bench shows after a form. `last`: what was done last; undefined: the address says it; null: nothing can be undone. */
interface Shown {
  slug?: string
  last?: pages.LastAct | null
  typed?: TypedRecord | null
  reason?: string
  error?: Failure
}

/** Sends the bench with the directory that a form or the address names; to the script only the parts that change with the directory. */
async function showBench(visit: Visit, shown: Shown = {}): Promise<FastifyReply> {
  const work = await visit.perform(getSubmission, { id: visit.param('id') })
  const bench = await visit.perform(getBench, { id: work.id })
  const filters = visit.query(pages.BENCH_FILTERS)
  const last = shown.last === undefined ? await lastIn(visit, work, bench) : shown.last
  const slug = shown.slug || queryText(visit.request.query as AddressQuery, 'directory')
  const kit = await kitOf(visit, {
    work,
    bench,
    filters,
    slug,
    last,
    typed: shown.typed,
    reason: shown.reason,
    problem: shown.error?.message,
  })
  const status = shown.error?.status ?? 200
  if (isFromScript(visit))
    return visit.reply
      .code(status)
      .type('text/html; charset=utf-8')
      .send(
        String(
          html`${pages.kitSection(visit, kit, pages.pathOfWork(work))}${pages.benchHead(visit, work)}${progressBar(work)}`,
        ),
      )
  const flash = shown.error ? [{ kind: 'danger' as const, text: shown.error.message }] : []
  return visit.send({ ...pages.benchPage(visit, { work, bench, filters, kit }), flash }, status)
}

interface KitRequest {
  work: SubmissionWork
  bench: pages.BenchList
  filters: pages.BenchFilters
  slug: string
  last: pages.LastAct | null
  typed?: TypedRecord | null
  reason?: string
  problem?: string
}

/** The current directory with what the page shows of it; null if the list has no directory. */
async function kitOf(
  visit: Visit,
  { work, bench, filters, slug, last, typed, reason, problem }: KitRequest,
): Promise<pages.BenchKit | null> {
  const rows = pages.shownRows(bench, filters)
  const row = bench.rows.find((one) => one.slug === slug) ?? pages.firstRow(rows)
  if (!row) return null
  const kit = await visit.perform(getKit, { id: work.id, slug: row.slug })
  const decisionVersion = await decisionVersionOf(visit, work, row.slug)
  const next = pages.nextRow(rows, row.slug)?.slug ?? ''
  // If the directory no longer exists, another one is shown, and what was typed must not be in its form.
  const isTypedHere = typed?.slug === row.slug
  const returned = isTypedHere ? { typed } : { problem, reason: row.slug === slug ? reason : undefined }
  return { product: work.tool.slug, row, kit, decisionVersion, next, filters, last, ...returned }
}

/** The version of the decision to skip or pin the directory; 0 if there is none. */
async function decisionVersionOf(visit: Visit, { id }: SubmissionWork, slug: string) {
  const decisions = await visit.perform(listPlanDecisions, { id, limit: 1000 })
  return decisions.find((one) => one.slug === slug)?.version ?? 0
}

/** What was recorded or skipped last, as the redirect after it put it into the address; null if that can no longer be undone. */
async function lastIn(visit: Visit, work: SubmissionWork, bench: pages.BenchList): Promise<pages.LastAct | null> {
  const { last, did } = visit.query(['last', 'did'])
  const row = bench.rows.find(({ slug }) => slug === last)
  if (!row) return null
  if (did === 'skip') {
    if (row.state !== 'skipped') return null
    return { ...row, did, version: await decisionVersionOf(visit, work, last) }
  }
  const version = work.submissions.find(({ slug }) => slug === last)?.version
  return version === undefined ? null : { ...row, did: 'record', version }
}

/** Sends the script, which asks every few seconds, what is on record; 204 if nothing has changed since the stamp that it sent. */
async function sendRecords(visit: Visit): Promise<FastifyReply> {
  const { state, version, enteredCount, rows } = await visit.perform(getBenchRecords, { id: visit.param('id') })
  const records = {
    state,
    version,
    enteredCount,
    rows: Object.fromEntries(rows.map((row) => [row.slug, row.state])),
    names: Object.fromEntries(rows.map((row) => [row.slug, row.name])),
  }
  const stamp = createHash('sha256').update(JSON.stringify(records)).digest('base64url').slice(0, 16)
  if (queryText(visit.request.query as AddressQuery, 'known') === stamp) return visit.reply.code(204).send()
  return visit.reply.type('application/json').send({ stamp, ...records })
}

/** Answers a form of the bench: with the next directory, or, if it was refused, with the same one and the reason. */
async function answerAct(visit: Visit, did: pages.LastAct['did'] | null, shown: Shown): Promise<FastifyReply> {
  if (isFromScript(visit) || shown.error) return showBench(visit, shown)
  const query = { directory: shown.slug ?? '', ...visit.query(pages.BENCH_FILTERS) }
  const last: Record<string, string> = did === null ? {} : { last: visit.param('slug'), did }
  const path = `${SUBMISSIONS}/${encodeURIComponent(visit.param('id'))}`
  return visit.redirect(`${addressWith(path, { ...query, ...last })}#kit`)
}

async function record(visit: Visit): Promise<FastifyReply> {
  const form = visit.form
  const slug = visit.param('slug')
  const typed = typedRecord(slug, form)
  try {
    typed.proofUrl = (await storeProof(visit)) ?? typed.proofUrl
    const row = await visit.perform(
      recordDirectory,
      { id: visit.param('id'), slug, ...expectedVersionOf(visit) },
      recordOf(form, typed),
    )
    const last = { ...row, did: 'record' as const, state: stateOnRecord(row) }
    return answerAct(visit, 'record', { slug: form.next || slug, last })
  } catch (error) {
    if (!isShownOnBench(error)) throw error
    typed.error = failureText(error, RECORD_LABELS)
    typed.marked = problemsByField(error.problems, RECORD_LABELS).marked
    return answerAct(visit, null, { slug, typed, last: null, error })
  }
}

async function skip(visit: Visit): Promise<FastifyReply> {
  const { reason, next } = visit.form
  const [id, slug] = [visit.param('id'), visit.param('slug')]
  try {
    const { name, version } = await visit.perform(
      decidePlan,
      { id, slug, ...expectedVersionOf(visit) },
      { decision: 'skipped', reason: reason?.trim() || null },
    )
    const last = { slug, name, did: 'skip' as const, version, state: 'skipped' }
    return answerAct(visit, 'skip', { slug: next || slug, last })
  } catch (error) {
    if (!isShownOnBench(error)) throw error
    return answerAct(visit, null, { slug, last: null, reason: reason ?? '', error })
  }
}

async function undo(visit: Visit): Promise<FastifyReply> {
  const [id, slug] = [visit.param('id'), visit.param('slug')]
  const guard = { id, slug, ...expectedVersionOf(visit) }
  try {
    if (visit.form.did === 'skip') await visit.perform(decidePlan, guard, { decision: null })
    else await visit.perform(undoDirectory, guard)
    return answerAct(visit, null, { slug, last: null })
  } catch (error) {
    if (!isShownOnBench(error)) throw error
    return answerAct(visit, null, { slug, last: null, error })
  }
}
