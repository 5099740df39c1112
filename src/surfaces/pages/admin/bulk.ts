// Rows of a list that are changed together: their checkboxes, the buttons of a single row, and the form that all of them belong to. The form
// stands before the table, because the table may have forms of its own.
import { hiddenFields } from '../kit/button.ts'
import { html, type Markup } from '../kit/markup.ts'
import type { Visit } from './visit.ts'

const FORM = 'bulk'
/** The name of a checkbox is this and the key of its row. */
const PICK = 'pick-'
/** The button of a row sends what to do, the key and, if it has one, the value. */
const ONE = 'one'

/** `value` is sent with the key of the row, such as the version that the page shows. */
export const pickBox = (key: string, value: string | number, name: string): Markup =>
  html`<input type="checkbox" form="${FORM}" name="${PICK}${key}" value="${value}" aria-label="Choose ${name}">`

/** A button that does this with its row alone. */
export const rowButton = (does: string, row: { key: string; value?: string | number; name: string }, label: string) =>
  html`<button type="submit" class="button plain slim" form="${FORM}" name="${ONE}" value="${[does, row.key, row.value].filter(Boolean).join(' ')}">${label}<span class="visually-hidden">: ${row.name}</span></button>`

/** The script shows the box that chooses all rows, and how many are chosen. */
export const bulkForm = (
  visit: Visit,
  { action, values, fields }: { action: string; values: Readonly<Record<string, string>>; fields: unknown },
): Markup =>
  html`<form class="bulk" id="${FORM}" method="post" action="${action}" data-bulk>
${visit.token}${hiddenFields(values)}
<p class="pick-all" hidden><input type="checkbox" data-pick-all aria-label="Choose all on this page"><span data-chosen role="status"></span></p>
<div class="bulk-fields">${fields}</div>
</form>`

interface Chosen {
  /** What the button of a single row does; undefined: a button of the form was pressed. */
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
