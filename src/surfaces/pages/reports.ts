// The report of a submission at a secret address, as a page, CSV or JSON. Every request reads the database. Search engines must not index
// the report, shared caches must not keep it, and its links must not tell other hosts the address.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { readReport } from '../../features/proof/operations.ts'
import { reportSchema } from '../../features/proof/schema.ts'
import type { LinkState } from '../../features/submissions/bench/link.rules.ts'
import { parseUrl } from '../../kernel/addresses/web-address.ts'
import { type CsvColumn, csvOf } from '../../kernel/formats/csv.ts'
import { perform } from '../../kernel/invoke.ts'
import { writer } from '../../kernel/output.ts'
import { identifiedCaller } from '../http/gate.ts'
import type { Service } from '../http/service.ts'
import { outsideLink, pictureAddress } from './addresses.ts'
import { linkButton } from './kit/button.ts'
import { badge, emptyState, sectionHead, tile } from './kit/components.ts'
import { table } from './kit/lists/table.ts'
import { html, type Markup } from './kit/markup.ts'
import { listingTile, type ServedRequest } from './kit/named-listing.ts'
import { HTML_TYPE } from './kit/sending/answers.ts'
import { type Page, renderPage } from './kit/sending/document.ts'
import { addPublicPages } from './kit/sending/public-pages.ts'
import { date, day, valueLabel } from './kit/values.ts'
import { linkState } from './states.ts'
import { finishedBadge, stageBadge, stageOf, taskRows, workProgress, workTasks } from './work-rows.ts'

type Report = Static<typeof reportSchema>
type Row = Report['submissions'][number]

const PATH = '/reports/:token'
const HEADERS = {
  'cache-control': 'private, max-age=60',
  'x-robots-tag': 'noindex, nofollow',
  // The address is a secret, so no other host may see it as the referrer.
  'referrer-policy': 'no-referrer',
}

export function addReports(server: FastifyInstance, service: Service): void {
  const send = (request: FastifyRequest, reply: FastifyReply) => sendReport(service, request, reply)
  addPublicPages(server, service, { [PATH]: send }, { headers: HEADERS })
}

async function sendReport(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const name = (request.params as { token: string }).token.slice(0, 100)
  const [, tokenText = name, extension = ''] = /^(.*?)(\.csv|\.json)?$/s.exec(name) ?? []
  // A text that cannot be a token must get a 404 like an unknown token, not a 400, so characters that no token has are replaced.
  const token = tokenText.replaceAll(/[^\w-]/g, '-') || '-'
  const answer = await perform(readReport, service.context(identifiedCaller(request)), { token })
  if (!('data' in answer)) throw new TypeError('a report has data')
  const report = answer.data
  if (extension === '')
    return reply
      .type(HTML_TYPE)
      .send(renderPage(reportPage({ service, request }, report, `/reports/${token}`), service.site.fields()))
  const file = `report-${report.tool.slug}${extension}`
  reply.header('content-disposition', `inline; filename="${file}"`)
  return extension === '.csv'
    ? reply.type('text/csv; charset=utf-8').send(csvOf(CSV_COLUMNS, report.submissions))
    : reply.type('application/json; charset=utf-8').send(writeReport(report))
}

const writeReport = writer(reportSchema)

/** What the states of links mean, as far as the report has them. */
const LINK_MEANINGS: readonly (readonly [states: readonly LinkState[], text: string])[] = [
  [['live'], 'Live: the page links to the product.'],
  [['nofollow'], 'Nofollow: the link is there, and asks search engines not to count it.'],
  [
    ['blocked', 'unreachable', 'unknown'],
    'Blocked, unreachable and unclear say nothing about the listing, only that we could not look.',
  ],
  [['unchecked'], 'Not checked: we have not looked at the page of the listing yet.'],
]

function reportPage(served: ServedRequest, report: Static<typeof readReport.data>, path: string): Page {
  const { tool, logo, package: bought, summary, submissions, generatedAt, test } = report
  const { submittedCount } = summary
  return {
    title: `Report: ${tool.name}`,
    description: `The directories that ${tool.name} is entered into.`,
    showsAreas: true,
    body: html`<div class="flow">
<div class="product-head">${tile(tool.name, logo, { big: true })}<div><h1>Report: <bdi>${tool.name}</bdi></h1><p class="row tight">${summary.isComplete ? finishedBadge(submittedCount, bought.targetDirectoriesCount) : badge(bought.targetDirectoriesCount === 0 ? 'Not begun' : 'Work goes on', 'accent')}${bought.targetDirectoriesCount > 0 && html`<span class="note">Package: ${valueLabel(bought.paymentStatus)}</span>`}${test && badge('Test', 'notice')}${outsideLink(tool.website, parseUrl(tool.website)?.host ?? tool.website)}</p></div><div class="row">${linkButton(`${path}.csv`, 'Download CSV', { kind: 'plain', slim: true })}${linkButton(`${path}.json`, 'Download JSON', { kind: 'plain', slim: true })}</div></div>
${test && html`<p><strong>This is a test: no directory was contacted, and the listings do not exist.</strong></p>`}
<p class="lead">The directories that it was entered into, and what we found there. As of ${date(generatedAt)}.</p>
${bought.targetDirectoriesCount > 0 && html`<section class="panel" aria-label="Progress">${workProgress(submissions, submittedCount, bought.targetDirectoriesCount)}</section>`}
${ownTasks(submissions)}
${sectionHead('All directories')}
<p class="quiet small">${LINK_MEANINGS.flatMap(([states, text]) => (states.some((state) => summary.links[state]) ? `${text} ` : []))}</p>
${table({
  caption: 'Directories',
  rows: submissions,
  columns: [
    {
      label: 'Directory',
      rowHeader: true,
      cell: ({ name, slug, url }) =>
        html`<span class="named">${listingTile(served, 'directories', { name, slug })}${outsideLink(url, html`<bdi>${name}</bdi>`) ?? name}</span>`,
    },
    { label: 'Domain Rating', kind: 'number', cell: ({ domainRating }) => domainRating },
    { label: 'State', cell: stageBadge },
    { label: 'Entered on', cell: ({ submittedAt }) => submittedAt && day(submittedAt) },
    {
      label: 'Listing',
      cell: ({ listingUrl, name }) =>
        outsideLink(listingUrl, html`Open<span class="visually-hidden"> the listing in ${name}</span>`),
    },
    { label: 'Link checked', cell: linkChecked },
    // Many reports have no picture at all.
    ...(submissions.some(({ proofUrl }) => pictureAddress(proofUrl) !== null)
      ? [{ label: 'Proof', cell: ({ proofUrl, name }: Row) => proofPicture(proofUrl, name) }]
      : []),
  ],
  empty: emptyState({ title: 'No directory on record yet', text: 'They appear here as the work goes on.' }),
})}
</div>`,
  }
}

/** The state of the link, unless the state of the row says the same. */
const linkChecked = (row: Row): Markup | null =>
  row.link?.checkedAt && stageOf(row) === row.link.state ? html`${day(row.link.checkedAt)}` : linkState(row.link)

/** Shows only pictures that this service stores, so that the reader's browser contacts no other host. */
const proofPicture = (url: string | null, name: string): Markup | null => {
  const path = pictureAddress(url)
  return path === null
    ? null
    : html`<a href="${path}"><img src="${path}" alt="Screenshot of the listing in ${name}" width="120" height="68" loading="lazy"></a>`
}

const CSV_COLUMNS: readonly CsvColumn<Row>[] = [
  ['directory', ({ name }) => name],
  ['website', ({ url }) => url],
  ['domainRating', ({ domainRating }) => domainRating],
  ['isSubmitted', ({ isSubmitted }) => isSubmitted],
  ['submittedAt', ({ submittedAt }) => submittedAt],
  ['listingUrl', ({ listingUrl }) => listingUrl],
  ['linkState', ({ link }) => link?.state],
  ['linkCheckedAt', ({ link }) => link?.checkedAt],
  ['linkFirstLiveAt', ({ link }) => link?.firstLiveAt],
  ['proofUrl', ({ proofUrl }) => proofUrl],
  ['waitingFor', ({ waitingFor }) => waitingFor],
  ['reason', ({ reason }) => reason],
  ['action', ({ action }) => action],
]

// What only the founder can do, in the report and in the dashboard of the partner.

/** null when no directory waits for the founder. */
export function ownTasks(rows: readonly Row[]): Markup | null {
  const tasks = rows.filter(({ waitingFor }) => waitingFor === 'founder')
  if (tasks.length === 0) return null
  return html`<section class="flow" aria-label="What only you can do">${sectionHead('What only you can do')}
${taskRows(workTasks(tasks))}</section>`
}
