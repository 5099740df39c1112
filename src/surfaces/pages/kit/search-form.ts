// The search box of the public site, with its filters.
import { hiddenFields } from './button.ts'
import { icon } from './icon.ts'
import { html, type Markup } from './markup.ts'

interface SearchForm {
  /** The page that shows the results; /tools by default. */
  action?: '/tools' | '/directories' | '/search'
  label?: string
  value?: string
  placeholder?: string
  /** Further search conditions, sent as hidden fields. */
  values?: Readonly<Record<string, string>>
  /** Shows results while the visitor types, in the element `#results` of this page. */
  live?: boolean
  /** The ids of elements of the form that belong to the results, and are replaced with them; by default those of `narrowing`. */
  renewed?: readonly string[]
  /** Fields above the box, such as the choice of a catalog. */
  before?: unknown
  /** The filters of the same form, see `narrowing`. */
  more?: unknown
}

/**
 * A form that leads to a page of results. A live form requests the same page while the visitor types, and the script takes only
 * the results out of it, so both share one address and one cache. Each request is charged to the visitor: hence the delay before
 * it is sent, and the two characters that the script requires.
 */
export function searchForm(given: SearchForm = {}): Markup {
  const {
    action = '/tools',
    label = 'Search AI tools',
    value = '',
    placeholder = '',
    values = {},
    live,
    before,
    more,
    renewed = more ? ['filters', 'listbar'] : undefined,
  } = given
  return html`<form class="flow" action="${action}" method="get" role="search"${live && liveAttributes(action, renewed)}>
${before}<div class="search">${icon('search', 'large')}<label class="visually-hidden" for="search-q">${label}</label><input class="input" type="search" id="search-q" data-search name="q" value="${value}" maxlength="500" placeholder="${placeholder || label}" autocomplete="off" enterkeyhint="search">
<button type="submit" class="button">Search</button></div>
${hiddenFields(values)}${more}${live && html`<p class="line visually-hidden" data-line role="status"></p>`}
</form>`
}

/** The answer also replaces the elements with the ids `renewed`, whose counts belong to the results; morphing keeps the focus. */
const liveAttributes = (action: string, renewed: readonly string[] | undefined): Markup =>
  html` data-live="${renewed ? 'page' : 'words'}" data-hx-get="${action}" data-hx-trigger="input delay:450ms target:[type=search], change target:select, change target:[type=radio], change target:[type=checkbox]" data-hx-target="#results" data-hx-select="#results"${renewed && html` data-hx-select-oob="${renewed.map((id) => `#${id}:outerMorph`).join(',')}"`} data-hx-swap="outerHTML" data-hx-sync="this:replace"`
