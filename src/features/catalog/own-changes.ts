// The changes of this process. It applies them itself, so their announcements, which the database sends back to it, are skipped.
import type { Change } from '../../kernel/context.ts'
import { isAwaited } from './changes.ts'

export interface OwnChanges {
  /** Call this before the commit, because an announcement may arrive before the commit is known here. */
  expect(changes: readonly Change[]): void
  /** Their transaction has failed. */
  forget(changes: readonly Change[]): void
  areVisible(changes: readonly Change[]): void
  /** For the announcement of an own change: resolves when readers see it. Undefined for a change of another process. */
  announced(change: Change | null): Promise<void> | undefined
}

// An announcement arrives at once, or never if the listener lost its connection. A million changed listings make 5,000 announcements.
const MAX_REMEMBERED = 10_000

export function createOwnChanges(): OwnChanges {
  const byId = new Map<string, PromiseWithResolvers<void>>()
  return {
    expect(changes) {
      for (const { topic, id } of changes)
        if (id !== undefined && isAwaited(topic)) byId.set(id, Promise.withResolvers())
      for (const id of byId.keys()) {
        if (byId.size <= MAX_REMEMBERED) return
        byId.delete(id)
      }
    },
    forget(changes) {
      for (const { id } of changes) byId.delete(id ?? '')
    },
    areVisible(changes) {
      for (const { id } of changes) byId.get(id ?? '')?.resolve()
    },
    announced(change) {
      const id = change?.id ?? ''
      const own = byId.get(id)
      byId.delete(id)
      return own?.promise
    },
  }
}
