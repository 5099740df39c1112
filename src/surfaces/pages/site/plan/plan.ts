// The launch plan for founders: questions about the product, then the directories that fit in three phases, as a list to tick off.
import { RATING_STEPS } from '../../../../features/catalog/rules.ts'
import {
  COST,
  DEFAULT_KIND,
  PRODUCT_KINDS,
  type ProductKind,
  USUAL_LINK_TYPES,
} from '../../../../features/catalog/schema.ts'
import {
  AUDIENCES,
  GOALS,
  type Goal,
  type PlanPhase,
  type PlanStep,
} from '../../../../features/plan/founders/founders.rules.ts'
import {
  type FoundersPlan,
  foundersPlan,
  type GivenUp,
  givenUpOf,
} from '../../../../features/plan/founders/make-founders-plan.ts'
import { DEFAULT_COUNT, DEFAULT_HOURS, foundersParameters, MOST_COUNTED } from '../../../../features/plan/schema.ts'
import type { Context } from '../../../../kernel/context.ts'
import { readParameters } from '../../../../kernel/input.ts'
import { SAVED, webAddress } from '../../addresses.ts'
import { PLAN_SCRIPT } from '../../assets.ts'
import { button, hiddenFields, linkButton } from '../../kit/button.ts'
import { badge, summaryFigures, tile } from '../../kit/components.ts'
import { choice, hiddenField, type Option } from '../../kit/forms/field.ts'
import { icon } from '../../kit/icon.ts'
import { type AddressQuery, addressWith, queryText } from '../../kit/lists/address-query.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import type { Page } from '../../kit/sending/document.ts'
import { amount, compactNumber, money, number, shortDay } from '../../kit/values.ts'
import { publicCategories, slugsIn } from '../catalog-reads.ts'
import { ratingBar } from '../entries.ts'
import { plainOptions } from '../lists/narrowing.ts'
import { hasContact } from '../texts/submit.ts'

export const PLAN = '/plan'
export const PLAN_CSV = '/plan.csv'
export const PLAN_CALENDAR = '/plan.ics'
/** The name that all checkboxes share. Such a name ends with `[]`. */
const DONE_BOXES = 'done[]'
const COUNTS = ['10', '20', '30', '60', '100']
const BUDGETS = [0, 50, 100, 250, 500, 1000]
const HOURS = [2, 4, 8, 16, 40]

type Choices = Readonly<Record<string, string>>

/**
 * The plan that a query asks for, and the visitor's choices as they are written in an address. A query with an unknown kind of product gets
 * the plan of the usual kind.
 */
export async function planOfQuery(ctx: Context, query: AddressQuery) {
  const isKind = PRODUCT_KINDS.some((one) => one === queryText(query, 'kind').toLowerCase())
  const asked = readParameters(foundersParameters, isKind ? query : { ...query, kind: undefined })
  const { kind = DEFAULT_KIND } = asked
  const slugs = slugsIn(query, 'directories', MOST_COUNTED)
  const directories = slugs.length > 0 ? slugs : undefined
  const planRequest = { ...asked, kind, directories }
  const plan = await foundersPlan(ctx, planRequest)
  const usual: Choices = { kind: DEFAULT_KIND, count: String(DEFAULT_COUNT), hours: String(DEFAULT_HOURS) }
  const choices: Choices = Object.fromEntries(
    Object.entries({ ...asked, ...(directories ? { directories: directories.join(',') } : {}) })
      .map(([name, value]): [string, string] => [name, String(value)])
      .filter(([name, value]) => value !== usual[name]),
  )
  return { plan, choices, planRequest }
}

export async function planPage(ctx: Context, query: AddressQuery): Promise<Page> {
  const { plan, choices, planRequest } = await planOfQuery(ctx, query)
  const done = doneSlugs(query)
  const givenUp = plan.shortBy > 0 || plan.phases.length === 0 ? await givenUpOf(ctx, planRequest) : []
  return {
    title: 'Launch plan',
    description: 'Which startup directories fit your product, in three phases with dates, reasons and a checklist.',
    url: Object.keys(choices).length === 0 && done.size === 0 ? ctx.publicUrl + PLAN : undefined,
    path: PLAN,
    script: PLAN_SCRIPT,
    body: html`<div class="flow">
${choicesForm(ctx, choices, done)}
${checklist(ctx, plan, choices, done, givenUp)}
</div>`,
  }
}

/** The questions about the product, written as sentences to complete. */
function choicesForm(ctx: Context, choices: Choices, done: ReadonlySet<string>): Markup {
  const { currency } = ctx.site.fields()
  const optionalSlot = (name: string, label: string, options: readonly Option[]) =>
    slot(name, label, choices[name], options)
  const categories = publicCategories(ctx).map(({ slug, name }) => ({ value: slug, label: oneLine(name, 40) }))
  const count = choices.count ?? String(DEFAULT_COUNT)
  const budgets = [...new Set([...BUDGETS, ...(choices.budget ? [Number(choices.budget)] : [])])].map((value) => ({
    value: String(value),
    label: value === 0 ? 'nothing' : `up to ${money(value, currency)}`,
  }))
  const hours = [...new Set([...HOURS, Number(choices.hours ?? DEFAULT_HOURS)])].map((value) => ({
    value: String(value),
    label: amount(value, 'hour', 'hours'),
  }))
  const directoryChoices = ['cost', 'type', 'rating'].some((name) => choices[name] !== undefined)
  return html`<form class="spruce sentence" method="get" action="${PLAN}#plan">
<h1>Where should I launch?</h1>
${done.size > 0 && hiddenField('done', [...done].join(','))}${['start', 'directories'].map((name) => choices[name] && hiddenField(name, choices[name]))}
<div class="words">I am launching ${slot('kind', 'Your product', choices.kind ?? DEFAULT_KIND, KINDS)} about ${optionalSlot('category', 'Category', [{ value: '', label: 'anything' }, ...categories])} for ${optionalSlot('audience', 'For whom', [{ value: '', label: 'everyone' }, ...AUDIENCE_OPTIONS])}. In a few words: <span class="slot"><label class="visually-hidden" for="slot-what">What it does</label><input id="slot-what" name="what" type="text" maxlength="200" value="${choices.what ?? ''}" placeholder="it answers e-mail for me"></span>. I can spend ${optionalSlot('budget', 'Budget', [{ value: '', label: 'what it takes' }, ...budgets])} and ${slot('hours', 'Time', choices.hours ?? String(DEFAULT_HOURS), hours)} a week. I care most about ${optionalSlot('goal', 'Goal', [{ value: '', label: 'a bit of everything' }, ...GOAL_OPTIONS])}, and I ${optionalSlot('badge', 'Badge', BADGE_WORDS)} put a badge on my site.${!choices.directories && html` <span class="together">Show me ${slot('count', 'Number', count, plainOptions(COUNTS.includes(count) ? COUNTS : [count, ...COUNTS]))} directories.</span>`}</div>
<div class="row">${
    !choices.directories &&
    html`<details${directoryChoices && html` open`}><summary>Only some directories</summary><div class="words">Only those that cost ${optionalSlot('cost', 'Cost', [{ value: '', label: 'anything' }, ...plainOptions(COST)])}, with ${optionalSlot('type', 'Link type', [{ value: '', label: 'any' }, ...plainOptions(USUAL_LINK_TYPES)])} link and a Domain Rating of ${optionalSlot('rating', 'Domain Rating', [{ value: '', label: 'any size' }, ...RATING_STEPS.map((step) => ({ value: String(step), label: `${step} or more` }))])}.</div></details>`
  }${button('Make the plan')}<span class="small">What you have ticked off stays.</span></div>
</form>`
}

const KIND_WORDS: Readonly<Record<ProductKind, string>> = {
  web: 'a web app',
  mobile: 'a mobile app',
  extension: 'an extension',
  plugin: 'a plug-in',
  'open-source': 'an open-source project',
  hardware: 'a device',
}
const KINDS: Option[] = PRODUCT_KINDS.map((value) => ({ value, label: KIND_WORDS[value] }))
const AUDIENCE_OPTIONS: Option[] = Object.entries(AUDIENCES).map(([value, label]) => ({ value, label }))

const GOAL_WORDS: Readonly<Record<Goal, string>> = {
  links: 'links that count',
  users: 'first users',
  feedback: 'votes and comments',
  reviews: 'reviews and comparisons',
}
const GOAL_OPTIONS: Option[] = GOALS.map((value) => ({ value, label: GOAL_WORDS[value] }))

const BADGE_WORDS: Option[] = [
  { value: '', label: 'may' },
  { value: 'none', label: 'will not' },
  { value: 'required', label: 'want to' },
]

/** A select inside the sentence. */
const slot = (name: string, label: string, value: string | undefined, options: readonly Option[]): Markup =>
  html`<span class="slot"><label class="visually-hidden" for="slot-${name}">${label}</label><select id="slot-${name}" name="${name}">${options.map((option) => html`<option value="${option.value}"${option.value === (value ?? '') && html` selected`}>${option.label}</option>`)}</select>${icon('down')}</span>`

function checklist(
  ctx: Context,
  plan: FoundersPlan,
  choices: Choices,
  done: ReadonlySet<string>,
  givenUp: readonly GivenUp[],
): Markup {
  const { phases, shortBy } = plan
  const ticks = [...done].join(',')
  const steps = phases.flatMap((phase) => phase.steps)
  if (steps.length === 0) return nothingFits(ctx, { ...choices, done: ticks }, givenUp, leftOutPart(plan, choices))
  const isDone = ({ directory }: PlanStep) => done.has(directory.slug)
  // The visitor may have ticked directories of another plan, made with other choices. The form keeps these ticks.
  const doneElsewhere = [...done].filter((slug) => steps.every(({ directory }) => directory.slug !== slug))
  const site = ctx.site.fields()
  const { currency } = site
  const loosened = givenUp.filter(({ count }) => count > steps.length)
  const next = steps.find((step) => !isDone(step))
  const kept = { ...choices, start: plan.start }
  const progress = new URLSearchParams({ ...kept, ...(ticks ? { done: ticks } : {}) }).toString()
  return html`<form class="beside" id="plan" method="get" action="${PLAN}" data-checklist="launch-plan">
${hiddenFields(kept)}${doneElsewhere.length > 0 && hiddenField('done', doneElsewhere.join(','))}
<h2 class="visually-hidden">The plan</h2>
${planFigures(plan, steps.filter(isDone).length, choices.budget, currency)}
${next && nextPanel(next)}
<div class="flow">${shortBy > 0 && html`<div class="flow"><p><strong>Only ${number(steps.length)} of the ${number(steps.length + shortBy)} that you asked for fit${choices.budget && ' your wishes and your budget'}.</strong> ${loosened.length > 0 && 'This many fit without:'}</p>${givenUpChips({ ...choices, done: ticks }, loosened, currency)}</div>`}
${phases.map((phase, at) => phaseSection(phase, at + 1, { isDone, next, currency }))}</div>
<aside class="side">
<section class="panel flow take"><h2>Take it with you</h2>
<div class="row">${button(html`${icon('copy')}Copy link to my progress`, { kind: 'plain' })}
<button type="button" class="button plain" data-print hidden>${icon('file')}Print</button>
${linkButton(addressWith(PLAN_CALENDAR, kept), html`${icon('clock')}Add to calendar`, { kind: 'plain' })}
${linkButton(addressWith(PLAN_CSV, kept), html`${icon('download')}Checklist as CSV`, { kind: 'plain' })}
${linkButton(addressWith(SAVED, { plan: progress }), html`${icon('bookmark')}Keep it in my account`, { kind: 'plain', rel: 'nofollow' })}</div></section>
${leftOutPart(plan, choices)}
${ctx.founders.mode !== 'off' && (ctx.billing || site.sellers.length > 0 || hasContact(site)) && HAND_OVER}
</aside>
</form>`
}

/** Instead of the checklist. */
function nothingFits(ctx: Context, choices: Choices, givenUp: readonly GivenUp[], leftOut: Markup | null): Markup {
  return html`<section class="empty" id="plan"><h2>No directory fits</h2>
${givenUp.length > 0 && html`<p class="quiet">This many fit without:</p>`}${givenUpChips(choices, givenUp, ctx.site.fields().currency)}
${linkButton('/directories', 'Browse all directories', { kind: 'plain' })}</section>${leftOut}`
}

/** For each wish of the founder, the plan without it and how many directories then fit. */
function givenUpChips(choices: Choices, givenUp: readonly GivenUp[], currency: string): Markup | false {
  const links = givenUp.map(({ wishes, count }) => {
    const labels = wishes.map((name) => WISH_LABELS[name](choices[name] ?? '', currency))
    const kept = Object.entries(choices).filter(([name]) => wishes.every((wish) => wish !== name))
    const label =
      wishes.length > 1
        ? 'All of these wishes'
        : html`<span class="without">${icon('close', 'small')}<span class="visually-hidden">Without </span>${labels}</span>`
    return html`<li><a href="${addressWith(PLAN, Object.fromEntries(kept))}">${label}<span class="count">${count}</span></a></li>\n`
  })
  return links.length > 0 && html`<ul class="chips">\n${links}</ul>`
}

const WISH_LABELS: Readonly<Record<GivenUp['wishes'][number], (value: string, currency: string) => string>> = {
  cost: (value) => value,
  type: (value) => `${value} link`,
  rating: (value) => `Domain Rating ${value} or more`,
  badge: (value) => (value === 'none' ? 'No badge' : 'Badge required'),
  budget: (value, currency) => (value === '0' ? 'Nothing to spend' : `Up to ${money(Number(value), currency)}`),
}

/** Shown only where founders can order a package, here or from a partner, or can ask for one. */
const HAND_OVER = html`<section class="panel spruce flow"><h2>No evenings left?</h2><p class="small">We enter your product into the directories by hand, and you see each link go live.</p>${linkButton('/pricing#founders', 'See the packages')}</section>`

const planFigures = (
  { totals, phases }: FoundersPlan,
  ticked: number,
  budget: string | undefined,
  currency: string,
): Markup => {
  const { unknownPrices } = totals
  const count = phases.reduce((sum, { steps }) => sum + steps.length, 0)
  // The sum of the times that the phases show.
  const minutes = phases.reduce((sum, { steps }) => sum + roundedMinutes(minutesOf(steps)), 0)
  const limit = budget !== undefined && budget !== '0' ? ` of your ${money(Number(budget), currency)}` : ''
  const unknown = unknownPrices > 0 ? `, and ${amount(unknownPrices, 'price', 'prices')} not known` : ''
  return summaryFigures([
    [
      'Done',
      html`<span data-ticked>${ticked}</span> of ${count}<span class="progress"><progress value="${ticked}" max="${count}" aria-hidden="true"></progress></span>`,
    ],
    ['Links that count', String(totals.followedLinks)],
    ['Visits a month', totals.visits > 0 ? compactNumber(totals.visits) : 'not known'],
    [`Cost${limit}${unknown}`, money(totals.price, currency)],
    ['Your time, about', timeText(minutes)],
  ])
}

/** An estimate, so longer times are rounded to half hours. */
const roundedMinutes = (minutes: number): number => (minutes < 60 ? minutes : Math.round(minutes / 30) * 30)

function timeText(minutes: number): string {
  if (minutes < 60) return `${minutes} min`
  return minutes % 30 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

const minutesOf = (steps: readonly PlanStep[]): number => steps.reduce((sum, step) => sum + step.minutes, 0)

export const PHASE_WORDS: Readonly<Record<PlanPhase['key'], readonly [title: string, purpose: string]>> = {
  ground: ['Lay the ground', 'Profiles that people look up when they hear of you.'],
  launch: ['Launch week', 'All eyes on a few days: be there to answer.'],
  later: ['Keep going', 'A few at a time, in the order that pays off.'],
}

interface StepView {
  isDone: (step: PlanStep) => boolean
  next: PlanStep | undefined
  currency: string
}

function phaseSection({ key, steps }: PlanPhase, at: number, view: StepView): Markup {
  const [title, purpose] = PHASE_WORDS[key]
  const [from = '', to = ''] = [steps[0]?.day, steps.at(-1)?.day]
  const price = steps.reduce((sum, step) => sum + (step.price ?? 0), 0)
  return html`<section class="wave"><header><h2>${at}. ${title}</h2><p>${purpose} <b>${from === to ? shortDay(from) : `${shortDay(from)} to ${shortDay(to)}`}</b></p><p class="note">${[amount(steps.length, 'directory', 'directories'), price > 0 && money(price, view.currency), timeText(roundedMinutes(minutesOf(steps)))].filter(Boolean).join(' · ')}</p></header>
<ol class="steps">
${steps.map((step) => stepRow(step, view))}</ol></section>`
}

function stepRow(step: PlanStep, { isDone, next, currency }: StepView): Markup {
  const { directory, reasons, price, minutes, day } = step
  const { slug, name } = directory
  const website = webAddress(directory.website)
  const isNext = step === next
  return html`<li class="step${isNext && ' is-next'}">${choice({ name: DONE_BOXES, id: `done-${slug}`, value: slug, checked: isDone(step), label: html`<span class="visually-hidden"><bdi>${name}</bdi> is done</span>` })}
${tile(name, directory.icon)}<div><h3><a href="/directories/${slug}"><bdi>${name}</bdi></a></h3>
<p class="why">${reasons.map((reason) => unbroken(oneLine(reason, 120))).join('\u00a0· ')}</p></div>
<p class="facts">${directory.domainRating !== null && ratingBar(directory.domainRating)}${priceBadge(price, currency)}<span>${timeText(roundedMinutes(minutes))} · <time datetime="${day}">${shortDay(day)}</time></span></p>
${website && html`<a class="button plain slim" href="${website}" rel="nofollow noopener">Open<span class="visually-hidden"> site of ${name}</span>${icon('external', 'small')}</a>`}</li>\n`
}

/** A number stays on the line of the word after it. */
const unbroken = (text: string): string => text.replace(/(\d\S*) /g, '$1\u00a0')

const priceBadge = (price: number | null, currency: string): Markup =>
  price === null ? badge('Paid', 'notice') : price > 0 ? badge(money(price, currency), 'notice') : badge('Free', 'good')

const nextPanel = ({ directory: { slug, name }, day }: PlanStep): Markup =>
  html`<section class="panel side" data-next><h2>Next step</h2><p>Enter <a href="/directories/${slug}"><bdi>${name}</bdi></a> on <b>${shortDay(day)}</b>, then tick it off.</p></section>`

const MOST_LEFT_SHOWN = 8

function leftOutPart({ leftOut, surplus }: FoundersPlan, choices: Choices): Markup | null {
  if (leftOut.length === 0 && surplus === 0) return null
  const more = leftOut.length - MOST_LEFT_SHOWN
  return html`<section class="panel flow left-out"><h2>Left out, and why</h2>
${leftOut.length > 0 && html`<ul>${leftOut.slice(0, MOST_LEFT_SHOWN).map(({ slug, name, reason }) => html`<li><a href="/directories/${slug}"><bdi>${oneLine(name, 60)}</bdi></a> ${oneLine(reason, 160)}</li>\n`)}</ul>`}
${more > 0 && html`<p class="note">And ${amount(more, 'other', 'others')} that ${more === 1 ? 'does' : 'do'} not fit. <a href="/directories">See all directories</a></p>`}
${surplus > 0 && html`<p class="note">${amount(surplus, 'more fits', 'more fit')}, after these.${Number(choices.count ?? DEFAULT_COUNT) < MOST_COUNTED && html` <a href="${addressWith(PLAN, { ...choices, count: String(MOST_COUNTED) })}">Plan up to ${MOST_COUNTED}</a>`}</p>`}</section>`
}

// How many ticked slugs are read: more than the longest plan has directories. The limit keeps an address from making the page long.
const MOST_DONE = 300

/** The slugs of the ticked directories in an address: one per parameter, or several with commas between them. */
const doneSlugs = (query: AddressQuery): ReadonlySet<string> => new Set(slugsIn(query, 'done', MOST_DONE))
