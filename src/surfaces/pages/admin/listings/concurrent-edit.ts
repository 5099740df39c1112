// Merges a form with a listing that another user changed after the form was opened. A field that only one of them changed gets the changed
// value. If both changed it, the form keeps the typed value and shows the stored one beside it.
import { html, type Markup } from '../../kit/markup.ts'
import { type FieldGroup, fieldsIn, type ListingField } from './fields.ts'
import { type Form, fingerprint, isPartOf, type Values } from './values.ts'

interface Merged {
  form: Record<string, string>
  /** Fields that only the other user changed; the form has the stored value. */
  takenOver: ListingField[]
  /** Fields that both changed; the form has the typed value. */
  conflicting: { field: ListingField; stored: unknown }[]
}

/** `typed`: the form that was sent. `stored`: the listing as a form. */
export function merge(
  groups: readonly FieldGroup[],
  /** Fingerprints of the values that the form was opened with, by name of the field. */
  base: Readonly<Record<string, unknown>>,
  typed: { form: Form; body: Values },
  stored: { form: Form; body: Values },
): Merged {
  const form = Object.fromEntries(Object.entries(typed.form).map(([key, value]) => [key, value ?? '']))
  const merged: Merged = { form, takenOver: [], conflicting: [] }
  for (const field of fieldsIn(groups)) {
    const [before, mine, theirs] = [
      base[field.name],
      fingerprint(typed.body[field.name]),
      fingerprint(stored.body[field.name]),
    ]
    if (mine === theirs || theirs === before) continue
    if (mine === before) {
      takeStoredValue(field, form, stored.form)
      merged.takenOver.push(field)
    } else merged.conflicting.push({ field, stored: stored.body[field.name] })
  }
  return merged
}

function takeStoredValue(field: ListingField, form: Record<string, string>, stored: Form): void {
  for (const key of Object.keys(form)) if (isPartOf(field, key)) delete form[key]
  for (const [key, value] of Object.entries(stored)) if (isPartOf(field, key)) form[key] = value ?? ''
}

/** A value as text, for the user to compare. */
function readable(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'empty'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value))
    return value.length === 0
      ? 'empty'
      : value.map(readable).join(value.every((item) => typeof item === 'string') ? ', ' : '\n')
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([key, text]) => `${key}: ${text}`)
      .join('\n')
  return String(value)
}

/** Tells the user what the merge did. */
export const mergeSummary = ({ conflicting, takenOver }: Merged): Markup =>
  html`<section class="card" aria-label="What changed meanwhile"><h2>What changed meanwhile</h2>
${conflicting.map(
  ({ field, stored }) =>
    html`<div><p><strong>${field.label}</strong>: you both changed it. What you typed is in the form; saving replaces this:</p><p class="text quote" dir="auto">${readable(stored).slice(0, SHOWN_CHARACTERS)}</p></div>`,
)}
${takenOver.length > 0 && html`<p>Taken over into the form, because you had not touched them: ${takenOver.map(({ label }) => label).join(', ')}.</p>`}
${conflicting.length + takenOver.length === 0 && html`<p>Nothing that you can see here differs from what you typed. Save again to keep it.</p>`}
</section>`

const SHOWN_CHARACTERS = 2000
