// Saved views of the queue: links above it, and the form that saves the filters that are shown now.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { deleteQueueView, listQueueViews, putQueueView } from '../../../../features/submissions/views.operations.ts'
import type { Service } from '../../../http/service.ts'
import { actionForm, button } from '../../kit/button.ts'
import { field, hiddenField } from '../../kit/field.ts'
import { csrfField, csrfValues, formOf } from '../../kit/forms.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { actAndRedirect, performAs } from '../../kit/private-pages.ts'
import { addressWith } from '../../kit/site-addresses.ts'
import { ownAddress } from './own-address.ts'

const QUEUE = '/admin/submissions'
export const VIEWS = `${QUEUE}/views`

export async function savedViews(
  service: Service,
  request: FastifyRequest,
  filters: Readonly<Record<string, string>>,
): Promise<Markup> {
  const views = await performAs(service, request, listQueueViews, {})
  const [, query = ''] = addressWith(QUEUE, filters).split('?')
  return html`<div class="row small">${views.map((view) => html`<a href="${QUEUE}?${view.query}"><bdi>${view.name}</bdi></a>\n`)}
<details><summary class="small">Saved views</summary><div class="flow">
<form class="row" method="post" action="${VIEWS}">${csrfField(request)}${hiddenField('query', query)}
${field({ id: 'view-name', name: 'name', label: 'Save these filters as', maxLength: 60, required: true, autocomplete: 'off' })}${button('Save', { kind: 'plain', slim: true })}</form>
${views.map(({ name }) => actionForm({ action: VIEWS, label: html`Delete <bdi>${name}</bdi>`, kind: 'plain', slim: true, values: { ...csrfValues(request), name, query, delete: 'true' } }))}
</div></details></div>`
}

export function changeViews(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { name = '', query = '', delete: isDeleted } = formOf(request)
  const back = ownAddress(query ? `${QUEUE}?${query}` : QUEUE) ?? QUEUE
  const successText = isDeleted ? 'The view is deleted.' : 'The view is saved.'
  return actAndRedirect(service, reply, { back, done: back, successText }, () =>
    isDeleted
      ? performAs(service, request, deleteQueueView, { name })
      : performAs(service, request, putQueueView, { name }, { query }),
  )
}
