// The page between the two steps of a table import: which column is which field, and the first rows as they would be imported.
import type { TablePreview } from '../../../../features/listings/table.schema.ts'
import { button, linkButton } from '../../kit/button.ts'
import { badge, sectionHead } from '../../kit/components.ts'
import { choice, fileField, hiddenField } from '../../kit/field.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { table } from '../../kit/table.ts'
import { number } from '../../kit/values.ts'
import { type GivenImport, IMPORT, importMessages, rejections } from './import-page.ts'

/** The name of the select for a column: by number, because a heading may be any text. */
export const columnField = (at: number): string => `column-${at}`

export const tablePage = (given: GivenImport & { preview: TablePreview; fileName: string; isRemembered: boolean }) => ({
  title: 'Import a table',
  flash: importMessages(given),
  body: html`<div class="flow">
<h1>Import a table</h1>
${given.outcome && given.outcome.rejectedCount > 0 && rejections(given.outcome, 'Row')}
<p class="prose">${aboutFile(given.preview, given.fileName)} ${given.isRemembered ? 'The fields are those that you chose for these columns before.' : 'The fields were guessed from the headings: correct them where they are wrong.'}</p>
<form class="flow" method="post" action="${IMPORT}" enctype="multipart/form-data" data-upload>
${given.token}${hiddenField('columns', JSON.stringify(given.preview.columns.map(({ column }) => column)))}${hiddenField('kind', given.kind ?? 'tool')}
${columnsTable(given.preview)}
${choice({ name: 'createTerms', label: 'Make categories and tags that do not exist', checked: given.createTerms === true, hint: 'Otherwise rows that name one are wrong.' })}
${choice({ name: 'skipInvalid', label: 'Keep the good rows', checked: given.skipInvalid === true, hint: 'Wrong ones are left out and listed.' })}
${fileField({ name: 'file', label: 'The same file again', required: true, accept: '.csv,.tsv,.tab,.json,.txt', hint: 'Nothing of it was kept so far.' })}
<div class="progress" data-progress hidden><p role="status" class="small">Sending…</p><progress aria-label="Sending the file" max="1" value="0">Sending</progress></div>
<div class="row">${button('Import')}${linkButton(IMPORT, 'Choose another file', { kind: 'plain' })}</div>
</form>
${sectionHead('The first rows')}
${rowsTable(given.preview)}
</div>`,
})

const SEPARATORS: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' }

function aboutFile({ format, encoding, separator, columns }: TablePreview, name: string): Markup {
  const cells = separator === null ? '' : `, cells between ${SEPARATORS[separator] ?? JSON.stringify(separator)}`
  return html`<bdi>${name}</bdi>: ${format.toUpperCase()} in ${encoding}${cells}, ${number(columns.length)} columns.`
}

const columnsTable = ({ columns, fields }: TablePreview): Markup =>
  table({
    caption: 'Columns and fields',
    rows: columns.map((column, at) => ({ ...column, at })),
    columns: [
      { label: 'Column', rowHeader: true, cell: ({ column }) => html`<bdi>${column}</bdi>` },
      { label: 'First cells', cell: ({ samples }) => html`<bdi>${samples.join(' · ')}</bdi>` },
      {
        label: 'Field',
        cell: ({ column, field, guess, at }) =>
          html`<label class="visually-hidden" for="${columnField(at)}">Field of <bdi>${column}</bdi></label><select class="input" id="${columnField(at)}" name="${columnField(at)}"><option value="">Leave out</option>${fields.map((name) => html`<option value="${name}"${name === field && html` selected`}>${name}</option>`)}</select>${field === null && guess !== null && html` <span class="small">Its heading fits ${guess}.</span>`}`,
      },
    ],
  })

const rowsTable = ({ rows }: TablePreview): Markup =>
  table({
    caption: 'The first rows as they would be imported',
    rows,
    columns: [
      { label: 'Row', kind: 'number', rowHeader: true, cell: ({ row }) => number(row) },
      { label: 'Name', cell: ({ name }) => html`<bdi>${name}</bdi>` },
      { label: 'Slug', cell: ({ slug }) => html`<code>${slug}</code>` },
      { label: 'Makes', cell: ({ created }) => created.join(', ') },
      {
        label: 'What happens',
        cell: ({ problem, replaces, warning }) =>
          problem !== null
            ? html`<bdi>${problem}</bdi>`
            : replaces
              ? html`${badge('Replaces', 'notice')}${warning && html` <bdi>${warning}</bdi>`}`
              : badge('New', 'good'),
      },
    ],
  })
