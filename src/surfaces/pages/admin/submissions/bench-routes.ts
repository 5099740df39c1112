// The addresses of the bench. A form that the script sends is answered with the next directory alone, otherwise with a redirect to it.
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MAX_PICTURE_BYTES } from '../../../../features/enrichment/operations.ts'
import { getBench, getBenchRecords } from '../../../../features/plan/bench.operations.ts'
import { decidePlan, listPlanDecisions } from '../../../../features/plan/operations.ts'
import { getKit, undoDirectory } from '../../../../features/submissions/bench.operations.ts'
import { recordDirectory } from '../../../../features/submissions/queue.operations.ts'
import { getSubmission } from '../../../../features/submissions/read.operations.ts'
import { Failure } from '../../../../kernel/errors.ts'
import type { Service } from '../../../http/service.ts'
import { readBufferedUploads } from '../../kit/buffered-uploads.ts'
import { formOf } from '../../kit/forms.ts'
import { html } from '../../kit/markup.ts'
import { redirectWith } from '../../kit/messages.ts'
import { param } from '../../kit/parameters.ts'
import { addPrivatePages, isCorrectable, performAs } from '../../kit/private-pages.ts'
import { failureText, problemsByField } from '../../kit/problems.ts'
import { type AddressQuery, addressWith, queryText } from '../../kit/site-addresses.ts'
import { filtersOf } from '../filtered-lists.ts'
import { sendAdmin } from '../frame.ts'
import { expectedVersionOf } from '../version-field.ts'
import {
  BENCH_FILTERS,
  type BenchFilters,
  type BenchList,
  benchHead,
  benchPage,
  firstRow,
  nextRow,
  pathOfWork,
  shownRows,
} from './bench.ts'
import { type BenchKit, kitSection, type LastAct } from './bench-kit.ts'
import type { TypedRecord } from './directories.ts'
import { SUBMISSIONS } from './list.ts'
import { RECORD_LABELS, recordOf, storeProof, typedRecord } from './record.ts'
import { progressBar, type SubmissionWork } from './work.ts'

export function addBenchPages(server: FastifyInstance, service: Service): void {
  addPrivatePages(server, service, 'admin', {
    [`${SUBMISSIONS}/:id`]: { GET: (request, reply) => showBench(service, request, reply) },
    [`${SUBMISSIONS}/:id/records`]: { GET: (request, reply) => sendRecords(service, request, reply) },
    [`${SUBMISSIONS}/:id/bench/:slug/skip`]: { POST: (request, reply) => skip(service, request, reply) },
    [`${SUBMISSIONS}/:id/bench/:slug/undo`]: { POST: (request, reply) => undo(service, request, reply) },
  })
  addPrivatePages(
    server,
    service,
    'admin',
    { [`${SUBMISSIONS}/:id/bench/:slug`]: { POST: (request, reply) => record(service, request, reply) } },
    readBufferedUploads(MAX_PICTURE_BYTES),
  )
}

/** Also a 404: the directory or its record was deleted in the meantime, and the work goes on with another one. */
const isShownOnBench = (error: unknown): error is Failure =>
  isCorrectable(error) || (error instanceof Failure && error.status === 404)

const isFromScript = (request: FastifyRequest): boolean => request.headers['hx-request'] === 'true'

interface Chosen {
  slug?: string
  last?: LastAct | null
  typed?: TypedRecord | null
  /** The reason of a skip that was refused. */
  reason?: string
  error?: Failure
}

/** The page with the directory that the address names, or for the script only what changes with it. */
async function showBench(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  chosen: Chosen = {},
): Promise<FastifyReply> {
  const work = await performAs(service, request, getSubmission, { id: param(request, 'id') })
  const bench = await performAs(service, request, getBench, { id: work.id })
  const filters = filtersOf(request, BENCH_FILTERS)
  const last = chosen.last === undefined ? await lastIn(service, request, work, bench) : chosen.last
  const slug = chosen.slug || queryText(request.query as AddressQuery, 'directory')
  const kit = await kitOf(service, request, {
    work,
    bench,
    filters,
    slug,
    last,
    typed: chosen.typed,
    reason: chosen.reason,
    problem: chosen.error?.message,
  })
  const status = chosen.error?.status ?? 200
  if (isFromScript(request))
    return reply
      .code(status)
      .type('text/html; charset=utf-8')
      .send(String(html`${kitSection(request, kit, pathOfWork(work))}${benchHead(request, work)}${progressBar(work)}`))
  const flash = chosen.error ? [{ kind: 'danger' as const, text: chosen.error.message }] : []
  return sendAdmin(service, request, reply, { ...benchPage(request, { work, bench, filters, kit }), flash }, status)
}

interface KitRequest {
  work: SubmissionWork
  bench: BenchList
  filters: BenchFilters
  slug: string
  last: LastAct | null
  typed?: TypedRecord | null
  reason?: string
  problem?: string
}

async function kitOf(
  service: Service,
  request: FastifyRequest,
  { work, bench, filters, slug, last, typed, reason, problem }: KitRequest,
): Promise<BenchKit | null> {
  const shown = shownRows(bench, filters)
  const row = bench.rows.find((one) => one.slug === slug) ?? firstRow(shown)
  if (!row) return null
  const kit = await performAs(service, request, getKit, { id: work.id, slug: row.slug })
  const decisionVersion = await decisionVersionOf(service, request, work, row.slug)
  const next = nextRow(shown, row.slug)?.slug ?? ''
  // What was typed for a directory that no longer exists must not be in the form of another one.
  const isTypedHere = typed?.slug === row.slug
  const returned = isTypedHere ? { typed } : { problem, reason: row.slug === slug ? reason : undefined }
  return { row, kit, decisionVersion, next, filters, last, ...returned }
}

async function decisionVersionOf(service: Service, request: FastifyRequest, { id }: SubmissionWork, slug: string) {
  const decisions = await performAs(service, request, listPlanDecisions, { id, limit: 1000 })
  return decisions.find((one) => one.slug === slug)?.version ?? 0
}

/** What was done last, as the redirect after it says in the address. */
async function lastIn(
  service: Service,
  request: FastifyRequest,
  work: SubmissionWork,
  bench: BenchList,
): Promise<LastAct | null> {
  const { last, did } = filtersOf(request, ['last', 'did'])
  const row = bench.rows.find(({ slug }) => slug === last)
  if (!row) return null
  if (did === 'skip') {
    if (row.state !== 'skipped') return null
    return { ...row, did, version: await decisionVersionOf(service, request, work, last) }
  }
  const version = work.submissions.find(({ slug }) => slug === last)?.version
  return version === undefined ? null : { ...row, did: 'record', version }
}

/** What is on record, for the script, which asks every few seconds. It sends the stamp that it knows. */
async function sendRecords(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { state, version, enteredCount, rows } = await performAs(service, request, getBenchRecords, {
    id: param(request, 'id'),
  })
  const records = {
    state,
    version,
    enteredCount,
    rows: Object.fromEntries(rows.map((row) => [row.slug, row.state])),
    names: Object.fromEntries(rows.map((row) => [row.slug, row.name])),
  }
  const stamp = createHash('sha256').update(JSON.stringify(records)).digest('base64url').slice(0, 16)
  if (queryText(request.query as AddressQuery, 'known') === stamp) return reply.code(204).send()
  return reply.type('application/json').send({ stamp, ...records })
}

/** Answers an act on a directory: the next one, or the same one again with what is wrong. */
async function answerAct(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  did: LastAct['did'] | null,
  chosen: Chosen,
): Promise<FastifyReply> {
  if (isFromScript(request) || chosen.error) return showBench(service, request, reply, chosen)
  const query = { directory: chosen.slug ?? '', ...filtersOf(request, BENCH_FILTERS) }
  const last: Record<string, string> = did === null ? {} : { last: param(request, 'slug'), did }
  const path = `${SUBMISSIONS}/${encodeURIComponent(param(request, 'id'))}`
  return redirectWith(service, reply, `${addressWith(path, { ...query, ...last })}#kit`)
}

async function record(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const form = formOf(request)
  const slug = param(request, 'slug')
  const typed = typedRecord(slug, form)
  try {
    typed.proofUrl = (await storeProof(service, request)) ?? typed.proofUrl
    const { name, version, isSubmitted } = await performAs(
      service,
      request,
      recordDirectory,
      { id: param(request, 'id'), slug, ...expectedVersionOf(request) },
      recordOf(form, typed),
    )
    const last = { slug, name, did: 'record' as const, version, state: isSubmitted ? 'entered' : 'planned' }
    return answerAct(service, request, reply, 'record', { slug: form.next || slug, last })
  } catch (error) {
    if (!isShownOnBench(error)) throw error
    typed.error = failureText(error, RECORD_LABELS)
    typed.marked = problemsByField(error.problems, RECORD_LABELS).marked
    return answerAct(service, request, reply, null, { slug, typed, last: null, error })
  }
}

async function skip(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { reason, next } = formOf(request)
  const [id, slug] = [param(request, 'id'), param(request, 'slug')]
  try {
    const { name, version } = await performAs(
      service,
      request,
      decidePlan,
      { id, slug, ...expectedVersionOf(request) },
      { decision: 'skipped', reason: reason?.trim() || null },
    )
    const last = { slug, name, did: 'skip' as const, version, state: 'skipped' }
    return answerAct(service, request, reply, 'skip', { slug: next || slug, last })
  } catch (error) {
    if (!isShownOnBench(error)) throw error
    return answerAct(service, request, reply, null, { slug, last: null, reason: reason ?? '', error })
  }
}

async function undo(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const [id, slug] = [param(request, 'id'), param(request, 'slug')]
  const guard = { id, slug, ...expectedVersionOf(request) }
  try {
    if (formOf(request).did === 'skip') await performAs(service, request, decidePlan, guard, { decision: null })
    else await performAs(service, request, undoDirectory, guard)
    return answerAct(service, request, reply, null, { slug, last: null })
  } catch (error) {
    if (!isShownOnBench(error)) throw error
    return answerAct(service, request, reply, null, { slug, last: null, error })
  }
}
