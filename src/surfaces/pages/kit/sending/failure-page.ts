// The page of a failed request: title and text by status, and the message of the failure.
import { STATUS_CODES } from 'node:http'
import { VISITOR_BUDGETS } from '../../../../features/keys/budgets.rules.ts'
import type { Failure } from '../../../../kernel/errors.ts'
import { linkButton } from '../button.ts'
import { searchForm } from '../forms/search-form.ts'
import { html } from '../markup.ts'
import type { Page } from './document.ts'

/** `id`: the id of the request, by which the operator finds it in the log. */
export function failurePage({ status, message, headers }: Failure, id: string): Page {
  const { title, text } = FAILURES[status] ?? { title: STATUS_CODES[status] ?? 'Error', text: '' }
  const wait = Number(headers['retry-after'])
  return {
    title,
    description: message,
    ownSearch: status === 404,
    body: html`<div class="flow prose">
<p class="label">${status}</p>
<h1>${title}</h1>
${status !== 404 && html`<p class="lead">${message}</p>`}
${text && html`<p>${text}</p>`}
${status === 429 && wait > 0 && html`<p>You can go on ${wait < 90 ? `in ${wait} ${wait === 1 ? 'second' : 'seconds'}` : `in about ${Math.ceil(wait / 60)} minutes`}. Nothing is blocked for good.</p>`}
${status === 500 && html`<p>When you report this, say that it was request <code>${id}</code>.</p>`}
${status === 404 && searchForm({ action: '/search', label: 'Search both catalogs' })}
<div class="row">${linkButton('/', 'Go to the home page', status === 404 ? { kind: 'plain' } : {})}${linkButton('/tools', 'Browse tools', { kind: 'plain' })}${status === 404 && linkButton('/directories', 'Browse directories', { kind: 'plain' })}</div>
</div>`,
  }
}

/** Titles and explanations by status, for visitors who only followed a link. The page shows the failure's own message too. */
const FAILURES: Record<number, { title: string; text: string }> = {
  400: {
    title: 'That cannot be read',
    text: 'Something in the address is not as it should be. Start again from a page below.',
  },
  403: { title: 'Not for this visitor', text: '' },
  404: {
    title: 'Nothing here',
    text: 'The listing may have been taken down or renamed, or the address has a slip. A search may find it.',
  },
  421: { title: 'Another address', text: '' },
  429: {
    title: 'A short pause, please',
    text: `To keep the catalog quick for all visitors, one address may open ${VISITOR_BUDGETS[0].calls} pages a minute and ${VISITOR_BUDGETS[1].calls} an hour.`,
  },
  500: { title: 'That was our fault', text: 'It has been noted. Try again in a moment.' },
  503: { title: 'Back in a moment', text: 'Part of the service is starting or resting. Try again in a few seconds.' },
}
