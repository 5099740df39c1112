// Pages of the console with a list, declared by operation, filters and columns. The choices of a filter and the length of its text come
// from the operation's parameter of the same name.
import type { FastifyReply } from 'fastify'
import type { Static, TArray, TObject, TSchema } from 'typebox'
import { listPartners } from '../../../../features/partners/operations.ts'
import { badRequest, Failure } from '../../../../kernel/errors.ts'
import type { Operation, Unread } from '../../../../kernel/operation.ts'
import { webAddress } from '../../addresses.ts'
import { button, linkButton } from '../../kit/button.ts'
import { type EmptyState, emptyState, tabs } from '../../kit/components.ts'
import { choicesOf, fieldFacts, fieldSchemas, type Refused, YES_NO } from '../../kit/forms/declared-form.ts'
import { field, hiddenField, type Option, select } from '../../kit/forms/field.ts'
import { refusalFlash } from '../../kit/forms/forms.ts'
import { icon } from '../../kit/icon.ts'
import { addressWith } from '../../kit/lists/address-query.ts'
import { type ListPage, listPageLinks, readListPage } from '../../kit/lists/paged-lists.ts'
import { type TableColumn, type TableGroup, table } from '../../kit/lists/table.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import type { Visit } from '../../kit/sending/private-pages.ts'
import { fieldLabel } from '../../kit/values.ts'
import { COUNTED, waitingCounts } from './frame.ts'
import { testBadge } from './states.ts'

/** A choice of a filter. `parameters`: the parameters that it sets, instead of the one with the filter's name. */
interface FilterOption<I extends TObject> extends Pick<Option, 'value' | 'label'> {
  parameters?: Unread<Static<I>>
}

export interface Filter<I extends TObject, X> {
  /** By default made from the name of the filter. */
  label?: string
  hint?: string
  placeholder?: string
  /** The labels of the choices by value, in this order; by default the values themselves, or Yes and No. */
  words?: Readonly<Record<string, string>>
  options?: readonly FilterOption<I>[] | ((loaded: X) => readonly Option[])
  /** The label of the empty choice. */
  none?: string
  /** The parameters that the empty choice sets. */
  noneParameters?: Unread<Static<I>>
  /** Shows the filter as tabs above the list instead of a field. The text is the name of the tabs for screen readers. */
  tabs?: string
}

/** A filter that is no parameter of the operation: each of its choices says which parameters it sets. */
type OwnFilter<I extends TObject, X> = Filter<I, X> & { options: readonly Required<FilterOption<I>>[] }

/** What the page shows for this request; `loaded` is what `load` returned. */
interface ShownList<Name extends string, X> {
  visit: Visit
  filters: Readonly<Record<Name, string>>
  page: number
  loaded: X
}

/** A value that is the same for every request, or a function that makes it for one. */
type PerPage<Value, Name extends string, X> = Value | ((shown: ShownList<Name, X>) => Value)

interface ConsoleList<I extends TObject, Row extends TSchema, Name extends string, X> {
  path: string
  operation: Operation<I, TSchema, TArray<Row>>
  title: string
  /** By default the title. */
  heading?: PerPage<Markup | string, Name, X>
  lead?: PerPage<Markup | string | false, Name, X>
  /** What the page needs besides the rows. */
  load?: (visit: Visit, rows: readonly Static<Row>[]) => Promise<X>
  filters?: { readonly [N in Name]?: N extends keyof Static<I> ? Filter<I, X> : OwnFilter<I, X> }
  /** Whether the list can also show the rows of sandboxes; a link beside the heading switches to them. */
  hasTests?: boolean
  /** Links beside the heading, to pages that belong to the list. */
  links?: Markup
  /** Whether what fills the list is switched off. An empty list then has no filters. */
  isOff?: PerPage<boolean, Name, X>
  caption?: string
  /** The rows that the table shows, if it shows several rows of the list as one; by default all rows. */
  shownRows?: (shown: ShownList<Name, X>) => readonly Static<Row>[]
  columns: PerPage<readonly TableColumn<Static<Row>>[], Name, X>
  group?: PerPage<TableGroup<Static<Row>>, Name, X>
  /** The form that changes many rows, made with `bulkForm`; false if none of these rows can be changed. */
  bulk?: (shown: ShownList<Name, X>, rows: readonly Static<Row>[]) => Markup | false
  /** What the page says if there are no rows at all. */
  empty: PerPage<EmptyState, Name, X>
  /** What the page says if the filters find none. */
  noneFound?: string
  noneFoundText?: string
  /** Markup between the heading and the filters. */
  above?: (shown: ShownList<Name, X>) => unknown
  /** Markup below the list, such as a form for a new row, which `refused` fills again. */
  below?: (shown: ShownList<Name, X>, refused?: Refused) => unknown
}

/** Makes the handler of a list page. */
export const declareList =
  <I extends TObject, Row extends TSchema, Name extends string = never, X = undefined>(
    list: ConsoleList<I, Row, Name, X>,
  ) =>
  (visit: Visit, refused?: Refused): Promise<FastifyReply> =>
    showList(visit, list, refused)

export async function showList<I extends TObject, Row extends TSchema, Name extends string, X>(
  visit: Visit,
  list: ConsoleList<I, Row, Name, X>,
  refused?: Refused,
): Promise<FastifyReply> {
  const { path, title, links, caption = title } = list
  const names = (Object.keys(list.filters ?? {}) as Name[]).filter((name) => list.filters?.[name])
  const { test } = visit.query(['test'])
  const { rows, filters, failure } = await readRows(visit, list, names, test)
  // The query that the links of the page keep.
  const sent = list.hasTests ? { ...filters, test } : filters
  const loaded = (await list.load?.(visit, rows.rows)) as X
  const shown = { visit, filters, page: rows.page, loaded }
  const heading = forPage(list.heading ?? title, shown)
  const lead = forPage(list.lead ?? false, shown)
  const withFields = names.filter((name) => !list.filters?.[name]?.tabs)
  const isFiltered = withFields.some((name) => filters[name] !== '')
  // The fields of an empty list are left out, unless a tab or the empty choice of a filter hides a part of the list.
  const isWhole = !names.some((name) => list.filters?.[name]?.tabs || list.filters?.[name]?.noneParameters)
  const isEmpty = rows.rows.length === 0 && rows.page === 1 && !isFiltered
  const inForm = isEmpty && (isWhole || forPage(list.isOff ?? false, shown)) ? [] : withFields
  const counts = await waitingCounts(visit)
  // The number on a tab: on the open one the rows that are shown, if they are all; on the one that the menu counts the number of the menu.
  const countOf = (query: string, isCurrent: boolean) =>
    isCurrent && !isFiltered && rows.page === 1 && !rows.hasMore
      ? rows.rows.length
      : query === (COUNTED[path] ?? path) && !isFiltered && test !== 'true'
        ? counts[path]
        : undefined
  const unfiltered = list.hasTests ? addressWith(path, { test }) : path
  const bulk = list.bulk?.(shown, rows.rows)
  const listed = table({
    caption,
    rows: list.shownRows?.(shown) ?? rows.rows,
    columns: forPage(list.columns, shown),
    group: list.group && forPage(list.group, shown),
    empty: emptyState(
      emptyOf(list, shown, isFiltered && linkButton(unfiltered, 'Clear all filters', { kind: 'plain' })),
    ),
  })
  const results = bulk ? html`<div class="bulk-list">${bulk}${listed}</div>` : listed
  return visit.send(
    {
      title,
      flash: refusalFlash(failure ? { text: `${failure.message} The list is shown without filters.` } : refused),
      body: html`<div class="flow">
${list.hasTests ? testsHeading(heading, path, filters, test, links) : headingOf(heading)}
${lead && html`<p class="lead">${lead}</p>`}
${list.above?.(shown)}
${withFields.length < names.length && html`<div id="list-tabs" class="flow">${names.map((name) => tabsOf(list, name, sent, countOf))}</div>`}
${
  inForm.length > 0 &&
  filterForm(
    path,
    html`${list.hasTests && testField(test)}${names.map((name) => !inForm.includes(name) && filters[name] && hiddenField(name, filters[name]))}${filterFields(list, inForm, shown)}`,
    isFiltered && unfiltered,
  )
}
${inForm.length > 0 ? filteredResults(rows, path, sent, results) : html`${results}\n${listPageLinks(rows, path, sent)}`}
${list.below?.(shown, refused)}
</div>`,
    },
    failure?.status ?? refused?.status,
  )
}

/** Reads the rows that the filters ask for. If the operation refuses the filters, `failure` says why, and the rows are unfiltered. */
async function readRows<I extends TObject, Row extends TSchema, Name extends string, X>(
  visit: Visit,
  list: ConsoleList<I, Row, Name, X>,
  names: readonly Name[],
  test: string,
) {
  const read = async (filters: Record<Name, string>, failure?: Failure) => {
    const parameters = operationParameters(list, names, list.hasTests ? { ...filters, test } : filters)
    const rows = await readListPage<TObject, Row>(visit, list.operation, parameters)
    return { rows, filters, failure }
  }
  try {
    return await read(visit.query(names))
  } catch (error) {
    if (!(error instanceof Failure) || error.status !== 400 || names.length === 0) throw error
    return read(Object.fromEntries(names.map((name) => [name, ''])) as Record<Name, string>, error)
  }
}

const forPage = <Value, Name extends string, X>(value: PerPage<Value, Name, X>, shown: ShownList<Name, X>): Value =>
  value instanceof Function ? value(shown) : value

const headingOf = (heading: Markup | string): Markup | string =>
  typeof heading === 'string' ? html`<h1>${heading}</h1>` : heading

/** The parameters of the operation for the chosen filters. */
function operationParameters<I extends TObject, Row extends TSchema, Name extends string, X>(
  { filters: declared, operation }: ConsoleList<I, Row, Name, X>,
  names: readonly Name[],
  sent: Readonly<Record<string, string>>,
) {
  const given: Record<string, unknown> = { ...sent }
  for (const name of names) {
    const { options, noneParameters } = declared?.[name] ?? {}
    const choices = Array.isArray(options) ? options : []
    const chosen = sent[name] === '' ? noneParameters : choices.find(({ value }) => value === sent[name])?.parameters
    if (!chosen && sent[name] !== '' && !(name in operation.parameters.properties))
      throw badRequest(`${name} must be one of ${choices.map(({ value }) => value).join(', ')}.`)
    if (!chosen) continue
    delete given[name]
    Object.assign(given, chosen)
  }
  return given
}

function emptyOf<I extends TObject, Row extends TSchema, Name extends string, X>(
  { empty, noneFound = 'Nothing found', noneFoundText }: ConsoleList<I, Row, Name, X>,
  shown: ShownList<Name, X>,
  clear: Markup | false,
): EmptyState {
  if (shown.page > 1) return { title: 'Nothing on this page' }
  return clear ? { title: noneFound, text: noneFoundText, action: clear } : forPage(empty, shown)
}

// More fields than these would push the list off the screen of a phone.
const MOST_IN_SIGHT = 2

/** The fields of the filters. If there are many, phones show only the search, and the others after a tap. */
function filterFields<I extends TObject, Row extends TSchema, Name extends string, X>(
  list: ConsoleList<I, Row, Name, X>,
  names: readonly Name[],
  shown: ShownList<Name, X>,
): Markup {
  const fieldsOf = (some: readonly Name[]) => some.map((name) => filterField(list, name, shown))
  const others = names.filter((name) => name !== 'q')
  if (others.length <= MOST_IN_SIGHT) return html`${fieldsOf(names)}`
  const search = names.filter((name) => name === 'q')
  return html`${fieldsOf(search)}${foldedFilters(fieldsOf(others), others.filter((name) => shown.filters[name] !== '').length)}`
}

/** Filters that phones show only after a tap; wide screens show them at once. `set`: how many of them are in use. */
export const foldedFilters = (fields: unknown, set: number): Markup =>
  html`<details class="folded whole"${set > 0 && html` open`}><summary class="button plain">${icon('sliders')}Filters${set > 0 && ` (${set})`}</summary><div>${fields}</div></details>\n`

function filterField<I extends TObject, Row extends TSchema, Name extends string, X>(
  { filters: declared, operation }: ConsoleList<I, Row, Name, X>,
  name: Name,
  { filters, loaded }: ShownList<Name, X>,
): Markup {
  const { label = fieldLabel(name), hint, placeholder, none = 'Any', words, options } = declared?.[name] ?? {}
  const facts = fieldFacts(fieldSchemas(operation.parameters)[name])
  const choices =
    typeof options === 'function'
      ? options(loaded)
      : (options ?? choicesOf(facts.options, words ?? (facts.isFlag ? YES_NO : undefined)))
  const value = filters[name]
  if (choices) {
    // Operations accept some values in upper and in lower case, so the chosen one is found in both.
    const chosen = choices.find((option) => option.value.toLowerCase() === value.toLowerCase())?.value ?? value
    return choices.length === 0
      ? html``
      : html`${select({ name, label, hint, none, value: chosen, options: choices })}\n`
  }
  const isSearch = name === 'q'
  const text = field({
    name,
    label,
    hint,
    placeholder,
    type: isSearch ? 'search' : 'text',
    value,
    maxLength: facts.maxLength,
  })
  return isSearch ? html`<div class="whole">${text}</div>\n` : html`${text}\n`
}

function tabsOf<I extends TObject, Row extends TSchema, Name extends string, X>(
  { path, filters: declared, operation }: ConsoleList<I, Row, Name, X>,
  name: Name,
  sent: Readonly<Record<string, string>>,
  countOf: (address: string, isCurrent: boolean) => number | undefined,
): Markup | null {
  const { tabs: label, none = 'All', words, options } = declared?.[name] ?? {}
  if (!label) return null
  const listed = choicesOf(fieldFacts(fieldSchemas(operation.parameters)[name]).options, words) ?? []
  const choices = Array.isArray(options) ? options : listed
  return tabs(
    label,
    [{ value: '', label: none }, ...choices].map(({ value, label }) => {
      const isCurrent = value === sent[name]
      const count = countOf(addressWith(path, { [name]: value }), isCurrent)
      return { href: addressWith(path, { ...sent, [name]: value }), label, isCurrent, count }
    }),
  )
}

/**
 * The form with the filters. With the script, the results, and the links that keep or clear the filters, change while the administrator
 * types; without it, the form is sent with its button. `clear`: the address of the whole list; false: no filter is in use.
 */
export const filterForm = (
  action: string,
  fields: unknown,
  clear: string | false,
  { apply = 'Apply', clearLabel = 'Clear all filters' } = {},
): Markup =>
  html`<form class="filters" action="${action}" method="get" role="search" data-live="page" data-hx-get="${action}" data-hx-trigger="input delay:300ms target:.input, change target:select" data-hx-target="#results" data-hx-select="#results" data-hx-select-oob="#list-heading,#list-tabs,#list-clear" data-hx-swap="outerHTML" data-hx-sync="this:replace">
${fields}
<div class="row">${button(apply, { kind: 'plain' })}<span id="list-clear">${clear && html`<a class="clear" href="${clear}">${clearLabel}</a>`}</span></div>
<p class="line visually-hidden whole" data-line role="status"></p>
</form>`

/** The part of the page that the filter form replaces. Screen readers announce how many rows were found. */
export const filteredResults = (
  list: ListPage<unknown>,
  address: string,
  filters: Record<string, string>,
  body: Markup,
): Markup => {
  const count = `${list.rows.length}${list.hasMore ? ' and more' : ''} found`
  return html`<div id="results" class="flow">
<h2 class="visually-hidden" data-count="${count}">Results</h2>
${body}
${listPageLinks(list, address, filters)}
</div>`
}

// The most that the operation returns. A select box could not show more of them in a usable way.
const MOST_PARTNERS = 1000

/** The partners for a select box; `builtIn`: also those that the service has by itself. */
export const allPartners = (visit: Visit, { builtIn }: { builtIn: boolean } = { builtIn: true }) =>
  visit.perform(listPartners, { limit: MOST_PARTNERS, builtIn })

/** The filter by partner, for lists whose `load` returns the partners. */
export const PARTNER_FILTER = {
  label: 'Partner',
  none: 'All',
  options: ({ partners }: { partners: readonly { id: string; name: string }[] }): readonly Option[] =>
    partnerOptions(partners),
}

export const partnerField = (partners: readonly { id: string; name: string }[], value: string): Markup =>
  select({
    name: 'client',
    label: PARTNER_FILTER.label,
    none: PARTNER_FILTER.none,
    value,
    options: partnerOptions(partners),
  })

const partnerOptions = (partners: readonly { id: string; name: string }[]): Option[] =>
  partners
    .map(({ id, name }) => ({ value: id, label: oneLine(name, 40) }))
    .sort((a, b) => a.label.localeCompare(b.label))

// The lists of submissions, conversations and deliveries show the rows of sandboxes (test rows) only on request.

export const isTestList = (test: string): boolean => test === 'true'

/** The heading of a list, with a link that shows or hides test rows and keeps the filters. */
export const testsHeading = (
  title: Markup | string,
  path: string,
  filters: Readonly<Record<string, string>>,
  test: string,
  links?: Markup,
): Markup =>
  html`<div id="list-heading" class="row"><h1>${title}</h1>${isTestList(test) && testBadge({ test: true })}<span class="links">${links}${
    isTestList(test)
      ? html`<a class="clear" href="${addressWith(path, filters)}">Hide tests</a>`
      : html`<a class="clear" href="${addressWith(path, { ...filters, test: 'true' })}">Show tests</a>`
  }</span></div>`

/** A hidden field, so that test rows are still shown after the filters are applied. */
const testField = (test: string): Markup | false => isTestList(test) && hiddenField('test', 'true')

/** A link that opens in a new tab, so that the administrator keeps the position in the list. */
export const externalLink = (url: string | null | undefined, label: Markup | string): Markup | null => {
  const address = webAddress(url)
  return address ? html`<a href="${address}" target="_blank" rel="nofollow noopener noreferrer">${label}</a>` : null
}
