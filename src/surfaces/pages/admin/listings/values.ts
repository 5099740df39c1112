// The way between a stored listing, the flat fields of a form and the body of a PUT.
import { createHash } from 'node:crypto'
import { type FieldGroup, fieldsIn, type ListingField } from './fields.ts'

export type Form = Readonly<Record<string, string | undefined>>
export type Values = Record<string, unknown>

/** The flat fields of a form that hold this one. */
export const isPartOf = ({ name }: ListingField, key: string): boolean =>
  key === name || (key.startsWith(name) && /[.:+]/.test(key.charAt(name.length)))

/** A stored listing, or a new one, as the flat fields of the form. */
export function formOfListing(groups: readonly FieldGroup[], stored: Values): Record<string, string> {
  const form: Record<string, string> = {}
  for (const { name, widget } of fieldsIn(groups)) {
    const value = stored[name]
    if (widget === 'kept number' || widget === 'kept time' || value === undefined || value === null) continue
    if (widget === 'terms') for (const slug of value as string[]) form[`${name}:${slug}`] = 'true'
    else if (widget === 'lines') form[name] = (value as string[]).join('\n')
    else if (widget === 'pairs')
      for (const [i, [key, text]] of Object.entries(value as Record<string, string>).entries())
        Object.assign(form, { [`${name}.${i}.name`]: key, [`${name}.${i}.value`]: text })
    else if (widget === 'questions')
      for (const [i, { question, answer }] of (value as { question: string; answer: string }[]).entries())
        Object.assign(form, { [`${name}.${i}.name`]: question, [`${name}.${i}.value`]: answer })
    else if (widget === 'deal') {
      const { text, code } = value as { text: string; code: string }
      Object.assign(form, { [`${name}.text`]: text, [`${name}.code`]: code })
    } else form[name] = String(value)
  }
  return form
}

/** The rows of a field that has several: how many there are, filled or not. */
export function rowsIn(form: Form, name: string): number {
  let last = -1
  // A form may have been sent with any number of fields: each is looked at once, and quickly.
  for (const key in form) {
    if (!key.startsWith(name) || key[name.length] !== '.') continue
    const end = key.indexOf('.', name.length + 1)
    const number = key.slice(name.length + 1, end)
    if (end !== -1 && number.length <= 3 && DIGITS.test(number)) last = Math.max(last, Number(number))
  }
  return last + 1
}

const DIGITS = /^\d+$/

export interface Read {
  body: Values
  /** What the body of a PUT cannot say, by field. */
  problems: Record<string, string>
}

/** The body that a form asks to be stored. `slugOf` knows a term by its name too. */
export function bodyOfForm(groups: readonly FieldGroup[], form: Form, slugOf: (term: string) => string): Read {
  const read: Read = { body: {}, problems: {} }
  for (const field of fieldsIn(groups)) {
    const value = valueIn(field, form, slugOf, read.problems)
    if (value !== undefined) read.body[field.name] = value
  }
  return read
}

// Browsers end lines of a form in two characters.
const textIn = (form: Form, key: string): string => (form[key] ?? '').replace(/\r\n?/g, '\n')

function valueIn(
  field: ListingField,
  form: Form,
  slugOf: (term: string) => string,
  problems: Read['problems'],
): unknown {
  const { name, widget } = field
  const text = textIn(form, name)
  switch (widget) {
    case 'flag':
      return text === 'true'
    case 'number':
    case 'kept number':
      if (text.trim() === '') return field.nullable ? null : undefined
      // What is no number is handed on as it is, so that the answer says what is wrong with it.
      return Number.isFinite(Number(text)) ? Number(text) : text
    case 'kept time':
    case 'choice':
      return text.trim() || undefined
    case 'term':
      return text.trim() || null
    case 'terms':
      return termsIn(form, name, slugOf)
    case 'lines':
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

function termsIn(form: Form, name: string, slugOf: (term: string) => string): string[] {
  const ticked = Object.keys(form).flatMap((key) =>
    key.startsWith(`${name}:`) && form[key] === 'true' ? [key.slice(name.length + 1)] : [],
  )
  const typed = textIn(form, `${name}+`)
    .split(/[,\n]/)
    .map((term) => term.trim())
    .filter(Boolean)
  return [...new Set([...ticked, ...typed.map(slugOf)])]
}

const filledRows = (form: Form, name: string): [string, string][] =>
  Array.from({ length: rowsIn(form, name) }, (_, i): [string, string] => [
    textIn(form, `${name}.${i}.name`).trim(),
    textIn(form, `${name}.${i}.value`).trim(),
  ]).filter(([key, value]) => key || value)

function pairsIn({ name, label }: ListingField, form: Form, problems: Read['problems']): Record<string, string> {
  const rows = filledRows(form, name)
  const names = rows.map(([key]) => key)
  const twice = names.find((key, i) => names.indexOf(key) !== i)
  if (names.includes('')) problems[name] = `${label}: a row has no name.`
  else if (twice !== undefined) problems[name] = `${label}: ${twice} stands there twice.`
  return Object.fromEntries(rows)
}

/** Tells two states of a field apart without carrying either through the browser. */
export const fingerprint = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('base64url')
    .slice(0, 10)

export const fingerprints = (groups: readonly FieldGroup[], body: Values): Record<string, string> =>
  Object.fromEntries(fieldsIn(groups).map(({ name }) => [name, fingerprint(body[name])]))
