// The fields of the two listing forms, in their order.
import { COST, PRICING } from '../../../../features/catalog/schema.ts'

export interface ListingField {
  name: string
  label: string
  hint?: string
  required?: boolean
  /** The input on the form; it also determines how the value is parsed. A `kept` value is left unchanged when the field is empty. */
  widget:
    | 'line'
    | 'email'
    | 'address'
    | 'text'
    | 'number'
    | 'flag'
    | 'choice'
    | 'term'
    | 'terms'
    | 'lines'
    | 'pairs'
    | 'questions'
    | 'deal'
    | 'kept number'
    | 'kept time'
  /** Whether an empty field means null and not an empty text. */
  nullable?: boolean
  options?: readonly string[]
}

export interface FieldGroup {
  title: string
  fields: readonly ListingField[]
}

const field = (
  name: string,
  label: string,
  widget: ListingField['widget'],
  more: Partial<ListingField> = {},
): ListingField => ({ name, label, widget, ...more })
const optional = { nullable: true }

export const TOOL_FIELDS: readonly FieldGroup[] = [
  {
    title: 'What it is',
    fields: [
      field('name', 'Name', 'line', { required: true }),
      field('tagline', 'Tagline', 'line', { hint: 'What it does, in a line.' }),
      field('description', 'Description', 'text', { hint: 'A blank line begins a new paragraph.' }),
      field('website', 'Website', 'address'),
    ],
  },
  {
    title: 'Where it belongs',
    fields: [
      field('category', 'Category', 'term', optional),
      field('pricing', 'Pricing', 'choice', { options: PRICING }),
      field('tags', 'Tags', 'terms'),
    ],
  },
  {
    title: 'Who sees it',
    fields: [
      field('published', 'Published', 'flag', { hint: 'Off: a draft that only administrators see.' }),
      field('featured', 'Featured', 'flag', { hint: 'A mark and a filter; it buys no better place.' }),
    ],
  },
  {
    title: 'Pictures and video',
    fields: [
      field('icon', 'Logo', 'address', { ...optional, hint: 'Address of a square picture.' }),
      field('frame', 'Main picture', 'address', optional),
      field('screenshots', 'Screenshots', 'lines', { hint: 'One address a line.' }),
      field('video', 'Video', 'address', { ...optional, hint: 'YouTube or Vimeo.' }),
    ],
  },
  {
    title: 'Features, questions and profiles',
    fields: [
      field('features', 'Features', 'pairs', { hint: 'A name and what it means.' }),
      field('faqs', 'Questions and answers', 'questions'),
      field('socials', 'Social profiles', 'pairs', { hint: 'A network and the address there.' }),
    ],
  },
  {
    title: 'Who makes it',
    fields: [
      field('founderName', 'Founder', 'line', optional),
      field('founderEmail', 'E-mail of the founder', 'email', {
        ...optional,
        hint: 'Private: no reader ever sees it.',
      }),
      field('location', 'Location', 'line', optional),
    ],
  },
  {
    title: 'Offers',
    fields: [
      field('discountCode', 'Discount code', 'line'),
      field('affiliate', 'Has an affiliate program', 'flag'),
      field('affiliateLink', 'Where to sign up as an affiliate', 'address', optional),
      field('isForSale', 'For sale', 'flag'),
      field('askingPrice', 'Asking price', 'number', { hint: '0 when none is given.' }),
    ],
  },
  {
    title: 'Figures',
    fields: [
      field('domainRating', 'Domain Rating', 'number', { ...optional, hint: '0 to 100; empty when unknown.' }),
      field('rating', 'Rating', 'number', { hint: '0 when unrated.' }),
      field('opens', 'Click-throughs', 'kept number', { hint: 'Empty: stays as counted.' }),
      field('createdAt', 'Listed since', 'kept time', { hint: 'Empty: stays as it is. Such as 2026-03-01T09:30:00Z.' }),
    ],
  },
]

export const DIRECTORY_FIELDS: readonly FieldGroup[] = [
  {
    title: 'What it is',
    fields: [
      field('name', 'Name', 'line', { required: true }),
      field('smallDescription', 'Description in a line', 'line', optional),
      field('fullDescription', 'Description', 'text', { ...optional, hint: 'A blank line begins a new paragraph.' }),
      field('website', 'Website', 'address'),
      field('submissionLink', 'Submission form', 'address', { ...optional, hint: 'Private: no reader ever sees it.' }),
      field('categories', 'Categories', 'terms'),
    ],
  },
  {
    title: 'Who sees it',
    fields: [
      field('published', 'Published', 'flag', { hint: 'Off: a draft that only administrators see.' }),
      field('featured', 'Featured', 'flag', { hint: 'A mark and a filter; it buys no better place.' }),
    ],
  },
  {
    title: 'Submitting',
    fields: [
      field('cost', 'Cost', 'choice', { options: COST }),
      field('minimumPrice', 'Lowest price', 'number', { hint: '0 when free.' }),
      field('type', 'Link type', 'line', { hint: 'DoFollow or NoFollow.' }),
      field('requiresBadge', 'Demands a backlink badge', 'flag'),
      field('submissionExperience', 'How submitting goes', 'line', optional),
      field('deal', 'Deal', 'deal'),
    ],
  },
  {
    title: 'Figures',
    fields: [
      field('domainRating', 'Domain Rating', 'number', { ...optional, hint: '0 to 100; empty when unknown.' }),
      field('monthlyVisits', 'Visits a month', 'number', { ...optional, hint: 'Empty when unknown.' }),
      field('createdAt', 'Listed since', 'kept time', { hint: 'Empty: stays as it is. Such as 2026-03-01T09:30:00Z.' }),
    ],
  },
  {
    title: 'Pictures',
    fields: [
      field('icon', 'Logo', 'address', { ...optional, hint: 'Address of a square picture.' }),
      field('frame', 'Main picture', 'address', optional),
    ],
  },
  {
    title: 'Features, questions and profiles',
    fields: [
      field('features', 'Features', 'lines', { hint: 'One a line.' }),
      field('useCases', 'Good for', 'lines', { hint: 'One a line.' }),
      field('faq', 'Questions and answers', 'questions'),
      field('socials', 'Social profiles', 'pairs', { hint: 'A network and the address there.' }),
    ],
  },
]

export const fieldsIn = (groups: readonly FieldGroup[]): ListingField[] => groups.flatMap(({ fields }) => fields)
