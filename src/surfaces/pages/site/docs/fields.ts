// Lists the fields of the requests and answers of an operation, with type, place and meaning.
import type { TSchema } from 'typebox'
import { badge } from '../../kit/components.ts'
import { html, type Markup } from '../../kit/markup.ts'

interface FieldShape {
  type?: string | string[]
  enum?: unknown[]
  items?: FieldShape
  default?: unknown
  maxLength?: number
  description?: string
  examples?: unknown[]
  properties?: Record<string, FieldShape>
  anyOf?: FieldShape[]
  oneOf?: FieldShape[]
}

interface ObjectShape {
  properties: Record<string, FieldShape>
  required: string[]
}

/** For a union of objects: the fields of all members. A field is required when every member requires it. */
export function fieldShapeOf(schema: TSchema | object): ObjectShape {
  const { properties = {}, required = [], anyOf } = schema as Partial<ObjectShape> & { anyOf?: object[] }
  if (!anyOf) return { properties, required }
  const choices = anyOf.map(fieldShapeOf)
  return {
    properties: Object.assign({}, ...choices.map((one) => one.properties)),
    required: (choices[0]?.required ?? []).filter((name) => choices.every((one) => one.required.includes(name))),
  }
}

export type FieldPlace = 'path' | 'query' | 'header' | 'body'

export interface InputField {
  name: string
  shape: FieldShape
  place: FieldPlace
  isRequired: boolean
}

/** The fields of one part of a request. `path`: the path of the operation; fields that it contains have the place `path`. */
export function inputFields(schema: TSchema, place: FieldPlace, path = ''): InputField[] {
  const { properties, required } = fieldShapeOf(schema)
  return Object.entries(properties).map(([name, shape]) => {
    const inPath = path.includes(`:${name}`)
    const isRequired = inPath || (required.includes(name) && shape.default === undefined)
    return { name, shape, place: inPath ? 'path' : place, isRequired }
  })
}

export const inputList = (caption: string, fields: readonly InputField[]): Markup | null =>
  fields.length === 0
    ? null
    : html`<section class="flow"><h2>${caption}</h2>
<dl class="facts broad">
${fields.map(
  ({ name, shape, place, isRequired }) =>
    html`<div><dt><code>${name}</code><br><span class="small">${typeOf(shape)}, in ${place}</span>${isRequired && html` ${badge('required', 'notice')}`}</dt><dd>${withCode(shape.description)}${limitsOf(shape)}</dd></div>\n`,
)}</dl></section>`

/** The fields of an answer; those of an object inside it are named with a dot, those of list items with brackets. */
export const outputList = (data: TSchema): Markup => {
  const rows = outputFields(data as FieldShape)
  return html`<dl class="facts broad">
${rows.map(
  ([name, shape]) =>
    html`<div><dt><code>${name}</code><br><span class="small">${typeOf(shape)}</span></dt><dd>${withCode(shape.description)}</dd></div>\n`,
)}</dl>`
}

/** A description with the names and the values that a caller types set as code: `q`, `list_categories`, `includeAdult=true`. */
export const withCode = (text = ''): Markup[] =>
  text
    .split(/(\b[a-z]+(?:_[a-z]+)+\b|\b[a-z]+[A-Z][A-Za-z]*\b(?:=\w+)?|\b[a-z]+=\w+|\bq\b)/)
    .map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))

// Deeper objects are in the example and in the OpenAPI document.
const MOST_DEPTH = 3

function outputFields(shape: FieldShape, prefix = 'data', depth = MOST_DEPTH): [name: string, shape: FieldShape][] {
  if (depth === 0) return []
  if (shape.type === 'array' && shape.items) return outputFields(shape.items, `${prefix}[]`, depth)
  const { properties = {} } = shape
  const choice = (shape.anyOf ?? shape.oneOf ?? []).filter(({ type }) => type !== 'null')
  const fields = Object.assign({}, properties, ...choice.map((one) => one.properties ?? {})) as Record<
    string,
    FieldShape
  >
  return Object.entries(fields).flatMap(([name, field]): [string, FieldShape][] => {
    const full = `${prefix}.${name}`
    return [[full, field], ...outputFields(field, full, depth - 1)]
  })
}

export function typeOf({ type, enum: values, items, anyOf, oneOf }: FieldShape): string {
  if (values) return values.filter((value) => value !== null).join(' | ')
  const choices = anyOf ?? oneOf
  if (choices && !type) return [...new Set(choices.map(typeOf))].join(' or ')
  const name = [type ?? 'object'].flat().join(' or ')
  return name === 'array' && items ? `array of ${typeOf(items)}` : name
}

/** The default and the maximum length. A description with the word "unless" names the default itself. */
function limitsOf({ default: defaultValue, maxLength, description = '' }: FieldShape): Markup | null {
  const sentences = [
    defaultValue !== undefined &&
      defaultValue !== '' &&
      !description.includes('unless') &&
      `Default ${JSON.stringify(defaultValue)}.`,
    maxLength !== undefined && `At most ${maxLength} characters.`,
  ].filter(Boolean)
  return sentences.length > 0 ? html` <span class="quiet">${sentences.join(' ')}</span>` : null
}
