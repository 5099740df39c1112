// Parts of the table of submissions: headings that sort, and the form that changes the chosen rows. The form stands before the table,
// because the table has forms of its own.
import { PACKAGES, STATES } from '../../../../features/submissions/rules.ts'
import { button } from '../../kit/button.ts'
import { field, hiddenField, select } from '../../kit/field.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { SUBMISSION_STATES } from '../states.ts'
import type { Visit } from '../visit.ts'
import type { QueueItem } from './list.ts'

const FORM = 'bulk'
/** Before the id in the name of a checkbox; its value is the version that the page shows. */
export const PICK = 'pick-'

export const pickBox = ({ id, version, tool }: QueueItem): Markup =>
  html`<input type="checkbox" form="${FORM}" name="${PICK}${id}" value="${version}" aria-label="Choose ${tool.name}">`

export const sortLink = (
  label: string,
  { up, down, now }: { up: string; down: string; now: string },
  address: (sort: string) => string,
): Markup => {
  const arrow = now === up ? ' ↓' : now === down ? ' ↑' : ''
  return html`<a href="${address(now === up ? down : up)}">${label}${arrow && html`<span aria-hidden="true">${arrow}</span>`}</a>`
}

/** Empty fields change nothing. */
export const bulkForm = (visit: Visit, back: string): Markup =>
  html`<form class="filters" id="${FORM}" method="post" action="/admin/submissions/bulk" data-bulk>
${visit.token}${hiddenField('back', back)}
${field({ id: 'bulk-assignee', name: 'assignee', label: 'Assign to', placeholder: 'me, or an e-mail address', maxLength: 254, autocomplete: 'off' })}
${select({
  id: 'bulk-state',
  name: 'state',
  label: 'Move to',
  none: 'As it is',
  options: STATES.filter((state) => state !== 'DONE').map((value) => ({ value, label: SUBMISSION_STATES[value][0] })),
})}
${select({
  id: 'bulk-package',
  name: 'paymentType',
  label: 'Set package',
  none: 'As it is',
  options: Object.entries(PACKAGES).map(([value, { label }]) => ({ value, label })),
})}
${button('Change chosen', { kind: 'plain' })}
</form>`
