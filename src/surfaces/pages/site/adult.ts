// Asks for confirmation before an adult listing. The answer is part of the address, so no cookie is needed and caches can keep the pages.
import { type AddressQuery, queryText } from '../kit/address-query.ts'
import { linkButton } from '../kit/button.ts'
import type { Page } from '../kit/document.ts'
import { html } from '../kit/markup.ts'

export const hasOptedIn = (query: AddressQuery): boolean => queryText(query, 'adult') === 'true'

/** Reveals nothing about the listing before the visitor has confirmed. */
export const adultConfirmationPage = (path: string): Page => ({
  title: 'Adults only',
  description: 'This listing is for adults.',
  adult: true,
  body: html`<div class="flow prose">
<p class="label">18+</p>
<h1>Adults only</h1>
<p class="lead">This listing is marked as adult content. It is shown only to those who ask for it.</p>
<div class="row">${linkButton(`${path}?adult=true`, 'I am an adult, show it', { rel: 'nofollow' })}${linkButton('/tools', 'Return to the tools', { kind: 'plain' })}</div>
</div>`,
})
