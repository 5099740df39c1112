// The reference of webhooks, made from the declared events. The receivers on the page are files in examples/, which a test runs.
import { readFileSync } from 'node:fs'
import { OPTIONAL_EVENTS } from '../../../../features/partners/schema.ts'
import { EVENT_HEADERS, TEST_EVENT } from '../../../../features/webhooks/schema.ts'
import type { DeclaredEvent } from '../../../../kernel/feature.ts'
import { exampleOf } from '../../../../kernel/schema.ts'
import { REST_BASE } from '../../../http/addresses.ts'
import { badge, codeBlock, codeTabs, sectionHead } from '../../kit/components.ts'
import { table } from '../../kit/lists/table.ts'
import { html, type Markup } from '../../kit/markup.ts'
import type { Page } from '../../kit/sending/document.ts'

export const WEBHOOKS_PATH = '/developers/webhooks'

const readExample = (file: string) => readFileSync(new URL(`../../../../../examples/${file}`, import.meta.url), 'utf8')
const RECEIVERS: readonly (readonly [language: string, source: string])[] = [
  ['Node', readExample('receiver.mjs')],
  ['Python', readExample('receiver.py')],
  ['PHP', readExample('receiver.php')],
]

export const webhooksGuidePage = (events: readonly DeclaredEvent[], publicUrl: string): Page => ({
  title: 'Webhooks',
  description:
    'The events that partners receive, their headers, and how to check the signature in Node, Python and PHP.',
  url: publicUrl + WEBHOOKS_PATH,
  path: '/developers',
  showsAreas: true,
  body: html`<div class="flow">
<p class="label">For partners</p>
<h1>Webhooks</h1>
<p class="lead">A partner with a webhook address is told by an HTTP POST when something happened. One address receives every kind of event; branch on <code>X-Catalog-Event</code>.</p>
<section class="flow">${sectionHead('Events')}
${eventsTable(events)}
<p class="prose">Ask for the others in the <a href="/dashboard/partner/webhooks">dashboard</a>, where you also set the address, send a test event and send again what did not arrive.</p></section>
<section class="flow">${sectionHead('Headers')}
${headersTable()}</section>
<section class="flow">${sectionHead('Rules')}
<ul class="listed prose">
<li>Answer any 2xx within ten seconds, before doing the work. Redirects are not followed.</li>
<li>There is one attempt and no retry. What was missed can be sent again by hand, with the same <code>webhook-id</code>; the state of a tool is always at <a href="/docs/get_tool_status"><code>GET /ai-tools/status</code></a>.</li>
<li>Events may overtake each other; <code>occurredAt</code> tells their order.</li>
<li>When the signing secret is replaced, <code>webhook-signature</code> has a signature with each secret for the hours that you chose, so the receiver can change over at any moment in between. <code>X-Catalog-Signature</code> is made with the new secret from the first moment on.</li>
</ul></section>
<section class="flow">${sectionHead('Checking the signature')}
<p class="prose">Whole receivers that need no library. They check <code>webhook-signature</code>, as every library from <a href="https://www.standardwebhooks.com" rel="noopener">standardwebhooks.com</a> does.</p>
${codeTabs(
  'receiver',
  'Language of the receiver',
  RECEIVERS.map(([language, source]) => ({ label: language, blocks: codeBlock(language, source) })),
)}</section>
<section class="flow">${sectionHead('Bodies', { href: `${REST_BASE}/openapi.json`, label: 'Every field, in the OpenAPI document' })}
${events.map(eventEntry)}</section>
</div>`,
})

/** The id of the event's element in the page. Names of events have dots, which an id may not have. */
const anchorOf = (event: string): string => event.replaceAll('.', '-')

export const eventAddress = (event: string): string => `${WEBHOOKS_PATH}#${anchorOf(event)}`

const eventsTable = (events: readonly DeclaredEvent[]): Markup =>
  table({
    caption: 'Events',
    columns: [
      {
        label: 'Event',
        cell: ({ name }) => html`<a href="#${anchorOf(name)}"><code>${name}</code></a>`,
        rowHeader: true,
      },
      { label: 'Sent', cell: ({ when }) => when },
      {
        label: 'To',
        cell: ({ name }) =>
          Object.hasOwn(OPTIONAL_EVENTS, name) || name === TEST_EVENT
            ? badge('On request')
            : badge('Everyone', 'accent'),
      },
    ],
    rows: events,
  })

const headersTable = (): Markup =>
  table({
    caption: 'Headers of every call',
    columns: [
      { label: 'Header', cell: ([name]) => html`<code>${name}</code>`, rowHeader: true },
      { label: 'Meaning', cell: ([, { meaning }]) => meaning },
    ],
    rows: Object.entries(EVENT_HEADERS),
  })

const eventEntry = ({ name, body }: DeclaredEvent): Markup => {
  const { description, anyOf = [body] } = body as { description?: string; anyOf?: readonly DeclaredEvent['body'][] }
  return html`<article class="operation flow" id="${anchorOf(name)}">
<h3><a href="#${anchorOf(name)}"><code>${name}</code></a></h3>
<p class="prose">${description}</p>
${anyOf.map((shape) => {
  const { title } = shape as { title?: string }
  return codeBlock(title ?? name, JSON.stringify(exampleOf(shape), null, 2))
})}
</article>`
}
