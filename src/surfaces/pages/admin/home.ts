// The start page of the console: how much work waits, and the newest items of each kind.
import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import { TOPIC } from '../../../features/catalog/schema.ts'
import { listEnrichmentRows } from '../../../features/enrichment/operations.ts'
import { listHealth } from '../../../features/health/operations.ts'
import { listVisitorReports } from '../../../features/health/reports.operations.ts'
import { listKeys } from '../../../features/keys/operations.ts'
import { entryOperations } from '../../../features/listings/operations.ts'
import { getOverview, listBrokenRows } from '../../../features/overview/operations.ts'
import type { overviewSchema } from '../../../features/overview/schema.ts'
import { listSubmissions } from '../../../features/submissions/queue.operations.ts'
import { listWaiting, type WaitingRow } from '../../../features/submissions/read.operations.ts'
import { type QueueState, STATES } from '../../../features/submissions/rules.ts'
import { listInbox } from '../../../features/support/inbox.operations.ts'
import { listWebhooks } from '../../../features/webhooks/operations.ts'
import { sectionHead, summaryFigures } from '../kit/components.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { addressWith } from '../kit/site-addresses.ts'
import { time } from '../kit/values.ts'
import { BROKEN_ROWS, brokenLine } from './broken-rows.ts'
import type { Enrichment } from './enrichments.ts'
import { ADMIN } from './frame.ts'
import { healthBadge, type ShownHealth } from './health.ts'
import type { AdminKey } from './keys.ts'
import { allPartners } from './list-pages.ts'
import type { StoredListing } from './listings/kinds.ts'
import { publishForm } from './listings/pages.ts'
import { SUBMISSION_STATES, stateBadge, submissionBadge } from './states.ts'
import { type QueueItem, WAITING } from './submissions/list.ts'
import type { InboxItem } from './support/list.ts'
import type { ConsolePages, Visit } from './visit.ts'
import { reasonText, VISITOR_REPORTS, type VisitorReports } from './visitor-reports.ts'
import type { Delivery } from './webhooks.ts'

const NEWEST_COUNT = 5
const REVIEW_PATH = '/admin/tools?hiddenReason=review'

type OwnedKey = AdminKey & { owner: string; userId: string | null; partnerId: string | null }

export const homePages: ConsolePages = { [ADMIN]: { GET: (visit) => show(visit) } }

async function show(visit: Visit): Promise<FastifyReply> {
  const overview = await visit.perform(getOverview, {})
  const newestOnly = { limit: NEWEST_COUNT }
  const waiting = await visit.perform(listSubmissions, { ...newestOnly, state: 'WAITING' })
  const queued = await visit.perform(listSubmissions, { ...newestOnly, state: 'IN_QUEUE' })
  const mine = await visit.perform(listSubmissions, {
    // More than are shown, because those that are Done are left out.
    limit: 20,
    assignee: visit.user.email,
    sort: 'changed',
  })
  const overdue = await visit.perform(listWaiting, { ...newestOnly, reason: 'overdue' })
  const questions = await visit.perform(listInbox, { ...newestOnly, status: 'pending' })
  const deliveries = await visit.perform(listWebhooks, { ...newestOnly, open: true })
  const enrichments = await visit.perform(listEnrichmentRows, { ...newestOnly, state: 'failed' })
  const brokenRows = await visit.perform(listBrokenRows, newestOnly)
  const ended = await visit.perform(listHealth, { ...newestOnly, open: true, new: true })
  const reports = await visit.perform(listVisitorReports, newestOnly)
  const review = await visit.perform(entryOperations.tool.list, { ...newestOnly, hiddenReason: 'review' })
  const unheld = await visit.perform(listKeys, { ...newestOnly, unheld: true })
  const names = new Map((await allPartners(visit)).map(({ id, name }) => [id, name]))
  const myOpenSubmissions = mine.filter(({ state }) => state !== 'DONE').slice(0, NEWEST_COUNT)
  return visit.send({
    title: 'Console',
    body: html`<div class="flow">
<h1>To do</h1>
${countsOf(overview)}
${mailSection(overview.mailProblems ?? [])}
<div class="waits">
${myOpenSubmissions.length > 0 && newestSection('Yours', '/admin/submissions?assignee=me&view=table', myOpenSubmissions.map(submissionLine))}
${newestSection('New in the queue', '/admin/submissions?view=table&state=IN_QUEUE', queued.map(submissionLine))}
${waiting.length > 0 && newestSection('Waiting for a package', '/admin/submissions?view=table&state=WAITING', waiting.map(submissionLine))}
${
  review.length > 0 &&
  newestSection(
    'Listings to review',
    REVIEW_PATH,
    review.map((stored) => reviewLine(visit, stored)),
  )
}
${overdue.length > 0 && newestSection('Listings that are overdue', `${WAITING}?reason=overdue`, overdue.map(overdueLine))}
${newestSection('Customer questions', '/admin/support', questions.map(questionLine))}
${reports.length > 0 && newestSection('Reports of visitors', VISITOR_REPORTS, reports.map(reportLine))}
${ended.length > 0 && newestSection('Gone, parked or moved since yesterday', '/admin/health?show=new', ended.map(endedLine))}
${newestSection(
  'Webhooks that did not arrive',
  '/admin/webhooks?state=open',
  deliveries.map((row) => deliveryLine(row, names.get(row.clientId) ?? row.clientId)),
)}
${brokenRows.length > 0 && newestSection('Rows that readers are not shown', BROKEN_ROWS, brokenRows.map(brokenLine))}
${newestSection('Enrichments that failed', '/admin/enrichments?state=failed', enrichments.map(enrichmentLine))}
</div>
${
  unheld.length > 0 &&
  html`${sectionHead('Keys that were never shown')}
<p>The answer with each of them was cut off, and it was never used. Revoke it on its owner's page.</p>
<ul class="links lines">${unheld.map((key) => html`<li>${keyLine(key)}</li>\n`)}</ul>
${overview.unheldKeys > unheld.length && html`<p class="quiet">and ${overview.unheldKeys - unheld.length} more</p>`}`
}
</div>`,
  })
}

type MailProblems = NonNullable<Static<typeof overviewSchema>['mailProblems']>

const mailSection = (problems: MailProblems): Markup | false =>
  problems.length > 0 &&
  html`<section class="panel" aria-label="Mails that were not sent">${sectionHead('Mails of the last day that were not sent')}
<ul class="links lines">${problems.map(({ kind, count, problem, remedy }) => html`<li><span><strong>${count} × ${kind}</strong>: ${problem}</span><span class="note">${remedy}</span></li>\n`)}</ul></section>\n`

const countsOf = (overview: Static<typeof overviewSchema>): Markup => {
  const linked = (href: string, count: number) => html`<a href="${href}">${count}</a>`
  const figureOf = (state: QueueState): [string, Markup] => [
    SUBMISSION_STATES[state][0],
    linked(`/admin/submissions?view=table&state=${state}`, overview.submissions[state]),
  ]
  return summaryFigures([
    figureOf('WAITING'),
    ...STATES.filter((state) => state !== 'DONE').map(figureOf),
    ['Questions', linked('/admin/support', overview.pendingConversations)],
    ['Webhooks', linked('/admin/webhooks?state=open', overview.openWebhooks)],
    ...(overview.listingsToReview ? [['To review', linked(REVIEW_PATH, overview.listingsToReview)] as const] : []),
    ['Enrichments', linked('/admin/enrichments?state=failed', overview.failedEnrichments)],
    ...(overview.brokenRows > 0 ? [['Broken rows', linked(BROKEN_ROWS, overview.brokenRows)] as const] : []),
  ])
}

const newestSection = (title: string, href: string, lines: readonly Markup[]): Markup =>
  html`<section class="panel" aria-label="${title}">${sectionHead(title, { href, label: html`All of them<span class="visually-hidden">: ${title}</span>` })}
${lines.length === 0 ? html`<p class="quiet">Nothing waits here.</p>` : html`<ul class="links lines">${lines.map((line) => html`<li>${line}</li>\n`)}</ul>`}</section>\n`

const submissionLine = ({ id, tool, client, state, createdAt }: QueueItem): Markup =>
  html`<a href="/admin/submissions/${id}"><bdi>${tool.name}</bdi></a><span class="note row">${state !== 'IN_QUEUE' && state !== null && submissionBadge(state)}<bdi>${client.name}</bdi> ${time(createdAt)}</span>`

const overdueLine = ({ submissionId, tool, directory, directoryName, since }: WaitingRow): Markup =>
  html`<a href="${addressWith(`/admin/submissions/${submissionId}`, { directory, show: 'all' })}"><bdi>${tool.name}</bdi></a><span class="note row"><bdi>${directoryName}</bdi> ${time(since)}</span>`

const reviewLine = (visit: Visit, stored: StoredListing): Markup =>
  html`<a href="/admin/tools/${encodeURIComponent(stored.slug)}"><bdi>${stored.name}</bdi></a><div class="note row"><bdi>${stored.website}</bdi> ${time(stored.createdAt)} ${publishForm(stored, { ...visit.values, back: ADMIN })}</div>`

const questionLine = ({ id, question, client, updatedAt }: InboxItem): Markup =>
  html`<a href="/admin/support/${id}"><bdi>${oneLine(question, 90)}</bdi></a><span class="note row"><bdi>${client.name}</bdi> ${time(updatedAt)}</span>`

const reportLine = ({ name, reasons, lastAt }: VisitorReports): Markup =>
  html`<a href="${VISITOR_REPORTS}"><bdi>${name}</bdi></a><span class="note row">${reasonText(reasons)} ${time(lastAt)}</span>`

const endedLine = ({ kind, slug, name, state, since }: ShownHealth): Markup =>
  html`<a href="/admin/${TOPIC[kind]}/${encodeURIComponent(slug)}"><bdi>${name}</bdi></a><span class="note row">${healthBadge(state)} ${time(since)}</span>`

const deliveryLine = ({ id, event, state, createdAt }: Delivery, partner: string): Markup =>
  html`<a href="/admin/webhooks/${id}">${event}</a><span class="note row">${stateBadge(state)}<bdi>${partner}</bdi> ${time(createdAt)}</span>`

const keyLine = ({ last4, owner, userId, partnerId, createdAt }: OwnedKey): Markup =>
  html`<a href="${userId === null ? `/admin/partners/${partnerId}` : `/admin/users/${userId}`}"><bdi>${owner}</bdi></a><span class="note row"><code>…${last4}</code> ${time(createdAt)}</span>`

const enrichmentLine = ({ tool, updatedAt }: Enrichment): Markup =>
  html`<a href="/admin/enrichments?state=failed#tool-${tool.slug}"><bdi>${tool.name}</bdi></a><span class="note row">${time(updatedAt)}</span>`
