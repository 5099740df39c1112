// The launch plan for founders: which directories fit a product, best first and with reasons, as a list to tick off.
import { Type } from 'typebox'
import { RATING_STEPS } from '../../../features/catalog/rules.ts'
import { BADGES, COST, DEFAULT_KIND, PRODUCT_KINDS, USUAL_LINK_TYPES } from '../../../features/catalog/schema.ts'
import { type FoundersPlan, foundersPlan } from '../../../features/plan/founders.ts'
import { KIND_NAMES } from '../../../features/plan/points.rules.ts'
import type { Context } from '../../../kernel/context.ts'
import { readParameters } from '../../../kernel/input.ts'
import { oneOf } from '../../../kernel/schema.ts'
import { webAddress } from '../addresses.ts'
import { button, hiddenFields, linkButton } from '../kit/button.ts'
import { emptyState, tile } from '../kit/components.ts'
import type { Page } from '../kit/document.ts'
import { choice, hiddenField, type Option } from '../kit/field.ts'
import { icon } from '../kit/icon.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { type AddressQuery, addressWith } from '../kit/site-addresses.ts'
import { plainOptions } from './directory-filters.ts'
import { ratingBar } from './entries.ts'
import { amount } from './listing.ts'
import { publicCategories } from './terms.ts'

export const PLAN = '/plan'
export const PLAN_CSV = '/plan.csv'
/** The name of all checkboxes. Fields of a form that share a name have `[]` at its end. */
const DONE_BOXES = 'done[]'
const COUNTS = ['10', '20', '30', '60', '100']
const DEFAULT_COUNT = 30

/** The query is parsed like the parameters of an operation: lenient about numbers and case, strict about the rest. */
const parameters = Type.Object({
  kind: Type.Optional(oneOf(PRODUCT_KINDS)),
  category: Type.Optional(Type.String({ maxLength: 200 })),
  cost: Type.Optional(oneOf(COST)),
  badge: Type.Optional(oneOf(BADGES)),
  type: Type.Optional(oneOf(USUAL_LINK_TYPES)),
  rating: Type.Optional(oneOf(RATING_STEPS.map(String))),
  count: Type.Integer({ minimum: 1, maximum: 100, default: DEFAULT_COUNT }),
})

export const PLAN_PARAMETERS = [...Object.keys(parameters.properties), 'done']

/** The plan that an address asks for, and the choices as they are written in an address. */
export async function planIn(ctx: Context, query: AddressQuery) {
  const { kind = DEFAULT_KIND, count, ...filters } = readParameters(parameters, query)
  const plan = await foundersPlan(ctx, { ...filters, kind, count })
  const choices: Record<string, string> = {
    ...(kind === DEFAULT_KIND ? {} : { kind }),
    ...filters,
    ...(count === DEFAULT_COUNT ? {} : { count: String(count) }),
  }
  return { plan, choices, kind, count }
}

export async function planPage(ctx: Context, query: AddressQuery): Promise<Page> {
  const { plan, choices, kind, count } = await planIn(ctx, query)
  const done = doneIn(query)
  const doneField = done.size > 0 && hiddenField('done', [...done].join(','))
  return {
    title: 'Launch plan',
    description: 'Which startup directories fit your product, best first, with reasons and a checklist.',
    url: Object.keys(choices).length === 0 && done.size === 0 ? ctx.publicUrl + PLAN : undefined,
    path: PLAN,
    body: html`<div class="flow">
${sentence(ctx, choices, kind, count, doneField)}
${checklist(plan, choices, done)}
</div>`,
  }
}

/** The form of the choices, written as one sentence to complete. */
const sentence = (
  ctx: Context,
  choices: Readonly<Record<string, string>>,
  kind: string,
  count: number,
  doneField: Markup | false,
): Markup => html`<form class="spruce sentence" method="get" action="${PLAN}">
<h1>Where to launch</h1>
<p class="lead">Directories that fit your product, the best first, and why. What does not fit is left out.</p>
${doneField}<div class="words">I build ${slot(
  'kind',
  'Your product',
  kind,
  PRODUCT_KINDS.map((value) => ({ value, label: KIND_NAMES[value] })),
)} about ${slot('category', 'Category', choices.category, [{ value: '', label: 'anything' }, ...publicCategories(ctx).map(({ slug, name }) => ({ value: slug, label: oneLine(name, 40) }))])}. Show me ${slot('count', 'Number', String(count), plainOptions(COUNTS.includes(String(count)) ? COUNTS : [String(count), ...COUNTS]))} directories that cost ${slot('cost', 'Cost', choices.cost, [{ value: '', label: 'anything or nothing' }, ...plainOptions(COST)])}, with ${slot('type', 'Link type', choices.type, [{ value: '', label: 'any' }, ...plainOptions(USUAL_LINK_TYPES)])} link, a Domain Rating of ${slot('rating', 'Domain Rating', choices.rating, [{ value: '', label: 'any size' }, ...RATING_STEPS.map((step) => ({ value: String(step), label: `${step} or more` }))])} and ${slot('badge', 'Badge', choices.badge, BADGE_WORDS)}.</div>
<div class="row">${button('Make the plan')}</div>
</form>`

const BADGE_WORDS: Option[] = [
  { value: '', label: 'a badge or none' },
  { value: 'none', label: 'no badge required' },
  { value: 'required', label: 'a badge required' },
]

/** A select inside the sentence. */
const slot = (name: string, label: string, value: string | undefined, options: readonly Option[]): Markup =>
  html`<span class="slot"><label class="visually-hidden" for="slot-${name}">${label}</label><select id="slot-${name}" name="${name}">${options.map((option) => html`<option value="${option.value}"${option.value === (value ?? '') && html` selected`}>${option.label}</option>`)}</select>${icon('down')}</span>`

function checklist(plan: FoundersPlan, choices: Readonly<Record<string, string>>, done: ReadonlySet<string>): Markup {
  const { chosen, shortBy } = plan
  if (chosen.length === 0)
    return emptyState({
      title: 'No directory fits',
      text: 'Ask for less, or look at all of them.',
      action: linkButton('/directories', 'Browse directories', { kind: 'plain' }),
    })
  const ticked = chosen.filter(({ directory }) => done.has(directory.slug)).length
  // Ticks of directories that are not in this plan, but in one of other choices, are kept, too.
  const doneElsewhere = [...done].filter((slug) => chosen.every(({ directory }) => directory.slug !== slug))
  return html`<form class="flow" method="get" action="${PLAN}" data-checklist="launch-plan">
${hiddenFields(choices)}${doneElsewhere.length > 0 && hiddenField('done', doneElsewhere.join(','))}
<h2 class="visually-hidden">The plan</h2>
<div class="row apart"><p class="label">${amount(chosen.length, 'directory', 'directories')}, <span data-ticked>${ticked}</span> done</p>
<div class="row">${button('Keep my ticks in the address', { kind: 'plain', slim: true })}${linkButton(addressWith(PLAN_CSV, choices), 'CSV', { kind: 'plain', slim: true })}</div></div>
${shortBy > 0 && html`<p class="note">${amount(shortBy, 'directory is', 'directories are')} missing to the number that you asked for, because no others fit.</p>`}
<ol class="steps">
${chosen.map((entry) => checklistEntry(entry, done.has(entry.directory.slug)))}</ol>
</form>`
}

function checklistEntry({ directory, reasons }: FoundersPlan['chosen'][number], isDone: boolean): Markup {
  const { slug, name } = directory
  const website = webAddress(directory.website)
  return html`<li class="step">${choice({ name: DONE_BOXES, id: `done-${slug}`, value: slug, checked: isDone, label: html`<span class="visually-hidden"><bdi>${name}</bdi> is done</span>` })}
${tile(name, directory.icon)}<div><h3><a href="/directories/${slug}"><bdi>${name}</bdi></a></h3>
<p class="why">${reasons.map((reason) => oneLine(reason, 120)).join(' · ')}</p></div>
${directory.domainRating !== null && ratingBar(directory.domainRating)}${website && html`<a class="button plain slim" href="${website}" rel="nofollow noopener">Open site<span class="visually-hidden"> of ${name}</span>${icon('external', 'small')}</a>`}</li>\n`
}

// More than the longest plan has, so that an address cannot make the page long.
const MOST_DONE = 300

/** The slugs of the ticked directories in an address: one per parameter, or several with commas between them. */
function doneIn(query: AddressQuery): ReadonlySet<string> {
  const given = ['done', DONE_BOXES].flatMap((name) => (Object.hasOwn(query, name) ? [query[name]].flat() : []))
  const slugs = given
    .slice(0, MOST_DONE)
    .flatMap((value) => (typeof value === 'string' ? value.slice(0, 20_000).split(',') : []))
    .filter((slug) => /^[a-z0-9-]{1,100}$/.test(slug))
  return new Set(slugs.slice(0, MOST_DONE))
}
