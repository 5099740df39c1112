// Form fields. Each has a visible label. Screen readers read hint and error together with the input.
import { html, type Markup } from '../markup.ts'

interface FieldBase {
  name: string
  label: string
  hint?: Markup | string
  /** What is wrong with the value that was sent. */
  error?: string
  required?: boolean
  disabled?: boolean
  /** Needed only when a name occurs twice on a page. */
  id?: string
}

export interface Field extends FieldBase {
  type?: 'text' | 'email' | 'password' | 'url' | 'number' | 'search' | 'date'
  value?: string | number | null
  placeholder?: string
  autocomplete?: string
  maxLength?: number
  minLength?: number
  min?: number | string
  max?: number | string
  pattern?: string
  inputMode?: 'numeric' | 'decimal' | 'email' | 'url'
  spellcheck?: boolean
}

export const field = (given: Field): Markup =>
  labelled(
    given,
    html`<input class="input" type="${given.type ?? 'text'}"${sharedAttributes(given)}${attributes({
      value: given.value,
      placeholder: given.placeholder,
      autocomplete: given.autocomplete,
      maxlength: given.maxLength,
      minlength: given.minLength,
      min: given.min,
      max: given.max,
      pattern: given.pattern,
      inputmode: given.inputMode,
      spellcheck: given.spellcheck === false ? 'false' : undefined,
    })}>${given.type === 'password' && SHOW_PASSWORD}`,
  )

/** Hidden until the script shows it, because it does nothing without the script. */
const SHOW_PASSWORD = html`<label class="small row" hidden><input type="checkbox" data-show-password>Show what I type</label>`

export interface Textarea extends FieldBase {
  value?: string | null
  rows?: number
  maxLength?: number
  placeholder?: string
}

// Browsers drop a line break right after `<textarea>`. The template adds one for them to drop, so a line break at the start of the value is
// kept.
export const textarea = (given: Textarea): Markup =>
  labelled(
    given,
    html`<textarea class="input"${sharedAttributes(given)}${attributes({ rows: given.rows, maxlength: given.maxLength, placeholder: given.placeholder })}>
${given.value ?? ''}</textarea>`,
  )

export interface Option {
  value: string
  label: string
  disabled?: boolean
}

interface Select extends FieldBase {
  options: readonly Option[]
  value?: string | null
  /** The label of the empty choice, such as "Any", which is the first in the list. Without it there is no empty choice. */
  none?: string
}

export const select = (given: Select): Markup =>
  labelled(
    given,
    html`<select class="input"${sharedAttributes(given)}>
${given.none !== undefined && option({ value: '', label: given.none }, given.value ?? '')}${given.options.map((each) => option(each, given.value ?? ''))}</select>`,
  )

interface FileField extends FieldBase {
  accept?: string
  multiple?: boolean
}

export const fileField = (given: FileField): Markup =>
  labelled(
    given,
    html`<input class="input" type="file"${sharedAttributes(given)}${attributes({ accept: given.accept })}${given.multiple && html` multiple`}>`,
  )

interface Choice extends Omit<FieldBase, 'label'> {
  label: Markup | string
  value?: string
  checked?: boolean
  type?: 'checkbox' | 'radio'
}

export const choice = (given: Choice): Markup => {
  const id = given.id ?? `field-${given.name}${given.type === 'radio' ? `-${given.value}` : ''}`
  return html`<div class="field"><div class="choice"><input type="${given.type ?? 'checkbox'}"${sharedAttributes({ ...given, id })}${attributes({ value: given.value ?? 'true' })}${given.checked && html` checked`}><label for="${id}">${given.label}</label></div>${hintAndError({ ...given, id })}</div>`
}

export const hiddenField = (name: string, value: string): Markup =>
  html`<input type="hidden" name="${name}" value="${value}">`

export const fieldGroup = (legend: string, content: unknown): Markup =>
  html`<fieldset class="fields" id="${groupId(legend)}"><legend>${legend}</legend>${content}</fieldset>`

const groupId = (legend: string): string => `group-${legend.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`

/** Links to the groups of a long form, each with the number of its fields that have a problem. */
export const formContents = (groups: readonly { title: string; problems: number }[]): Markup =>
  html`<nav class="toc form-toc" aria-label="Sections of the form"><ul>${groups.map(
    ({ title, problems }) =>
      html`<li><a href="#${groupId(title)}">${title}${problems > 0 && html` <span class="badge danger">${problems}<span class="visually-hidden"> wrong</span></span>`}</a></li>`,
  )}</ul></nav>`

const idOf = ({ id, name }: Pick<FieldBase, 'id' | 'name'>): string => id ?? `field-${name}`

const labelled = (given: FieldBase & { hint?: unknown }, control: Markup): Markup =>
  html`<div class="field"><label for="${idOf(given)}">${given.label}</label>${control}${hintAndError(given)}</div>`

const hintAndError = (given: Pick<FieldBase, 'id' | 'name' | 'hint' | 'error'>): Markup =>
  html`${given.hint && html`<p class="hint" id="${idOf(given)}-hint">${given.hint}</p>`}${given.error && html`<p class="error" id="${idOf(given)}-error">${given.error}</p>`}`

function sharedAttributes(given: Pick<FieldBase, 'id' | 'name' | 'hint' | 'error' | 'required' | 'disabled'>): Markup {
  const id = idOf(given)
  const described = [given.hint && `${id}-hint`, given.error && `${id}-error`].filter(Boolean).join(' ')
  return html`${attributes({ id, name: given.name, 'aria-describedby': described || undefined })}${given.error && html` aria-invalid="true"`}${given.required && html` required`}${given.disabled && html` disabled`}`
}

const option = ({ value, label, disabled }: Option, chosen: string): Markup =>
  html`<option value="${value}"${value === chosen && html` selected`}${disabled && html` disabled`}>${label}</option>\n`

/** The attributes as markup, without those that are undefined or null. */
const attributes = (values: Record<string, string | number | null | undefined>): Markup[] =>
  Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [html` ${name}="${value}"`],
  )
