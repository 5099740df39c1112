// The page for developers: what the API and MCP offer, how to start, and prices. The numbers are the constants that the service enforces.
import { PLAN_LABELS } from '../../../../features/accounts/schema.ts'
import { MAX_LIVE_KEYS, PARTNER_BUDGETS, VISITOR_BUDGETS } from '../../../../features/keys/budgets.rules.ts'
import type { SiteFields } from '../../../../features/site/schema.ts'
import type { RoutedOperation } from '../../../../kernel/operation.ts'
import { MCP_PATH, REST_BASE } from '../../../http/addresses.ts'
import { linkButton } from '../../kit/button.ts'
import { card, copyableValue, numberedSteps, sectionHead } from '../../kit/components.ts'
import { table } from '../../kit/lists/table.ts'
import { html, type Markup } from '../../kit/markup.ts'
import type { Page } from '../../kit/sending/document.ts'
import { type PlanSale, planTable } from './pricing.ts'
import { installSnippet, snippetTabs } from './snippets.ts'
import { WEBHOOKS_PATH } from './webhooks-guide.ts'

/** `agentsSignIn`: whether a program may sign in instead of sending a key. `answer`: what the first call in the snippets returns. */
export const developersPage = (
  operations: readonly RoutedOperation[],
  publicUrl: string,
  agentsSignIn: boolean,
  sale: PlanSale,
  site: SiteFields,
  answer: readonly object[],
): Page => ({
  title: 'Developers',
  description: 'The catalog over REST and MCP: a key, three snippets, limits and prices.',
  url: `${publicUrl}/developers`,
  path: '/developers',
  body: html`<div class="flow">
<section class="spruce devs"><div><h1>Put the catalog into what you build</h1>
<p>Search AI tools and startup directories from your code or your agent. REST and MCP give the same answers from both catalogs.</p>
<div class="row">${linkButton('/dashboard', 'Get an API key')}${linkButton('/docs', 'API reference', { kind: 'plain' })}</div></div>
${snippetTabs(publicUrl, undefined, answer)}</section>
${numberedSteps([
  [
    'Make a key',
    html`<a href="/sign-in">Sign in</a> and create it in the <a href="/dashboard">dashboard</a>. It is shown once; up to ${MAX_LIVE_KEYS} may live at a time.`,
  ],
  ['Send it', html`As <code>Authorization: Bearer</code> or <code>X-API-Key</code>, with every call.`],
  ['Ask', 'Nothing has to be installed. The first answer comes with the snippet above.'],
])}
<section class="flow">${sectionHead('Three ways in')}
<div class="grid fit">
${card('REST', html`<p class="small">JSON over HTTP, for any language. The <a href="${REST_BASE}/openapi.json">OpenAPI 3.1 document</a> describes all of it for generators.</p>${copyableValue(publicUrl + REST_BASE, 'Copy the REST address')}`)}
${card('MCP', html`<p class="small">Streamable HTTP, for every client that takes a URL and a header. Listing the tools is free; only calling one is charged.${agentsSignIn && html` A client that can sign in needs no key: give it the address alone, and it asks you for access.`}</p>${copyableValue(publicUrl + MCP_PATH, 'Copy the MCP address')}`)}
${card('TypeScript', html`<p class="small">A typed client without dependencies. It waits when the limit is used up.</p>${copyableValue(installSnippet(publicUrl), 'Copy the command')}`)}
</div></section>
<section class="flow">${sectionHead('What you can ask', { href: '/docs', label: 'All parameters and fields' })}
${operationsTable('Operations', operations, 'catalog')}
<details><summary>More for partners</summary>${operationsTable('Operations for partners', operations, 'partner')}</details></section>
<section class="flow" id="limits">${sectionHead('Limits and prices')}
${planTable(sale, site, html`<h3>For each key</h3><p class="note">Counted by key in windows of 60 seconds, REST and MCP apart.</p>`)}
<p class="prose quiet">A partner key has the calls of ${PLAN_LABELS.premium}, and on top of them ${PARTNER_BUDGETS.submit} submissions and ${PARTNER_BUDGETS.support} support questions a minute. Every answer says how much is left in <code>X-RateLimit-Remaining</code>; a 429 says in <code>Retry-After</code> how long to wait. Without a key, pages and descriptions may be read ${VISITOR_BUDGETS[0].calls} times a minute and ${VISITOR_BUDGETS[1].calls} times an hour from one address.</p></section>
<section class="flow">${sectionHead('Good to know')}
<ul class="listed prose">
<li>Answers are <code>{ success, data, pagination }</code>; failures <code>{ success: false, error, code }</code> with a sentence that says what would be right, a code for programs, and <code>fields</code> where fields are wrong.</li>
<li>Reads carry an <code>ETag</code>: send it back as <code>If-None-Match</code> and an unchanged answer is an empty 304.</li>
<li>Catalog reads may be called from a web page (CORS), but a key in a page is a public key: keep it on your server.</li>
<li>Partners are told of finished work and replies by <a href="${WEBHOOKS_PATH}">webhooks</a>.</li>
<li>Using a key means agreeing to the <a href="/policy">acceptable-use policy</a>.</li>
</ul></section>
</div>`,
})

const operationsTable = (
  caption: string,
  operations: readonly RoutedOperation[],
  access: RoutedOperation['access'],
): Markup =>
  table({
    caption,
    columns: [
      { label: 'What', cell: ({ name, summary }) => html`<a href="/docs/${name}">${summary}</a>`, rowHeader: true },
      { label: 'REST', cell: ({ method, path }) => html`<code>${method} ${path.replace(/:(\w+)/g, '{$1}')}</code>` },
      { label: 'MCP tool', cell: ({ name, tool }) => (tool ? html`<code>${name}</code>` : null) },
    ],
    rows: operations.filter((one) => one.access === access),
  })
