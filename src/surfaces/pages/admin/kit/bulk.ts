// Changes many rows of a list at once: a checkbox for each row, buttons that change one row alone, and the form to which all belong.
// The form is placed before the table and not around it, because cells may contain forms of their own.
import { hiddenFields } from '../../kit/button.ts'
import { html, type Markup } from '../../kit/markup.ts'
import type { Visit } from '../../kit/sending/private-pages.ts'

const FORM = 'bulk'
/** The name of a checkbox begins with this; the rest is the key of its row. */
const PICK = 'pick-'
/** The name of a row's button. It sends what to do, the key of the row and, if there is one, the value, with blanks between them. */
const ONE = 'one'

/** The checkbox of a row. `value` is sent with the key of the row, such as the version that the page shows. */
export const pickBox = (key: string, value: string | number, name: string): Markup =>
  html`<input type="checkbox" form="${FORM}" name="${PICK}${key}" value="${value}" aria-label="Choose ${name}">`

/** A button that changes its row alone. `does`: what it does, which `chosenIn` returns. */
export const rowButton = (does: string, row: { key: string; value?: string | number; name: string }, label: string) =>
  html`<button type="submit" class="button plain slim" form="${FORM}" name="${ONE}" value="${[does, row.key, row.value].filter(Boolean).join(' ')}">${label}<span class="visually-hidden">: ${row.name}</span></button>`

/** The form. The checkbox that chooses all rows, and the number of chosen rows, are hidden until the script shows them. */
export const bulkForm = (
  visit: Visit,
  { action, values, fields }: { action: string; values: Readonly<Record<string, string>>; fields: unknown },
): Markup =>
  html`<form class="bulk" id="${FORM}" method="post" action="${action}" data-bulk>
${visit.token}${hiddenFields(values)}
<p class="pick-all" hidden><input type="checkbox" data-pick-all aria-label="Choose all on this page"><span data-chosen role="status"></span></p>
<div class="bulk-fields">${fields}</div>
</form>`

/** How many refusals the message after a change names. The message is kept in a cookie, which must stay small. */
export const MOST_NAMED_REFUSALS = 3

interface Chosen {
  /** What the pressed button of a row does; undefined if a button of the form was pressed. */
  does?: string
  rows: readonly { key: string; value: string | undefined }[]
}

/** The row whose button was pressed, or all that are chosen. */
export function chosenIn(form: Visit['form']): Chosen {
  const [does, key, value] = (form[ONE] ?? '').split(' ')
  if (does && key) return { does, rows: [{ key, value }] }
  return {
    rows: Object.entries(form).flatMap(([name, value]) =>
      name.startsWith(PICK) ? [{ key: name.slice(PICK.length), value }] : [],
    ),
  }
}
