// The page on which administrators import and export the whole catalog.
import type { Kind } from '../../../../features/catalog/schema.ts'
import { ENTRY_KINDS } from '../../../../features/listings/entries/entry-kinds.ts'
import { type Imported, importedWords } from '../../../../features/listings/import/imported.rules.ts'
import { Failure } from '../../../../kernel/errors.ts'
import { capitalised } from '../../../../kernel/values/text.ts'
import { button, linkButton } from '../../kit/button.ts'
import { codeBlock, type Flash, sectionHead } from '../../kit/components.ts'
import { choice, fileField, select } from '../../kit/forms/field.ts'
import { table } from '../../kit/lists/table.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { number } from '../../kit/values.ts'

export const IMPORT = '/admin/import'
export const EXPORT = '/admin/import/export'
export const EXPORT_TABLE = '/admin/import/export-table'

export interface ImportOutcome extends Imported {
  rejected: { line: number; error: string }[]
  rejectedCount: number
}

/** What was imported. An import that was refused because of wrong lines is also an outcome, which names these lines. */
export const outcomeOf = (imported: Promise<ImportOutcome>): Promise<ImportOutcome> =>
  imported.catch((error) => {
    if (!(error instanceof Failure) || error.status !== 400 || !Array.isArray(error.details.rejected)) throw error
    return error.details as Record<string, unknown> & ImportOutcome
  })

const EXAMPLE = `{"kind":"tag","slug":"api","name":"API"}
{"kind":"tool","slug":"acme-writer","name":"Acme Writer","website":"https://acme.example.com","tags":["api"]}`

export interface GivenImport {
  token: Markup
  skipInvalid?: boolean
  /** For a table: the kind of its rows, and whether missing categories and tags are created. */
  kind?: Kind
  createTerms?: boolean
  problem?: string
  outcome?: ImportOutcome
}

// In the form the token comes before the file, because it is checked before a byte of the file is read.
export const importPage = (given: GivenImport) => ({
  title: 'Import and export',
  flash: importMessages(given),
  body: html`<div class="flow">
<h1>Import and export</h1>
${given.outcome && given.outcome.rejectedCount > 0 && rejections(given.outcome, 'Line')}
<section class="panel flow">${sectionHead('Import')}
<p class="prose">A file with one entry a line, or a table of one kind, whose columns you check before anything is stored. What exists is replaced, what does not is created.</p>
<form class="form" method="post" action="${IMPORT}" enctype="multipart/form-data" data-upload>
${given.token}
${select({ name: 'kind', label: 'Kind of the rows (tables only)', value: given.kind ?? 'tool', options: ENTRY_KINDS.map(({ kind, label }) => ({ value: kind, label: capitalised(label) })) })}
${choice({ name: 'skipInvalid', label: 'Keep the good lines', checked: given.skipInvalid === true, hint: 'Otherwise one wrong line stops the import.' })}
${fileField({ name: 'file', label: 'File', required: true, accept: '.ndjson,.jsonl,.json,.csv,.tsv,.tab,.txt', hint: 'NDJSON in UTF-8 or a table, of any size.' })}
<div class="progress" data-progress hidden><p role="status" class="small">Sending…</p><progress aria-label="Sending the file" max="1" value="0">Sending</progress></div>
<div class="row">${button('Import')}</div>
<p class="note">Entries are categories, tags, directory categories, tools and directories, stored all at once. Logos and screenshots are copied afterwards: <a href="/admin/pictures">see how far that is</a>.</p>
</form>
<details><summary>Two lines of such a file</summary>${codeBlock('NDJSON', EXAMPLE)}</details></section>
<section class="panel flow">${sectionHead('Export')}
<p class="prose">Everything in the same form, drafts and private fields included. Keep it safe: it holds the addresses of founders.</p>
<div class="row">${linkButton(EXPORT, 'Download the catalog', { kind: 'plain' })}</div>
<p class="prose">Or one kind as a table for spreadsheets (CSV).</p>
<div class="row">${ENTRY_KINDS.map(({ kind, path }) => linkButton(`${EXPORT_TABLE}?kind=${kind}`, capitalised(path.slice(1).replace('-', ' ')), { kind: 'plain', slim: true }))}</div></section>
</div>`,
})

export function importMessages({ problem, outcome }: GivenImport): Flash[] {
  if (problem) return [{ kind: 'danger', text: problem, isPermanent: true }]
  if (!outcome) return []
  const wrong = `${number(outcome.rejectedCount)} wrong ${outcome.rejectedCount === 1 ? 'line' : 'lines'}`
  return outcome.imported === 0
    ? [{ kind: 'danger', text: `Nothing was imported: ${wrong}.`, isPermanent: true }]
    : [{ kind: 'notice', text: `${importedWords(outcome)}, left out ${wrong}.`, isPermanent: true }]
}

export const rejections = ({ rejected, rejectedCount }: ImportOutcome, place: 'Line' | 'Row'): Markup =>
  html`${sectionHead('What is wrong')}
${table({
  caption: 'Wrong lines',
  rows: rejected,
  columns: [
    { label: place, kind: 'number', rowHeader: true, cell: ({ line }) => number(line) },
    { label: 'Why', cell: ({ error }) => html`<bdi>${error}</bdi>` },
  ],
})}
${rejectedCount > rejected.length && html`<p>… and ${number(rejectedCount - rejected.length)} more.</p>`}`
