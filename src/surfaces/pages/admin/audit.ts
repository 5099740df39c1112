// The page of the audit log: which user changed what, and when. Actions and details are stored as names; here they are put into words.
import type { Static } from 'typebox'
import { listAuditEntries } from '../../../features/audit/operations.ts'
import { moneyText } from '../../../features/billing/rules.ts'
import { nameAuditRows } from '../../../features/overview/operations.ts'
import { labelOfReason, WAITING_REASONS } from '../../../features/submissions/queue/waiting.rules.ts'
import { DAY_MS } from '../../../kernel/values/days.ts'
import { isObject } from '../../../kernel/values/objects.ts'
import { capitalised } from '../../../kernel/values/text.ts'
import { addressWith } from '../kit/lists/address-query.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import type { Visit, VisitPages } from '../kit/sending/private-pages.ts'
import { ago, date, difference, exactTime, fieldLabel, valueLabel } from '../kit/values.ts'
import { declareList } from './kit/list-pages.ts'
import { administrator } from './kit/states.ts'

const PATH = '/admin/audit'

type AuditEntry = Static<typeof listAuditEntries.data>[number]

export const auditPages: VisitPages = {
  [PATH]: {
    GET: declareList({
      path: PATH,
      operation: listAuditEntries,
      title: 'Audit log',
      lead: 'Every change, newest first.',
      load: async (visit, rows) => ({ names: await namesOf(visit, rows), runs: runsOf(rows) }),
      filters: {
        actor: { label: 'Who', placeholder: 'ada@example.com' },
        action: { label: 'What', placeholder: 'tool or tool.put' },
        subject: { label: 'On what', placeholder: 'tool:acme-writer' },
      },
      caption: 'Changes',
      group: {
        key: ({ at }) => dayOf(at),
        heading: ({ at }) => html`<span class="note">${dayWords(dayOf(at))}</span>`,
      },
      shownRows: ({ loaded: { runs } }) => [...runs.keys()],
      columns: ({ visit, loaded: { names, runs } }) => [
        {
          label: 'What happened',
          rowHeader: true,
          className: 'third plain-links',
          cell: ({ action, subject }) =>
            html`<a href="${addressWith(PATH, { action })}">${actionWords(action)}</a> <span class="note">${subjectLink(action, subject, names)}</span>`,
        },
        { label: 'Details', onPhones: 'unlabelled', cell: (entry) => detailsOf(runs.get(entry) ?? [entry], names) },
        {
          label: 'Who',
          onPhones: 'unlabelled',
          className: 'quiet plain-links',
          cell: ({ actor }) => actorLink(visit, actor, names),
        },
        { label: 'When', onPhones: 'unlabelled', className: 'quiet', cell: ({ at }) => ago(at) },
      ],
      empty: { title: 'Nothing was changed yet' },
    }),
  },
}

/** Fewer like entries than these stay rows of their own. */
const LEAST_FOLDED = 3

/** The entries that follow each other and differ only in their details and time, by the first of them. */
function runsOf(rows: readonly AuditEntry[]): Map<AuditEntry, AuditEntry[]> {
  const runs: AuditEntry[][] = []
  for (const row of rows) {
    const run = runs.at(-1)
    if (run?.[0] && likeness(run[0]) === likeness(row)) run.push(row)
    else runs.push([row])
  }
  const folded = runs.flatMap((run) => (run.length < LEAST_FOLDED ? run.map((row) => [row]) : [run]))
  return new Map(folded.flatMap((run) => run.slice(0, 1).map((first) => [first, run] as const)))
}

const likeness = ({ action, subject, actor, at }: AuditEntry): string => [action, subject, actor, dayOf(at)].join('\n')

const dayOf = (at: string | Date): string => new Date(at).toISOString().slice(0, 10)

/** "Today", "Yesterday" or the date, by UTC as all times of the log. */
function dayWords(day: string): Markup | string | null {
  const daysAgo = (Date.parse(dayOf(new Date())) - Date.parse(day)) / DAY_MS
  if (daysAgo === 0) return 'Today'
  return daysAgo === 1 ? 'Yesterday' : date(day)
}

/** The words for actions whose name does not say enough. Other actions are named by thing and verb: `tool.put` is "Tool saved". */
const ACTIONS: Readonly<Record<string, string>> = {
  'agent.call': 'Agent called an operation',
  'agent.refused': 'Call of an agent refused',
  'agents.start': 'Agents allowed again',
  'agents.stop': 'Agents stopped',
  'billing.cancel': 'Subscription cancelled',
  'billing.checkout': 'Checkout opened',
  'billing.plan': 'Plan changed by payment',
  'billing.portal': 'Payment settings opened',
  'billing.subscription': 'Subscription changed',
  'claim.end': 'Ownership ended',
  'claim.prove': 'Ownership proven',
  'directory.health': 'Health of directory decided',
  'directory.pictures': 'Pictures of directory copied',
  'enrichment.retry': 'Website to be read again',
  'media.create': 'Picture uploaded',
  'order.checkout': 'Checkout of package opened',
  'order.compare': 'Order compared with Stripe',
  'person.export': 'Data of person exported',
  'pictures.retry': 'Failed pictures tried again',
  'proposal.accept': 'Proposal accepted',
  'review.accept': 'Product of founder accepted',
  'review.refuse': 'Product of founder refused',
  'review.send': 'Product of founder sent',
  'snapshot.take': 'Copy of the database taken',
  'submission.directory': 'Directory recorded',
  'submission.plan': 'Directory of the plan decided',
  'submission.report': 'Address of report replaced',
  'submission.undo': 'Record of directory undone',
  'support.desk': 'Conversation changed',
  'support.reply': 'Question answered',
  'support.saved': 'Reply saved for later use',
  'support.unsaved': 'Saved reply deleted',
  'tool.health': 'Health of tool decided',
  'tool.pictures': 'Pictures of tool copied',
  'user.link': 'Sign-in link made',
  'webhook.resend': 'Event sent again',
  'webhook.test': 'Test event sent',
}

const VERBS: Readonly<Record<string, string>> = {
  accept: 'changed as proposed',
  allow: 'allowed',
  apply: 'changed by its owner',
  change: 'changed',
  compare: 'compared',
  confirm: 'confirmed',
  create: 'created',
  delete: 'deleted',
  done: 'marked as done',
  end: 'ended',
  forget: 'forgotten',
  import: 'imported',
  merge: 'merged',
  put: 'saved',
  refuse: 'refused',
  remove: 'removed',
  rename: 'renamed',
  replace: 'replaced',
  revoke: 'revoked',
  rotate: 'replaced',
  'rotate-secret': 'got another secret',
  split: 'split',
  undo: 'taken back',
  withdraw: 'withdrawn',
}

/** An action such as `submission.done` in words: "Submission marked as done". The filter and the API use the name of the action. */
function actionWords(action: string): string {
  const [kind = '', what = ''] = action.split(/\.(.*)/s)
  const named = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  return (
    named ??
    [fieldLabel(kind), Object.hasOwn(VERBS, what) ? VERBS[what] : what.replaceAll(/[.-]/g, ' ')].join(' ').trim()
  )
}

/** The label and the page of each kind of subject. null: no page of its own; keys and apps (grants) are on the page of their owner. */
const SUBJECTS: Record<string, [word: string, page: ((id: string) => string) | null]> = {
  tool: ['Tool', (slug) => `/admin/tools/${slug}`],
  directory: ['Directory', (slug) => `/admin/directories/${slug}`],
  category: ['Category', (slug) => `/admin/taxonomy/categories/${slug}`],
  tag: ['Tag', (slug) => `/admin/taxonomy/tags/${slug}`],
  directoryCategory: ['Directory category', (slug) => `/admin/taxonomy/directory-categories/${slug}`],
  collection: ['Collection', (slug) => `/admin/collections/${slug}`],
  user: ['User', userPage],
  partner: ['Partner', (id) => `/admin/partners/${id}`],
  order: ['Order', null],
  submission: ['Submission', (id) => `/admin/submissions/${id}`],
  conversation: ['Conversation', (id) => `/admin/support/${id}`],
  webhook: ['Webhook', (id) => `/admin/webhooks/${id}`],
  key: ['Key', null],
  grant: ['App', null],
}

function userPage(id: string): string {
  return `/admin/users/${id}`
}

/** The kind and the id in a subject such as `tool:acme-writer`; null if it has no known kind. */
const parseSubject = (subject: string) => {
  const [kind = '', id = ''] = subject.split(/:(.*)/s)
  return Object.hasOwn(SUBJECTS, kind) && id ? { kind: SUBJECTS[kind], id: encodeURIComponent(id) } : null
}

interface Names {
  subjects: ReadonlyMap<string, { name: string; owner: string | null }>
  users: ReadonlyMap<string, string>
}

/** Looks up the names of all subjects and actors on the page in one call. */
async function namesOf(visit: Visit, rows: readonly AuditEntry[]): Promise<Names> {
  const subjects = [...new Set(rows.flatMap(({ subject, details }) => [subject, ...detailSubjects(details)]))].filter(
    parseSubject,
  )
  const actors = [...new Set(rows.map(({ actor }) => actor))].filter((actor) => actor.includes('@'))
  const found = await visit.perform(nameAuditRows, {}, { subjects, actors })
  return {
    subjects: new Map(found.subjects.map(({ subject, ...named }) => [subject, named])),
    users: new Map(found.users.map(({ email, id }) => [email, id])),
  }
}

/** The actor with a link to the user's page. Actors without a page (the operator token, jobs, deleted users) link to their entries here. */
function actorLink(visit: Visit, actor: string, { users }: Names): Markup {
  const id = users.get(actor)
  return id === undefined
    ? html`<a href="${addressWith(PATH, { actor })}"><bdi>${personWords(actor)}</bdi></a>`
    : html`<a href="${userPage(id)}">${administrator(actor, visit, actor)}</a>`
}

/** The subject with a link to its page. A deleted one has no page, so its identifier is shown, with a link to its entries in this log. */
function subjectLink(action: string, subject: string, { subjects }: Names): Markup | null {
  const known = parseSubject(subject)
  const named = subjects.get(subject)
  // If the action is named after the same kind of thing, the kind need not be said again.
  const isSameKind = action.split('.')[0] === subject.split(':')[0]
  if (!known?.kind || !named)
    // A subject without a colon is the only one of its kind, such as `site`, and the action names it already.
    return isSameKind && !subject.includes(':')
      ? null
      : html`<a href="${addressWith(PATH, { subject })}"><bdi>${subject.replace(IDENTIFIER, '…$1')}</bdi></a>`
  const [word, page] = known.kind
  const owner = named.owner === null ? null : parseSubject(named.owner)
  const address = page ? page(known.id) : owner?.kind?.[1]?.(owner.id)
  const name = html`<bdi>${named.name}</bdi>`
  return html`${!isSameKind && html`<span class="quiet">${word}</span> `}${address ? html`<a href="${address}">${name}</a>` : name}`
}

/** An identifier. Its last characters are shown, because they tell two on a page apart; the first ones are a time. */
const IDENTIFIER = /[0-9a-f]{8}-[0-9a-f-]{20,}([0-9a-f]{6})$/

// In characters of markup. Longer details, such as whole articles, are folded.
const LONGEST_UNFOLDED = 240

/** The details whose value is an identifier, with the kind of subject that it identifies. */
const DETAIL_KINDS: Record<string, string> = {
  partner: 'partner',
  client: 'partner',
  user: 'user',
  toolId: 'tool',
  submission: 'submission',
  directory: 'directory',
}

/** The subject that a detail names, such as `partner:…`; null if it names none. */
const detailSubject = (name: string, value: unknown): string | null =>
  Object.hasOwn(DETAIL_KINDS, name) && typeof value === 'string' && value.length <= 200
    ? `${DETAIL_KINDS[name]}:${value}`
    : null

const detailSubjects = (details: Record<string, unknown>): string[] =>
  Object.entries(details).flatMap(([name, value]) => detailSubject(name, value) ?? [])

/** The details of one entry, or of several like ones: their number and what they are about, and below a fold each with its time. */
function detailsOf(run: readonly AuditEntry[], names: Names): Markup | null {
  const all = run.map((entry) => ({ at: entry.at, details: shownDetails(entry, names) }))
  if (all.length > 1) {
    const firsts = all.flatMap(({ details: [first] }) => (first ? [first] : []))
    const [name = ''] = firsts[0] ?? []
    const isSame = firsts.length === all.length && firsts.every((one) => one[0] === name)
    const about = isSame ? [...new Set(firsts.flatMap(([, value]) => (typeof value === 'string' ? value : [])))] : []
    const named = about.slice(0, MOST_NAMED).map((value) => oneLine(value, 40))
    const more = about.length - MOST_NAMED
    return html`<details><summary>${all.length} times${named.map((value, at) => html`${at === 0 ? `, ${labelOf(name).toLowerCase()}:` : ','} <bdi>${value}</bdi>`)}${more > 0 && ` and ${more} more`}</summary><ol class="run">${all.map(({ at, details }) => html`<li>${exactTime(at)}${detailList(details)}</li>\n`)}</ol></details>`
  }
  const details = all[0]?.details ?? []
  if (details.length === 0) return null
  const shown = detailList(details)
  if (details.reduce((sum, [, value]) => sum + String(value).length, 0) <= LONGEST_UNFOLDED) return shown
  return html`<details><summary>${capitalised(details.map(([name]) => labelOf(name).toLowerCase()).join(', '))}</summary>${shown}</details>`
}

/** Of several like entries, so many are named without a click. */
const MOST_NAMED = 3

const detailList = (details: readonly [name: string, value: Markup | string][]): Markup =>
  html`<dl class="details">${details.map(([name, value]) => html`<div><dt>${labelOf(name)}</dt><dd dir="auto">${value}</dd></div>`)}</dl>`

function shownDetails({ action, details: all }: AuditEntry, { subjects }: Names): [string, Markup | string][] {
  const details = action.startsWith('order.') ? withMoney(all) : all
  const was: Record<string, unknown> = isObject(details.was) ? details.was : {}
  const isShown = (name: string) => !HIDDEN_DETAILS.has(name) || (action === 'agent.call' && name === 'id')
  const now = Object.entries(details).filter(([name]) => name !== 'was' && isShown(name))
  const entries = now.map(([name, value]): [string, Markup | string] => {
    const named = subjects.get(detailSubject(name, value) ?? '')
    if (named) return [name.replace(/Id$/, ''), named.name]
    const words = readable(name, value)
    const text = detailSubject(name, value) ? words.replace(IDENTIFIER, '…$1') : words
    return [name, Object.hasOwn(was, name) ? difference(readable(name, was[name]), text) : text]
  })
  // For some fields the log has only the value before the change.
  for (const [name, value] of Object.entries(was))
    if (!Object.hasOwn(details, name) && isShown(name)) entries.push([name, `was: ${readable(name, value)}`])
  return entries
}

/** The details of an order: amounts of money are written out, and empty details, such as no refund or no dispute, are left out. */
function withMoney({ currency, ...details }: Record<string, unknown>): Record<string, unknown> {
  const filled = Object.entries(details).filter(([, value]) => value !== null && value !== false && value !== 0)
  return Object.fromEntries(
    filled.map(([name, value]) =>
      typeof currency === 'string' && typeof value === 'number' && /amount$/i.test(name)
        ? [name, moneyText(value, currency)]
        : [name, value],
    ),
  )
}

/** The label of a detail: `isSubmitted` becomes "Submitted". */
const labelOf = (name: string): string => fieldLabel(name.replace(/^is([A-Z])/, (_, letter) => letter.toLowerCase()))

/** Details that are not shown, because only programs need them. */
const HIDDEN_DETAILS: ReadonlySet<string> = new Set(['version', 'messageId', 'id', 'delivery', 'as', 'row'])

/** A value in words. An object is named by its title or name; one without either is listed with all of its values. */
function readable(field: string, value: unknown): string {
  if (value === null || value === '' || value === undefined) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? 'nothing' : value.map((one) => readable(field, one)).join(', ')
  if (isObject(value)) {
    const { title, name } = value
    if (typeof (title ?? name) === 'string') return String(title ?? name)
    const shown = Object.entries(value).filter(([name]) => !HIDDEN_DETAILS.has(name))
    return shown.map(([name, one]) => `${fieldLabel(name)}: ${readable(name, one)}`).join(', ')
  }
  const text = String(value)
  return OWN_WORDS.get(field)?.(text) ?? text
}

function reasonWords(text: string): string {
  const reason = WAITING_REASONS.find((one) => one === text)
  return reason ? labelOfReason(reason).toLowerCase() : text
}
const personWords = (text: string): string => (text.includes('@') ? text : capitalised(text))
const choiceWords = (text: string): string => valueLabel(text.replaceAll('_', ' '))
const fieldWords = (text: string): string => fieldLabel(text).toLowerCase()

/** How to word the values of fields that hold names of the service, such as a state. The values of other fields are shown as they are. */
const OWN_WORDS: ReadonlyMap<string, (text: string) => string> = new Map([
  ['assignee', personWords],
  ['reason', reasonWords],
  ['waitingReason', reasonWords],
  ['state', choiceWords],
  ['paymentType', choiceWords],
  ['pricing', choiceWords],
  ['field', fieldWords],
  ['fields', fieldWords],
  ['changed', fieldWords],
])
