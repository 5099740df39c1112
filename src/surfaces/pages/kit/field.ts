// Fields of a form. Each has a visible label; hint and error are tied to the input, so that both are read out with it.
import { html, type Markup } from './markup.ts'

interface Common {
  name: string
  label: string
  hint?: Markup | string
  /** What is wrong with what was sent. */
  error?: string
  required?: boolean
  disabled?: boolean
  /** Only when a name occurs twice on a page. */
  id?: string
}

export interface Field extends Common {
  type?: 'text' | 'email' | 'password' | 'url' | 'number' | 'search' | 'tel' | 'date' | 'datetime-local'
  value?: string | number | null
  placeholder?: string
  autocomplete?: string
  maxLength?: number
  minLength?: number
  min?: number | string
  max?: number | string
  step?: number | string
  pattern?: string
  inputMode?: 'numeric' | 'decimal' | 'email' | 'url'
  spellcheck?: boolean
}

export const field = (given: Field): Markup =>
  labelled(
    given,
    html`<input class="input" type="${given.type ?? 'text'}"${shared(given)}${attributes({
      value: given.value,
      placeholder: given.placeholder,
      autocomplete: given.autocomplete,
      maxlength: given.maxLength,
      minlength: given.minLength,
      min: given.min,
      max: given.max,
      step: given.step,
      pattern: given.pattern,
      inputmode: given.inputMode,
      spellcheck: given.spellcheck === false ? 'false' : undefined,
    })}>`,
  )

export interface Textarea extends Common {
  value?: string | null
  rows?: number
  maxLength?: number
  placeholder?: string
}

// The line break after the tag is the one that browsers drop; without it they would drop the text's own.
export const textarea = (given: Textarea): Markup =>
  labelled(
    given,
    html`<textarea class="input"${shared(given)}${attributes({ rows: given.rows, maxlength: given.maxLength, placeholder: given.placeholder })}>
${given.value ?? ''}</textarea>`,
  )

export interface Option {
  value: string
  label: string
}

export interface Select extends Common {
  options: readonly Option[]
  value?: string | null
  /** The choice of nothing, first in the list: "Any". */
  none?: string
}

export const select = (given: Select): Markup =>
  labelled(
    given,
    html`<select class="input"${shared(given)}>
${given.none !== undefined && option({ value: '', label: given.none }, given.value ?? '')}${given.options.map((each) => option(each, given.value ?? ''))}</select>`,
  )

export interface FileField extends Common {
  accept?: string
  multiple?: boolean
}

export const fileField = (given: FileField): Markup =>
  labelled(
    given,
    html`<input class="input" type="file"${shared(given)}${attributes({ accept: given.accept })}${given.multiple && html` multiple`}>`,
  )

export interface Choice extends Omit<Common, 'label'> {
  label: Markup | string
  value?: string
  checked?: boolean
  type?: 'checkbox' | 'radio'
}

export const choice = (given: Choice): Markup => {
  const id = given.id ?? `field-${given.name}${given.type === 'radio' ? `-${given.value}` : ''}`
  return html`<div class="field"><div class="choice"><input type="${given.type ?? 'checkbox'}"${shared({ ...given, id })}${attributes({ value: given.value ?? 'true' })}${given.checked && html` checked`}><label for="${id}">${given.label}</label></div>${after({ ...given, id })}</div>`
}

export const hiddenField = (name: string, value: string): Markup =>
  html`<input type="hidden" name="${name}" value="${value}">`

/** Fields that belong together. */
export const fieldGroup = (legend: string, content: unknown): Markup =>
  html`<fieldset class="fields"><legend>${legend}</legend>${content}</fieldset>`

const idOf = ({ id, name }: Pick<Common, 'id' | 'name'>): string => id ?? `field-${name}`

const labelled = (given: Common & { hint?: unknown }, control: Markup): Markup =>
  html`<div class="field"><label for="${idOf(given)}">${given.label}</label>${control}${after(given)}</div>`

const after = (given: Pick<Common, 'id' | 'name' | 'hint' | 'error'>): Markup =>
  html`${given.hint && html`<p class="hint" id="${idOf(given)}-hint">${given.hint}</p>`}${given.error && html`<p class="error" id="${idOf(given)}-error">${given.error}</p>`}`

function shared(given: Pick<Common, 'id' | 'name' | 'hint' | 'error' | 'required' | 'disabled'>): Markup {
  const id = idOf(given)
  const described = [given.hint && `${id}-hint`, given.error && `${id}-error`].filter(Boolean).join(' ')
  return html`${attributes({ id, name: given.name, 'aria-describedby': described || undefined })}${given.error && html` aria-invalid="true"`}${given.required && html` required`}${given.disabled && html` disabled`}`
}

const option = ({ value, label }: Option, chosen: string): Markup =>
  html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>\n`

/** Those that have a value. */
const attributes = (values: Record<string, string | number | null | undefined>): Markup[] =>
  Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [html` ${name}="${value}"`],
  )
