// The words and colours for states in the console: of submissions, deliveries, conversations, enrichments, pictures and listings.
import type { HIDDEN_REASONS } from '../../../../features/catalog/schema.ts'
import type { ENRICHMENT_STATES } from '../../../../features/enrichment/rules.ts'
import type { WORK_STATES } from '../../../../features/pictures/rules.ts'
import type { Actor } from '../../../../features/submissions/queue/waiting.rules.ts'
import type { QueueState, SubmissionState } from '../../../../features/submissions/rules.ts'
import type { STATUSES } from '../../../../features/support/schema.ts'
import type { DELIVERY_STATES } from '../../../../features/webhooks/schema.ts'
import { capitalised } from '../../../../kernel/values/text.ts'
import { badge, type Tone } from '../../kit/components.ts'
import { html, type Markup } from '../../kit/markup.ts'
import type { Visit } from '../../kit/sending/private-pages.ts'

/** The states of a submission in the order of the work. WAITING stands for a submission that has no package and thus no state. */
export const SUBMISSION_STATES: Record<QueueState, [word: string, tone: Tone]> = {
  WAITING: ['No package', 'plain'],
  IN_QUEUE: ['In queue', 'plain'],
  ASSIGNED: ['Assigned', 'accent'],
  IN_PROGRESS: ['In progress', 'accent'],
  REVIEW: ['In review', 'notice'],
  DONE: ['Done', 'good'],
}

/** For a submission that waits for us or for nothing: what an administrator does next, and the page below the submission's for it. */
export const NEXT_STEPS: Record<QueueState, [word: string, page: string]> = {
  WAITING: ['Package', ''],
  IN_QUEUE: ['Submit', ''],
  ASSIGNED: ['Submit', ''],
  IN_PROGRESS: ['Submit', ''],
  REVIEW: ['Review', '/done'],
  DONE: ['Report', '/checks'],
}

/** The same for a submission that waits for the founder or for directories. */
export const STEPS_OF_OTHERS: Record<Exclude<Actor, 'us'>, [word: string, page: string]> = {
  founder: ['Open', '/directories?waitingFor=founder'],
  directory: ['Check', '/checks'],
}

/** Who is waited for, within a sentence. */
export const ACTOR_WORDS: Record<Actor, string> = { us: 'us', founder: 'the founder', directory: 'the directory' }

/** Who is waited for, with a shape in front that the stylesheet draws. */
export const waitMark = (actor: Actor, words = capitalised(ACTOR_WORDS[actor].replace('the ', ''))): Markup =>
  html`<span class="wait ${actor}">${words}</span>`

/** The labels of the buttons that set a state. */
export const STEP_LABELS: Record<SubmissionState, string> = {
  IN_QUEUE: 'Return to the queue',
  ASSIGNED: 'Assign',
  IN_PROGRESS: 'Start',
  REVIEW: 'Send to review',
  DONE: 'Mark as done',
}

type State = (typeof STATUSES | typeof DELIVERY_STATES | typeof ENRICHMENT_STATES | typeof WORK_STATES)[number]

/** The colours of all other states. */
const TONES: Record<string, Tone> = {
  pending: 'notice',
  waiting: 'notice',
  answered: 'good',
  delivered: 'good',
  done: 'good',
  failed: 'danger',
  unknown: 'notice',
} satisfies Record<State, Tone>

/** Why a listing is hidden. */
export const HIDDEN_STATES: Record<(typeof HIDDEN_REASONS)[number], [word: string, tone: Tone]> = {
  draft: ['Draft', 'notice'],
  'taken-down': ['Taken down', 'danger'],
  review: ['Awaiting review', 'accent'],
  withdrawn: ['Withdrawn', 'notice'],
}

export const publicationBadge = (listing: { published: boolean; hiddenReason?: unknown }): Markup =>
  listing.published
    ? badge('Published', 'good')
    : badge(...(HIDDEN_STATES[listing.hiddenReason as keyof typeof HIDDEN_STATES] ?? HIDDEN_STATES.draft))

export const submissionBadge = (state: QueueState | null): Markup => badge(...SUBMISSION_STATES[state ?? 'WAITING'])

/** A badge if a text of the listing looks like an instruction to a language model; otherwise null. */
export const flaggedBadge = ({ flaggedFields }: { flaggedFields: readonly string[] }): Markup | null =>
  flaggedFields.length > 0 ? badge('Text to review', 'danger') : null

export const stateBadge = (state: string, word = capitalised(state)): Markup => badge(word, TONES[state])

export const conversationBadge = (status: (typeof STATUSES)[number]): Markup =>
  status === 'pending' ? badge('Waiting', TONES.pending) : stateBadge(status)

export const testBadge = ({ test }: { test: boolean }): Markup | false => test && badge('Test', 'notice')

/** Whether this is the address of the administrator who made the request. */
export const isMe = (email: string | null, visit: Visit): boolean =>
  email?.toLowerCase() === visit.user.email.toLowerCase()

/**
 * The name of an administrator in a list, with the first letter of the e-mail address. By default it is the part of the address before the
 * @, because columns are narrow. `email` null: not assigned.
 */
export function administrator(
  email: string | null,
  visit: Visit,
  shown = email?.replace(/@.*/s, '') ?? 'No one',
): Markup {
  const name = isMe(email, visit) ? 'You' : shown
  return html`<span class="${email === null ? 'person none' : 'person'}"${email && html` title="${email}"`}><span aria-hidden="true">${email && name.charAt(0).toUpperCase()}</span><bdi>${name}</bdi></span>`
}
