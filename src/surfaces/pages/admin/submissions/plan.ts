// The page with the plan of a submission: which directories it has and why, forms that pin and skip directories, and the form with the
// facts about the product on which the plan depends. The bench shows the same directories one by one.
import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import { PRODUCT_KINDS } from '../../../../features/catalog/schema.ts'
import { decidePlan, getPhasedPlan, listPlanDecisions } from '../../../../features/plan/operations.ts'
import { KIND_NAMES, reasonsRepeating } from '../../../../features/plan/points.rules.ts'
import {
  AUTOMATION_LIMITS,
  type AutomationLimit,
  type decisionSchema,
  PHASES,
  type PhasedPlan,
  REMEMBERED_REASONS,
} from '../../../../features/plan/schema.ts'
import { changeSubmission } from '../../../../features/submissions/queue/queue.operations.ts'
import { getSubmission } from '../../../../features/submissions/read/read.operations.ts'
import type { Failure } from '../../../../kernel/errors.ts'
import { capitalised } from '../../../../kernel/values/text.ts'
import { button, linkButton } from '../../kit/button.ts'
import { badge, breadcrumbs, emptyState, sectionHead, tabs } from '../../kit/components.ts'
import { field, select } from '../../kit/forms/field.ts'
import { expectedVersionOf, storedValuesSection, versionField } from '../../kit/forms/forms.ts'
import { addressWith } from '../../kit/lists/address-query.ts'
import { table } from '../../kit/lists/table.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import { listingTile, namedListing } from '../../kit/named-listing.ts'
import { isCorrectable, type Visit, type VisitPages } from '../../kit/sending/private-pages.ts'
import { money, number } from '../../kit/values.ts'
import { PHASE_WORDS } from '../../site/plan/plan.ts'
import { SUBMISSIONS } from './list.ts'
import { type SubmissionWork, submittedProgress } from './work.ts'

type Planned = PhasedPlan['chosen'][number]

interface PlanView {
  work: SubmissionWork
  plan: PhasedPlan
  /** One of AUTOMATION_LIMITS; '': no limit. */
  automation: string
  /** By slug of the directory. */
  decisions: ReadonlyMap<string, Static<typeof decisionSchema>>
  visit: Visit
  typed?: Returned['decision']
}

export const planPages: VisitPages = {
  [`${SUBMISSIONS}/:id/plan`]: { GET: (visit) => showPlan(visit), POST: (visit) => changeConditions(visit) },
  [`${SUBMISSIONS}/:id/plan/:slug`]: { POST: (visit) => decide(visit) },
}

/** What was typed into a refused form, and why it was refused. */
interface Returned {
  conditions?: PlanConditions
  decision?: { slug: string; reason: string }
  error?: Failure
}

interface PlanConditions {
  kind: string
  language: string
  budget: string
  badges: string
}

async function viewOf(visit: Visit, work: SubmissionWork) {
  const { id } = work
  const { automation } = visit.query(['automation'])
  const plan = await visit.perform(getPhasedPlan, { id, automation: automation || undefined })
  const decisions = await visit.perform(listPlanDecisions, { id, limit: 1000 })
  return { work, plan, automation, decisions: new Map(decisions.map((decision) => [decision.slug, decision])), visit }
}

async function showPlan(visit: Visit, { conditions, decision, error }: Returned = {}): Promise<FastifyReply> {
  const work = await visit.perform(getSubmission, { id: visit.param('id') })
  const view: PlanView = { ...(await viewOf(visit, work)), typed: decision }
  const page = pageOfPlan(view, conditions)
  const flash = error ? [{ kind: 'danger' as const, text: error.message }] : []
  return visit.send({ ...page, flash }, error?.status)
}

function pageOfPlan(view: PlanView, conditions: PlanConditions | undefined) {
  const { work, plan, visit, automation } = view
  const path = `${SUBMISSIONS}/${work.id}`
  return {
    title: `Plan: ${work.tool.name}`,
    body: html`<div class="flow">
${breadcrumbs([{ label: 'Submissions', href: SUBMISSIONS }, { label: work.tool.name, href: path }, { label: 'Plan' }])}
<h1>Plan for <bdi>${work.tool.name}</bdi></h1>
${summary(view)}
${plan.chosen.length === 0 ? emptyState({ title: 'No directory', text: 'No directory fits, or the submission has no package yet.' }) : phases(view)}
${sectionHead(`Left out: ${number(plan.left.length)}`)}
${leftOutPart(view)}
<details${(conditions || automation) && html` open`}><summary>Kind, language, limits and who submits</summary><div class="flow">
${tabs('Who submits', [
  { href: `${path}/plan`, label: 'People', isCurrent: automation === '' },
  ...AUTOMATION_LIMITS.map((limit) => ({
    href: addressWith(`${path}/plan`, { automation: limit }),
    label: AUTOMATION_WORDS[limit],
    isCurrent: automation === limit,
  })),
])}
${conditionsForm(work, visit.token, conditions)}
</div></details>
</div>`,
  }
}

const AUTOMATION_WORDS: Record<AutomationLimit, string> = {
  allowed: 'Programs, where allowed',
  'not-forbidden': 'Programs, where not forbidden',
}

const languageNames = new Intl.DisplayNames('en', { type: 'language' })

/** `DisplayNames` throws for codes that have the form of a language but cannot be one, such as `zh-yue`. */
function nameOfLanguage(code: string): string {
  try {
    return languageNames.of(code) ?? code
  } catch {
    return code
  }
}

/** Reasons on one line, without those that only repeat `shown`, the facts that stand beside them. */
export function plannedBecause(reasons: readonly string[], shown: Parameters<typeof reasonsRepeating>[0]): Markup {
  const repeated = reasonsRepeating(shown)
  const told = reasons.filter((reason) => !repeated.includes(reason))
  return html`<p class="why small quiet">${told.map((reason, i) => html`${i > 0 && ' '}<span><bdi>${reason}</bdi></span>`)}</p>`
}

/** How far the work is, the next directory, and for what kind of product, language and limits the plan was made. */
function summary({ work, plan, automation, visit }: PlanView): Markup {
  const { count, shortBy, chosen } = plan
  const next = nextIn(plan)
  const ownLimits = work.plan
  const limits = [
    capitalised(KIND_NAMES[work.kind]),
    nameOfLanguage(work.language),
    ...(ownLimits?.budget == null
      ? []
      : [
          ownLimits.budget === 0
            ? 'free only'
            : `up to ${money(ownLimits.budget, visit.service.site.fields().currency)}`,
        ]),
    ...(ownLimits?.badges == null ? [] : [ownLimits.badges ? 'badges are fine' : 'no badges']),
  ].join(', ')
  const automationWords = AUTOMATION_LIMITS.filter((limit) => limit === automation).map(
    (limit) => ` ${AUTOMATION_WORDS[limit]}.`,
  )
  return html`${chosen.length > 0 && submittedProgress(work)}
${next && html`<div class="row">${linkButton(benchAddress(work, next.slug), html`<span>Next: <bdi>${next.name}</bdi></span>`)}</div>`}
<p class="small">${count === 0 ? 'The package is waiting, so the plan has no number yet.' : `Planned: ${number(chosen.length)} of ${number(count)} directories.`} For: ${limits}.${automationWords}${shortBy > 0 && html` <span class="quiet">No others fit; below is why each was left out.</span>`}</p>`
}

/** The phases of the plan. Only the first phase with work left is open, so that the page stays short. */
function phases(view: PlanView): Markup[] {
  const current = nextIn(view.plan)?.phase ?? PHASES[0]
  return PHASES.flatMap((phase, at) => {
    const all = view.plan.chosen.filter((row) => row.phase === phase)
    const toDo = all.filter(isToDo)
    const rows = [...toDo, ...all.filter((row) => !isToDo(row))]
    const [title, founders] = PHASE_WORDS[phase]
    const purpose = PURPOSES[phase] ?? founders
    const done = rows.length - toDo.length
    const isUnfolded = phase === current || rows.some(({ slug }) => slug === view.typed?.slug)
    return rows.length === 0
      ? []
      : html`<details class="phase"${isUnfolded && html` open`}><summary><h2>${at + 1}. ${title}</h2><span class="quiet">${purpose}</span><span class="count">${number(done)} of ${number(rows.length)} on record</span></summary>
${planRows(view, rows.slice(0, SHOWN_AT_ONCE))}${rows.length > SHOWN_AT_ONCE && html`<details><summary>The other ${number(rows.length - SHOWN_AT_ONCE)} of this phase</summary>${planRows(view, rows.slice(SHOWN_AT_ONCE))}</details>`}</details>\n`
  })
}

/** What a phase is for, where the words for founders speak to them. */
const PURPOSES: Partial<Record<PhasedPlan['chosen'][number]['phase'], string>> = {
  ground: 'Profiles that people look up when they hear of the product.',
  launch: 'All eyes on a few days, in which the founder answers.',
}

/** How many directories of a phase are shown before a fold. */
const SHOWN_AT_ONCE = 4

const isToDo = ({ recorded }: Planned): boolean => !recorded

const nextIn = ({ chosen }: PhasedPlan): Planned | undefined =>
  PHASES.flatMap((phase) => chosen.find((row) => row.phase === phase && isToDo(row)) ?? [])[0]

const benchAddress = ({ id }: SubmissionWork, directory: string): string =>
  `${addressWith(`${SUBMISSIONS}/${id}`, { directory })}#kit`

function planRows(view: PlanView, rows: readonly Planned[]): Markup {
  const next = nextIn(view.plan)
  return html`<ol class="steps planned">${rows.map(
    ({ slug, name, recorded, cost, domainRating, reasons }) =>
      html`<li class="step${slug === next?.slug && ' is-next'}">${listingTile(view.visit, 'directories', { slug, name })}<div><h3><a href="${benchAddress(view.work, slug)}"><bdi>${name}</bdi></a> ${view.decisions.get(slug)?.decision === 'pinned' && badge('Pinned', 'accent')} ${recorded && badge('On record', 'good')}</h3>
${plannedBecause(reasons, { domainRating, cost })}</div>
<p class="facts">${badge(cost, cost === 'Free' ? 'good' : 'notice')}${domainRating !== null && html`<span><abbr title="Domain Rating">DR</abbr> ${number(domainRating)}</span>`}</p>
${decisionForms(view, slug, name)}</li>\n`,
  )}</ol>`
}

const SHOWN_REASONS = 4

/** Why directories are left out: the most frequent reasons, and a folded table with all. It is open after a form in it was refused. */
function leftOutPart(view: PlanView): Markup {
  const { plan, typed } = view
  if (plan.left.length === 0) return emptyState({ title: 'None', text: 'Every directory is in the plan.' })
  const counts = [...Map.groupBy(plan.left, ({ reason }) => oneLine(reason, 80))]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .slice(0, SHOWN_REASONS)
  const others = plan.left.length - counts.reduce((sum, [, rows]) => sum + rows.length, 0)
  const isUnfolded = plan.left.some(({ slug }) => slug === typed?.slug)
  return html`<ul class="counted small">${counts.map(([reason, rows]) => html`<li><span class="figure">${number(rows.length)}</span> <bdi>${reason}</bdi></li>\n`)}${others > 0 && html`<li><span class="figure">${number(others)}</span> for other reasons</li>`}</ul>
<details${isUnfolded && html` open`}><summary>Each of them, with its reason</summary>${table({
    caption: 'Directories that are not in the plan',
    rows: plan.left,
    columns: [
      { label: 'Directory', rowHeader: true, cell: (row) => namedListing(view.visit, 'directories', row) },
      { label: 'Why', cell: ({ reason }) => html`<bdi>${oneLine(reason, 300)}</bdi>` },
      { label: 'Decide', kind: 'actions', cell: ({ slug, name }) => decisionForms(view, slug, name) },
    ],
  })}</details>`
}

/** The form that pins or skips a directory, or withdraws that. It is one form, so that the reason is sent with each button. */
function decisionForms({ work, decisions, visit, typed }: PlanView, slug: string, name: string): Markup {
  const before = decisions.get(slug)
  const reason = typed?.slug === slug ? typed.reason : undefined
  const send = (decision: string, label: string) =>
    button(html`${label}<span class="visually-hidden">: ${name}</span>`, {
      name: 'decision',
      value: decision,
      kind: 'plain',
      slim: true,
    })
  return html`<details${reason !== undefined && html` open`}><summary class="small">${before?.decision ? capitalised(before.decision) : 'Pin or skip'}</summary>
<form class="row" method="post" action="${SUBMISSIONS}/${work.id}/plan/${encodeURIComponent(slug)}">
${visit.token}${versionField({ version: before?.version ?? 0 })}
${storedValuesSection([['Reason', reason, before?.reason ?? '']])}
${field({ id: `reason-${slug}`, name: 'reason', label: 'Reason', value: reason ?? before?.reason ?? '', maxLength: 500, hint: `${REMEMBERED_REASONS.join(' and ')} count for later products.`, autocomplete: 'off' })}
${send('skipped', 'Skip')}${send('pinned', 'Pin')}${before?.decision && send('', 'Withdraw')}
</form></details>`
}

async function decide(visit: Visit): Promise<FastifyReply> {
  const { decision, reason } = visit.form
  const [id, slug] = [visit.param('id'), visit.param('slug')]
  const path = `${SUBMISSIONS}/${encodeURIComponent(id)}/plan`
  let name = slug
  try {
    const decided = await visit.perform(
      decidePlan,
      { id, slug, ...expectedVersionOf(visit) },
      { decision: decision || null, reason: reason?.trim() || null },
    )
    name = oneLine(decided.name, 60)
  } catch (error) {
    if (!isCorrectable(error)) throw error
    return showPlan(visit, { decision: { slug, reason: reason ?? '' }, error })
  }
  const text = { pinned: `${name} stays in the plan.`, skipped: `${name} is skipped.` }[decision ?? ''] ?? 'Withdrawn.'
  return visit.redirect(path, { kind: 'good', text })
}

const BADGE_CHOICES = [
  { value: 'true', label: 'Accepted' },
  { value: 'false', label: 'Refused' },
]

const conditionsOf = ({ kind, language, plan }: SubmissionWork): PlanConditions => ({
  kind,
  language,
  budget: String(plan?.budget ?? ''),
  badges: String(plan?.badges ?? ''),
})

/** The values in words, to compare what was typed with what is stored. */
const conditionTexts = ({ kind, language, budget, badges }: PlanConditions): readonly string[] => [
  PRODUCT_KINDS.filter((one) => one === kind)
    .map((one) => capitalised(KIND_NAMES[one]))
    .join(''),
  language,
  budget,
  BADGE_CHOICES.find(({ value }) => value === badges)?.label ?? '',
]

function storedConditions(typed: PlanConditions, stored: PlanConditions): Markup {
  const [typedTexts, storedTexts] = [conditionTexts(typed), conditionTexts(stored)]
  return storedValuesSection(CONDITION_LABELS.map((label, i) => [label, typedTexts[i], storedTexts[i] ?? '']))
}

const CONDITION_LABELS = ['Kind of product', 'Language', 'Budget', 'Badges']

function conditionsForm(work: SubmissionWork, token: Markup, typed?: PlanConditions): Markup {
  const stored = conditionsOf(work)
  const shown = typed ?? stored
  return html`<form class="form" method="post" action="${SUBMISSIONS}/${work.id}/plan">${token}${versionField(work)}
${typed && storedConditions(typed, stored)}
${select({ name: 'kind', label: 'Kind of product', value: shown.kind, options: PRODUCT_KINDS.map((value) => ({ value, label: capitalised(KIND_NAMES[value]) })) })}
${field({ name: 'language', label: 'Language', value: shown.language, maxLength: 20, hint: 'A code such as en or pt-BR.' })}
${field({ name: 'budget', label: 'Budget', value: shown.budget, inputMode: 'decimal', hint: 'Only directories whose lowest price is at most this; 0: only free ones. Empty: as for the partner.' })}
${select({ name: 'badges', label: 'Badges', none: 'As for the partner', value: shown.badges, options: BADGE_CHOICES })}
<div class="row">${button('Save')}${linkButton(`${SUBMISSIONS}/${work.id}`, 'Back', { kind: 'plain' })}</div>
</form>`
}

async function changeConditions(visit: Visit): Promise<FastifyReply> {
  const { kind = '', language = '', budget = '', badges = '' } = visit.form
  const id = visit.param('id')
  const body = {
    ...(kind ? { kind } : {}),
    ...(language.trim() ? { language: language.trim() } : {}),
    plan: { budget: amountIn(budget), badges: badges ? badges === 'true' : null },
  }
  try {
    await visit.perform(changeSubmission, { id, ...expectedVersionOf(visit) }, body)
  } catch (error) {
    if (!isCorrectable(error)) throw error
    return showPlan(visit, { conditions: { kind, language, budget, badges }, error })
  }
  const path = `${SUBMISSIONS}/${encodeURIComponent(id)}/plan`
  return visit.redirect(path, { kind: 'good', text: 'Saved.' })
}

/** The amount in a field; null if it is empty. Text that is no number is returned as it is, so that the operation says what is wrong. */
export const amountIn = (text: string | undefined): number | string | null => {
  const given = (text ?? '').trim()
  if (given === '') return null
  return Number.isFinite(Number(given)) ? Number(given) : given
}
