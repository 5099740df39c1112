// Records the acknowledged writes and those that may have happened. All reads are compared with this record only.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Client } from './client.ts'

/** Any JSON value; null: the row does not exist. */
export type State = unknown

/** One row that one writer changes, one step after the other. */
export interface Slot {
  id: string
  kind: Kind
  /** The state that was acknowledged last. */
  state: State
  /** The step whose answer was cut off: it happened or it did not. */
  maybe: Step | null
  /** Identifiers and other values from earlier answers. */
  facts: Record<string, string>
  /** How many steps were begun. */
  steps: number
  /** Rows that must be in the audit log, once each. Computed late, because some identifiers are known late. */
  audits: (() => string)[]
  /** Rows that may be there once: of steps that were never acknowledged and whose audit row is not in the same transaction. */
  mayAudit: (() => string)[]
  /** Events that must be stored, once each. */
  events: string[]
  isFinished: boolean
}

export interface Step {
  name: string
  next: State
  send(client: Client): Promise<Answer>
  accept: readonly number[]
  /** Stores values of the answer in `facts`. */
  learn?(answer: Answer): void
  audits?: readonly (() => string)[]
  /** Sending it a second time changes nothing, so a client that lost the answer may repeat it. */
  isRepeatable?: boolean
  /** The audit row is written after the change, not in its transaction. */
  auditsLate?: boolean
  event?: string
}

export interface Kind {
  name: string
  /** How many loops write rows of this kind at once. */
  writers: number
  /** Milliseconds between two steps, at most. */
  pause: number
  /** Each writer works on so many rows in turn and begins a new one when one is finished. */
  slots: number
  begin(slot: Slot): void
  /** The next step; null: the row is finished. */
  step(slot: Slot): Step | null
  /** The row as the database has it. Throws when it cannot be read. */
  read(client: Client, slot: Slot): Promise<State>
  /** The row as readers see it, and what they should see. undefined: unknown. */
  readPublic?(client: Client, slot: Slot): Promise<{ value: unknown; answer: Answer } | undefined>
  shouldSee?(state: State, slot: Slot): unknown
}

export interface Violation {
  what: string
  where: string
  expected: unknown
  found: unknown
}

export interface Counts {
  acknowledged: number
  cutOff: number
  happened: number
  didNotHappen: number
  repeated: number
  refused: number
  readsAtOnce: number
  pending: number
  reads: number
  auditRows: number
  events: number
  eventsRead: number
}

export interface Ledger {
  slots: Slot[]
  touched: Set<Slot>
  violations: Violation[]
  counts: Counts
  open(kind: Kind, id: string): Slot
  violated(what: string, slot: Slot | string, expected: unknown, found: unknown): void
}

export function createLedger(onViolation: (violation: Violation) => void = () => {}): Ledger {
  const ledger: Ledger = {
    slots: [],
    touched: new Set(),
    violations: [],
    counts: {
      acknowledged: 0,
      cutOff: 0,
      happened: 0,
      didNotHappen: 0,
      repeated: 0,
      refused: 0,
      readsAtOnce: 0,
      pending: 0,
      reads: 0,
      auditRows: 0,
      events: 0,
      eventsRead: 0,
    },
    open(kind, id) {
      const slot: Slot = {
        id,
        kind,
        state: null,
        maybe: null,
        facts: {},
        steps: 0,
        audits: [],
        mayAudit: [],
        events: [],
        isFinished: false,
      }
      kind.begin(slot)
      ledger.slots.push(slot)
      return slot
    },
    violated(what, slot, expected, found) {
      const where = typeof slot === 'string' ? slot : `${slot.kind.name} ${slot.id} after step ${slot.steps}`
      const violation = { what, where, expected, found }
      ledger.violations.push(violation)
      onViolation(violation)
    },
  }
  return ledger
}

export const same = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

/** Records that the step happened: its state is the acknowledged one from now on. */
export function recordStep(slot: Slot, step: Step): void {
  slot.state = step.next
  slot.audits.push(...(step.audits ?? []))
  if (step.event) slot.events.push(step.event)
}

/** How long a writer waits after the service refused a step because it is still starting. */
const REFUSED_MS = 1_000

/** Sends one step and records its outcome. Then compares what readers see, over the same connection. */
export async function takeStep(ledger: Ledger, client: Client, slot: Slot): Promise<void> {
  const step = slot.kind.step(slot)
  if (!step) {
    slot.isFinished = true
    return
  }
  slot.steps++
  ledger.touched.add(slot)
  const answer = await step.send(client)
  if (answer.status === -1 || (answer.status === 503 && /still starting/.test(answer.text))) {
    ledger.counts.refused++
    slot.steps--
    // Waits like a client that was told to wait, and leaves the processor to the starting service.
    await sleep(REFUSED_MS)
    return
  }
  // An error of the service may have happened after the commit.
  if (answer.status === 0 || answer.status >= 500) {
    ledger.counts.cutOff++
    slot.maybe = step
    return
  }
  if (!step.accept.includes(answer.status)) {
    ledger.violated(`${step.name} was answered with ${answer.status}`, slot, step.accept, answer.text.slice(0, 300))
    slot.maybe = step
    return
  }
  step.learn?.(answer)
  recordStep(slot, step)
  ledger.counts.acknowledged++
  if (answer.headers['x-catalog-pending'] === 'true') {
    ledger.counts.pending++
    return
  }
  const { kind } = slot
  if (!kind.readPublic || !kind.shouldSee) return
  const publicAnswer = await kind.readPublic(client, slot)
  // Another process may be a second behind; the same process may not.
  if (!publicAnswer || publicAnswer.answer.socket === null || publicAnswer.answer.socket !== answer.socket) return
  ledger.counts.readsAtOnce++
  const expected = kind.shouldSee(slot.state, slot)
  if (!same(publicAnswer.value, expected))
    ledger.violated(`a stale read right after ${step.name}`, slot, expected, publicAnswer.value)
}

/** Finds out whether the step that was cut off happened. Any other state than before or after it is a violation. */
export async function resolveStep(ledger: Ledger, client: Client, slot: Slot): Promise<void> {
  const step = slot.maybe
  if (!step) return
  if (step.isRepeatable && Math.random() < 0.5) return repeat(ledger, client, slot, step)
  const found = await slot.kind.read(client, slot)
  ledger.counts.reads++
  if (same(found, step.next)) {
    ledger.counts.happened++
    if (step.auditsLate) {
      slot.state = step.next
      slot.mayAudit.push(...(step.audits ?? []))
    } else recordStep(slot, step)
  } else if (same(found, slot.state)) ledger.counts.didNotHappen++
  else {
    ledger.violated(`neither before nor after ${step.name}`, slot, { before: slot.state, after: step.next }, found)
    slot.state = found
  }
  slot.maybe = null
}

/** Sends the step again: whether or not it had happened before, it has happened once now. */
async function repeat(ledger: Ledger, client: Client, slot: Slot, step: Step): Promise<void> {
  const answer = await step.send(client)
  if (answer.status <= 0 || answer.status >= 500) throw new Error(`${step.name} again: ${answer.status} ${answer.text}`)
  if (!step.accept.includes(answer.status))
    ledger.violated(`${step.name}, sent again, was answered with ${answer.status}`, slot, step.accept, answer.text)
  step.learn?.(answer)
  recordStep(slot, step)
  slot.maybe = null
  ledger.counts.repeated++
}

export async function compare(ledger: Ledger, client: Client, slot: Slot): Promise<void> {
  if (slot.maybe) await resolveStep(ledger, client, slot)
  const found = await slot.kind.read(client, slot)
  ledger.counts.reads++
  if (!same(found, slot.state)) {
    ledger.violated('an acknowledged write is not as it was acknowledged', slot, slot.state, found)
    slot.state = found
  }
}
