import { hiddenFields } from './button.ts'
import { html, type Markup } from './markup.ts'

export interface SearchForm {
  /** Where the answer is a page of results; tools unless told otherwise. */
  action?: '/tools' | '/directories'
  label?: string
  value?: string
  placeholder?: string
  /** What else is to hold for the results. */
  values?: Readonly<Record<string, string>>
  /** Results as you type, put into the element `#results` of this page. */
  live?: boolean
  /** More fields of the same form. */
  more?: unknown
}

/**
 * A plain form that leads to a page of results. Live, the same page is asked for while typing, and only its results are
 * taken out of it, so there is one address, one answer and one cache for both. Each such question is charged to the visitor:
 * hence the wait before it is asked, and the two characters that the script demands.
 */
export function searchForm(given: SearchForm = {}): Markup {
  const { action = '/tools', label = 'Search AI tools', value = '', placeholder = '', values = {}, live, more } = given
  return html`<form class="flow" action="${action}" method="get" role="search"${live && liveAttributes(action, more ? 'page' : 'words')}>
<div class="search"><label class="away" for="search-q">${label}</label><input class="input" type="search" id="search-q" name="q" value="${value}" maxlength="500" placeholder="${placeholder || label}" autocomplete="off" enterkeyhint="search">
<button type="submit" class="button">Search</button></div>
${hiddenFields(values)}${more}${live && html`<p class="line away" data-line role="status"></p>`}
</form>`
}

const liveAttributes = (action: string, kind: 'words' | 'page'): Markup =>
  html` data-live="${kind}" data-hx-get="${action}" data-hx-trigger="input delay:450ms target:[type=search], change target:select" data-hx-target="#results" data-hx-select="#results" data-hx-swap="outerHTML" data-hx-sync="this:replace"`
