// A plain API reference: every operation of the REST API from its own declaration.
import type { TObject } from 'typebox'
import type { Operation } from '../../../kernel/operation.ts'
import { REST_BASE } from '../../http/addresses.ts'
import { NAME } from '../../rest/discovery.ts'
import type { Page } from '../document.ts'
import { html, type Markup } from '../markup.ts'

export function docsPage(operations: readonly Operation[], publicUrl: string): Page {
  return {
    title: `API reference · ${NAME}`,
    description: 'The REST API, operation by operation.',
    url: `${publicUrl}/docs`,
    body: html`<h1>API reference</h1>
<p>Send an API key as <code>Authorization: Bearer</code> or <code>X-API-Key</code>. Addresses are relative to <code>${publicUrl}${REST_BASE}</code>.
The whole contract, with every field and failure, is the <a href="${REST_BASE}/openapi.json">OpenAPI document</a>.</p>
${operations.map(entry)}`,
  }
}

const entry = (operation: Operation): Markup => html`<h2 id="${operation.name}">${operation.summary}</h2>
<p><code>${operation.method} ${operation.path.replace(/:(\w+)/g, '{$1}')}</code></p>
<p>${operation.description}</p>
${parameters(operation)}`

function parameters(operation: Operation): Markup {
  const fields = Object.entries({
    ...(operation.parameters as TObject).properties,
    ...((operation.body as TObject | undefined)?.properties ?? {}),
  }) as [string, { description?: string }][]
  if (fields.length === 0) return html``
  return html`<dl class="facts">
${fields.map(([name, { description }]) => html`<div><dt><code>${name}</code></dt><dd>${description ?? ''}</dd></div>\n`)}</dl>`
}
