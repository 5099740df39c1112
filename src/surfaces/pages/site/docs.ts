// The API reference. Each operation is described from its own declaration, so the page cannot differ from the API.
import type { TObject } from 'typebox'
import type { RoutedOperation } from '../../../kernel/operation.ts'
import { MCP_PATH, REST_BASE } from '../../http/addresses.ts'
import { badge } from '../kit/badge.ts'
import { codeBlock } from '../kit/code.ts'
import type { Page } from '../kit/document.ts'
import { html, type Markup } from '../kit/markup.ts'
import { table } from '../kit/table.ts'

export function docsPage(operations: readonly RoutedOperation[], publicUrl: string): Page {
  const groups = [...Map.groupBy(operations, ({ group }) => group)]
  return {
    title: 'API reference',
    description: 'The REST API and the MCP tools, operation by operation.',
    url: `${publicUrl}/docs`,
    path: '/developers',
    body: html`<div class="flow">
<h1>API reference</h1>
<p class="lead">Send an API key as <code>Authorization: Bearer</code> or <code>X-API-Key</code>. Addresses are relative to the base.</p>
<div class="with-toc">
<nav class="toc flow" aria-label="Contents">
${groups.map(([group, members]) => html`<p class="label">${group}</p>\n<ul>${members.map(({ name, summary }) => html`<li><a href="#${name}">${summary}</a></li>`)}</ul>`)}
</nav>
<div class="flow">
<dl class="facts broad">
<div><dt>Base</dt><dd><code>${publicUrl}${REST_BASE}</code></dd></div>
<div><dt>MCP</dt><dd><code>${publicUrl}${MCP_PATH}</code></dd></div>
<div><dt>Description</dt><dd><a href="${REST_BASE}/openapi.json">OpenAPI 3.1 document</a>, with every field and failure</dd></div>
<div><dt>Limits</dt><dd><a href="/developers#limits">Calls a minute, and prices</a></dd></div>
</dl>
${failures()}
${groups.map(([group, members]) => html`<section class="flow"><div class="section-head"><h2>${group}</h2></div>${members.map((operation) => operationEntry(operation, publicUrl))}</section>`)}
</div>
</div>
</div>`,
  }
}

const KEY_LABELS: Record<string, string> = {
  public: 'No key',
  catalog: 'Any key',
  partner: 'Partner key',
  support: 'Partner key with support',
}

const operationEntry = (
  operation: RoutedOperation,
  publicUrl: string,
): Markup => html`<article class="operation flow" id="${operation.name}">
<h3><a href="#${operation.name}">${operation.summary}</a></h3>
<p class="address">${badge(operation.method, 'accent')}<code>${pathOf(operation)}</code>${badge(KEY_LABELS[operation.access] ?? operation.access)}${operation.tool && html`<span class="quiet small">MCP tool <code>${operation.name}</code></span>`}</p>
<p class="prose">${operation.description}</p>
${fieldList('Parameters', operation.parameters as TObject, 'query', operation.path)}
${operation.headers && fieldList('Headers', operation.headers as TObject, 'header')}
${operation.body && fieldList('Body', operation.body as TObject, 'body')}
${codeBlock(`Request ${operation.name}`, requestOf(operation, publicUrl))}
<details><summary>Answer${operation.failures.length > 0 && ` (also: ${operation.failures.join(', ')})`}</summary>
${codeBlock(`${operation.status ?? 200} ${operation.name}`, JSON.stringify(operation.example, null, 2))}</details>
</article>`

const pathOf = ({ path }: RoutedOperation): string => path.replace(/:(\w+)/g, '{$1}')

interface Shape {
  type?: string | string[]
  enum?: unknown[]
  items?: Shape
  default?: unknown
  maxLength?: number
  description?: string
  examples?: unknown[]
}

interface ObjectShape {
  properties: Record<string, Shape>
  required: string[]
}

/** For a union of objects: the fields of all members. A field is required when every member requires it. */
function shapeOf({ properties = {}, required = [], anyOf }: Partial<ObjectShape> & { anyOf?: object[] }): ObjectShape {
  if (!anyOf) return { properties, required }
  const choices = anyOf.map(shapeOf)
  return {
    properties: Object.assign({}, ...choices.map((one) => one.properties)),
    required: (choices[0]?.required ?? []).filter((name) => choices.every((one) => one.required.includes(name))),
  }
}

interface FieldRow {
  name: string
  shape: Shape
  place: string
  isRequired: boolean
}

function fieldList(caption: string, schema: TObject, place: string, path = ''): Markup | null {
  const { properties, required } = shapeOf(schema)
  const rows: FieldRow[] = Object.entries(properties).map(([name, shape]) => {
    const inPath = path.includes(`:${name}`)
    const isRequired = inPath || (required.includes(name) && shape.default === undefined)
    return { name, shape, place: inPath ? 'path' : place, isRequired }
  })
  if (rows.length === 0) return null
  return html`<h4 class="label">${caption}</h4>
<dl class="facts broad">
${rows.map(
  ({ name, shape, place, isRequired }) =>
    html`<div><dt><code>${name}</code><br><span class="small">${typeOf(shape)}, in ${place}</span>${isRequired && html` ${badge('Required', 'notice')}`}</dt><dd>${shape.description ?? ''}${limitsOf(shape)}</dd></div>\n`,
)}</dl>`
}

function typeOf({ type, enum: values, items }: Shape): string {
  if (values) return values.filter((value) => value !== null).join(' | ')
  const name = [type ?? 'object'].flat().join(' or ')
  return name === 'array' && items ? `array of ${typeOf(items)}` : name
}

/** The default, unless the description names it, and the maximum length. */
function limitsOf({ default: standard, maxLength, description = '' }: Shape): Markup | null {
  const sentences = [
    standard !== undefined &&
      standard !== '' &&
      !description.includes('unless') &&
      `Default ${JSON.stringify(standard)}.`,
    maxLength !== undefined && `At most ${maxLength} characters.`,
  ].filter(Boolean)
  return sentences.length > 0 ? html` <span class="quiet">${sentences.join(' ')}</span>` : null
}

/** A curl command made from the declared examples. It works once the user puts in a key. */
function requestOf({ method, path, access, parameters, body }: RoutedOperation, publicUrl: string): string {
  const { properties } = shapeOf(parameters as TObject)
  const example = (name: string) => String(properties[name]?.examples?.[0] ?? name)
  const address = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(example(name)))
  const [first] = Object.keys(properties).filter((name) => !path.includes(`:${name}`))
  const query = method === 'GET' && first ? `?${new URLSearchParams({ [first]: example(first) })}` : ''
  const lines = [`curl "${publicUrl}${REST_BASE}${address}${query}"`]
  if (access !== 'public')
    lines.push(`-H "Authorization: Bearer ${access === 'catalog' ? 'aid_YOUR_KEY' : 'aid_p_YOUR_KEY'}"`)
  if (body) lines.push('-H "Content-Type: application/json"', `-d '${JSON.stringify(exampleOf(body as TObject))}'`)
  return lines.join(' \\\n  ')
}

/** The required fields, or the first field when none is required. */
function exampleOf(schema: TObject): object {
  const { properties, required } = shapeOf(schema)
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1)
  return Object.fromEntries(names.map((name) => [name, properties[name]?.examples?.[0] ?? '…']))
}

const STATUSES: readonly (readonly [string, string])[] = [
  ['400', 'Something in the request is wrong; the message says what would be right.'],
  ['401', 'The key is missing, invalid or revoked.'],
  ['403', 'The key is valid but may not do this.'],
  ['404', 'There is no such listing, conversation or address.'],
  ['429', 'The limit is reached; Retry-After says for how many seconds.'],
  ['500, 503', 'Our fault; try again shortly.'],
]

const failures = (): Markup =>
  table({
    caption: 'Failures',
    columns: [
      { label: 'Status', rowHeader: true, cell: ([status]) => html`<code>${status}</code>` },
      { label: 'Meaning', cell: ([, meaning]) => meaning },
    ],
    rows: STATUSES,
  })
