// What is wrong with a form of a listing: which fields are marked, and the sentence above the form.
import { readEntry } from '../../../../features/listings/rules.ts'
import type { Failure } from '../../../../kernel/errors.ts'
import { html } from '../../kit/markup.ts'
import { problemsByField } from '../../kit/problems.ts'
import { fieldsIn } from './fields.ts'
import { anchorOf } from './form.ts'
import type { ListingKind } from './kinds.ts'
import type { ParsedForm } from './values.ts'

/** The problems of a PUT by field; problems without a field are shown above the form. */
export function problemsOf(kind: ListingKind, slug: string, parsedForm: ParsedForm, error: Failure | null) {
  const fields = fieldsIn(kind.groups)
  const labels = { ...Object.fromEntries(fields.map(({ name, label }) => [name, label])), slug: 'slug' }
  // A form that could not be parsed never reached the operation, so its other problems are found here.
  const hasParseProblems = Object.keys(parsedForm.problems).length > 0
  const entry = readEntry(kind.kind, slug, parsedForm.body)
  const found = hasParseProblems ? ('problems' in entry ? entry.problems : []) : (error?.problems ?? [])
  const { marked: known, others } = problemsByField(found, labels)
  const marked = { ...known, ...parsedForm.problems }
  const general = others || (error && !hasParseProblems && found.length === 0 ? error.message : '')
  const links = fields
    .filter(({ name }) => marked[name])
    .map(({ name, label, widget }) => html`<li><a href="#${anchorOf(name, widget)}">${label}</a></li>`)
  const text = html`<p>Nothing was saved. ${general || 'Correct the marked fields.'}</p>${links.length > 0 && html`<ul class="listed">${links}</ul>`}`
  return { problems: marked, flash: [{ kind: 'danger' as const, text, isPermanent: true }] }
}
