// Converts a stored listing to the flat fields of its form, and the sent form to the body of a PUT. Merges a form with a listing that another
// user changed after the form was opened.
import { createHash } from 'node:crypto'
import { isObject } from '../../../../kernel/values/objects.ts'
import { parsedJson } from '../../../../kernel/values/text.ts'
import { html, type Markup, normaliseLineBreaks } from '../../kit/markup.ts'
import { type FieldGroup, fieldsIn, type ListingField } from './fields.ts'

export type Form = Readonly<Record<string, string | undefined>>
export type Values = Record<string, unknown>

/** Whether `key`, the name of a flat field, holds this field or a part of it, such as `features.0.name` of `features`. */
const isPartOf = ({ name }: ListingField, key: string): boolean =>
  key === name || (key.startsWith(name) && /[.:+]/.test(key.charAt(name.length)))

export function formOfListing(groups: readonly FieldGroup[], stored: Values): Record<string, string> {
  const form: Record<string, string> = {}
  for (const { name, widget } of fieldsIn(groups)) {
    const value = stored[name]
    if (widget === 'kept number' || widget === 'kept time' || value === undefined || value === null) continue
    if (widget === 'terms' || widget === 'choices')
      for (const slug of value as string[]) form[`${name}:${slug}`] = 'true'
    else if (widget === 'lines' || widget === 'pictures') form[name] = (value as string[]).join('\n')
    else if (widget === 'pairs')
      for (const [i, [key, text]] of Object.entries(value as Record<string, string>).entries())
        Object.assign(form, { [`${name}.${i}.name`]: key, [`${name}.${i}.value`]: text })
    else if (widget === 'questions')
      for (const [i, { question, answer }] of (value as { question: string; answer: string }[]).entries())
        Object.assign(form, { [`${name}.${i}.name`]: question, [`${name}.${i}.value`]: answer })
    else if (widget === 'deal') {
      const { text, code } = value as { text: string; code: string }
      Object.assign(form, { [`${name}.text`]: text, [`${name}.code`]: code })
    } else if (widget === 'json') form[name] = JSON.stringify(value, null, 2)
    else form[name] = value instanceof Date ? value.toISOString() : String(value)
  }
  return form
}

/** The number of rows of a field that has several, such as features; empty rows count too. */
export function rowCount(form: Form, name: string): number {
  let last = -1
  // A client may send thousands of fields, so each is looked at once and cheaply.
  for (const key in form) {
    if (!key.startsWith(name) || key[name.length] !== '.') continue
    const end = key.indexOf('.', name.length + 1)
    const number = key.slice(name.length + 1, end)
    if (end !== -1 && number.length <= 3 && DIGITS.test(number)) last = Math.max(last, Number(number))
  }
  return last + 1
}

const DIGITS = /^\d+$/

export interface ParsedForm {
  body: Values
  /** Problems by field that prevent a body from being made, such as text that is not JSON. */
  problems: Record<string, string>
}

/** The body of a PUT with the values of the form. `slugOf`: finds the slug of a term that was typed by slug or by name. */
export function bodyOfForm(groups: readonly FieldGroup[], form: Form, slugOf: (term: string) => string): ParsedForm {
  const read: ParsedForm = { body: {}, problems: {} }
  for (const field of fieldsIn(groups)) {
    const value = valueIn(field, form, slugOf, read.problems)
    if (value !== undefined) read.body[field.name] = value
  }
  return read
}

const textIn = (form: Form, key: string): string => normaliseLineBreaks(form[key] ?? '')

/** The value of a field in the body; undefined leaves it out. */
function valueIn(
  field: ListingField,
  form: Form,
  slugOf: (term: string) => string,
  problems: ParsedForm['problems'],
): unknown {
  const { name, widget } = field
  const text = textIn(form, name)
  switch (widget) {
    case 'flag':
      return text === 'true'
    case 'number':
    case 'kept number':
      if (text.trim() === '') return field.nullable ? null : undefined
      // Text that is no number is passed on, so that the operation reports what is wrong with it.
      return Number.isFinite(Number(text)) ? Number(text) : text
    case 'kept time':
    case 'choice':
      return text.trim() || (field.nullable ? null : undefined)
    case 'json':
      return fieldJson(field, text, problems)
    case 'term':
      return text.trim() || null
    case 'terms':
    case 'choices':
      return termsIn(form, name, slugOf)
    case 'lines':
    case 'pictures':
      return text
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean)
    case 'pairs':
      return pairsIn(field, form, problems)
    case 'questions':
      return filledRows(form, name).map(([question, answer]) => ({ question, answer }))
    case 'deal': {
      const deal = { text: textIn(form, `${name}.text`).trim(), code: textIn(form, `${name}.code`).trim() }
      return deal.text || deal.code ? deal : null
    }
    case 'text':
      return text.trim() === '' && field.nullable ? null : text
    default:
      return text.trim() === '' && field.nullable ? null : text.trim()
  }
}

function fieldJson({ name, label, nullable }: ListingField, text: string, problems: ParsedForm['problems']): unknown {
  if (text.trim() === '') return nullable ? null : undefined
  const value = parsedJson(text)
  if (value === undefined) problems[name] = `${label} must be JSON.`
  return value
}

function termsIn(form: Form, name: string, slugOf: (term: string) => string): string[] {
  const checked = Object.keys(form).flatMap((key) =>
    key.startsWith(`${name}:`) && form[key] === 'true' ? [key.slice(name.length + 1)] : [],
  )
  const typed = textIn(form, `${name}+`)
    .split(/[,\n]/)
    .map((term) => term.trim())
    .filter(Boolean)
  return [...new Set([...checked, ...typed.map(slugOf)])]
}

/** The rows of a field that are not empty, each with its number in the form. */
export const filledRows = (form: Form, name: string): [key: string, value: string, row: number][] =>
  Array.from({ length: rowCount(form, name) }, (_, row): [string, string, number] => [
    textIn(form, `${name}.${row}.name`).trim(),
    textIn(form, `${name}.${row}.value`).trim(),
    row,
  ]).filter(([key, value]) => key || value)

function pairsIn({ name, label }: ListingField, form: Form, problems: ParsedForm['problems']): Record<string, string> {
  const rows = filledRows(form, name)
  const names = rows.map(([key]) => key)
  for (const [i, [key, , row]] of rows.entries())
    if (key === '') problems[`${name}.${row}.name`] = `${label}: a row has no name.`
    else if (names.indexOf(key) !== i) problems[`${name}.${row}.name`] = `${label}: ${key} is listed twice.`
  return Object.fromEntries(rows.map(([key, value]) => [key, value]))
}

/** A short hash of a value. The form contains it instead of the value, to find out later whether the value was changed. */
export const fingerprint = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('base64url')
    .slice(0, 10)

export const fingerprints = (groups: readonly FieldGroup[], body: Values): Record<string, string> =>
  Object.fromEntries(fieldsIn(groups).map(({ name }) => [name, fingerprint(body[name])]))

/** The fingerprints that a form was opened with; none when the form does not have them. */
export function baseIn({ base = '' }: Form): Record<string, unknown> {
  const value = parsedJson(base)
  return isObject(value) ? value : {}
}

// A field that only one of two users changed gets the changed value. If both changed it, the form keeps the typed value and shows the stored one
// beside it.
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
