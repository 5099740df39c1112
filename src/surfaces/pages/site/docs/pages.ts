// The API reference: a page for each operation and one for failures, made from the declarations, so that they cannot differ from the API.
import { notFound } from '../../../../kernel/errors.ts'
import type { DeclaredEvent } from '../../../../kernel/feature.ts'
import type { RoutedOperation } from '../../../../kernel/operation.ts'
import { capitalised } from '../../../../kernel/values/text.ts'
import { MCP_PATH, POSTMAN_COLLECTION, REST_BASE } from '../../../http/addresses.ts'
import { type DescribedFailure, FAILURES, failureExample, failureStatuses } from '../../../http/answers/failures.ts'
import { DOCS_SCRIPT } from '../../assets.ts'
import { CLIENT_PACKAGE } from '../../client-package.ts'
import { linkButton } from '../../kit/button.ts'
import { badge, codeBlock, codeTabs, sectionHead } from '../../kit/components.ts'
import { table } from '../../kit/lists/table.ts'
import { html, type Markup } from '../../kit/markup.ts'
import type { Page } from '../../kit/sending/document.ts'
import { curlSnippet, installSnippet } from '../texts/snippets.ts'
import { eventAddress, WEBHOOKS_PATH } from '../texts/webhooks-guide.ts'
import { examplesOf, tryIt } from './examples.ts'
import { inputFields, inputList, outputList, withCode } from './fields.ts'

export const DOCS = '/docs'
const ERRORS = 'errors'

export interface Reference {
  operations: readonly RoutedOperation[]
  events: readonly DeclaredEvent[]
  publicUrl: string
}

const operationAddress = ({ name }: Pick<RoutedOperation, 'name'>): string => `${DOCS}/${name}`

/** The pages below `/docs`, for the sitemap. */
export const docsPaths = (operations: readonly RoutedOperation[]): string[] => [
  `${DOCS}/${ERRORS}`,
  ...operations.map(operationAddress),
]

export const docsPage = (reference: Reference): Page => ({
  ...frameOf(reference, DOCS, 'API reference', 'The REST API and the MCP tools, operation by operation.'),
  body: html`<div class="flow">
<h1>API reference</h1>
<p class="lead">Send an API key as <code>Authorization: Bearer</code> or <code>X-API-Key</code>. Addresses are relative to the base.</p>
<div class="row">${linkButton('/sign-up', 'Get an API key')}${downloadLink(`${REST_BASE}/openapi.json`, 'OpenAPI 3.1')}${downloadLink(POSTMAN_COLLECTION, 'Postman collection')}${downloadLink(CLIENT_PACKAGE, 'TypeScript client')}</div>
<div class="with-toc">
${referenceMenu(reference)}
<div class="flow">
<div class="halves"><section class="panel"><h2 class="visually-hidden">At a glance</h2><dl class="facts broad">
<div><dt>Base</dt><dd><code>${reference.publicUrl}${REST_BASE}</code></dd></div>
<div><dt>MCP</dt><dd><code>${reference.publicUrl}${MCP_PATH}</code></dd></div>
<div><dt>Answers</dt><dd><code>{ success, data, pagination }</code>, and on failure <code>{ success, error }</code></dd></div>
<div><dt>Limits</dt><dd><a href="/developers#limits">Calls a minute, and prices</a></dd></div>
<div><dt>Failures</dt><dd><a href="${DOCS}/${ERRORS}">Every status and what to do</a></dd></div>
<div><dt>Events</dt><dd><a href="${WEBHOOKS_PATH}">Webhooks for partners</a></dd></div>
</dl></section>
<div class="flow">${codeBlock('A first call', curlSnippet(reference.publicUrl))}
${codeBlock('Install the TypeScript client', installSnippet(reference.publicUrl))}</div></div>
${operationsByGroup(reference.operations)}
</div>
</div>
</div>`,
})

const downloadLink = (href: string, label: string): Markup =>
  html`<a class="button plain" href="${href}" download>${label}</a>`

const frameOf = ({ publicUrl }: Reference, path: string, title: string, description: string) => ({
  title,
  description,
  url: publicUrl + path,
  path: '/developers',
  showsAreas: true,
  script: DOCS_SCRIPT,
})

/** When all operations of a group take the same kind of key, the page names it once, above them. */
const operationsByGroup = (operations: readonly RoutedOperation[]): Markup[] =>
  [...Map.groupBy(operations, ({ group }) => group)].map(([group, members]) => {
    const keys = new Set(members.map(keyLabel))
    return html`<section class="flow"><div class="section-head"><h2>${group}</h2>${keys.size === 1 && html`<p class="quiet">${[...keys]}</p>`}</div>
<ul class="panel minis operations">
${members.map((one) => html`<li class="mini" id="${one.name}">${badge(one.method, one.method === 'GET' ? 'accent' : 'notice')}<div><h3><a href="${operationAddress(one)}">${one.summary}</a></h3><p><code>${pathOf(one)}</code></p></div><div class="end">${keys.size > 1 && keyLabel(one)}</div></li>\n`)}</ul></section>`
  })

/** The menu of the reference. The script adds a search to it; without the script it is a list. */
function referenceMenu({ operations, events }: Reference, current?: string): Markup {
  const groups = [...Map.groupBy(operations, ({ group }) => group)].map(
    ([group, members]) =>
      [
        group,
        members.map((one) => ({ href: operationAddress(one), label: one.summary, words: searchWords(one) })),
      ] as const,
  )
  const more = [
    { href: `${DOCS}/${ERRORS}`, label: 'Failures', words: FAILURES.map(({ status }) => status).join(' ') },
    { href: WEBHOOKS_PATH, label: 'All about webhooks', words: 'signature events' },
    ...events.map(({ name, when }) => ({ href: eventAddress(name), label: name, words: when })),
  ]
  // Closed on phones, where the page comes first.
  return html`<nav class="toc" aria-label="Reference" tabindex="0"><details><summary>All operations</summary><div class="flow" data-filter>
<div class="field" hidden><label for="docs-q">Search the reference</label><input class="input" type="search" id="docs-q" autocomplete="off" spellcheck="false" maxlength="100" placeholder="Name, address or field" data-search></div>
<p class="small quiet" role="status" data-state></p>
${[...groups, ['Failures and webhooks', more] as const].map(
  ([group, entries]) => html`<div data-group><p class="label">${group}</p>
<ul>${entries.map(({ href, label, words }) => html`<li data-words="${words.toLowerCase()}"><a href="${href}"${href === current && html` aria-current="page"`}>${label}</a></li>`)}</ul></div>`,
)}
</div></details></nav>`
}

const searchWords = ({ name, method, path, parameters, body }: RoutedOperation): string =>
  [
    ...[name, name.replaceAll('_', ' '), method, path],
    ...inputFields(parameters, 'query').map((one) => one.name),
    ...(body ? inputFields(body, 'body').map((one) => one.name) : []),
  ].join(' ')

const KEY_LABELS: Readonly<Record<string, string>> = {
  public: 'No key',
  catalog: 'Any key',
  partner: 'Partner key',
  support: 'Partner key with support',
}

const keyLabel = ({ access }: RoutedOperation): string => KEY_LABELS[access] ?? access

const pathOf = ({ path }: RoutedOperation): string => path.replace(/:(\w+)/g, '{$1}')

/** The page of an operation, or of the failures. */
export function referencePage(reference: Reference, slug: string): Page {
  if (slug === ERRORS) return errorsPage(reference)
  const at = reference.operations.findIndex(({ name }) => name === slug)
  const operation = reference.operations[at]
  if (!operation) throw notFound('Operation')
  return operationPage(reference, operation, {
    previous: reference.operations[at - 1],
    next: reference.operations[at + 1],
  })
}

interface Neighbours {
  previous: RoutedOperation | undefined
  next: RoutedOperation | undefined
}

function operationPage(reference: Reference, operation: RoutedOperation, neighbours: Neighbours): Page {
  const { summary, description, method, tool, name, parameters, path, headers, body, status = 200 } = operation
  return {
    ...frameOf(reference, operationAddress(operation), `${summary}: ${method} ${pathOf(operation)}`, description),
    body: html`<div class="with-toc docs-one">
${referenceMenu(reference, operationAddress(operation))}
<article class="flow">
<p class="label"><a href="${DOCS}">API reference</a></p>
<h1>${summary}</h1>
<p class="address">${badge(method, 'accent')}<code>${pathOf(operation)}</code>${badge(keyLabel(operation))}${tool && html`<span class="quiet small">MCP tool <code>${name}</code></span>`}</p>
<p class="prose">${withCode(description)}</p>
<section class="flow"><h2>Request</h2>
${codeTabs(
  'language',
  'Language of the example',
  examplesOf(operation, reference.publicUrl).map(({ language, code }) => ({
    label: language,
    blocks: codeBlock(`${name} in ${language}`, code),
  })),
)}</section>
${inputList('Parameters', inputFields(parameters, 'query', path))}
${headers && inputList('Headers', inputFields(headers, 'header'))}
${body && inputList('Body', inputFields(body, 'body'))}
<section class="flow"><h2>Answer</h2>
${codeBlock(`${status} ${name}`, JSON.stringify(operation.example, null, 2))}
<details><summary>Every field of the answer</summary>
${outputList(operation.data)}</details></section>
<section class="flow"><h2>Failures</h2>
${failuresTable(FAILURES.filter((one) => failureStatuses(operation, { isLimited: true }).has(one.status)))}</section>
${tryIt(operation)}
<nav class="row" aria-label="Neighbours">${neighbours.previous && linkButton(operationAddress(neighbours.previous), `Previous: ${neighbours.previous.summary}`, { kind: 'plain' })}${neighbours.next && linkButton(operationAddress(neighbours.next), `Next: ${neighbours.next.summary}`, { kind: 'plain' })}</nav>
</article>
</div>`,
  }
}

const failuresTable = (failures: readonly DescribedFailure[]): Markup =>
  table({
    caption: 'Failures',
    columns: [
      {
        label: 'Status',
        rowHeader: true,
        cell: ({ status }) => html`<a href="${DOCS}/${ERRORS}#status-${status}"><code>${status}</code></a>`,
      },
      { label: 'Meaning', cell: ({ description }) => description },
    ],
    rows: failures,
  })

/** What a caller does about each failure. */
const ADVICE: Readonly<Record<number, string>> = {
  400: 'Change the request as the message says. The same request fails again.',
  401: 'Send a key that lives, in Authorization or X-API-Key. A revoked key never works again.',
  403: 'Use a key that may do this; partner endpoints need a partner key.',
  404: 'Look the slug or id up again: it may have been taken down or renamed.',
  405: 'Use a method that Allow names.',
  409: 'Read the resource again, then repeat the change.',
  413: 'Send less.',
  415: 'Send the media type that the message names.',
  429: 'Wait for the seconds in Retry-After, then repeat the request. The typed client does.',
  500: 'Repeat the request. If it lasts, report the X-Request-Id.',
  503: 'Wait for the seconds in Retry-After, then repeat the request.',
}

/** The failures that an operation of the REST API can have. */
const shownFailures = ({ operations }: Reference): DescribedFailure[] => {
  const statuses = new Set(operations.flatMap((operation) => [...failureStatuses(operation, { isLimited: true })]))
  return FAILURES.filter(({ status }) => statuses.has(status))
}

const errorsPage = (reference: Reference): Page => ({
  ...frameOf(
    reference,
    `${DOCS}/${ERRORS}`,
    'Failures of the API',
    'Every status with which a call may fail, with an example and what to do.',
  ),
  body: html`<div class="with-toc docs-one">
${referenceMenu(reference, `${DOCS}/${ERRORS}`)}
<article class="flow">
<p class="label"><a href="${DOCS}">API reference</a></p>
<h1>Failures</h1>
<p class="lead">A failure is <code>{ "success": false, "error": "…", "code": "…" }</code>: a sentence for people, and a code that stays the same for programs. Where fields are wrong, <code>fields</code> has <code>{ field, problem }</code> for each. Every answer has an <code>X-Request-Id</code>; quote it when you report a problem.</p>
${shownFailures(reference).map(
  ({
    status,
    description,
    error,
    headers = {},
  }) => html`<section class="flow operation" id="status-${status}">${sectionHead(`${status}`)}
<p class="prose">${capitalised(description)} ${ADVICE[status]}</p>
${Object.entries(headers).map(([name, header]) => html`<p class="small"><code>${name}: ${header.example}</code> <span class="quiet">${header.description}</span></p>`)}
${codeBlock(`Example of ${status}`, JSON.stringify(failureExample({ status, error }), null, 2))}</section>`,
)}
</article>
</div>`,
})
