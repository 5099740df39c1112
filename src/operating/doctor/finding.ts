// The result of one check: what it found, and what to do about it.
type FindingState = 'ok' | 'warning' | 'problem'

export interface DoctorFinding {
  about: string
  state: FindingState
  /** What was found, in one sentence. It never contains a secret. */
  says: string
  /** What to do; null when nothing needs to be done. */
  remedy: string | null
}

/** The findings of a check about one thing, such as Redis. */
export const findingsAbout = (about: string) => ({
  ok: (says: string): DoctorFinding => ({ about, state: 'ok', says, remedy: null }),
  warning: (says: string, remedy: string): DoctorFinding => ({ about, state: 'warning', says, remedy }),
  problem: (says: string, remedy: string): DoctorFinding => ({ about, state: 'problem', says, remedy }),
})

type NestedError = Error & { errors?: Error[]; code?: string }

const causeOf = ({ cause, errors }: NestedError): NestedError | undefined =>
  cause instanceof Error ? cause : errors?.[0]

/** The message of the innermost cause, without the user name and password of an address in it. */
export function reasonOf(error: unknown): string {
  let deepest = error as NestedError
  for (let inner = causeOf(deepest); inner; inner = causeOf(deepest)) deepest = inner
  const text = deepest.message || deepest.code || String(error)
  return text.replace(/\/\/[^@\s/]*@/g, '//…@').replace(/\.$/, '')
}

// From NOTICED_MS on a difference of the clocks is a warning. From HARMFUL_MS on it is a problem: a rate-limit window lasts a minute, and
// receivers refuse a webhook whose signed time is five minutes off.
const NOTICED_MS = 1_000
const HARMFUL_MS = 60_000

/** Compares another machine's clock with this one's. */
export function examineClock(whose: string, aheadMs: number): DoctorFinding {
  const seconds = Math.abs(aheadMs / 1000).toFixed(1)
  const about = findingsAbout('Clock')
  if (Math.abs(aheadMs) < NOTICED_MS) return about.ok(`The clock of ${whose} agrees with ours.`)
  const says = `The clock of ${whose} is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ours.`
  const remedy = 'Let both machines follow a time server: timedatectl set-ntp true'
  return Math.abs(aheadMs) < HARMFUL_MS ? about.warning(says, remedy) : about.problem(says, remedy)
}
