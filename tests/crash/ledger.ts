// What was written and acknowledged, and what may have been: the only thing that reads are compared with.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Client } from './client.ts'

/** Anything that JSON can hold; null: it is not there. */
export type State = unknown

/** One thing that one writer writes, one step after the other. */
export interface Slot {
  id: string
  kind: Kind
  /** As it was acknowledged last. */
  state: State
  /** The step whose answer was cut off: either it happened or it did not. */
  maybe: Step | null
  /** Identifiers and the like that were learned on the way. */
  facts: Record<string, string>
  /** How many steps were begun. */
  steps: number
  /** Rows that must be in the audit log, once each. Named late, because some identifiers are learned late. */
  audits: (() => string)[]
  /** Rows that may be there once: of steps that were never acknowledged and are not one transaction. */
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
  /** What the answer tells. */
  learn?(answer: Answer): void
  audits?: readonly (() => string)[]
  /** Sent a second time it changes nothing, as a client relies on that lost the answer. */
  isRepeatable?: boolean
  /** The audit row comes after the change and not with it. */
  auditsLate?: boolean
  event?: string
}

export interface Kind {
  name: string
  /** How many loops write things of this kind at once. */
  writers: number
  /** Milliseconds between two steps, at most. */
  pause: number
  /** Each writer goes on with so many things in turn; more are begun as they are finished. */
  slots: number
  begin(slot: Slot): void
  /** The next step; null: nothing more is to be done to it. */
  step(slot: Slot): Step | null
  /** As the database has it. Throws when it cannot be read. */
  read(client: Client, slot: Slot): Promise<State>
  /** As readers see it, and what they should see. undefined: nothing can be said. */
  seen?(client: Client, slot: Slot): Promise<{ value: unknown; answer: Answer } | undefined>
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

/** The step happened: its state is the acknowledged one from now on. */
export function settle(slot: Slot, step: Step): void {
  slot.state = step.next
  slot.audits.push(...(step.audits ?? []))
  if (step.event) slot.events.push(step.event)
}

/** One step: sent, and noted as what its answer says. Then, over the same connection, what readers see is compared. */
const REFUSED_MS = 1_000

export async function take(ledger: Ledger, client: Client, slot: Slot): Promise<void> {
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
    // As a client that is told to wait does; the start that it waits for has the processor meanwhile.
    await sleep(REFUSED_MS)
    return
  }
  // What went wrong on the other side may have gone wrong after the commit.
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
  settle(slot, step)
  ledger.counts.acknowledged++
  if (answer.headers['x-catalog-pending'] === 'true') {
    ledger.counts.pending++
    return
  }
  const { kind } = slot
  if (!kind.seen || !kind.shouldSee) return
  const seen = await kind.seen(client, slot)
  // Another process may be a second behind; the same one may not.
  if (!seen || seen.answer.socket === null || seen.answer.socket !== answer.socket) return
  ledger.counts.readsAtOnce++
  const expected = kind.shouldSee(slot.state, slot)
  if (!same(seen.value, expected)) ledger.violated(`a stale read right after ${step.name}`, slot, expected, seen.value)
}

/** Finds out whether the step that was cut off happened. Anything else than before or after is a violation. */
export async function resolve(ledger: Ledger, client: Client, slot: Slot): Promise<void> {
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
    } else settle(slot, step)
  } else if (same(found, slot.state)) ledger.counts.didNotHappen++
  else {
    ledger.violated(`neither before nor after ${step.name}`, slot, { before: slot.state, after: step.next }, found)
    slot.state = found
  }
  slot.maybe = null
}

/** Sends the step again: whether or not it had happened, it has happened now, once. */
async function repeat(ledger: Ledger, client: Client, slot: Slot, step: Step): Promise<void> {
  const answer = await step.send(client)
  if (answer.status <= 0 || answer.status >= 500) throw new Error(`${step.name} again: ${answer.status} ${answer.text}`)
  if (!step.accept.includes(answer.status))
    ledger.violated(`${step.name}, sent again, was answered with ${answer.status}`, slot, step.accept, answer.text)
  step.learn?.(answer)
  settle(slot, step)
  slot.maybe = null
  ledger.counts.repeated++
}

export async function compare(ledger: Ledger, client: Client, slot: Slot): Promise<void> {
  if (slot.maybe) await resolve(ledger, client, slot)
  const found = await slot.kind.read(client, slot)
  ledger.counts.reads++
  if (!same(found, slot.state)) {
    ledger.violated('an acknowledged write is not as it was acknowledged', slot, slot.state, found)
    slot.state = found
  }
}
