// The search box of the public site, with its filters.
import { hiddenFields } from '../button.ts'
import { icon } from '../icon.ts'
import { html, type Markup } from '../markup.ts'

interface SearchForm {
  /** The page that shows the results; /tools by default. */
  action?: '/tools' | '/directories' | '/search'
  label?: string
  value?: string
  placeholder?: string
  /** Further search conditions, sent as hidden fields. */
  values?: Readonly<Record<string, string>>
  /** Whether results are shown while the visitor types, in the element `#results` of this page. */
  live?: boolean
  /** The ids of elements of this form that are replaced together with the results; by default those of the filters in `more`. */
  renewed?: readonly string[]
  /** Fields above the box, such as the choice of a catalog. */
  before?: unknown
  /** The filters below the box, made by `narrowing` of `site/lists/narrowing.ts`. */
  more?: unknown
}

/**
 * A form that leads to a page of results. While the visitor types, a live form requests the same page, and htmx takes only the results out
 * of it, so both share one address and one cache. Every request is charged to the visitor. Therefore it is sent only after a delay, and the
 * script requires two characters.
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

/** The attributes that htmx reads. The elements with the ids `renewed` show counts of the results, so they are replaced with them. */
const liveAttributes = (action: string, renewed: readonly string[] | undefined): Markup =>
  html` data-live="${renewed ? 'page' : 'words'}" data-hx-get="${action}" data-hx-trigger="input delay:450ms target:[type=search], change target:select, change target:[type=radio], change target:[type=checkbox]" data-hx-target="#results" data-hx-select="#results"${renewed && html` data-hx-select-oob="${renewed.map((id) => `#${id}:outerMorph`).join(',')}"`} data-hx-swap="outerHTML" data-hx-sync="this:replace"`
