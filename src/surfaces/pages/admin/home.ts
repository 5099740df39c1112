// The start page of the console: how much work of each kind waits, and a panel with the newest items of each.
import type { FastifyReply } from 'fastify'
import type { Static, TArray, TObject, TSchema } from 'typebox'
import { TOPIC } from '../../../features/catalog/schema.ts'
import { listEnrichmentRows } from '../../../features/enrichment/operations.ts'
import { listReviews } from '../../../features/founders/products/operations.ts'
import { listHealth } from '../../../features/health/operations.ts'
import { listVisitorReports } from '../../../features/health/reports/reports.operations.ts'
import { listKeys } from '../../../features/keys/operations.ts'
import { entryOperations } from '../../../features/listings/operations.ts'
import { getMenuCounts, getOverview, listBrokenRows } from '../../../features/overview/operations.ts'
import type { overviewSchema } from '../../../features/overview/schema.ts'
import { listProposalRows } from '../../../features/proposals/operations.ts'
import { listSubmissions } from '../../../features/submissions/queue/queue.operations.ts'
import { listWaiting, type WaitingRow } from '../../../features/submissions/read/read.operations.ts'
import { STATES } from '../../../features/submissions/rules.ts'
import { listInbox } from '../../../features/support/inbox/inbox.operations.ts'
import { listWebhooks } from '../../../features/webhooks/operations.ts'
import type { Operation, Unread } from '../../../kernel/operation.ts'
import { emptyState, sectionHead, tile, viewChip } from '../kit/components.ts'
import { addressWith } from '../kit/lists/address-query.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { namedListing } from '../kit/named-listing.ts'
import type { Visit, VisitPages } from '../kit/sending/private-pages.ts'
import { ago, fieldLabel } from '../kit/values.ts'
import { eventLabel } from '../webhook-parts.ts'
import { BROKEN_ROWS, brokenLine } from './catalog/broken-rows.ts'
import type { Enrichment } from './catalog/enrichments.ts'
import { healthBadge, type ShownHealth } from './catalog/health.ts'
import { PROPOSALS, type Proposal, proposedListing } from './catalog/proposals.ts'
import { REVIEWS } from './catalog/reviews.ts'
import { reasonText, VISITOR_REPORTS, type VisitorReports } from './catalog/visitor-reports.ts'
import type { AdminKey } from './customers/keys.ts'
import type { Delivery } from './customers/webhooks.ts'
import { ADMIN, COUNTED, sectionCounts, sectionsOf } from './kit/frame.ts'
import { allPartners } from './kit/list-pages.ts'
import { SUBMISSION_STATES, stateBadge, submissionBadge } from './kit/states.ts'
import type { StoredListing } from './listings/kinds.ts'
import { publishForm } from './listings/pages.ts'
import { type QueueItem, SUBMISSIONS, WAITING } from './submissions/list.ts'
import type { InboxItem } from './support/list.ts'

const NEWEST_COUNT = 5
const REVIEW_PATH = '/admin/tools?hiddenReason=review'
const FAILED = '/admin/enrichments?state=failed'

export const homePages: VisitPages = { [ADMIN]: { GET: (visit) => show(visit) } }

async function show(visit: Visit): Promise<FastifyReply> {
  const overview = await visit.perform(getOverview, {})
  const waiting = sectionCounts(await visit.perform(getMenuCounts, {}))
  const panels: Shown[] = []
  for (const showPanel of await panelsFor(visit)) {
    const shown = await showPanel(visit)
    if (shown) panels.push(shown)
  }
  const shownBelow = new Set(panels.map(({ href }) => href))
  return visit.send({
    title: 'Console',
    body: html`<div class="flow">
<h1>To do</h1>
<ul class="chips views" aria-label="How much waits">${countsOf(overview, waitingSections(visit, waiting), shownBelow)}</ul>
${mailSection(overview.mailProblems ?? [])}
${panels.length === 0 ? emptyState({ title: 'Nothing waits', text: 'What partners, founders and visitors send appears here.' }) : html`<div class="waits">${panels.map(({ section }) => section)}</div>`}
${await unheldSection(visit, overview.unheldKeys)}
</div>`,
  })
}

interface Shown {
  /** The address of the whole list. */
  href: string
  section: Markup
}
type Panel = (visit: Visit) => Promise<Shown | null>

/** The newest rows of a list in a panel that leads to all of them; null when there are none. */
const panel =
  <I extends TObject, B extends TSchema, Row extends TSchema>(
    [title, href]: [title: string, href: string],
    operation: Operation<I, B, TArray<Row>>,
    parameters: Unread<Static<I>>,
    line: (row: Static<Row>, visit: Visit) => Markup,
    isShown: (row: Static<Row>) => boolean = () => true,
  ): Panel =>
  async (visit) => {
    // More rows are read than shown, because `isShown` may leave some out.
    const newest = { limit: 4 * NEWEST_COUNT, ...parameters } as Unread<Static<I>>
    const found = await visit.perform(operation, newest)
    const rows = found.filter(isShown)
    const count = found.length < 4 * NEWEST_COUNT ? rows.length : `${rows.length}+`
    return rows.length === 0
      ? null
      : {
          href,
          section: html`<section class="panel" aria-label="${title}">${sectionHead(html`${title} <span class="count">${count}</span>`, { href, label: html`All of them<span class="visually-hidden">: ${title}</span>` })}
<ul class="links lines">${rows.slice(0, NEWEST_COUNT).map((row) => html`<li>${line(row, visit)}</li>\n`)}</ul></section>\n`,
        }
  }

/** The panels, in the order in which an administrator works through them. */
async function panelsFor(visit: Visit): Promise<Panel[]> {
  const names = new Map((await allPartners(visit)).map(({ id, name }) => [id, name]))
  const queue = (query: string) => `/admin/submissions?view=table&${query}`
  const mine = { assignee: visit.user.email, sort: 'changed' }
  return [
    panel(['Listings that are overdue', `${WAITING}?reason=overdue`], listWaiting, { reason: 'overdue' }, overdueLine),
    panel(['Customer questions', '/admin/support'], listInbox, { status: 'pending' }, questionLine),
    panel(['Yours', queue('assignee=me')], listSubmissions, mine, submissionLine, ({ state }) => state !== 'DONE'),
    panel(['New in the queue', queue('state=IN_QUEUE')], listSubmissions, { state: 'IN_QUEUE' }, submissionLine),
    panel(
      [SUBMISSION_STATES.WAITING[0], queue('state=WAITING')],
      listSubmissions,
      { state: 'WAITING' },
      submissionLine,
    ),
    ...(visit.service.founders === 'off'
      ? []
      : [panel(['Products of founders', REVIEWS], listReviews, { state: 'waiting' }, productLine)]),
    panel(['Listings to review', REVIEW_PATH], entryOperations.tool.list, { hiddenReason: 'review' }, reviewLine),
    panel(['Proposed changes', `${PROPOSALS}?state=waiting`], listProposalRows, { state: 'waiting' }, proposalLine),
    panel(['Reports of visitors', VISITOR_REPORTS], listVisitorReports, {}, reportLine),
    panel(
      ['Gone, parked or moved since yesterday', '/admin/health?show=new'],
      listHealth,
      { open: true, new: true },
      endedLine,
    ),
    panel(['Webhooks that did not arrive', '/admin/webhooks?state=open'], listWebhooks, { open: true }, (row) =>
      deliveryLine(row, names.get(row.clientId) ?? row.clientId),
    ),
    panel(['Rows that readers are not shown', BROKEN_ROWS], listBrokenRows, {}, brokenLine),
    panel(['Enrichments that failed', FAILED], listEnrichmentRows, { state: 'failed' }, enrichmentLine),
  ]
}

async function unheldSection(visit: Visit, count: number): Promise<Markup | false> {
  const unheld = await visit.perform(listKeys, { limit: NEWEST_COUNT, unheld: true })
  return (
    unheld.length > 0 &&
    html`${sectionHead('Keys that were never shown')}
<p>The answer with each of them was cut off, and it was never used. Revoke it on its owner's page.</p>
<ul class="links lines">${unheld.map((key) => html`<li>${keyLine(key)}</li>\n`)}</ul>
${count > unheld.length && html`<p class="quiet">and ${count - unheld.length} more</p>`}`
  )
}

/** The sections of the menu with the number of items that wait. Submissions are left out, because they are counted by state. */
const waitingSections = ({ service }: Visit, counts: Readonly<Record<string, number>>): Counted[] =>
  sectionsOf(service, counts).flatMap(({ href, label }): Counted[] =>
    href === SUBMISSIONS ? [] : [[label, COUNTED[href] ?? href, counts[href] ?? 0]],
  )

type Counted = [label: string, href: string, count: number]

const mailSection = (problems: NonNullable<Static<typeof overviewSchema>['mailProblems']>): Markup | false =>
  problems.length > 0 &&
  html`<section class="panel" aria-label="Mails that were not sent">${sectionHead('Mails of the last day that were not sent')}
<ul class="links lines">${problems.map(({ kind, count, problem, remedy }) => html`<li><span><strong>${count} × ${kind}</strong>: ${problem}</span><span class="note">${remedy}</span></li>\n`)}</ul></section>\n`

/**
 * The numbers above the panels: submissions by state, then everything else that waits. A number is left out if a panel with exactly the
 * same address is shown.
 */
const countsOf = (
  { submissions, ...others }: Static<typeof overviewSchema>,
  sections: readonly Counted[],
  shownBelow: ReadonlySet<string>,
): Markup[] => {
  const states = (['WAITING', ...STATES] as const).filter((state) => state !== 'DONE')
  const rest: Counted[] = [
    ...sections,
    ['Webhooks', '/admin/webhooks?state=open', others.openWebhooks],
    ['To review', REVIEW_PATH, others.listingsToReview ?? 0],
    ['Enrichments', FAILED, others.failedEnrichments],
    ['Broken rows', BROKEN_ROWS, others.brokenRows],
  ]
  return [
    ...states.map(
      (state): Counted => [
        SUBMISSION_STATES[state][0],
        `/admin/submissions?view=table&state=${state}`,
        submissions[state],
      ],
    ),
    ...rest.filter(([, , count]) => count > 0),
  ].flatMap(([label, href, count]) => (shownBelow.has(href) ? [] : viewChip(label, href, { count })))
}

const submissionLine = ({ id, tool, client, state, createdAt }: QueueItem, visit: Visit): Markup =>
  html`${namedListing(visit, 'tools', tool, `${SUBMISSIONS}/${id}`)}${ago(createdAt)}<span class="note row">${state !== 'IN_QUEUE' && state !== null && submissionBadge(state)}<bdi>${client.name}</bdi></span>`

const overdueLine = (row: WaitingRow, visit: Visit): Markup => {
  const { submissionId, tool, directory, directoryName, since } = row
  return html`${namedListing(visit, 'tools', tool, addressWith(`/admin/submissions/${submissionId}`, { directory, show: 'all' }))}${ago(since)}<span class="note row"><bdi>${directoryName}</bdi></span>`
}

const productLine = ({ id, fields, website, user, sentAt }: Static<typeof listReviews.data>[number]): Markup =>
  html`<span class="named">${tile(fields.name ?? website, fields.icon ?? null)}<a href="${REVIEWS}/${id}"><bdi>${oneLine(fields.name ?? website, 60)}</bdi></a></span>${ago(sentAt)}<span class="note row"><bdi>${user.email}</bdi></span>`

const proposalLine = (row: Proposal, visit: Visit): Markup => {
  const { field, author, createdAt } = row
  return html`${proposedListing(visit, row, `${PROPOSALS}?state=waiting`)}${ago(createdAt)}<span class="note row">${fieldLabel(field)} <bdi>${author.name}</bdi></span>`
}

const reviewLine = (stored: StoredListing, visit: Visit): Markup =>
  html`${namedListing(visit, 'tools', stored)}${ago(stored.createdAt)}<div class="note row"><bdi>${stored.website}</bdi> ${publishForm(stored, { ...visit.values, back: ADMIN })}</div>`

const questionLine = ({ id, question, client, updatedAt }: InboxItem): Markup =>
  html`<a href="/admin/support/${id}"><bdi>${oneLine(question, 90)}</bdi></a>${ago(updatedAt)}<span class="note row"><bdi>${client.name}</bdi></span>`

const reportLine = ({ kind, slug, name, reasons, lastAt }: VisitorReports, visit: Visit): Markup =>
  html`${namedListing(visit, TOPIC[kind], { slug, name }, VISITOR_REPORTS)}${ago(lastAt)}<span class="note row">${reasonText(reasons)}</span>`

const endedLine = ({ kind, slug, name, state, since }: ShownHealth, visit: Visit): Markup =>
  html`${namedListing(visit, TOPIC[kind], { slug, name })}${ago(since)}<span class="note row">${healthBadge(state)}</span>`

const deliveryLine = ({ id, event, state, createdAt }: Delivery, partner: string): Markup =>
  html`<a href="/admin/webhooks/${id}">${eventLabel(event)}</a>${ago(createdAt)}<span class="note row">${stateBadge(state)}<bdi>${partner}</bdi></span>`

const keyLine = ({
  last4,
  owner,
  userId,
  partnerId,
  createdAt,
}: AdminKey & { owner: string; userId: string | null; partnerId: string | null }): Markup =>
  html`<a href="${userId === null ? `/admin/partners/${partnerId}` : `/admin/users/${userId}`}"><bdi>${owner}</bdi></a>${ago(createdAt)}<span class="note row"><code>…${last4}</code></span>`

const enrichmentLine = ({ tool, updatedAt }: Enrichment, visit: Visit): Markup =>
  html`${namedListing(visit, 'tools', tool, `/admin/enrichments?state=failed#tool-${tool.slug}`)}${ago(updatedAt)}`
