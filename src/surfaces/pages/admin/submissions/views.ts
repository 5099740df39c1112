// Saved views of the queue, which are filters with a name: the links above the queue, and the form that saves and deletes views.
import type { FastifyReply } from 'fastify'
import { listSubmissions } from '../../../../features/submissions/queue/queue.operations.ts'
import {
  deleteQueueView,
  listQueueViews,
  putQueueView,
} from '../../../../features/submissions/queue/views.operations.ts'
import type { QueueState } from '../../../../features/submissions/rules.ts'
import { button, rowAction } from '../../kit/button.ts'
import { viewChip } from '../../kit/components.ts'
import { field, hiddenField } from '../../kit/forms/field.ts'
import { addressWith } from '../../kit/lists/address-query.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { act, type Visit } from '../../kit/sending/private-pages.ts'
import { SUBMISSION_STATES } from '../kit/states.ts'

const QUEUE = '/admin/submissions'
export const VIEWS = `${QUEUE}/views`

type Filters = Readonly<Record<string, string>>

const QUEUE_ORDER = Object.keys(SUBMISSION_STATES) as QueueState[]

/** An administrator's submissions are counted up to one less than this. */
const MOST_OWN = 100

/**
 * Links to the whole queue, to the administrator's own submissions, to each state with its number, and to the saved views. On phones, whose
 * tables have no head, also the link that sorts.
 */
export async function viewTabs(
  visit: Visit,
  filters: Filters,
  counts: Readonly<Record<QueueState, number>>,
  isTable: boolean,
): Promise<Markup> {
  const { view, sort, ...chosen } = filters
  const chip = (label: string, query: Filters, count?: number | string) =>
    viewChip(label, addressWith(QUEUE, { view: isTable ? 'table' : (view ?? ''), ...query }), {
      count,
      isCurrent: addressWith('', query) === addressWith('', chosen),
    })
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const { length } = await visit.perform(listSubmissions, { assignee: visit.user.email, limit: MOST_OWN })
  const own = length === MOST_OWN ? `${length - 1}+` : length
  return html`<ul class="chips views" aria-label="Views of the queue">${chip('All', {}, all || undefined)}${chip('Yours', { assignee: 'me' }, own)}
${isTable && QUEUE_ORDER.map((state) => chip(SUBMISSION_STATES[state][0], { state }, counts[state]))}
${isTable && html`<li class="sort"><a${sort === 'ready' && html` class="on" aria-current="true"`} href="${addressWith(QUEUE, { ...filters, sort: 'ready' })}">Doable now first</a></li>`}
${(await visit.perform(listQueueViews, {})).map((one) => viewChip(html`<bdi>${one.name}</bdi>`, `${QUEUE}?${one.query}`))}</ul>`
}

/** The form that saves the present filters as a view, and buttons that delete views. */
export async function saveView(visit: Visit, filters: Filters): Promise<Markup> {
  const views = await visit.perform(listQueueViews, {})
  const [, query = ''] = addressWith(QUEUE, filters).split('?')
  return html`<details><summary class="small">Save or delete views</summary><div class="flow">
<form class="row" method="post" action="${VIEWS}">${visit.token}${hiddenField('query', query)}
${field({ id: 'view-name', name: 'name', label: 'Save these filters as', maxLength: 60, required: true, autocomplete: 'off' })}${button('Save', { kind: 'plain', slim: true })}</form>
${views.map(({ name }) => rowAction(VIEWS, html`Delete <bdi>${name}</bdi>`, { ...visit.values, name, query, delete: 'true' }))}
</div></details>`
}

export function changeViews(visit: Visit): Promise<FastifyReply> {
  const { name = '', query = '', delete: isDeleted } = visit.form
  const back = ownAddress(query ? `${QUEUE}?${query}` : QUEUE) ?? QUEUE
  const text = isDeleted ? 'The view is deleted.' : 'The view is saved.'
  return act(visit, { back, text }, () =>
    isDeleted ? visit.perform(deleteQueueView, { name }) : visit.perform(putQueueView, { name }, { query }),
  )
}

const OWN_PATH = /^\/admin\/submissions(\/[\w-]+)?(\?[\w%&=+.~*-]*)?$/

/** The address if it is a page of this section, otherwise null. It comes from a form and could be forged to lead to another site. */
export const ownAddress = (given: string | undefined): string | null =>
  given && given.length <= 2000 && OWN_PATH.test(given) ? given : null
