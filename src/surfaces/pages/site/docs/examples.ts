// Requests that call an operation, written in four languages. Each is made from the examples that the operation declares, is complete, and
// runs once the user puts in a key. Also the form that sends such a request.
import type { TObject, TSchema } from 'typebox'
import type { RoutedOperation } from '../../../../kernel/operation.ts'
import { methodName } from '../../../../kernel/values/text.ts'
import { REST_BASE } from '../../../http/addresses.ts'
import { button } from '../../kit/button.ts'
import { field, select, textarea } from '../../kit/forms/field.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { fieldShapeOf, type InputField, inputFields } from './fields.ts'

interface ExampleRequest {
  method: RoutedOperation['method']
  /** The address, with examples as the values of its parameters. */
  url: string
  /** Null for an operation that needs no key. */
  key: string | null
  /** What the typed client takes: the parameters or the body. */
  input: Readonly<Record<string, unknown>>
  body: Readonly<Record<string, unknown>> | null
}

function exampleRequest(operation: RoutedOperation, publicUrl: string): ExampleRequest {
  const { method, path, access, parameters, body } = operation
  const { properties } = fieldShapeOf(parameters as TObject)
  const exampleFor = (name: string) => properties[name]?.examples?.[0] ?? name
  const inPath = Object.keys(properties).filter((name) => path.includes(`:${name}`))
  // One parameter is enough to show where parameters go.
  const inQuery = Object.keys(properties)
    .filter((name) => !inPath.includes(name) && name !== 'fields')
    .slice(0, inPath.length > 0 ? 0 : 1)
  const address = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(exampleFor(name))))
  const query = new URLSearchParams(Object.fromEntries(inQuery.map((name) => [name, String(exampleFor(name))])))
  const requestBody = body ? exampleBody(body) : null
  return {
    method,
    url: `${publicUrl}${REST_BASE}${address}${query.size > 0 ? `?${query}` : ''}`,
    key: access === 'public' ? null : access === 'catalog' ? 'aid_YOUR_KEY' : 'aid_p_YOUR_KEY',
    input: { ...Object.fromEntries([...inPath, ...inQuery].map((name) => [name, exampleFor(name)])), ...requestBody },
    body: requestBody,
  }
}

/** The required fields, or the first field when none is required. Of a schema with several bodies the first is used. */
function exampleBody(schema: TSchema): Record<string, unknown> {
  const { anyOf = [] } = schema as { anyOf?: TSchema[] }
  const { properties, required } = fieldShapeOf((anyOf[0] ?? schema) as TObject)
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1)
  return Object.fromEntries(names.map((name) => [name, properties[name]?.examples?.[0] ?? '…']))
}

export interface Example {
  language: 'curl' | 'TypeScript' | 'Python' | 'PHP'
  code: string
}

export const examplesOf = (operation: RoutedOperation, publicUrl: string): readonly Example[] => {
  const request = exampleRequest(operation, publicUrl)
  return [
    { language: 'curl', code: curl(request) },
    { language: 'TypeScript', code: typescript(operation, request, publicUrl) },
    { language: 'Python', code: python(request) },
    { language: 'PHP', code: php(request) },
  ]
}

const pretty = (value: unknown): string => JSON.stringify(value, null, 2)

/** A text in single quotes, in which a shell gives no character a meaning. */
const shellText = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const curl = ({ method, url, key, body }: ExampleRequest): string =>
  [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shellText(url)}`,
    ...(key ? [`-H 'Authorization: Bearer ${key}'`] : []),
    ...(body ? ["-H 'Content-Type: application/json'", `-d ${shellText(pretty(body))}`] : []),
  ].join(' \\\n  ')

function typescript({ name }: RoutedOperation, { key, input }: ExampleRequest, publicUrl: string): string {
  const settings = [`baseUrl: ${JSON.stringify(publicUrl)}`, ...(key ? [`key: '${key}'`] : [])]
  const given = Object.keys(input).length === 0 ? '' : typescriptObject(input)
  return `import { createClient } from '@catalog-service/client'

const catalog = createClient({ ${settings.join(', ')} })
const { data } = await catalog.${methodName(name)}(${given})
console.log(data)`
}

/** As JSON, but without quotes around names that need none. */
const typescriptObject = (value: object): string => pretty(value).replace(/^(\s*)"([A-Za-z]\w*)":/gm, '$1$2:')

// JSON is also Python, except for these three words.
const PYTHON_WORDS: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' }
const pythonValue = (value: object): string =>
  pretty(value).replace(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g, (part) => PYTHON_WORDS[part] ?? part)

const python = ({ method, url, key, body }: ExampleRequest): string => `import json
from urllib.request import Request, urlopen

request = Request(
    ${JSON.stringify(url)},
    method="${method}",
    headers={${[...(key ? [`"Authorization": "Bearer ${key}"`] : []), ...(body ? ['"Content-Type": "application/json"'] : [])].join(', ')}},${body ? `\n    data=json.dumps(${pythonValue(body).replaceAll('\n', '\n    ')}).encode(),` : ''}
)
with urlopen(request) as response:
    print(json.load(response)["data"])`

/** A text in single quotes for PHP, in which only the quote and the backslash are special. */
const phpText = (text: string): string => `'${text.replace(/['\\]/g, (character) => `\\${character}`)}'`

const php = ({ method, url, key, body }: ExampleRequest): string => {
  const headers = [
    ...(key ? [phpText(`Authorization: Bearer ${key}`)] : []),
    ...(body ? [phpText('Content-Type: application/json')] : []),
  ]
  return `<?php
$context = stream_context_create(['http' => [
  'method' => '${method}',
  'header' => [${headers.join(', ')}],
  'ignore_errors' => true,${body ? `\n  'content' => ${phpText(pretty(body))},` : ''}
]]);
$answer = json_decode(file_get_contents(${phpText(url)}, false, $context), true);
print_r($answer['data'] ?? $answer['error']);`
}

/**
 * A form that calls an operation of this service from the page. It needs the script, which reveals it. The field of the key has no name and
 * no completion. It is a text field whose text the stylesheet hides, because browsers offer to store what is in a password field.
 */
export function tryIt(operation: RoutedOperation): Markup {
  const { method, path, access, parameters, headers, body } = operation
  const fields = [...inputFields(parameters, 'query', path), ...(headers ? inputFields(headers, 'header') : [])]
  return html`<section class="flow try" hidden data-try><h2 id="try">Try it</h2>
<p class="quiet">${method === 'GET' ? 'Calls this service from your browser, charged to your key as any call.' : html`<strong>This is a real call:</strong> what it does is done. A test key (<code>aid_test_…</code>) works in the sandbox instead.`} The key goes to this service alone and is forgotten when you leave the page.</p>
<form class="flow" data-method="${method}" data-path="${REST_BASE}${path}" action="${REST_BASE}/" autocomplete="off" novalidate>
${
  access !== 'public' &&
  html`<div class="field"><label for="try-key">${access === 'catalog' ? 'API key' : 'Partner key'}</label><input class="input secret" type="text" id="try-key" autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="200" placeholder="${access === 'catalog' ? 'aid_…' : 'aid_p_… or aid_test_…'}" data-key></div>`
}
${fields.length > 0 && html`<div class="filters">${fields.map(inputOf)}</div>`}
${body && textarea({ name: 'body', id: 'try-body', label: 'Body (JSON)', rows: 12, value: JSON.stringify(exampleBody(body), null, 2) })}
<div class="row">${button('Send request')}</div>
</form>
<p class="quiet" role="status" data-state></p>
<div class="flow" hidden data-answer>
<figure class="code" data-copied><figcaption class="label">Headers</figcaption><section aria-label="Headers of the answer" tabindex="0"><pre><code data-headers></code></pre></section></figure>
<figure class="code" data-copied><figcaption class="label">Body</figcaption><section aria-label="Body of the answer" tabindex="0"><pre><code data-body></code></pre></section></figure>
</div></section>`
}

/** `place.name` tells the script where the value goes. */
function inputOf({ name, shape, place, isRequired }: InputField): Markup {
  const given = {
    name: `${place}.${name}`,
    id: `try-${place}-${name}`,
    label: isRequired ? `${name} (required)` : name,
  }
  const values = shape.type === 'boolean' ? ['true', 'false'] : shape.enum?.filter((value) => value !== null)
  if (values)
    return select({
      ...given,
      none: 'Not given',
      options: values.map((value) => ({ value: String(value), label: String(value) })),
    })
  return field({
    ...given,
    value: place === 'path' ? String(shape.examples?.[0] ?? '') : '',
    placeholder: place === 'header' ? 'Not given' : String(shape.examples?.[0] ?? ''),
    autocomplete: 'off',
    maxLength: 2_000,
  })
}
