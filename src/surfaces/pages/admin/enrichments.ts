// The results of reading the sites of submitted tools, and reading a site again.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { listEnrichmentRows, retryEnrichment } from '../../../features/enrichment/operations.ts'
import type { ENRICHMENT_STATES } from '../../../features/enrichment/rules.ts'
import { capitalised } from '../../../kernel/text.ts'
import type { Service } from '../../http/service.ts'
import { badge, type Tone } from '../kit/badge.ts'
import { actionForm } from '../kit/button.ts'
import { emptyState } from '../kit/empty-state.ts'
import { csrfValues } from '../kit/forms.ts'
import { html, type Markup } from '../kit/markup.ts'
import { pageNumberOf, previousNextLinks } from '../kit/paged-lists.ts'
import { param } from '../kit/parameters.ts'
import { actAndRedirect, addPrivatePages, performAs } from '../kit/private-pages.ts'
import { addressWith } from '../kit/site-addresses.ts'
import { table } from '../kit/table.ts'
import { tabs } from '../kit/tabs.ts'
import { time } from '../kit/values.ts'
import { filtersOf } from './filtered-lists.ts'
import { ADMIN, sendAdmin } from './frame.ts'
import { externalLink } from './lists.ts'
import { stateBadge } from './states.ts'

export interface Enrichment {
  toolId: string
  tool: { slug: string; name: string; website: string }
  state: string
  attempts: number
  parts: { part: string; outcome: string; note: string }[]
  updatedAt: string | Date
}

const PATH = `${ADMIN}/enrichments`
const LIMIT = 50
const LABELS: Record<(typeof ENRICHMENT_STATES)[number], string> = {
  failed: 'Failed',
  pending: 'Pending',
  done: 'Done',
}
const TABS: readonly [state: string, label: string][] = [['', 'All'], ...Object.entries(LABELS)]

export function addEnrichmentPages(server: FastifyInstance, service: Service): void {
  addPrivatePages(server, service, 'admin', {
    [PATH]: { GET: (request, reply) => show(service, request, reply) },
    [`${PATH}/:toolId/retry`]: {
      POST: (request, reply) => {
        const back = addressWith(PATH, filtersOf(request, ['state', 'page']))
        return actAndRedirect(
          service,
          reply,
          { back, done: back, successText: 'The site will be looked at again.' },
          () => performAs(service, request, retryEnrichment, { toolId: param(request, 'toolId') }),
        )
      },
    },
  })
}

async function show(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { state } = filtersOf(request, ['state'])
  const page = pageNumberOf(request)
  const rows = await performAs(service, request, listEnrichmentRows, { state, page, limit: LIMIT })
  const href = (to: number) => addressWith(PATH, { state, page: to > 1 ? String(to) : '' })
  return sendAdmin(service, request, reply, {
    title: 'Enrichments',
    body: html`<div class="flow">
<h1>Enrichments</h1>
<p class="lead">Pictures, features and questions that a submission lacked and that were looked for on its site.</p>
${tabs(
  'Enrichments by state',
  TABS.map(([value, label]) => ({ href: addressWith(PATH, { state: value }), label, isCurrent: value === state })),
)}
${table({
  caption: 'Enrichments',
  rows,
  columns: [
    {
      label: 'Tool, and what came of it',
      rowHeader: true,
      cell: ({ tool, parts }) =>
        html`<bdi id="tool-${tool.slug}">${tool.name}</bdi> <span class="note">${externalLink(tool.website, URL.parse(tool.website)?.host ?? 'Site')}</span>${outcomes(parts)}`,
    },
    { label: 'State', cell: ({ state }) => stateBadge(state) },
    { label: 'Tries', kind: 'number', cell: ({ attempts }) => attempts },
    { label: 'Last', cell: ({ updatedAt }) => time(updatedAt) },
    {
      label: 'Actions',
      kind: 'actions',
      // A pending enrichment cannot be requested again.
      cell: ({ toolId, tool, state: rowState }) =>
        rowState === 'pending'
          ? null
          : actionForm({
              action: addressWith(`${PATH}/${toolId}/retry`, { state, page: page > 1 ? String(page) : '' }),
              label: html`Run again<span class="visually-hidden">: ${tool.name}</span>`,
              kind: 'plain',
              slim: true,
              values: csrfValues(request),
            }),
    },
  ],
  empty: emptyState({
    title: page > 1 ? 'Nothing on this page' : state ? 'None in this state' : 'Nothing was enriched yet',
    text: state || page > 1 ? undefined : 'It happens by itself after a partner has submitted a tool.',
  }),
})}
${previousNextLinks(page, rows.length === LIMIT, href)}
</div>`,
  })
}

const OUTCOMES: Record<string, Tone> = {
  unreachable: 'danger',
  dropped: 'danger',
  replaced: 'notice',
  missing: 'notice',
  kept: 'notice',
}

/** Every part with its outcome; only parts with a problem have a note. */
function outcomes(parts: Enrichment['parts']): Markup | null {
  if (parts.length === 0) return null
  return html`<ul class="outcomes">${parts.map(({ part, outcome, note }) => html`<li><span class="mono">${part}</span> ${badge(capitalised(outcome), OUTCOMES[outcome] ?? 'good')}${note && html` <bdi class="small quiet">${note}</bdi>`}</li>\n`)}</ul>`
}
