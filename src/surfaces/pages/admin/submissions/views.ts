// Saved views of the queue: links above it, and the form that saves the filters that are shown now.
import type { FastifyReply } from 'fastify'
import { deleteQueueView, listQueueViews, putQueueView } from '../../../../features/submissions/views.operations.ts'
import { actionForm, button } from '../../kit/button.ts'
import { field, hiddenField } from '../../kit/field.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { actAndRedirect } from '../../kit/private-pages.ts'
import { addressWith } from '../../kit/site-addresses.ts'
import type { Visit } from '../visit.ts'

const QUEUE = '/admin/submissions'
export const VIEWS = `${QUEUE}/views`

export async function savedViews(visit: Visit, filters: Readonly<Record<string, string>>): Promise<Markup> {
  const views = await visit.perform(listQueueViews, {})
  const [, query = ''] = addressWith(QUEUE, filters).split('?')
  return html`<div class="row small">${views.map((view) => html`<a href="${QUEUE}?${view.query}"><bdi>${view.name}</bdi></a>\n`)}
<details><summary class="small">Saved views</summary><div class="flow">
<form class="row" method="post" action="${VIEWS}">${visit.token}${hiddenField('query', query)}
${field({ id: 'view-name', name: 'name', label: 'Save these filters as', maxLength: 60, required: true, autocomplete: 'off' })}${button('Save', { kind: 'plain', slim: true })}</form>
${views.map(({ name }) => actionForm({ action: VIEWS, label: html`Delete <bdi>${name}</bdi>`, kind: 'plain', slim: true, values: { ...visit.values, name, query, delete: 'true' } }))}
</div></details></div>`
}

export function changeViews(visit: Visit): Promise<FastifyReply> {
  const { name = '', query = '', delete: isDeleted } = visit.form
  const back = ownAddress(query ? `${QUEUE}?${query}` : QUEUE) ?? QUEUE
  const successText = isDeleted ? 'The view is deleted.' : 'The view is saved.'
  return actAndRedirect(visit.service, visit.reply, { back, done: back, successText }, () =>
    isDeleted ? visit.perform(deleteQueueView, { name }) : visit.perform(putQueueView, { name }, { query }),
  )
}

const OWN_PATH = /^\/admin\/submissions(\/[\w-]+)?(\?[\w%&=+.~*-]*)?$/

/** The address if it is a page of this section, otherwise null. It comes from a form and may be forged. */
export const ownAddress = (given: string | undefined): string | null =>
  given && given.length <= 2000 && OWN_PATH.test(given) ? given : null
