// Pure rules of submissions: their states and what may follow what, the slug of a submitted tool, what partners are told of it, and what a
// change of its fields means for the listing.
import { withPictures } from '../../kernel/addresses/own-addresses.ts'
import { DEFAULT_KIND, DEFAULT_LANGUAGE } from '../catalog/schema.ts'
import { freeSlug, slugify, slugProblem } from '../catalog/terms/slugify.ts'
import { PACKAGES, type PaymentType } from '../settings/rules.ts'
import type { CorrectionBody } from './schema.ts'
import type { SubmittedTag, SubmittedTerm } from './submit/read-submission.ts'

export { PACKAGES, PAYMENT_TYPES, type PaymentType } from '../settings/rules.ts'

/** What a new submission has until an administrator changes it. */
export const NEW_SUBMISSION = { kind: DEFAULT_KIND, language: DEFAULT_LANGUAGE, planBudget: null, planBadges: null }

/** The plan limits of the submission itself; null: those of the partner apply. A stored budget that is NaN counts as missing. */
export function ownPlanLimitsOf({ planBudget, planBadges }: { planBudget: number | null; planBadges: boolean | null }) {
  const budget = Number.isFinite(planBudget) ? planBudget : null
  return budget === null && planBadges === null ? null : { budget, badges: planBadges }
}

export const STATES = ['IN_QUEUE', 'ASSIGNED', 'IN_PROGRESS', 'REVIEW', 'DONE'] as const
export type SubmissionState = (typeof STATES)[number]
/** The states that operators filter by. WAITING stands for submissions without a package, which have no state. */
export const QUEUE_STATES = [...STATES, 'WAITING'] as const
export type QueueState = (typeof QUEUE_STATES)[number]

/** What each state means, in the order of the work. */
export const STATE_MEANINGS: Record<QueueState, string> = {
  WAITING: 'Without a package.',
  IN_QUEUE: 'Not assigned yet.',
  ASSIGNED: 'Taken, not yet begun.',
  IN_PROGRESS: 'Being worked.',
  REVIEW: 'Entered, to be looked over.',
  DONE: 'Done.',
}

/**
 * The usual order of the work, which the console offers as buttons: `next` is the state that follows, `whenAssigned` the state after an
 * administrator took the submission. Any other working state may be chosen too (`changeWork`), and Done from all of them (`doneProblem`).
 */
export const STEPS: Record<SubmissionState, { next?: SubmissionState; whenAssigned?: SubmissionState }> = {
  IN_QUEUE: { next: 'IN_PROGRESS', whenAssigned: 'ASSIGNED' },
  ASSIGNED: { next: 'IN_PROGRESS' },
  IN_PROGRESS: { next: 'REVIEW' },
  REVIEW: {},
  DONE: {},
}

/** The state and the assignee after `worker` recorded a directory as entered. Work that had not begun begins, and gets the worker if it had no assignee. */
export function workAfterRecord({ state, assignee }: Pick<WorkState, 'state' | 'assignee'>, worker: string) {
  const isThenInProgress = state === 'IN_PROGRESS' || (state !== null && STEPS[state]?.next === 'IN_PROGRESS')
  return isThenInProgress ? { state: 'IN_PROGRESS' as const, assignee: assignee ?? worker } : { state, assignee }
}

/** Who entered a tool into a directory. */
export const SUBMITTERS = ['ADMIN', 'OWNER'] as const

/** The package as partners are told it. A broken row may contain a package that does not exist; it counts as none. */
export const packageOf = (paymentType: PaymentType | null) =>
  paymentType === null || !Object.hasOwn(PACKAGES, paymentType)
    ? { paymentStatus: 'WAITING', paymentLabel: 'Waiting', targetDirectoriesCount: 0 }
    : {
        paymentStatus: paymentType.toUpperCase(),
        paymentLabel: PACKAGES[paymentType].label,
        targetDirectoriesCount: PACKAGES[paymentType].target,
      }

export const summaryOf = (rows: readonly { isSubmitted: boolean }[], notes: string) => ({
  submittedCount: rows.filter((row) => row.isSubmitted).length,
  recordedSubmissions: rows.length,
  notes,
})

export const LISTING_STATES = ['public', 'review', 'hidden'] as const

/** Tells the partner whether readers see the listing. */
export function listingState({ published, hiddenReason }: ListingVisibility): (typeof LISTING_STATES)[number] {
  if (published) return 'public'
  return hiddenReason === 'review' ? 'review' : 'hidden'
}

interface ListingVisibility {
  published: boolean
  hiddenReason: string | null
}

/** Tells the partner why readers do not see the listing; empty when they do. */
export const listingNote = ({ published, hiddenReason }: ListingVisibility): string =>
  published ? '' : (HIDDEN_NOTES[hiddenReason ?? ''] ?? 'The listing is not public.')

const HIDDEN_NOTES: Record<string, string> = {
  review: 'The listing is not public yet: it waits for an administrator to look at it.',
  withdrawn: 'The listing is not public: its submission was withdrawn.',
  'taken-down': 'The listing is not public: an administrator has unpublished it.',
}

/** What the slug of a submitted tool begins with. */
export const slugBase = ({ slug, name, website }: { slug?: string; name: string; website: string }): string =>
  slugify(slug ?? '') || slugify(name) || slugify(new URL(website).hostname) || 'tool'

/** The first of base, base-2, base-3 … that is not taken and is allowed for a tool. */
export const freeToolSlug = (base: string, isTaken: (slug: string) => boolean): string =>
  freeSlug(base, (slug) => isTaken(slug) || slugProblem('tool', slug) !== undefined)

/** The text to lock while a free slug is chosen: the base without numbers. Requests for acme and for acme-2 may both choose acme-2, so both lock acme. */
export function slugFamily(base: string): string {
  const parts = base.split('-')
  while (parts.length > 1 && /^\d+$/.test(parts.at(-1) ?? '')) parts.pop()
  return parts.join('-')
}

export interface WorkState {
  state: SubmissionState | null
  assignee: string | null
  paymentType: PaymentType | null
}

export interface WorkChange {
  state?: Exclude<SubmissionState, 'DONE'>
  assignee?: string | null
  paymentType?: PaymentType
}

/** The work after a change, or the reason why it is refused. Done is final; between all other states every change is allowed. */
export function changeWork(
  work: WorkState,
  change: WorkChange,
): { work: WorkState } | { problem: string; field: keyof WorkChange } {
  const done = work.state === 'DONE'
  if (done && change.state !== undefined) return { problem: 'The work is Done, and Done is final.', field: 'state' }
  if (done && change.paymentType !== undefined && change.paymentType !== work.paymentType)
    return { problem: 'The work is Done; its package can no longer be changed.', field: 'paymentType' }
  const paymentType = change.paymentType ?? work.paymentType
  const assignee = change.assignee === undefined ? work.assignee : change.assignee || null
  if (change.state !== undefined && paymentType === null)
    return {
      problem: 'The package is waiting. Set paymentType first; the work then starts as IN_QUEUE.',
      field: 'state',
    }
  const state = change.state ?? work.state ?? (paymentType === null ? null : 'IN_QUEUE')
  if (state === 'ASSIGNED' && !assignee)
    return { problem: 'ASSIGNED needs an assignee. Give assignee too.', field: 'assignee' }
  return { work: { state, assignee, paymentType } }
}

const YEAR_10000 = Date.UTC(10_000, 0)

/** False for leap seconds, which JavaScript cannot parse, and for years that the database cannot store. The format date-time allows both. */
export function isStorableTime(text: string): boolean {
  const time = Date.parse(text)
  return time >= 0 && time < YEAR_10000
}

/** How far the clock of a client may be ahead of ours. */
const MAX_CLOCK_SKEW_MS = 5 * 60_000
export const isInFuture = (time: Date | null, now: Date): boolean =>
  time !== null && time.getTime() > now.getTime() + MAX_CLOCK_SKEW_MS

/** Why the work cannot be marked Done, or undefined if it can. */
export const doneProblem = ({ state }: Pick<WorkState, 'state'>): string | undefined =>
  state === null ? 'The package is waiting: there is no directory work to mark Done. Set paymentType first.' : undefined

/** The name that a field has in the listing. Only `faq` has another name there. */
export const listingName = (field: string): string => (field === 'faq' ? 'faqs' : field)

/** The values of the listing that the body gives, without the details that only administrators see of a submission. */
export function listingValues(
  publicUrl: string,
  body: CorrectionBody & { website?: string },
  category: SubmittedTerm | undefined,
  tags: readonly SubmittedTag[],
): Record<string, unknown> {
  const { foundingDate: _f, isCustomer: _c, isLaunched: _l, faq, affiliate, ...rest } = body
  return {
    ...withPictures(publicUrl, rest),
    ...(body.category === undefined ? {} : { category: category?.slug }),
    ...(body.tags === undefined ? {} : { tags: tags.map(({ slug }) => slug) }),
    ...(faq === undefined ? {} : { faqs: faq }),
    // In a body `affiliate` is a text, in a listing a flag.
    ...(affiliate === undefined ? {} : { affiliate: true }),
  }
}
