// The form of a founder's product, for the founder and for the administrator who reviews it, and the form of an owner.
import type { Snapshot } from '../../../features/catalog/memory/snapshot.ts'
import { listShownTags } from '../../../features/catalog/reads.ts'
import { isOwnerField, OWNER_FIELDS, type OwnerFields, ownerFields } from '../../../features/founders/owned/schema.ts'
import type { FieldSources } from '../../../features/founders/products/rules.ts'
import { type ProductFields, productFields } from '../../../features/founders/products/schema.ts'
import type { Failure } from '../../../kernel/errors.ts'
import { tryReadBody } from '../../../kernel/input.ts'
import { type FieldGroup, fieldsIn, groupsWithAll, type ListingField } from '../admin/listings/fields.ts'
import {
  anchorOf,
  type FormFields,
  formRefusal,
  listingFields,
  parseRefusal,
  withMoreRows,
} from '../admin/listings/form.ts'
import { bodyOfForm, type Form, formOfListing } from '../admin/listings/values.ts'
import { badge } from '../kit/components.ts'
import type { Refusal } from '../kit/forms/forms.ts'
import { html, type Markup } from '../kit/markup.ts'

/** The groups of both forms, of a product and of an owner; each form has only the fields that its schema has. */
const FORM_GROUPS: Parameters<typeof groupsWithAll>[0] = [
  {
    title: 'The essentials',
    fields: [
      ['name', 'Name', 'line'],
      ['website', 'Website', 'address'],
      ['tagline', 'Tagline', 'line', 'One promise, no superlatives. It stands under the name everywhere.'],
      ['description', 'Description', 'text', 'What it does and for whom. A blank line begins a new paragraph.'],
      ['category', 'Category', 'term'],
      ['pricing', 'Pricing', 'choice'],
    ],
  },
  { title: 'How people find it', fields: [['tags', 'Tags', 'terms']] },
  {
    title: 'What people see',
    fields: [
      ['icon', 'Logo', 'picture', 'A square picture, at least 128 pixels wide.'],
      ['frame', 'Main picture', 'picture', 'A screenshot; it is the cover of the listing.'],
      ['screenshots', 'More screenshots', 'pictures', 'Below the main picture, in this order.'],
      ['video', 'Video', 'address', 'YouTube or Vimeo.'],
    ],
  },
  {
    title: 'What convinces them',
    fields: [
      ['features', 'Features', 'pairs', 'A name and what it means.'],
      ['faq', 'Questions and answers', 'questions'],
      ['discountCode', 'Discount code', 'line'],
      ['affiliateLink', 'Where to sign up as an affiliate', 'address'],
    ],
  },
  {
    title: 'Who makes it',
    fields: [
      ['founderName', 'Your name', 'line', 'Readers see it on the listing.'],
      ['location', 'Location', 'line'],
      ['socials', 'Social profiles', 'pairs', 'A network and the address there.'],
    ],
  },
]

const PRODUCT_GROUPS = groupsWithAll(FORM_GROUPS, productFields)

const REQUIRED: ReadonlySet<string> = new Set([
  'name',
  'tagline',
  'description',
  'category',
  'pricing',
  'founderName',
] satisfies (keyof ProductFields)[])

const WAITS_HINT = 'A change waits until an administrator has accepted it.'

/** The form of an owner: the fields that owners may change, with a hint at those whose changes wait for an administrator. */
export const OWNER_GROUPS: readonly FieldGroup[] = groupsWithAll(FORM_GROUPS, ownerFields).flatMap(
  ({ title, fields }) => {
    const shown = fields.map((field) => ({
      ...field,
      required: REQUIRED.has(field.name) || field.name === 'website',
      hint: isOwnerField(field.name) && OWNER_FIELDS[field.name] === 'proposed' ? WAITS_HINT : field.hint,
    }))
    return shown.length > 0 ? [{ title, fields: shown }] : []
  },
)

/**
 * Labels in lower case, for a sentence: of the fields whose changes readers see at once (`applied`), or of those that an administrator must
 * accept first (`proposed`).
 */
export const ownerLabels = (how: 'applied' | 'proposed'): string[] =>
  fieldsIn(OWNER_GROUPS).flatMap(({ name, label }) =>
    isOwnerField(name) && OWNER_FIELDS[name] === how ? label.toLowerCase() : [],
  )

export const GUESSED = badge('Guessed by us', 'notice')
export const GUESS_TEXT =
  'Your site does not say it, so we wrote it. It may be wrong: check it, and write it in your own words.'

/** The fields in `guessed`, which the service wrote itself, have a badge. */
export const ownerGroupsWithGuesses = (guessed: readonly string[]): FieldGroup[] =>
  OWNER_GROUPS.map(({ title, fields }) => ({
    title,
    fields: fields.map((field) =>
      guessed.includes(field.name) ? { ...field, hint: html`${GUESSED} <span>${GUESS_TEXT}</span>` } : field,
    ),
  }))

/** What a field does for its listing, for a founder who has left it empty. */
const FIELD_BENEFITS: Partial<Record<keyof ProductFields, string>> = {
  category: 'Readers who browse a category see only what is in it.',
  pricing: 'Readers filter by price: without it the listing is in no such list.',
  tags: 'Searches and lists of a tag find the listing by them.',
  icon: 'Without a logo the listing shows a letter.',
  frame: 'Without a picture the listing shows a drawn cover.',
  features: 'Searches match the words of features too.',
  faq: 'Assistants quote these lines, so two or three of them get the product named.',
}

/** Label by field name. The website is added because the product form has no field for it. */
export const PRODUCT_LABELS: Readonly<Record<string, string>> = {
  website: 'Website',
  ...Object.fromEntries(fieldsIn(PRODUCT_GROUPS).map(({ name, label }) => [name, label])),
}

export const formOfProduct = (fields: ProductFields): Record<string, string> => formOfListing(PRODUCT_GROUPS, fields)

/**
 * Reads the sent form. `body`: its filled-in fields, for the operation; `fields`: the valid ones, for the preview; `problems`: what could not
 * be read, by field.
 */
export function productOfForm(form: Form): {
  body: Record<string, unknown>
  fields: ProductFields
  problems: Record<string, string>
} {
  const { body, problems } = bodyOfForm(PRODUCT_GROUPS, form, (term) => term)
  const filled = Object.entries(body).filter(([, value]) => value !== '' && value !== null)
  const fields: ProductFields = {}
  for (const [name, value] of filled) {
    const read = tryReadBody(productFields, { [name]: value })
    if (!('problems' in read)) Object.assign(fields, read.value)
  }
  return { body: Object.fromEntries(filled), fields, problems }
}

export const productRefusal = (form: Form, failure: Pick<Failure, 'problems' | 'message'>): Refusal =>
  formRefusal(PRODUCT_GROUPS, form, failure)

export const productParseRefusal = (problems: Refusal['marked']): Refusal => parseRefusal(PRODUCT_GROUPS, problems)

/** The form with more rows if the founder pressed the button for more rows; undefined otherwise. */
export function formWithMoreRows(form: Form): Form | undefined {
  const [what, name = ''] = (form.do ?? '').split(' ')
  return what === 'more' && PRODUCT_LABELS[name] ? withMoreRows(form, name) : undefined
}

/** `read`: the present values, and the source of each that was read from the founder's site. The administrator's form shows no sources. */
export const productFormFields = (
  given: Pick<FormFields, 'action' | 'form' | 'problems'> & {
    snapshot: Snapshot
    read?: { sources: FieldSources; fields: ProductFields }
  },
): Markup[] =>
  listingFields({
    ...given,
    groups: PRODUCT_GROUPS.map((group) => withSources(group, given.read)),
    terms: termChoices(given.snapshot),
  })

const isFilledIn = (value: unknown): boolean =>
  value !== undefined && value !== '' && (typeof value !== 'object' || Object.keys(value ?? {}).length > 0)

interface MissingField {
  label: string
  benefit: string
  isNeeded: boolean
  /** The place of the field in the form. */
  href: string
}

/** How many of the fields that matter are filled in, and which are missing; those that are needed to send the product come first. */
export function filledFields(fields: ProductFields): { filled: number; all: number; missing: MissingField[] } {
  const counted = fieldsIn(PRODUCT_GROUPS).filter(({ name }) => REQUIRED.has(name) || name in FIELD_BENEFITS)
  const missing = missingOf(counted, fields).toSorted((a, b) => Number(b.isNeeded) - Number(a.isNeeded))
  return { filled: counted.length - missing.length, all: counted.length, missing }
}

/** The fields that an owner could add to a listing. */
export const ownerMissing = (fields: OwnerFields): MissingField[] =>
  missingOf(
    fieldsIn(OWNER_GROUPS).filter(({ name }) => name in FIELD_BENEFITS),
    fields,
  )

const missingOf = (counted: readonly ListingField[], fields: ProductFields): MissingField[] => {
  const values: Readonly<Record<string, unknown>> = fields
  return counted
    .filter(({ name }) => !isFilledIn(values[name]))
    .map(({ name, label, widget }) => ({
      label,
      benefit: FIELD_BENEFITS[name as keyof ProductFields] ?? '',
      isNeeded: REQUIRED.has(name),
      href: `#${anchorOf(name, widget)}`,
    }))
}

/** The categories and tags to choose from, without tags that readers do not see. */
export const termChoices = (snapshot: Snapshot): FormFields['terms'] => ({
  category: [...snapshot.taxonomy.categories.values()]
    .map((category) => ({ ...category, listingsCount: 0 }))
    .sort((a, b) => a.name.localeCompare(b.name)),
  tags: listShownTags(snapshot).map((tag) => ({
    ...tag,
    listingsCount: snapshot.tools.index.count(`tag:${tag.slug}`),
  })),
})

const withSources = (
  { title, fields }: FieldGroup,
  read: { sources: FieldSources; fields: ProductFields } | undefined,
): FieldGroup => {
  const values: Readonly<Record<string, unknown>> = read?.fields ?? {}
  const isSiteRead = Object.keys(read?.sources ?? {}).length > 0
  return {
    title,
    fields: fields.map((field) => {
      const source = isFilledIn(values[field.name]) ? read?.sources[field.name] : undefined
      const benefit = read && !source && FIELD_BENEFITS[field.name as keyof ProductFields]
      const isEmpty = !isFilledIn(values[field.name])
      const mark = isSiteRead && badgeOf(field.name, source, isEmpty, benefit)
      const text = benefit || field.hint
      return {
        ...field,
        required: REQUIRED.has(field.name),
        none: 'Choose one',
        hint: mark ? html`${mark}${text && html` <span>${text}</span>`}` : text,
      }
    }),
  }
}

function badgeOf(name: string, source: FieldSources[string] | undefined, isEmpty: boolean, benefit?: string | false) {
  if (source) return SOURCE_BADGES[source]
  if (!isEmpty) return TYPED
  return REQUIRED.has(name) ? NEEDED : benefit && NOT_FOUND
}

const SOURCE_BADGES: Readonly<Record<FieldSources[string], Markup>> = {
  site: badge('From your site', 'good'),
  guess: badge('Guessed from your site', 'notice'),
}

const NEEDED = badge('Needed to send', 'marker')
const TYPED = badge('Typed by you')
const NOT_FOUND = html`<span class="badge missing">Not found</span>`
