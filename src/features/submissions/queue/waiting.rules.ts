// For each directory of a submission: who has to act next, why, and what the reader can do about it. `waiting.queries.ts` decides which
// reason holds for a row.

/** us: the administrators of this service. */
export const ACTORS = ['us', 'founder', 'directory'] as const
export type Actor = (typeof ACTORS)[number]

/** Administrators, or partners and founders, who read what concerns them. */
export type WaitingReader = 'operator' | 'founder'

interface Reason {
  /** null: the row waits no longer. */
  waitingFor: Actor | null
  label: string
  /** The keyboard key that chooses it on the bench. Without a key no administrator can give the reason; it follows from what is on record. */
  key?: string
  /** Whether it may be given only after the product was entered. */
  isAfterEntry?: true
  /** What administrators read. */
  operator: (directory: string) => string
  /** What partners and founders read; null: the reason is not for them. */
  founder: ((directory: string) => string) | null
}

const REASONS = {
  'to-enter': {
    waitingFor: 'us',
    label: 'To be entered',
    operator: (name) => `Enter the product into ${name}.`,
    founder: null,
  },
  overdue: {
    waitingFor: 'us',
    label: 'Overdue',
    operator: (name) => `The listing is late. See whether ${name} has it and record its address, or ask ${name}.`,
    founder: null,
  },
  'link-missing': {
    waitingFor: 'us',
    label: 'Link missing',
    operator: (name) => `The listing has no link to the product. See what is there, and ask ${name} for the link.`,
    founder: null,
  },
  'form-needs-answer': {
    waitingFor: 'founder',
    label: 'Form needs an answer',
    key: 'f',
    operator: (name) => `The founder has to answer what the form of ${name} asks for. Ask again if no answer comes.`,
    founder: (name) => `Answer what the form of ${name} asks for: we have sent you the question.`,
  },
  'e-mail-to-confirm': {
    waitingFor: 'founder',
    label: 'E-mail to confirm',
    key: 'e',
    operator: (name) => `The founder has to confirm the e-mail from ${name}. Remind the founder if it takes long.`,
    founder: (name) => `Confirm the e-mail from ${name}.`,
  },
  payment: {
    waitingFor: 'founder',
    label: 'Payment',
    key: 'p',
    operator: (name) => `The founder has to pay ${name}, or decide against it.`,
    founder: (name) => `Pay ${name}, or tell us to leave it out.`,
  },
  badge: {
    waitingFor: 'founder',
    label: 'Badge',
    key: 'b',
    operator: (name) => `The founder has to put the badge of ${name} on the product’s website.`,
    founder: (name) => `Put the badge of ${name} on your website.`,
  },
  review: {
    waitingFor: 'directory',
    label: 'Review by the directory',
    key: 'r',
    isAfterEntry: true,
    operator: (name) => `${name} reviews the product. Nothing to do until it is overdue.`,
    founder: (name) => `${name} reviews the product. You need not do anything.`,
  },
  'paid-queue': {
    waitingFor: 'directory',
    label: 'Queue of the directory',
    key: 'q',
    isAfterEntry: true,
    operator: (name) => `${name} lists paid products first. Nothing to do until it is overdue.`,
    founder: (name) => `The product waits in the free queue of ${name}. You need not do anything.`,
  },
  rejected: {
    waitingFor: null,
    label: 'Rejected',
    key: 'x',
    operator: (name) => `${name} refused the product. Nothing more to do there.`,
    founder: (name) => `${name} did not take the product. You need not do anything.`,
  },
  listed: {
    waitingFor: null,
    label: 'Listed, as seen by a person',
    key: 'l',
    isAfterEntry: true,
    operator: (name) => `An administrator has seen the listing in ${name}. Nothing to do.`,
    founder: null,
  },
} as const satisfies Record<string, Reason>

export type WaitingReason = keyof typeof REASONS
const TABLE: Readonly<Record<WaitingReason, Reason>> = REASONS
export const WAITING_REASONS = Object.keys(REASONS) as [WaitingReason, ...WaitingReason[]]

/** Reasons that follow from what is on record, and are never stored. */
type DerivedReason = 'to-enter' | 'overdue' | 'link-missing'
export type GivenReason = Exclude<WaitingReason, DerivedReason>
/** Reasons that an administrator may give. */
export const GIVEN_REASONS = WAITING_REASONS.filter(isGiven) as [GivenReason, ...GivenReason[]]

export function isGiven(reason: WaitingReason): reason is GivenReason {
  return TABLE[reason].key !== undefined
}

export const reasonsWaitingFor = (actor: Actor): WaitingReason[] =>
  WAITING_REASONS.filter((reason) => TABLE[reason].waitingFor === actor)

export const labelOfReason = (reason: WaitingReason): string => TABLE[reason].label
export const keyOfReason = (reason: GivenReason): string => REASONS[reason].key

export interface Waiting {
  waitingFor: Actor | null
  reason: WaitingReason | null
  action: string | null
}

export const NOT_WAITING: Waiting = { waitingFor: null, reason: null, action: null }

/** What the reader sees of a row with this reason. Partners and founders see who has to act; they see the reason only if it is for them. */
export function waitingOf(reason: WaitingReason | null, directory: string, reader: WaitingReader): Waiting {
  // A broken row may contain a reason that does not exist.
  if (reason === null || !Object.hasOwn(TABLE, reason)) return NOT_WAITING
  const { waitingFor, [reader]: sentence } = TABLE[reason]
  return sentence ? { waitingFor, reason, action: sentence(directory) } : { waitingFor, reason: null, action: null }
}

/** Why an administrator cannot give this reason; undefined: it can be given. */
export const reasonProblem = (reason: WaitingReason, isSubmitted: boolean): string | undefined =>
  TABLE[reason].isAfterEntry && !isSubmitted
    ? `cannot be ${reason} before the product is entered. Set isSubmitted to true, or leave it out.`
    : undefined

/** After how many days a review is overdue: the usual time of the directory within these bounds, or `unknown` when that is not known. */
export const REVIEW_DAYS = { least: 3, unknown: 30, most: 60 } as const
/** After how many days a product in the queue of a directory is overdue; such queues take months. */
export const QUEUE_DAYS = 90
/** The usual time of a directory is known only from so many products on: fewer say little, and might reveal something about one product. */
export const LEAST_SUBMITTED = 5
