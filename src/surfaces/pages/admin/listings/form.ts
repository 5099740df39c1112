// The form of a listing. All of it works without a script: rows are added by a button that sends the form and saves nothing.

import { button, linkButton } from '../../kit/button.ts'
import { choice, field, fieldGroup, hiddenField, select, textarea } from '../../kit/field.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import { versionField } from '../version-field.ts'
import type { FieldGroup, ListingField } from './fields.ts'
import { type Form, rowsIn } from './values.ts'

/** What a listing can be sorted into. */
export interface Term {
  slug: string
  name: string
  adult?: boolean
  listingsCount: number
}

export interface ListingForm {
  action: string
  token: Markup
  groups: readonly FieldGroup[]
  form: Form
  /** By name of a field: what is wrong with it. */
  problems: Readonly<Record<string, string>>
  /** By name of a field: what there is to choose from. */
  terms: Readonly<Record<string, readonly Term[]>>
  /** The state the form was opened with: its version (0: there was nothing) and its fingerprints. */
  opened: { version: number; base: Readonly<Record<string, unknown>> }
  /** Only for a new one: it can be chosen once. */
  slug?: string
  /** Where giving up leads to. */
  back: string
}

// The row stands above too, because Enter in a field presses the first button of a form.
export const listingForm = (given: ListingForm): Markup =>
  html`<form class="form wide" method="post" action="${given.action}">
${given.token}
${versionField(given.opened)}
${hiddenField('base', JSON.stringify(given.opened.base))}
${saveRow(given)}
${
  given.slug !== undefined &&
  field({
    name: 'slug',
    label: 'Slug',
    value: given.slug,
    maxLength: 100,
    error: given.problems.slug,
    hint: 'Part of its address, and stays. Empty: made from the name.',
    spellcheck: false,
  })
}
${given.groups.map(({ title, fields }) => fieldGroup(title, html`<div class="fields-grid">${fields.map((one) => widget(one, given))}</div>`))}
${saveRow(given)}
</form>`

const saveRow = ({ back }: ListingForm): Markup =>
  html`<div class="row">${button('Save', { name: 'do', value: 'save' })}${linkButton(back, 'Cancel', { kind: 'plain' })}</div>`

function widget(one: ListingField, given: ListingForm): Markup {
  const { name, label, hint, required } = one
  const common = { name, label, hint, required, error: given.problems[name] }
  const value = given.form[name] ?? ''
  switch (one.widget) {
    case 'flag':
      return choice({ ...common, checked: value === 'true' })
    case 'text':
      return whole(textarea({ ...common, value, rows: 8, maxLength: 20_000 }))
    case 'lines':
      return whole(textarea({ ...common, value, rows: 4 }))
    case 'number':
    case 'kept number':
      return field({ ...common, value, inputMode: 'decimal' })
    case 'choice':
      return select({ ...common, value, options: one.options!.map((option) => ({ value: option, label: option })) })
    case 'term':
      return select({
        ...common,
        value,
        none: 'None',
        options: (given.terms[name] ?? []).map((term) => ({ value: term.slug, label: labelOf(term) })),
      })
    case 'terms':
      return terms(one, given)
    case 'pairs':
    case 'questions':
      return rows(one, given)
    case 'deal':
      return group(one, given, [
        field({
          name: `${name}.text`,
          id: `field-${name}-text`,
          label: 'What it is',
          value: given.form[`${name}.text`],
        }),
        field({ name: `${name}.code`, id: `field-${name}-code`, label: 'Code', value: given.form[`${name}.code`] }),
      ])
    case 'email':
      return field({ ...common, value, inputMode: 'email', spellcheck: false, maxLength: 254 })
    case 'address':
      return field({ ...common, value, inputMode: 'url', spellcheck: false, maxLength: 2000, placeholder: 'https://' })
    default:
      return field({ ...common, value, maxLength: 1000 })
  }
}

/** Where a field stands on the page. */
export const placeOf = (name: string, widget: ListingField['widget']): string =>
  ['terms', 'pairs', 'questions', 'deal'].includes(widget) ? `rows-${name}` : `field-${name}`

const whole = (content: unknown): Markup => html`<div class="whole">${content}</div>`

const group = ({ name, label, hint }: ListingField, { problems }: ListingForm, content: unknown): Markup =>
  html`<fieldset class="fields whole part" id="rows-${name}"><legend>${label}</legend>${hint && html`<p class="hint">${hint}</p>`}${problems[name] && html`<p class="error">${problems[name]}</p>`}${content}</fieldset>`

const labelOf = ({ name, adult }: Pick<Term, 'name' | 'adult'>): string =>
  `${oneLine(name, 60)}${adult ? ' (adult)' : ''}`

// More would be longer than the rest of the form; the others are typed.
const SHOWN_TERMS = 40

/** Those that are chosen, then the most used ones; any other is typed. */
function terms(one: ListingField, given: ListingForm): Markup {
  const { name, label } = one
  const all = given.terms[name] ?? []
  const bySlug = new Map(all.map((term) => [term.slug, term]))
  const prefix = `${name}:`
  const chosen = Object.keys(given.form).flatMap((key) =>
    key.startsWith(prefix) && given.form[key] === 'true' ? [key.slice(prefix.length)] : [],
  )
  const others = all
    .filter(({ slug }) => !chosen.includes(slug))
    .toSorted((a, b) => b.listingsCount - a.listingsCount)
    .slice(0, SHOWN_TERMS)
    .map(({ slug }) => slug)
  const box = (slug: string, checked: boolean) =>
    choice({
      name: prefix + slug,
      id: `field-${name}-${slug}`,
      label: html`<bdi>${labelOf(bySlug.get(slug) ?? { name: slug })}</bdi>`,
      checked,
    })
  const more = field({
    name: `${name}+`,
    id: `field-${name}-more`,
    label: 'Others',
    value: given.form[`${name}+`],
    hint: `Slugs or names of ${label.toLowerCase()}, separated by commas.`,
  })
  return group(one, given, [
    html`<div class="choices">${chosen.map((slug) => box(slug, true))}${others.map((slug) => box(slug, false))}</div>`,
    more,
  ])
}

const SPARE_ROWS = 1

function rows(one: ListingField, given: ListingForm): Markup {
  const { name, label, widget } = one
  const isQuestion = widget === 'questions'
  const [first, second] = isQuestion
    ? ['Question', 'Answer']
    : name === 'socials'
      ? ['Network', 'Address']
      : ['Name', 'What it means']
  const row = (i: number) => {
    const at = (part: 'name' | 'value') => ({
      name: `${name}.${i}.${part}`,
      id: `field-${name}-${i}-${part}`,
      value: given.form[`${name}.${i}.${part}`],
    })
    return html`<div class="${isQuestion ? 'pair long' : 'pair'}">${field({ ...at('name'), label: `${first} ${i + 1}` })}${
      isQuestion
        ? textarea({ ...at('value'), label: `${second} ${i + 1}`, rows: 2 })
        : field({ ...at('value'), label: `${second} ${i + 1}` })
    }</div>`
  }
  const count = rowsIn(given.form, name) + SPARE_ROWS
  return group(one, given, [
    Array.from({ length: count }, (_, i) => row(i)),
    // The page comes back at this place, not at its top.
    html`<div class="row"><button type="submit" class="button plain slim" name="do" value="more ${name}" formaction="${given.action}#rows-${name}">More rows for ${label.toLowerCase()}</button></div>`,
  ])
}

// Where a filled form comes back with more rows, they are fields without a value.
export const withMoreRows = (form: Form, name: string, count = 3): Record<string, string> => {
  const filled = Object.fromEntries(Object.entries(form).map(([key, value]) => [key, value ?? '']))
  const first = rowsIn(form, name)
  for (let i = first; i < first + count; i++) filled[`${name}.${i}.name`] = ''
  return filled
}
