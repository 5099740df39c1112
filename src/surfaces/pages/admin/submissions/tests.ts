// The test submissions of partners. They go on by themselves, so there is nothing to work.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { listSubmissions } from '../../../../features/submissions/queue.operations.ts'
import type { Service } from '../../../http/service.ts'
import { button } from '../../kit/button.ts'
import { emptyState } from '../../kit/empty-state.ts'
import { field } from '../../kit/field.ts'
import { html } from '../../kit/markup.ts'
import { pageNumberOf, previousNextLinks } from '../../kit/paged-lists.ts'
import { performAs } from '../../kit/private-pages.ts'
import { addressWith } from '../../kit/site-addresses.ts'
import { table } from '../../kit/table.ts'
import { time } from '../../kit/values.ts'
import { filtersOf } from '../filtered-lists.ts'
import { sendAdmin } from '../frame.ts'
import { listAllPartners, partnerField } from '../lists.ts'
import { submissionBadge } from '../states.ts'
import { testField, testsHeading } from '../tests-of-lists.ts'

const LIMIT = 50

export async function showTestSubmissions(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
) {
  const { client, q, test } = filtersOf(request, ['client', 'q', 'test'])
  const page = pageNumberOf(request)
  const rows = await performAs(service, request, listSubmissions, { client, q, test, limit: LIMIT, page })
  const partners = await listAllPartners(service, request)
  const here = (to: number) => addressWith(path, { client, q, test, page: to > 1 ? String(to) : '' })
  return sendAdmin(service, request, reply, {
    title: 'Test submissions',
    body: html`<div class="flow">
${testsHeading('Submissions', path, { client, q }, test)}
<form class="filters" method="get" action="${path}">
${testField(test)}
${field({ name: 'q', label: 'Tool', type: 'search', value: q, placeholder: 'Name or website', maxLength: 200 })}
${partnerField(partners, client)}
${button('Apply', { kind: 'plain' })}
</form>
${table({
  caption: 'Test submissions',
  rows,
  columns: [
    { label: 'Tool', rowHeader: true, cell: ({ tool }) => html`<bdi>${tool.name}</bdi>` },
    { label: 'Website', cell: ({ tool }) => html`<bdi>${tool.website}</bdi>` },
    { label: 'State', cell: ({ state }) => submissionBadge(state) },
    {
      label: 'Entered',
      kind: 'number',
      cell: ({ submittedCount, targetDirectoriesCount: target }) =>
        target > 0 ? `${submittedCount} of ${target}` : null,
    },
    { label: 'Partner', cell: ({ client }) => html`<bdi>${client.name}</bdi>` },
    { label: 'Submitted', cell: ({ createdAt }) => time(createdAt) },
    { label: 'Changed', cell: ({ updatedAt }) => time(updatedAt) },
  ],
  empty: emptyState({
    title: client || q || page > 1 ? 'Nothing matches all of that' : 'No test submissions',
    text:
      client || q || page > 1
        ? undefined
        : 'Partners make them with test keys, and old ones are deleted by themselves.',
  }),
})}
${previousNextLinks(page, rows.length === LIMIT, here)}
</div>`,
  })
}
