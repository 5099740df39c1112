// The form of the site: its fields in groups, what was typed into it, and the stored values beside it after a conflict.
import type { Static } from 'typebox'
import type { listSiteExamples } from '../../../../features/catalog/site/site.operations.ts'
import {
  DEFAULT_SITE,
  HOME_SECTIONS,
  type HomeSection,
  MOST_SELLERS,
  PALETTES,
  type Site,
  type SiteFields,
  TEXT_PAGES,
  type TextName,
} from '../../../../features/site/schema.ts'
import { MAX_PICTURE_TEXT } from '../../../../kernel/interfaces/picture-store.ts'
import { pictureAddress } from '../../addresses.ts'
import { choice, field, fieldGroup, fileField, hiddenField, textarea } from '../../kit/forms/field.ts'
import { html, type Markup, normaliseLineBreaks } from '../../kit/markup.ts'
import { number } from '../../kit/values.ts'
import { PICTURE_FILES } from '../listings/uploads.ts'

const TEXTS = Object.entries(TEXT_PAGES) as [TextName, string][]
const SECTIONS = Object.keys(HOME_SECTIONS) as HomeSection[]

const LABELS = {
  name: 'Name',
  tagline: 'Tagline',
  headline: 'Heading of the home page',
  description: 'Description',
  accentColor: 'Accent colour',
  logo: 'Logo',
  contactEmail: 'Contact address',
  currency: 'Currency',
  adultSwitch: 'Let visitors include adult listings',
  submissionForms: 'Link to the forms of directories',
  links: 'Links',
  sellers: 'Sellers',
  examples: 'Questions to try',
  navigation: 'Navigation',
  home: 'Sections of the home page',
  'socialCard.title': 'Title of the social card',
  'socialCard.text': 'Text of the social card',
  'socialCard.picture': 'Picture of the social card',
  texts: 'Pages',
}

const SELLER_LABELS = { name: 'Seller', href: 'Address of seller', text: 'Offer of seller', logo: 'Logo of seller' }
type SellerPart = keyof typeof SELLER_LABELS
const SELLER_PARTS = Object.keys(SELLER_LABELS) as SellerPart[]
const sellerLabel = (part: SellerPart, at: number): string => `${SELLER_LABELS[part]} ${at + 1}`
const sellerField = (part: SellerPart, at: number): string => `sellers.${at}.${part}`

/** Labels by the path of the field in the body. The fields of each seller come before `sellers`, because the first match counts. */
export const FIELD_LABELS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Array.from({ length: MOST_SELLERS }, (_, at) =>
      SELLER_PARTS.map((part) => [sellerField(part, at), sellerLabel(part, at)]),
    ).flat(),
  ),
  ...LABELS,
}

const LINE_FIELDS = ['name', 'tagline', 'headline', 'description', 'accentColor', 'contactEmail', 'currency'] as const
const SWITCHES = ['adultSwitch', 'submissionForms'] as const

const linksText = (links: SiteFields['links']): string =>
  links.map(({ label, href }) => `${label} | ${href}`).join('\n')

const sellersText = ({ sellers }: SiteFields): string =>
  sellers.map(({ name, href, text, logo }) => [name, href, text, ...(logo ? [logo] : [])].join(' | ')).join('\n')

const homeText = ({ home }: SiteFields): string => home.map((section) => HOME_SECTIONS[section]).join('\n')

export const comparedFields = (
  typed: SiteFields,
  stored: SiteFields,
): [label: string, typed: string, stored: string][] => [
  ...LINE_FIELDS.map((name): [string, string, string] => [LABELS[name], typed[name], stored[name]]),
  ...SWITCHES.map((name): [string, string, string] => [LABELS[name], String(typed[name]), String(stored[name])]),
  [LABELS.logo, typed.logo ?? '', stored.logo ?? ''],
  [LABELS.navigation, linksText(typed.navigation), linksText(stored.navigation)],
  [LABELS.home, homeText(typed), homeText(stored)],
  [LABELS['socialCard.title'], typed.socialCard.title, stored.socialCard.title],
  [LABELS['socialCard.text'], typed.socialCard.text, stored.socialCard.text],
  [LABELS['socialCard.picture'], typed.socialCard.picture ?? '', stored.socialCard.picture ?? ''],
  [LABELS.links, linksText(typed.links), linksText(stored.links)],
  [LABELS.sellers, sellersText(typed), sellersText(stored)],
  [LABELS.examples, typed.examples.join('\n'), stored.examples.join('\n')],
  ...TEXTS.map(([name, label]): [string, string, string] => [label, typed.texts[name], stored.texts[name]]),
]

type FormValues = Readonly<Record<string, string | undefined>>

const pictureName = (file: string): string => file.replace(/\.file$/, '')

/** The field of the site to which an uploaded file belongs, for the problems of the form. */
export const fieldOfFile = (file: string): string =>
  file === 'cardPicture.file' ? 'socialCard.picture' : pictureName(file)

export const withPicture = (given: FormValues, file: string, address: string): FormValues => {
  const name = pictureName(file)
  return { ...given, [name]: address, [`${name}.remove`]: undefined }
}

export function typedSite(given: FormValues): SiteFields {
  const text = (name: string) => normaliseLineBreaks(given[name] ?? '').trim()
  const picture = (name: string) => (given[`${name}.remove`] === 'true' ? null : text(name) || null)
  return {
    name: text('name'),
    tagline: text('tagline'),
    headline: text('headline'),
    description: text('description'),
    // Each palette is a button that sends the form with its colour.
    accentColor: text('palette') || text('accentColor'),
    logo: picture('logo'),
    contactEmail: text('contactEmail'),
    currency: text('currency') || DEFAULT_SITE.currency,
    adultSwitch: given.adultSwitch === 'true',
    submissionForms: given.submissionForms === 'true',
    links: lines(text('links')).map(linkOf),
    sellers: Array.from({ length: MOST_SELLERS }, (_, at) => ({
      name: text(`sellers.${at}.name`),
      href: text(`sellers.${at}.href`),
      text: text(`sellers.${at}.text`),
      logo: picture(`sellers.${at}.logo`),
    })).filter((one) => one.name || one.href || one.text),
    examples: lines(text('examples')),
    navigation: lines(text('navigation')).map(linkOf),
    home: homeOf(given),
    socialCard: { title: text('cardTitle'), text: text('cardText'), picture: picture('cardPicture') },
    texts: Object.fromEntries(TEXTS.map(([name]) => [name, text(name)])) as SiteFields['texts'],
  }
}

const lines = (text: string): string[] =>
  text
    .split('\n')
    .flatMap((line) => line.trim() || [])
    .slice(0, 50)

/** A line such as `Blog | https://example.com/blog`. */
function linkOf(line: string): SiteFields['links'][number] {
  const at = line.lastIndexOf('|')
  return at === -1
    ? { label: line.trim(), href: '' }
    : { label: line.slice(0, at).trim(), href: line.slice(at + 1).trim() }
}

/** The sections of the home page to which the form gives a number, in the order of these numbers. */
const homeOf = (given: FormValues): HomeSection[] =>
  SECTIONS.flatMap((section) => {
    const place = (given[`home-${section}`] ?? '').trim()
    return place === '' ? [] : [{ section, place: Number(place) || SECTIONS.length }]
  })
    .toSorted((a, b) => a.place - b.place)
    .map(({ section }) => section)

export interface SiteForm {
  site: Site
  examples: Static<typeof listSiteExamples.data>
  /** What is wrong with each field. */
  marked: Readonly<Record<string, string>>
}

/** The groups of the form, each with how many of its fields are wrong. */
export function siteGroups(given: SiteForm): { title: string; problems: number; content: Markup }[] {
  const { site, marked } = given
  const groups: [title: string, names: readonly (keyof typeof LABELS)[], content: unknown][] = [
    ['Name and words', ['name', 'tagline', 'headline', 'description'], nameFields(given)],
    ['Look', ['accentColor', 'logo'], lookFields(given)],
    ['Home page', ['navigation', 'home', 'examples'], homeFields(given)],
    ['Social card', ['socialCard.title', 'socialCard.text', 'socialCard.picture'], cardFields(given)],
    [
      'Listings',
      SWITCHES,
      html`${choice({ name: 'adultSwitch', label: LABELS.adultSwitch, checked: site.adultSwitch, hint: 'A switch among the filters of tools, shown only while there are such listings.' })}
${choice({ name: 'submissionForms', label: LABELS.submissionForms, checked: site.submissionForms, hint: 'A link on the page of each directory whose form is known. The API never has these links.' })}`,
    ],
    ['Contact and links', ['currency', 'contactEmail', 'links', 'sellers'], contactFields(given)],
    ['Pages, in Markdown', ['texts'], textFields(given)],
  ]
  return groups.map(([title, names, content]) => ({
    title,
    problems: Object.keys(marked).filter((field) => names.some((name) => `${field}.`.startsWith(`${name}.`))).length,
    content: fieldGroup(title, content),
  }))
}

const nameFields = ({ site, marked }: SiteForm): Markup => {
  const line = (name: 'name' | 'tagline' | 'headline', maxLength: number) =>
    field({ name, label: LABELS[name], value: site[name], maxLength, required: true, error: marked[name] })
  return html`${line('name', 60)}${line('tagline', 120)}${line('headline', 120)}${textarea({ name: 'description', label: LABELS.description, value: site.description, rows: 2, maxLength: 300, required: true, error: marked.description })}`
}

const lookFields = ({
  site,
  marked,
}: SiteForm): Markup => html`<div class="colour-field"><input type="color" hidden data-picker="field-accentColor" aria-label="Choose the accent colour">
${field({ name: 'accentColor', label: LABELS.accentColor, value: site.accentColor, pattern: '#[0-9a-fA-F]{6}', required: true, spellcheck: false, hint: 'As #rrggbb. The whole site takes its hue: buttons, hero, marker, badges, mails and share images. Pages use the nearest shade that can be read, in light and in dark.', error: marked.accentColor })}</div>
<div class="row" role="group" aria-label="Palettes">${Object.entries(PALETTES).map(
  ([name, colour]) =>
    html`<button type="submit" class="button plain slim" name="palette" value="${colour}" formnovalidate data-palette><svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="8" fill="${colour}"/></svg>${name}</button>\n`,
)}</div>
${pictureField('logo', LABELS.logo, site.logo, { hint: `A square PNG, JPEG, WebP, GIF or AVIF picture of at most ${MAX_PICTURE_TEXT}.`, error: marked.logo })}`

const homeFields = ({
  site,
  marked,
  examples,
}: SiteForm): Markup => html`${textarea({ name: 'navigation', label: LABELS.navigation, rows: 5, value: linksText(site.navigation), hint: 'The links in the head of every page, one a line, at most six: Tools | /tools', error: marked.navigation })}
<fieldset class="fields part"><legend>${LABELS.home}</legend><p class="hint">1 comes first. Without a number a section is not shown.</p>${marked.home && html`<p class="error">${marked.home}</p>`}
<div class="places">${SECTIONS.map((section) => {
  const at = site.home.indexOf(section)
  return field({
    name: `home-${section}`,
    label: HOME_SECTIONS[section],
    type: 'number',
    min: 1,
    max: SECTIONS.length,
    value: at === -1 ? '' : at + 1,
  })
})}</div></fieldset>
${textarea({ name: 'examples', label: LABELS.examples, rows: 3, value: site.examples.join('\n'), hint: 'Shown below the search, one a line, at most five. Leave it empty to have them made from the catalog.', error: marked.examples })}
${exampleList(examples)}`

const cardFields = ({
  site: { socialCard, headline, tagline },
  marked,
}: SiteForm): Markup => html`<p class="hint">Other sites show it with a link to the home page, and to pages that have no picture of their own.</p>
${field({ name: 'cardTitle', label: LABELS['socialCard.title'], value: socialCard.title, maxLength: 100, placeholder: headline, error: marked['socialCard.title'] })}
${field({ name: 'cardText', label: LABELS['socialCard.text'], value: socialCard.text, maxLength: 160, placeholder: tagline, error: marked['socialCard.text'] })}
${pictureField('cardPicture', LABELS['socialCard.picture'], socialCard.picture, { hint: 'Instead of a drawn one; best 1,200 by 630 pixels.', error: marked['socialCard.picture'] })}`

const contactFields = ({
  site,
  marked,
}: SiteForm): Markup => html`${field({ name: 'currency', label: LABELS.currency, value: site.currency, maxLength: 3, hint: 'Of all prices on pages: three capital letters, such as USD.', error: marked.currency })}
${field({ name: 'contactEmail', label: LABELS.contactEmail, type: 'email', value: site.contactEmail, maxLength: 254, hint: 'Shown on the contact page; leave it empty to show none.', error: marked.contactEmail })}
${textarea({ name: 'links', label: LABELS.links, rows: 4, value: linksText(site.links), hint: 'Shown in the foot of every page, one a line: Blog | https://example.com/blog', error: marked.links })}
<fieldset class="fields part"><legend>${LABELS.sellers}</legend><p class="hint">Partners that sell packages, on the pages Submit and Pricing. Saving adds an empty row for the next one, and drops a row whose name, address and text are empty.</p>${marked.sellers && html`<p class="error">${marked.sellers}</p>`}
${Array.from({ length: Math.min(site.sellers.length + 1, MOST_SELLERS) }, (_, at) => sellerRow(site.sellers[at], at, marked))}</fieldset>`

function sellerRow(seller: SiteFields['sellers'][number] | undefined, at: number, marked: SiteForm['marked']): Markup {
  const input = (part: 'name' | 'href' | 'text', maxLength: number) => {
    const name = sellerField(part, at)
    const id = `field-sellers-${at}-${part}`
    return field({ name, id, label: sellerLabel(part, at), value: seller?.[part], maxLength, error: marked[name] })
  }
  const logo = sellerField('logo', at)
  return html`<div class="pair">${input('name', 60)}${input('href', 500)}
${pictureField(logo, sellerLabel('logo', at), seller?.logo ?? null, { error: marked[logo] })}${input('text', 300)}</div>`
}

/** A picture to upload; the one that is stored is shown, and kept unless it is removed. */
const pictureField = (
  name: string,
  label: string,
  stored: string | null,
  more: { hint?: string; error?: string } = {},
) =>
  html`<div>${fileField({ ...more, name: `${name}.file`, id: `field-${name.replaceAll('.', '-')}`, label, accept: PICTURE_FILES })}
${hiddenField(name, stored ?? '')}${stored && html`<div class="row picture-now"><img src="${pictureAddress(stored)}" alt="${label} as stored" width="64" height="64"></div>${choice({ name: `${name}.remove`, id: `field-${name.replaceAll('.', '-')}-remove`, label: html`Remove it<span class="visually-hidden">: ${label}</span>` })}`}</div>`

/** The texts are folded, because together they are longer than the rest of the form. */
const textFields = ({ site, marked }: SiteForm): Markup[] =>
  TEXTS.map(([name, label]) => {
    const value = site.texts[name]
    const error = marked[`texts.${name}`] ?? (name === 'about' ? marked.texts : undefined)
    return html`<details${error && html` open`}><summary>${label} <span class="note">${value === '' ? 'empty' : `${number(value.length)} characters`}</span></summary>${textarea({ name, label, rows: 12, maxLength: 20_000, value, error })}</details>`
  })

/** The questions of the stored site; a preview does not change them. */
const exampleList = (examples: SiteForm['examples']): Markup =>
  examples.length === 0
    ? html`<p class="note">No question is shown: the catalog answers none in full yet.</p>`
    : html`<ul class="outcomes small" aria-label="Questions shown now">${examples.map(
        ({ question, full, isShown }) =>
          html`<li><bdi>${question}</bdi> <span class="quiet">${isShown ? `is shown: ${number(full)}\u00a0match it fully` : `is not shown: ${full === 0 ? 'nothing matches' : `only ${number(full)}\u00a0match`} it fully, three are needed. Change its words.`}</span></li>\n`,
      )}</ul>`
