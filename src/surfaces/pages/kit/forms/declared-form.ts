// Forms that are declared by their fields. How long a field may be, whether it may be empty and what can be chosen comes from the schema of
// the operation's body. A declared form makes the markup, reads what was typed and builds the body.
import type { Static, TObject, TSchema } from 'typebox'
import type { Failure } from '../../../../kernel/errors.ts'
import type { Operation } from '../../../../kernel/operation.ts'
import { capitalised } from '../../../../kernel/values/text.ts'
import { confirmedAction } from '../button.ts'
import { html, type Markup, normaliseLineBreaks } from '../markup.ts'
import type { Visit } from '../sending/private-pages.ts'
import { choice, type Field, field, type Option, select, textarea } from './field.ts'
import { type Refusal, storedValuesSection, versionValue } from './forms.ts'

type TextAttributes = 'type' | 'placeholder' | 'autocomplete' | 'maxLength' | 'inputMode' | 'spellcheck'

interface FormField extends Partial<Pick<Field, TextAttributes | 'hint' | 'required' | 'disabled' | 'id'>> {
  label: string
  /** Makes the field a text area with so many lines. */
  rows?: number
  /** Whether blanks around the text are kept. */
  keepsSpace?: boolean
  /** Labels by value: of the choices, or of `true` and `false` for a checkbox. */
  words?: Readonly<Record<string, string>>
  options?: readonly Option[]
  /** The label of the empty choice; without it there is no empty choice. */
  none?: string
  /** The text beside a checkbox, if it is not the label. */
  beside?: string
  /** Markup after the field that is not part of the body. */
  after?: Markup
  /** Makes the body's value from the typed text. */
  read?: (text: string) => unknown
  /** Makes the text of the field from the stored value. */
  write?: (value: Stored) => string
}

type Stored = string | number | boolean | null | undefined | readonly string[]

/** The fields as a browser sends them. */
export type Typed<Name extends string> = Readonly<Partial<Record<Name, string>>>

/** A form that was refused: what was typed, and why. */
export interface Refused<Name extends string = string> extends Refusal {
  typed: Typed<Name>
  status: number
}

export interface DeclaredForm<Name extends string> {
  labels: Readonly<Record<Name, string>>
  /** The fields of this form in what the browser sent. */
  typed(form: Readonly<Record<string, string | undefined>>): Typed<Name>
  /** The fields as they are when the form is opened with stored values. */
  of(stored: Readonly<Record<Name, Stored>>): Typed<Name>
  /** The operation's body. */
  body(typed: Typed<Name>): Record<string, unknown>
  /** The markup of the fields. `marked`: what is wrong with each; `more`: changes of their declarations for this page. */
  fields(
    typed: Typed<Name>,
    marked?: Refusal['marked'],
    more?: Readonly<Partial<Record<Name, Partial<FormField>>>>,
  ): Markup
  /** Shown with a form that was refused: the stored value of each field in which another one was typed. `others`: of other fields. */
  storedBeside(
    typed: Typed<Name>,
    stored: Readonly<Record<Name, Stored>>,
    more?: Readonly<Partial<Record<Name, Partial<FormField>>>>,
    others?: readonly (readonly [label: string, typed: string, stored: string])[],
  ): Markup
}

/** The parts of a field's JSON schema that forms read. */
export interface FieldSchema {
  description?: string
  type?: string | readonly string[]
  anyOf?: readonly { type?: string }[]
  enum?: readonly (string | null)[]
  items?: { type?: string; properties?: object; enum?: readonly string[] }
  additionalProperties?: { type?: string } | boolean
  maxLength?: number
  minLength?: number
  pattern?: string
}

export const fieldSchemas = (schema: { properties?: Readonly<Record<string, FieldSchema>> } = {}) =>
  schema.properties ?? {}

/** What the schema of a field says about its input. */
export function fieldFacts(schema: FieldSchema = {}) {
  const types = [schema.type, ...(schema.anyOf ?? []).map(({ type }) => type)].flat()
  const nullable = types.includes('null')
  return {
    nullable,
    isFlag: types.includes('boolean') && !nullable,
    maxLength: schema.maxLength,
    options: (schema.enum ?? schema.items?.enum)?.filter((value) => value !== null),
    required: !nullable && ((schema.minLength ?? 0) > 0 || !new RegExp(schema.pattern ?? '').test('')),
  }
}

/** The choices of a field: those in `words`, in their order; without `words` all values; undefined: nothing to choose from. */
export const choicesOf = (
  values: readonly string[] | undefined,
  words: Readonly<Record<string, string>> | undefined,
): readonly Option[] | undefined =>
  words
    ? Object.entries(words).map(([value, label]) => ({ value, label }))
    : values?.map((value) => ({ value, label: capitalised(value) }))

export const YES_NO = { true: 'Yes', false: 'No' }

type Facts = ReturnType<typeof fieldFacts>

const optionsOf = ({ options, words }: FormField, facts: Facts) => options ?? choicesOf(facts.options, words)

function control(
  name: string,
  facts: Facts,
  given: FormField,
  value: string | undefined,
  error: string | undefined,
): Markup {
  const { label, hint, id, disabled, none, beside, rows } = given
  const shared = { name, label, hint, id, disabled, error }
  if (facts.isFlag) return choice({ ...shared, label: beside ?? label, checked: value === 'true' })
  const options = optionsOf(given, facts)
  if (options) return select({ ...shared, value, options, none })
  const { placeholder, required = !given.read && facts.required, maxLength = facts.maxLength } = given
  const text = { ...shared, value, required, maxLength, placeholder }
  const { type, autocomplete, inputMode, spellcheck } = given
  return rows ? textarea({ ...text, rows }) : field({ ...text, type, autocomplete, inputMode, spellcheck })
}

/** The value of a field in the body; undefined leaves the field out. */
function bodyValue({ isFlag, nullable, options }: Facts, { read, keepsSpace }: FormField, typed = ''): unknown {
  if (isFlag) return typed === 'true'
  const text = keepsSpace ? typed : typed.trim()
  if (read) return read(text)
  if (text !== '') return text
  if (nullable) return null
  return options ? undefined : ''
}

const textOf = ({ write }: FormField, value: Stored): string =>
  write?.(value) ?? (Array.isArray(value) ? value.join('\n') : String(value ?? ''))

/** A typed value as the page shows it, such as the label of a choice, to compare it with the stored one. */
const inWords = (facts: Facts, given: FormField, typed: string | undefined): string | undefined =>
  facts.isFlag
    ? (given.words ?? YES_NO)[typed === 'true' ? 'true' : 'false']
    : (optionsOf(given, facts)?.find(({ value }) => value === typed)?.label ?? typed)

export function declareForm<B extends TSchema, Name extends string & keyof Static<B>>(
  operation: Operation<TObject, B, TSchema>,
  declared: Readonly<Record<Name, FormField>>,
): DeclaredForm<Name> {
  const schemas = fieldSchemas(operation.body)
  const names = Object.keys(declared) as Name[]
  const each = <Value>(value: (name: Name) => Value) =>
    Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Name, Value>
  const facts = each((name) => fieldFacts(schemas[name]))
  const texts = (stored: Readonly<Record<Name, Stored>>) => each((name) => textOf(declared[name], stored[name]))
  return {
    labels: each((name) => declared[name].label),
    typed: (sent) => each((name) => sent[name] && normaliseLineBreaks(sent[name])),
    of: texts,
    body: (typed) => each((name) => bodyValue(facts[name], declared[name], typed[name])),
    fields: (typed, marked, more) =>
      html`${names.map((name) => {
        const given = { ...declared[name], ...more?.[name] }
        return html`${control(name, facts[name], given, typed[name], marked?.[name])}\n${given.after}`
      })}`,
    storedBeside: (typed, stored, more, others = []) => {
      const now = texts(stored)
      const ownValues = names.map((name) => {
        const words = (text: string | undefined) => inWords(facts[name], { ...declared[name], ...more?.[name] }, text)
        // A checkbox that is not checked is not sent.
        const isGiven = facts[name].isFlag || typed[name] !== undefined
        return [declared[name].label, isGiven ? words(typed[name]) : undefined, words(now[name]) ?? ''] as const
      })
      return storedValuesSection([...ownValues, ...others])
    },
  }
}

export const SLUG_LABEL = 'Slug'

/** The field for the slug of a new entry. The slug is a parameter of the operation and not part of the body. */
export const slugInput = (value: string | undefined, error: string | undefined): Markup =>
  field({
    name: 'slug',
    label: SLUG_LABEL,
    error,
    value,
    maxLength: 100,
    spellcheck: false,
    hint: 'Part of its address, and stays. Empty: made from the name.',
  })

export const slugField = ({ form }: Visit, refused?: Refused): Markup => slugInput(form.slug, refused?.marked.slug)

/** The refusal of a new entry whose slug is taken; null for any other failure. */
export function takenSlug({ status }: Failure, kindName: string, slug: string) {
  if (status !== 409) return null
  const text = `There is a ${kindName} ${slug} already. Choose another slug.`
  return { text, marked: { slug: text }, status: 400 }
}

/** A button that deletes what the page at `path` shows, after a question. */
export const deleteForm = (
  visit: Visit,
  stored: { version: number },
  path: string,
  label: string,
  question: Markup | string,
  confirmLabel: string,
): Markup =>
  confirmedAction({
    action: `${path}/delete`,
    label,
    values: { ...visit.values, ...versionValue(stored) },
    question,
    confirmLabel,
  })
