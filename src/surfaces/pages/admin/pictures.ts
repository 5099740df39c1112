// How far the copies of listings' pictures are, what came of each, and trying those again that failed.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { getPictureProgress, listPictures, retryPictures } from '../../../features/pictures/operations.ts'
import { WORK_STATES, type WorkState } from '../../../features/pictures/rules.ts'
import type { Service } from '../../http/service.ts'
import { badge } from '../kit/badge.ts'
import { actionForm } from '../kit/button.ts'
import { emptyState } from '../kit/empty-state.ts'
import { csrfValues } from '../kit/forms.ts'
import { html, type Markup } from '../kit/markup.ts'
import { pageNumberOf, previousNextLinks } from '../kit/paged-lists.ts'
import { actAndRedirect, addPrivatePages, performAs } from '../kit/private-pages.ts'
import { progress } from '../kit/progress.ts'
import { addressWith } from '../kit/site-addresses.ts'
import { table } from '../kit/table.ts'
import { tabs } from '../kit/tabs.ts'
import { time } from '../kit/values.ts'
import { filtersOf } from './filtered-lists.ts'
import { ADMIN, sendAdmin } from './frame.ts'
import { stateBadge } from './states.ts'

type Progress = Static<typeof getPictureProgress.data>
type Listed = Static<typeof listPictures.data>[number]

export const PICTURES_PATH = `${ADMIN}/pictures`
const LIMIT = 50
const LABELS: Record<WorkState, string> = { waiting: 'Waiting', done: 'Done', failed: 'Failed' }

export function addPicturePages(server: FastifyInstance, service: Service): void {
  addPrivatePages(server, service, 'admin', {
    [PICTURES_PATH]: { GET: (request, reply) => show(service, request, reply) },
    [`${PICTURES_PATH}/retry`]: {
      POST: (request, reply) =>
        actAndRedirect(
          service,
          reply,
          { back: PICTURES_PATH, done: PICTURES_PATH, successText: 'The pictures that failed are tried again.' },
          () => performAs(service, request, retryPictures, {}),
        ),
    },
  })
}

async function show(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { state } = filtersOf(request, ['state'])
  const page = pageNumberOf(request)
  const counts = await performAs(service, request, getPictureProgress, {})
  const rows = await performAs(service, request, listPictures, { state, page, limit: LIMIT })
  const href = (to: number) => addressWith(PICTURES_PATH, { state, page: to > 1 ? String(to) : '' })
  return sendAdmin(service, request, reply, {
    title: 'Pictures',
    body: html`<div class="flow">
<h1>Pictures</h1>
<p class="lead">Logos and screenshots on other hosts are copied after an import. Until then, and where none can be had, pages show a letter.</p>
${progressBox(request, counts)}
${tabs('Listings by state', [
  { href: PICTURES_PATH, label: 'All', isCurrent: state === '' },
  ...WORK_STATES.map((value) => ({
    href: addressWith(PICTURES_PATH, { state: value }),
    label: LABELS[value],
    isCurrent: value === state,
  })),
])}
${table({
  caption: 'Listings with pictures from other hosts',
  rows,
  columns: [
    {
      label: 'Listing, and what came of it',
      rowHeader: true,
      cell: ({ kind, slug, name, parts }) =>
        html`<a href="${ADMIN}/${kind === 'tool' ? 'tools' : 'directories'}/${encodeURIComponent(slug)}"><bdi>${name}</bdi></a>${outcomes(parts)}`,
    },
    { label: 'State', cell: ({ state }) => stateBadge(state) },
    { label: 'Tries', kind: 'number', cell: ({ attempts }) => attempts },
    { label: 'Last', cell: ({ updatedAt }) => time(updatedAt) },
  ],
  empty: emptyState({
    title: page > 1 ? 'Nothing on this page' : state ? 'None in this state' : 'No pictures on other hosts yet',
    text: state || page > 1 ? undefined : 'They are found by themselves after an import or a change of a listing.',
  }),
})}
${previousNextLinks(page, rows.length === LIMIT, href)}
</div>`,
  })
}

/** While listings wait, the script asks for the figures anew. */
function progressBox(request: FastifyRequest, { isOn, waiting, done, failed }: Progress): Markup {
  const all = waiting + done + failed
  const asks =
    isOn &&
    waiting > 0 &&
    html` data-hx-get="${PICTURES_PATH}" data-hx-trigger="every 3s" data-hx-select="#picture-progress" data-hx-swap="outerHTML"`
  return html`<section id="picture-progress" class="flow"${asks}>
${!isOn && html`<p class="flash notice" role="status">Copying is off: the setting MIRROR_PICTURES says so.</p>`}
${all > 0 && progress({ label: 'Listings with all their copies', value: done, max: all })}
${all > 0 && html`<p class="small quiet">${waiting} waiting, ${failed} failed.</p>`}
${
  failed > 0 &&
  actionForm({
    action: `${PICTURES_PATH}/retry`,
    label: 'Try failed ones again',
    kind: 'plain',
    slim: true,
    values: csrfValues(request),
  })
}
</section>`
}

const outcomes = (parts: Listed['parts']): Markup | null =>
  parts.length === 0
    ? null
    : html`<ul class="outcomes">${parts.map(({ part, outcome, note }) => html`<li><span class="mono">${part}</span> ${badge(outcome, outcome === 'copied' ? 'good' : outcome === 'kept' ? 'notice' : 'danger')}${note && html` <bdi class="small quiet">${note}</bdi>`}</li>\n`)}</ul>`
