// Two people, one listing: what came of a form whose listing was changed since it was opened. Each field that only one of them
// changed is as that one wants it; where both did, what was typed stays, and what is stored is shown beside it.
import { html, type Markup } from '../../kit/markup.ts'
import { type FieldGroup, fieldsIn, type ListingField } from './fields.ts'
import { type Form, fingerprint, isPartOf, type Values } from './values.ts'

export interface Merged {
  form: Record<string, string>
  /** Taken over from the other, because they were not touched here. */
  taken: ListingField[]
  /** Changed by both. */
  contested: { field: ListingField; stored: unknown }[]
}

export function merge(
  groups: readonly FieldGroup[],
  /** Fingerprints of what the form was opened with. */
  base: Readonly<Record<string, unknown>>,
  typed: { form: Form; body: Values },
  stored: { form: Form; body: Values },
): Merged {
  const form = Object.fromEntries(Object.entries(typed.form).map(([key, value]) => [key, value ?? '']))
  const merged: Merged = { form, taken: [], contested: [] }
  for (const field of fieldsIn(groups)) {
    const [before, mine, theirs] = [
      base[field.name],
      fingerprint(typed.body[field.name]),
      fingerprint(stored.body[field.name]),
    ]
    if (mine === theirs || theirs === before) continue
    if (mine === before) {
      takeOver(field, form, stored.form)
      merged.taken.push(field)
    } else merged.contested.push({ field, stored: stored.body[field.name] })
  }
  return merged
}

function takeOver(field: ListingField, form: Record<string, string>, stored: Form): void {
  for (const key of Object.keys(form)) if (isPartOf(field, key)) delete form[key]
  for (const [key, value] of Object.entries(stored)) if (isPartOf(field, key)) form[key] = value ?? ''
}

/** A value in a line or a few, for a person to compare. */
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

/** What the page says of it. */
export const mergeNews = ({ contested, taken }: Merged): Markup =>
  html`<section class="card" aria-label="What changed meanwhile"><h2>What changed meanwhile</h2>
${contested.map(
  ({ field, stored }) =>
    html`<div><p><strong>${field.label}</strong>: you both changed it. What you typed is in the form; saving replaces this:</p><p class="text quote" dir="auto">${readable(stored).slice(0, SHOWN)}</p></div>`,
)}
${taken.length > 0 && html`<p>Taken over into the form, because you had not touched them: ${taken.map(({ label }) => label).join(', ')}.</p>`}
${contested.length + taken.length === 0 && html`<p>Nothing that you can see here differs from what you typed. Save again to keep it.</p>`}
</section>`

const SHOWN = 2000
