// The fields of the forms for tools and directories: their groups, order, labels and inputs. A field of the body that is not listed here is
// put into a last group, because saving replaces the whole listing and would empty a field that is not in the form.
import type { TObject } from 'typebox'
import type { ListedKind } from '../../../../features/catalog/schema.ts'
import { bodies } from '../../../../features/listings/schema.ts'
import { type FieldSchema, fieldFacts, fieldSchemas } from '../../kit/forms/declared-form.ts'
import type { Markup } from '../../kit/markup.ts'
import { fieldLabel } from '../../kit/values.ts'

/** The kind of input. A `kept` value stays as it is when its field is left empty. */
type Widget =
  | 'line'
  | 'email'
  | 'address'
  | 'picture'
  | 'pictures'
  | 'text'
  | 'number'
  | 'flag'
  | 'choice'
  | 'choices'
  | 'term'
  | 'terms'
  | 'lines'
  | 'pairs'
  | 'questions'
  | 'deal'
  | 'json'
  | 'kept number'
  | 'kept time'

export interface ListingField {
  name: string
  label: string
  hint?: Markup | string
  required?: boolean
  /** The input, which also determines how its text becomes a value. */
  widget: Widget
  /** Whether an empty field means null and not an empty text. */
  nullable?: boolean
  options?: readonly string[]
  /** The label of the empty choice. */
  none?: string
}

export interface FieldGroup {
  title: string
  fields: readonly ListingField[]
}

type FieldName<K extends ListedKind> = keyof (typeof bodies)[K]['properties']
type Place<K extends ListedKind> = readonly [name: FieldName<K>, label: string, widget: Widget, hint?: string]
type Groups<K extends ListedKind> = Readonly<Record<string, readonly Place<K>[]>>

const TOOL_GROUPS: Groups<'tool'> = {
  'What it is': [
    ['name', 'Name', 'line'],
    ['tagline', 'Tagline', 'line', 'What it does, in a line.'],
    ['description', 'Description', 'text', 'A blank line begins a new paragraph.'],
    ['website', 'Website', 'address'],
    ['searchWords', 'Search words', 'line', 'Further words under which searches find it. No reader sees them.'],
  ],
  'Where it belongs': [
    ['category', 'Category', 'term'],
    ['pricing', 'Pricing', 'choice'],
    ['tags', 'Tags', 'terms'],
  ],
  'Who sees it': [
    ['published', 'Published', 'flag', 'Off: a draft that only administrators see.'],
    ['featured', 'Featured', 'flag', 'A mark and a filter; it buys no better place.'],
  ],
  'Pictures and video': [
    ['icon', 'Logo', 'picture', 'A square picture.'],
    ['frame', 'Main picture', 'picture'],
    ['screenshots', 'Screenshots', 'pictures', 'One address a line, in the order in which they are shown.'],
    ['video', 'Video', 'address', 'YouTube or Vimeo.'],
  ],
  'Features, questions and profiles': [
    ['features', 'Features', 'pairs', 'A name and what it means.'],
    ['faqs', 'Questions and answers', 'questions'],
    ['socials', 'Social profiles', 'pairs', 'A network and the address there.'],
  ],
  'Who makes it': [
    ['founderName', 'Founder', 'line'],
    [
      'founderEmail',
      'E-mail of the founder',
      'email',
      'The API never returns it; pages link to it only if Site says so.',
    ],
    ['location', 'Location', 'line'],
  ],
  Offers: [
    ['discountCode', 'Discount code', 'line'],
    ['affiliate', 'Has an affiliate program', 'flag'],
    ['affiliateLink', 'Where to sign up as an affiliate', 'address'],
    ['isForSale', 'For sale', 'flag'],
    ['askingPrice', 'Asking price', 'number', '0 when none is given.'],
  ],
  Figures: [
    ['domainRating', 'Domain Rating', 'number', '0 to 100; empty when unknown.'],
    ['rating', 'Rating', 'number', '0 when unrated.'],
    ['opens', 'Click-throughs', 'kept number', 'Empty: stays as counted.'],
    ['createdAt', 'Listed since', 'kept time', 'Empty: stays as it is. Such as 2026-03-01T09:30:00Z.'],
  ],
}

const DIRECTORY_GROUPS: Groups<'directory'> = {
  'What it is': [
    ['name', 'Name', 'line'],
    ['smallDescription', 'Description in a line', 'line'],
    ['fullDescription', 'Description', 'text', 'A blank line begins a new paragraph.'],
    ['website', 'Website', 'address'],
    [
      'submissionLink',
      'Submission form',
      'address',
      'The API never returns it; pages link to it only if Site says so.',
    ],
    [
      'searchLink',
      'Search',
      'line',
      'Such as https://launch-list.example.org/search?q={name}. Plans leave out what it finds.',
    ],
    ['categories', 'Categories', 'terms'],
  ],
  'Who sees it': [
    ['published', 'Published', 'flag', 'Off: a draft that only administrators see.'],
    ['featured', 'Featured', 'flag', 'A mark and a filter; it buys no better place.'],
  ],
  Submitting: [
    ['cost', 'Cost', 'choice'],
    ['minimumPrice', 'Lowest price', 'number', '0 when free.'],
    ['type', 'Link type', 'line', 'DoFollow or NoFollow.'],
    ['requiresBadge', 'Demands a backlink badge', 'flag'],
    ['submissionExperience', 'How submitting goes', 'line'],
    ['automation', 'Programs may submit', 'choice', 'What its terms or its robots.txt say. No reader sees it.'],
    ['automationQuote', 'The sentence that says so', 'line'],
    ['automationReadOn', 'Read on', 'line', 'Such as 2026-03-01.'],
    ['deal', 'Deal', 'deal'],
  ],
  'What it accepts': [
    ['accepts', 'Kinds of product', 'choices', 'None: any kind. Plans propose it only for these. No reader sees it.'],
    ['languages', 'Languages', 'lines', 'One code a line, such as en or pt-BR. Empty: any.'],
    ['minimumAge', 'Lowest age of a product', 'number', 'Months since its founding; 0: any.'],
  ],
  'Limits of its form': [
    ['nameLimit', 'Name', 'number', 'The most characters; 0: not known. The bench cuts texts at a word to fit.'],
    ['taglineLimit', 'Tagline', 'number'],
    ['shortLimit', 'Short description', 'number'],
    ['longLimit', 'Long description', 'number'],
    ['tagsLimit', 'Tags', 'number', 'The most tags; 0: not known.'],
  ],
  Figures: [
    ['domainRating', 'Domain Rating', 'number', '0 to 100; empty when unknown.'],
    ['monthlyVisits', 'Visits a month', 'number', 'Empty when unknown.'],
    ['createdAt', 'Listed since', 'kept time', 'Empty: stays as it is. Such as 2026-03-01T09:30:00Z.'],
  ],
  Pictures: [
    ['icon', 'Logo', 'picture', 'A square picture.'],
    ['frame', 'Main picture', 'picture'],
  ],
  'Features, questions and profiles': [
    ['features', 'Features', 'lines', 'One a line.'],
    ['useCases', 'Good for', 'lines', 'One a line.'],
    ['faq', 'Questions and answers', 'questions'],
    ['socials', 'Social profiles', 'pairs', 'A network and the address there.'],
  ],
}

const GROUPS = { tool: TOOL_GROUPS, directory: DIRECTORY_GROUPS }

/** Fields of the body that the form does not have. The reason why a listing is hidden is set by buttons, and stays if it is not sent. */
const NOT_IN_FORM: ReadonlySet<string> = new Set<FieldName<'tool'>>(['hiddenReason'])

export const groupsOf = (kind: ListedKind): readonly FieldGroup[] =>
  groupsWithAll(
    Object.entries<readonly FieldPlace[]>(GROUPS[kind]).map(([title, fields]) => ({ title, fields })),
    bodies[kind],
  )

type FieldPlace = readonly [name: string, label: string, widget: Widget, hint?: string]

/** The groups with all fields of the body. Fields that no group lists are in a last group "More". */
export function groupsWithAll(
  groups: readonly { title: string; fields: readonly FieldPlace[] }[],
  body: TObject,
): FieldGroup[] {
  const schemas = fieldSchemas(body)
  const placed = groups.map(({ title, fields }) => ({
    title,
    fields: fields.flatMap(([name, label, widget, hint]) => {
      const schema = schemas[name]
      return schema ? [{ name, label, widget, hint, ...fieldFacts(schema) }] : []
    }),
  }))
  const names = new Set(fieldsIn(placed).map(({ name }) => name))
  const others = Object.entries(schemas).filter(([name]) => !names.has(name) && !NOT_IN_FORM.has(name))
  if (others.length === 0) return placed
  const fields = others.map(([name, schema]) => ({
    name,
    label: fieldLabel(name),
    widget: widgetFor(schema),
    hint: schema.description,
    ...fieldFacts(schema),
  }))
  return [...placed, { title: 'More', fields }]
}

/** In characters; a longer text gets a text area. */
const LONGEST_LINE = 200

/** The input for a field that no group lists. A value for which there is no input is edited as JSON. */
function widgetFor(schema: FieldSchema): Widget {
  if (schema.enum?.every((value) => value === null || typeof value === 'string')) return 'choice'
  const [type] = [schema.type].flat().filter((one) => one !== 'null')
  if (type === 'string') return (schema.maxLength ?? Number.POSITIVE_INFINITY) > LONGEST_LINE ? 'text' : 'line'
  if (type === 'number' || type === 'integer') return 'number'
  if (type === 'boolean' && !fieldFacts(schema).nullable) return 'flag'
  if (fieldFacts(schema).nullable) return 'json'
  if (type === 'array' && schema.items?.enum) return 'choices'
  if (type === 'array' && schema.items?.type === 'string') return 'lines'
  if (type === 'array' && Object.keys(schema.items?.properties ?? {}).join() === 'question,answer') return 'questions'
  if (type === 'object' && typeof schema.additionalProperties === 'object') return 'pairs'
  return 'json'
}

export const fieldsIn = (groups: readonly FieldGroup[]): ListingField[] => groups.flatMap(({ fields }) => fields)
