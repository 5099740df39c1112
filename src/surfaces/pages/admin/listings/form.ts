// The form of a listing, and the texts that say what is wrong with it. It works without the script: the button that adds rows sends the
// form without saving it.
import { readEntry } from '../../../../features/listings/rules.ts'
import { parseUrl } from '../../../../kernel/addresses/web-address.ts'
import type { Failure } from '../../../../kernel/errors.ts'
import { MAX_PICTURE_TEXT } from '../../../../kernel/interfaces/picture-store.ts'
import type { Problem } from '../../../../kernel/problem.ts'
import { pictureAddress } from '../../addresses.ts'
import { button, linkButton, saveBar } from '../../kit/button.ts'
import { slugInput } from '../../kit/forms/declared-form.ts'
import {
  choice,
  type Field,
  field,
  fieldGroup,
  fileField,
  formContents,
  hiddenField,
  select,
  type Textarea,
  textarea,
} from '../../kit/forms/field.ts'
import { problemsByField, type Refusal, versionField } from '../../kit/forms/forms.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import { valueLabel } from '../../kit/values.ts'
import { type FieldGroup, fieldsIn, type ListingField } from './fields.ts'
import type { ListingKind } from './kinds.ts'
import { fileNameOf, PICTURE_FILES } from './uploads.ts'
import { type Form, filledRows, type ParsedForm, rowCount } from './values.ts'

/** A category or tag that a listing can have. */
export interface ListingTerm {
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
  /** The problem of each field by name. */
  problems: Readonly<Record<string, string>>
  /** The terms to choose from, by name of the field. */
  terms: Readonly<Record<string, readonly ListingTerm[]>>
  /** When the form was opened: the version of the listing (0 for a new one), and a fingerprint of each field. */
  opened: { version: number; base: Readonly<Record<string, unknown>> }
  /** The slug of a new listing. Other forms have none, because a slug cannot be changed. */
  slug?: string
  /** The page that Cancel leads to. */
  back: string
}

/** What is needed to show the fields; the forms of founders use this too. */
export type FormFields = Pick<ListingForm, 'action' | 'groups' | 'form' | 'problems' | 'terms'> & {
  /** Whether pictures can be sent as files. Otherwise the pictures are shown, and their addresses can be typed below a fold. */
  takesFiles?: boolean
}

// Enter in a field presses the first button of a form. The visible buttons that come first add rows, so the first one is a hidden Save.
export const listingForm = (given: ListingForm): Markup =>
  html`<div class="with-toc">${formContents(given.groups.map(({ title, fields }) => ({ title, problems: fields.filter(({ name }) => isMarked(given.problems, name)).length })))}
<form class="form wide" method="post" action="${given.action}" enctype="multipart/form-data">
${given.token}
${versionField(given.opened)}
${hiddenField('base', JSON.stringify(given.opened.base))}
<button type="submit" class="visually-hidden" name="do" value="save" tabindex="-1" aria-hidden="true">Save</button>
${given.slug !== undefined && slugInput(given.slug, given.problems.slug)}
${listingFields({ ...given, takesFiles: true })}
${saveBar(button('Save', { name: 'do', value: 'save' }), linkButton(given.back, 'Cancel', { kind: 'plain' }))}
</form></div>`

export const listingFields = (given: FormFields): Markup[] =>
  given.groups.map(({ title, fields }) =>
    fieldGroup(
      title,
      html`${given.takesFiles && fields.some(isPicture) && html`<p class="hint">Pictures are PNG, JPEG, WebP, GIF or AVIF, at most ${MAX_PICTURE_TEXT}. Choose a file, or drop it on its field.</p>`}<div class="fields-grid">${fields.map((one) => widget(one, given))}</div>`,
    ),
  )

const isPicture = ({ widget }: ListingField): boolean => widget === 'picture' || widget === 'pictures'

function widget(one: ListingField, given: FormFields): Markup {
  const { name, label, hint, required } = one
  const common = { name, label, hint, required, error: given.problems[name] }
  const value = given.form[name] ?? ''
  switch (one.widget) {
    case 'flag':
      return choice({ ...common, checked: value === 'true' })
    case 'text':
      return fullWidth(textarea({ ...common, value, rows: 8, maxLength: 20_000 }))
    case 'json':
    case 'lines':
      return fullWidth(textarea({ ...common, value, rows: 4 }))
    case 'number':
    case 'kept number':
      return field({ ...common, value, inputMode: 'decimal' })
    case 'choice':
      return select({
        ...common,
        value,
        none: one.none ?? (one.nullable ? 'None' : undefined),
        options: (one.options ?? []).map((option) => ({ value: option, label: valueLabel(option) })),
      })
    case 'term':
      return select({
        ...common,
        value,
        none: one.none ?? 'None',
        options: (given.terms[name] ?? []).map((term) => ({ value: term.slug, label: termLabel(term) })),
      })
    case 'terms':
      return termBoxes(one, given)
    case 'choices':
      return optionBoxes(one, given)
    case 'pairs':
    case 'questions':
      return pairRows(one, given)
    case 'deal':
      return partOf(one, given, [
        field({
          name: `${name}.text`,
          id: `field-${name}-text`,
          label: 'What it is',
          value: given.form[`${name}.text`],
        }),
        field({
          name: `${name}.code`,
          id: `field-${name}-code`,
          label: 'Code',
          value: given.form[`${name}.code`],
        }),
      ])
    case 'email':
      return field({ ...common, value, inputMode: 'email', spellcheck: false, maxLength: 254 })
    case 'address':
      return addressField({ ...common, value })
    case 'picture':
    case 'pictures':
      return given.takesFiles ? pictureField(one, common, value) : shownPictures(one, given)
    default: {
      const line = field({ ...common, value, maxLength: 1000 })
      return name === 'tagline' || name === 'smallDescription' ? fullWidth(line) : line
    }
  }
}

const addressField = (given: Field): Markup =>
  field({ ...given, inputMode: 'url', spellcheck: false, maxLength: 2000, placeholder: 'https://' })

/**
 * The pictures of a field as they look. Their addresses are below a fold, except if an address is wrong, or if the logo or main picture is
 * missing.
 */
function shownPictures(one: ListingField, given: FormFields): Markup {
  const { name, label, widget } = one
  const value = given.form[name] ?? ''
  const addresses = value
    .split('\n')
    .map((address) => address.trim())
    .filter(Boolean)
  const isOne = widget === 'picture'
  const shown = addresses.map(
    (address) =>
      storedPicture(one, address) ?? html`<span><bdi>${oneLine(parseUrl(address)?.host ?? address, 40)}</bdi></span>`,
  )
  const error = given.problems[name]
  const input = isOne
    ? addressField({ name, label: `Address of the ${label.toLowerCase()}`, value, error })
    : textarea({ name, label: `Addresses of ${label.toLowerCase()}, one a line`, value, rows: 3, error })
  const content = [
    shown.length > 0 && html`<div class="pics">${shown}</div>`,
    (shown.length > 0 || !isOne) && !error
      ? html`<details><summary>${isOne ? 'Replace it' : shown.length > 0 ? 'Change or add pictures' : 'Add pictures'}</summary>${input}</details>`
      : input,
  ]
  return partOf(one, { problems: {} }, content, isOne ? 'fields part' : undefined)
}

/** The addresses of a field, a file input and the stored pictures. A file replaces the address, or adds one to several. */
function pictureField(one: ListingField, common: Field & Textarea, value: string): Markup {
  const { name, label, widget } = one
  const isOne = widget === 'picture'
  const shown = value.split('\n').flatMap((address) => storedPicture(one, address.trim()) ?? [])
  const file = fileField({
    name: fileNameOf(name),
    label: isOne ? `${label} from a file` : `${label} from files`,
    accept: PICTURE_FILES,
    multiple: !isOne,
  })
  return fullWidth(html`<div class="picture-field" data-drop>
${isOne ? addressField({ ...common, value }) : textarea({ ...common, value, rows: 4 })}
${file}
${shown.length > 0 && html`<div class="row picture-now">${shown}</div>`}
</div>`)
}

/** The picture as it is stored; null for one on another host. */
const storedPicture = ({ name, label }: ListingField, address: string): Markup | null => {
  const path = pictureAddress(address)
  const [width, height] = name === 'icon' ? [64, 64] : [128, 80]
  return path === null
    ? null
    : html`<img src="${path}" alt="${label} as stored" width="${width}" height="${height}" loading="lazy">`
}

/** The id of a field's element, to which links in the message above the form lead. */
export const anchorOf = (name: string, widget: ListingField['widget']): string =>
  ['terms', 'choices', 'pairs', 'questions', 'deal'].includes(widget) ? `rows-${name}` : `field-${name}`

const fullWidth = (content: unknown): Markup => html`<div class="whole">${content}</div>`

const partOf = (
  { name, label, hint }: ListingField,
  { problems }: Pick<FormFields, 'problems'>,
  content: unknown,
  className = 'fields whole part',
): Markup =>
  html`<fieldset class="${className}" id="rows-${name}"><legend>${label}</legend>${hint && html`<p class="hint">${hint}</p>`}${problems[name] && html`<p class="error">${problems[name]}</p>`}${content}</fieldset>`

const termLabel = ({ name, adult }: Pick<ListingTerm, 'name' | 'adult'>): string =>
  `${oneLine(name, 60)}${adult ? ' (adult)' : ''}`

// The most boxes for terms that are not chosen; the user types other terms.
const SHOWN_TERMS = 40
/** How many of these boxes are shown without a fold while no term is chosen. */
const TERMS_AT_ONCE = 12

/** Boxes for the chosen terms, then for the most used ones, and a field to type others. */
function termBoxes(one: ListingField, given: FormFields): Markup {
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
  const folded = others.slice(chosen.length > 0 ? 0 : TERMS_AT_ONCE)
  const box = (slug: string, checked: boolean) =>
    choice({
      name: prefix + slug,
      id: `field-${name}-${slug}`,
      label: html`<bdi>${termLabel(bySlug.get(slug) ?? { name: slug })}</bdi>`,
      checked,
    })
  const more = field({
    name: `${name}+`,
    id: `field-${name}-more`,
    label: 'Others',
    value: given.form[`${name}+`],
    hint: `Slugs or names of ${label.toLowerCase()}, separated by commas.`,
  })
  return partOf(one, given, [
    html`<div class="choices">${chosen.map((slug) => box(slug, true))}${others.slice(0, others.length - folded.length).map((slug) => box(slug, false))}</div>`,
    folded.length > 0 &&
      html`<details><summary>${folded.length === 1 ? 'One more' : `${folded.length} more ${label.toLowerCase()}`}</summary><div class="choices">${folded.map((slug) => box(slug, false))}</div></details>`,
    more,
  ])
}

/** A box for each value of a closed list. */
const optionBoxes = (one: ListingField, given: FormFields): Markup =>
  partOf(
    one,
    given,
    html`<div class="choices">${(one.options ?? []).map((option) =>
      choice({
        name: `${one.name}:${option}`,
        id: `field-${one.name}-${option}`,
        label: valueLabel(option),
        checked: given.form[`${one.name}:${option}`] === 'true',
      }),
    )}</div>`,
  )

/** The labels of the two inputs of a row. */
function partLabels({ name, widget }: ListingField): readonly [string, string] {
  if (widget === 'questions') return ['Question', 'Answer']
  return name === 'socials' ? ['Network', 'Address'] : ['Name', 'What it means']
}

const idOfPart = (name: string): string => `field-${name.replaceAll('.', '-')}`

function pairRows(one: ListingField, given: FormFields): Markup {
  const { name, label, widget } = one
  const isQuestion = widget === 'questions'
  const [first, second] = partLabels(one)
  const row = (i: number) => {
    const at = (part: 'name' | 'value') => ({
      name: `${name}.${i}.${part}`,
      id: idOfPart(`${name}.${i}.${part}`),
      value: given.form[`${name}.${i}.${part}`],
      error: given.problems[`${name}.${i}.${part}`],
    })
    return html`<div class="${isQuestion ? 'pair long' : 'pair'}">${field({ ...at('name'), label: `${first} ${i + 1}` })}${
      name === 'socials'
        ? field({ ...at('value'), label: `${second} ${i + 1}` })
        : textarea({ ...at('value'), label: `${second} ${i + 1}`, rows: 2 })
    }</div>`
  }
  // An empty row is added at the end, unless the last row is empty already.
  const rows = rowCount(given.form, name)
  const isLastFilled = filledRows(given.form, name).at(-1)?.[2] === rows - 1
  const count = rows === 0 || isLastFilled ? rows + 1 : rows
  return partOf(one, given, [
    Array.from({ length: count }, (_, i) => row(i)),
    // The address has an anchor, so that the answer is shown at this place and not at the top of the page.
    html`<div class="row"><button type="submit" class="button plain slim" name="do" value="more ${name}" formaction="${given.action}#rows-${name}">More rows for ${label.toLowerCase()}</button></div>`,
  ])
}

/** The form with `count` empty rows added to a field. */
export const withMoreRows = (form: Form, name: string, count = 3): Record<string, string> => {
  const filled = Object.fromEntries(Object.entries(form).map(([key, value]) => [key, value ?? '']))
  const first = rowCount(form, name)
  for (let i = first; i < first + count; i++) filled[`${name}.${i}.name`] = ''
  return filled
}

/** Whether the field or a part of it has a problem. */
const isMarked = (problems: FormFields['problems'], name: string): boolean =>
  Object.keys(problems).some((key) => key === name || key.startsWith(`${name}.`))

/** For the forms of founders: why the operation refused the form. Each problem links to its input, also to one inside a row. */
export function formRefusal(groups: readonly FieldGroup[], form: Form, failure: Pick<Failure, 'problems' | 'message'>) {
  const fields = fieldsIn(groups)
  const rowLabels: Record<string, string> = {}
  const located = failure.problems.map((problem): Problem => {
    const found = fields.map((one) => inputInRow(one, form, problem)).find((input) => input !== undefined)
    if (!found) return problem
    rowLabels[found.name] = found.label
    return { ...problem, field: found.name }
  })
  const labels = Object.fromEntries(fields.map(({ name, label }) => [name, label]))
  const { marked, others } = problemsByField(located, { ...rowLabels, ...labels })
  return { marked, text: refusalText(groups, marked, others || (located.length === 0 ? failure.message : '')) }
}

/** For the forms of founders: why the form could not be made into a body. */
export const parseRefusal = (groups: readonly FieldGroup[], marked: Refusal['marked']): Refusal => ({
  marked,
  text: refusalText(groups, marked, ''),
})

const refusalText = (groups: readonly FieldGroup[], marked: Refusal['marked'], general: string): Markup => {
  const fields = fieldsIn(groups)
  const anchor = (name: string) => {
    const one = fields.find((one) => one.name === name)
    return one ? anchorOf(one.name, one.widget) : idOfPart(name)
  }
  const links = Object.entries(marked).map(
    ([name, sentence]) => html`<li><a href="#${anchor(name)}">${sentence}</a></li>\n`,
  )
  return html`${general && html`<p>${general}</p>`}${links.length > 0 && html`<p>Nothing was saved. Correct ${links.length === 1 ? 'one field' : `${links.length} fields`}:</p><ul class="listed">${links}</ul>`}`
}

/** The input of a row that a problem such as `features.Offline` or `faq.0.answer` is about; undefined: it is about no row of this field. */
function inputInRow(
  one: ListingField,
  form: Form,
  { field: path }: Problem,
): { name: string; label: string } | undefined {
  const { name, label, widget } = one
  if ((widget !== 'pairs' && widget !== 'questions') || !path.startsWith(`${name}.`)) return undefined
  const inside = path.slice(name.length + 1)
  const [at = '', part] = widget === 'questions' ? inside.split('.') : []
  const rows = filledRows(form, name)
  const row = widget === 'questions' ? rows[Number(at)]?.[2] : rows.find(([key]) => key === inside)?.[2]
  if (row === undefined) return undefined
  const isFirst = part === 'question'
  const [first, second] = partLabels(one)
  return {
    name: `${name}.${row}.${isFirst ? 'name' : 'value'}`,
    label: `${label}, row ${row + 1}: ${isFirst ? first : second}`,
  }
}

/** For the forms of administrators: what is wrong with each field, and the message above the form. */
export function problemsOf(kind: ListingKind, slug: string, parsedForm: ParsedForm, error: Failure | null) {
  const fields = fieldsIn(kind.groups)
  const labels = { ...Object.fromEntries(fields.map(({ name, label }) => [name, label])), slug: 'slug' }
  // A form that could not be made into a body never reached the operation, so its other problems are found here.
  const hasParseProblems = Object.keys(parsedForm.problems).length > 0
  const entry = readEntry(kind.kind, slug, parsedForm.body)
  const found = hasParseProblems ? ('problems' in entry ? entry.problems : []) : (error?.problems ?? [])
  const { marked: known, others } = problemsByField(found, labels)
  const marked = { ...known, ...parsedForm.problems }
  const general = others || (error && !hasParseProblems && found.length === 0 ? error.message : '')
  const links = fields
    .filter(({ name }) => isMarked(marked, name))
    .map(({ name, label, widget }) => html`<li><a href="#${anchorOf(name, widget)}">${label}</a></li>`)
  const text = html`<p>Nothing was saved. ${general || 'Correct the marked fields.'}</p>${links.length > 0 && html`<ul class="listed">${links}</ul>`}`
  return { problems: marked, flash: [{ kind: 'danger' as const, text, isPermanent: true }] }
}
